"""Pages that stand alone: one HTML file with its style, its script and its data in it, and the network forbidden.

The page of a recorded pass holds the widget's own JavaScript and style sheet, a model of a few lines that answers in
the kernel's place (`static/page.mjs`), the recorded frames, and the same steps in words; that of a drawing the picture
and its table. What learners wrote (names, code, values) is data in it and text on it, never markup or script, and a
policy in the page's head lets nothing run that we did not put there and nothing be fetched at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad.viz import recording, widget_source
from minigrad.viz.markup import clean, shorten

if TYPE_CHECKING:
    from minigrad.viz.drawing import Drawing
    from minigrad.viz.stepper import BackwardStepper

LONGEST_TITLE = 80  # characters of a name in a title
STATIC = Path(__file__).parent / "static"


def style(*sheets: str) -> str:
    """Style sheets as text that may stand in a <style> element."""
    return re.sub("</(?=style)", r"<\\/", "\n".join(sheets), flags=re.IGNORECASE)


def script(stepper_module: str) -> str:
    """The widget's module, and the host that shows recorded passes with it, as one text for a <script type="module">.

    `stepper_module` is the ES module that anywidget gets: its default export has `render({model, el})`.
    """
    name = "globalThis.minigradStepper ="
    module, count = re.subn("^export default ", f"{name} ", stepper_module, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"the widget's module must have one default export at the start of a line, not {count}")
    # In JavaScript "<\/script" and "<\!--" are the same strings, but do not end or hide the element that they are in.
    text = "\n".join([module, static("kept.mjs"), static("page.mjs")])
    return re.sub("<(?=/script|!--)", r"<\\", text, flags=re.IGNORECASE)


def data(values: dict[str, Any]) -> str:
    """Values as JSON that may stand in a <script type="application/json">: no character in it can begin markup."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def recorded(values: dict[str, Any], still: str = "") -> str:
    """The place where a recorded pass is shown. `still` is markup that stands there until the script runs."""
    return f'<div class="minigrad-recorded"><script type="application/json">{data(values)}</script>{still}</div>'


def picture_address(svg: str) -> str:
    """An SVG as an address that contains it, so that it is shown as a picture and nothing in it runs."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def _whole(title: str, line: str, middle: list[str], words: tuple[str, str], foot: str, sheet: str, code: str) -> str:
    """A whole HTML page: its title, a line of markup below that, markup, a text under its own title for those who do
    not see the picture (folded away by the script, so open where no script runs), and a foot. `code`, if not empty, is
    the one script that may run.
    """
    allowed = f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'" if code else "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    heading, summary, text = escape(title), *map(escape, words)
    parts = [
        "<body>\n<main>",
        f'<header class="page-head"><h1>{heading}</h1><p>{line}</p></header>',
        *middle,
        f'<details class="minigrad-words" open><summary>{summary}</summary><pre>{text}</pre></details>',
        f'</main>\n<footer class="page-foot">{foot}</footer>',
        *([f'<script type="module">{code}</script>'] if code else []),
        "</body>\n</html>\n",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="minigrad">\n'
        f"<title>{heading}</title>\n<style>{sheet}</style>\n</head>\n" + "\n".join(parts)
    )


def stepper_page(stepper: BackwardStepper, title: str | None = None) -> str:
    """The recorded frames of a stepper as a whole page."""
    root = shorten(stepper.picture["root"], LONGEST_TITLE)
    total, run = stepper.frames[0].total, len(stepper.frames) - 1
    steps = f"{total} steps" if run == total else f"{run} of {total} steps"
    keys = (
        "<kbd>→</kbd> and <kbd>←</kbd> step, <kbd>Home</kbd> and <kbd>End</kbd> go to the ends, <kbd>space</kbd> plays."
    )
    without_script = (
        '<noscript><p class="page-note">The steps below are complete in words. To click through them, let this '
        "page run its script: it is part of this file and fetches nothing.</p></noscript>"
    )
    kept = recording.pack({"picture": stepper.picture, "frames": stepper.recorded, "problem": stepper.problem})
    values = {"kept": kept, "index": stepper.index, "finished": stepper.finished, "live": False}
    return _whole(
        clean(title) if title else f"{root}.backward(), step by step",
        f'{steps}, recorded. <span class="page-screen">{keys}</span>',
        [without_script, recorded(values)],
        ("All steps in words", stepper.trace()),
        "Made with minigrad. This file needs no kernel and no network.",
        style(widget_source.style(), static("page.css")),
        script(widget_source.script()),
    )


def save_drawing(drawing: Drawing, path: Any) -> None:
    """Write a drawing to an SVG or HTML file, as the path's ending says."""
    graph, text = drawing.graph, drawing.svg
    ending = Path(os.fsdecode(path)).suffix.lower() if isinstance(path, str | os.PathLike) else ".svg"
    if ending in (".html", ".htm"):
        text = _whole(
            f"The graph of {shorten(clean(graph.by_id[graph.root].name), LONGEST_TITLE)}",
            f"{len(graph.boxes)} boxes. Read along the arrows: this is the order of computing.",
            [f'<figure class="page-picture">{drawing.svg}</figure>'],
            ("The graph in words", str(drawing)),
            "Made with minigrad.",
            style(static("page.css")),
            "",
        )
    elif ending != ".svg":
        raise ValueError(f"save() writes .svg and .html files, not {ending or 'files without an ending'}: {path!r}")
    write(path, text, "save()")


def write(path: Any, text: str, caller: str) -> None:
    """Write a page or a picture to a file.

    Raises TypeError if `path` is no path, IsADirectoryError for a folder, FileNotFoundError where its folder is
    missing, and what the system raises for a place that cannot be written to.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{caller} expects the name of a file, not {type(path).__name__}: {caller[:-1]}'step.html')")
    target = Path(os.fsdecode(path))
    if target.is_dir():
        raise IsADirectoryError(
            f"{caller} expects the name of a file, and {str(target)!r} is a folder: try {str(target / 'step.html')!r}"
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{caller} cannot write {str(target)!r}: there is no folder {str(target.parent)!r}")
    target.write_bytes(text.encode("utf-8"))


def static(name: str) -> str:
    """The text of a file of the page's side."""
    return (STATIC / name).read_text(encoding="utf-8")
