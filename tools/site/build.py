"""Make the site: `python dev.py site` writes the folder site/, which any server of files shows under any path.

    book       the chapters, from the committed notebooks with what they show: nothing is run
    front      the first page: what this is, with a stepper that steps
    gallery    twenty graphs to step, each with its code
    live       the same chapters, run in the browser

Options: --address URL, where the site will stand, so that link previews and the sitemap have whole addresses (else
what tools/addresses.py has written down, if it was run); --without-live leaves out what runs in the browser; --pyodide
FOLDER, a release of Pyodide, has it ask no other host for Python.

All is written into a folder beside the site, checked there, and takes the site's place at the end: what stops the build
leaves the site as it was. It stops at a chapter that was not executed, at a name with markup, and at a broken link.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parents[1]
sys.path[:0] = [str(path) for path in (ROOT, TOOLS) if str(path) not in sys.path]

import book  # noqa: E402 (what is beside this file)
import front  # noqa: E402
import gallery  # noqa: E402
import live  # noqa: E402
from pages import ProblemError, Site  # noqa: E402
from proof import check_site  # noqa: E402
from tqdm import tqdm  # noqa: E402

FOLDER = ROOT / "site"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python dev.py site", description="Write the course as a site into site/.", parents=[live.own_options()]
    )
    parser.add_argument(
        "--address",
        default=book.written_down("Course"),
        metavar="URL",
        help="where it will stand: https://example.org/minigrad",
    )
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="where it is written, in the place of what is there"
    )
    parser.add_argument("--notebooks", type=Path, default=ROOT / "notebooks", help="the chapters' folder")
    parser.add_argument("--without-live", action="store_true", help="only pages to read and step")
    options = parser.parse_args(arguments)
    if options.pyodide and options.without_live:
        parser.error("--pyodide is for what runs in the browser, which --without-live leaves out")
    for_live = ["--pyodide", str(options.pyodide)] if options.pyodide else []
    live.folder_of_pyodide(for_live)  # what is wrong with it is said at once, and not when all else is made
    try:
        build(options, for_live)
    except ProblemError as problem:
        print(f"\nThe site was not written. {problem}", file=sys.stderr)
        return 1
    look = f"python -m http.server --bind 127.0.0.1 --directory {options.folder}"
    print(f"The site is in {options.folder}. To look at it: {look}")
    return 0


def build(options: argparse.Namespace, for_live: list[str]) -> None:
    """Write all parts beside the site, check them, and let them take its place. Raises ProblemError."""
    folder: Path = options.folder.absolute()
    if folder.exists() and any(folder.iterdir()) and not (folder / ".nojekyll").exists():
        raise ProblemError(f"{folder} holds something else: name another folder, or empty it.")
    made = folder.with_name(folder.name + ".part")
    shutil.rmtree(made, ignore_errors=True)
    python_host = "" if for_live else live.own_host()
    site = Site(made, options.notebooks, options.address.rstrip("/"), not options.without_live, python_host)
    steps: list[tuple[str, Callable[[], None]]] = [
        ("the book", lambda: book.write(site)),
        ("the gallery", lambda: gallery.write(site)),
        ("the front page", lambda: front.write(site)),
        ("what runs in the browser", lambda: site.has_live and live.build(made, for_live)),
        ("link previews", site.write_previews),
        ("checking", lambda: check_site(site)),
    ]
    with tqdm(steps, unit="part", bar_format="{desc} {bar} {n} of {total} parts, {elapsed}") as bar:
        for name, run in bar:
            bar.set_description_str(f"{name:26}")
            run()
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
