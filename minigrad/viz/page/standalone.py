"""Pages that stand alone: one HTML file with its style, its script and its data in it, and the network forbidden.

The page of a recorded pass holds the widget's own JavaScript and style sheet, a model of a few lines that answers in
the kernel's place (`static/page.mjs`), the recorded frames, and the same steps in words. What learners wrote (names,
code, values) is data in it and text on it, never markup or script, and a policy in the page's head lets nothing run
that we did not put there and nothing be fetched at all.
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

from minigrad.viz.page import packing, widget_source
from minigrad.viz.picture.markup import clean, shorten

if TYPE_CHECKING:
    from minigrad.viz.stepper import BackwardStepper

LONGEST_TITLE = 80  # characters of a name in a title
KEYS = (
    '<span class="page-screen"><kbd>→</kbd> and <kbd>←</kbd> step, <kbd>Home</kbd> and <kbd>End</kbd> go to the ends, '
    "<kbd>space</kbd> plays.</span>"
)
WITHOUT_SCRIPT = (
    '<noscript><p class="page-note">The steps below are complete in words. To click through them, let this page run '
    "its script: it is part of this file and fetches nothing.</p></noscript>"
)


def style(*sheets: str) -> str:
    """Style sheets as text that may stand in a <style> element."""
    return re.sub("</(?=style)", r"<\\/", "\n".join(sheets), flags=re.IGNORECASE)


def script(stepper_module: str, host: str | None = None) -> str:
    """The widget's module, and the host that shows recorded passes with it, as one text for a <script type="module">.

    `stepper_module` is the ES module that anywidget gets: its default export has `render({model, el})`. `host` is
    another script in the place of page.mjs, which may use the names of the stepper's.
    """
    name = "globalThis.minigradStepper ="
    module, count = re.subn("^export default ", f"{name} ", stepper_module, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"the widget's module must have one default export at the start of a line, not {count}")
    parts = widget_source.join_scripts("pack", "kept", "plain", *([] if host else ["page"]))
    return in_script("\n".join([module, parts, host or ""]))


def in_script(text: str) -> str:
    """JavaScript that may stand in a <script> element: "<\\/script" is the same string, and does not end it."""
    return re.sub("<(?=/script|!--)", r"<\\", text, flags=re.IGNORECASE)


def attribute(values: dict[str, Any]) -> str:
    """Values as JSON that may stand in single quotes as an attribute. What sanitizes markup drops it, and shows none
    of it as text, as it might of a script's.
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;")


def place_of_pass(values: dict[str, Any], attributes: str = "", inside: str = "") -> str:
    """The place where a recorded pass is shown. `inside` is markup that stands in it, such as a still picture."""
    return f"<div class=\"minigrad-recorded\" data-pass='{attribute(values)}'{attributes}>{inside}</div>"


def stepper_page(stepper: BackwardStepper, title: str | None = None) -> str:
    """The recorded frames of a stepper as a whole page: the widget with its one script, and below it, folded away by
    the script (so open where no script runs), all steps in words.
    """
    root = shorten(stepper.picture["root"], LONGEST_TITLE)
    total, run = stepper.frames[0].total, len(stepper.frames) - 1 - stepper.frames[-1].failed
    steps = f"{total} steps" if run == total else f"{run} of {total} steps"
    kept = packing.pack({"picture": stepper.picture, "frames": stepper.recorded, "problem": stepper.problem})
    shown = {"index": stepper.index, "finished": stepper.finished, "follows": stepper.follows}
    values = {"kept": kept, **shown, "live": False}
    code = script(widget_source.script())
    allowed = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{allowed}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    sheets = style(widget_source.style(), widget_source.static("page.css"))
    heading = escape(clean(title) if title else f"{root}.backward(), step by step")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="minigrad">\n'
        f"<title>{heading}</title>\n<style>{sheets}</style>\n</head>\n"
        f'<body>\n<main>\n<header class="page-head"><h1>{heading}</h1><p>{steps}, recorded. {KEYS}</p></header>\n'
        f"{WITHOUT_SCRIPT}\n{place_of_pass(values)}\n"
        '<details class="minigrad-words" open><summary>All steps in words</summary>'
        f"<pre>{escape(stepper.trace())}</pre></details>\n</main>\n"
        '<footer class="page-foot">Made with minigrad. This file needs no kernel and no network.</footer>\n'
        f'<script type="module">{code}</script>\n</body>\n</html>\n'
    )


def check_is_svg(path: Any, caller: str) -> None:
    """Raise ValueError for the name of a file that does not end in `.svg`."""
    if isinstance(path, str | os.PathLike) and not os.fsdecode(path).lower().endswith(".svg"):
        raise ValueError(f"{caller} writes .svg files, and {os.fsdecode(path)!r} does not end in .svg")


def write(path: Any, text: str, caller: str) -> None:
    """Write a page or a picture to a file.

    Raises TypeError if `path` is no path, IsADirectoryError for a folder, FileNotFoundError where its folder is
    missing, and what the system raises for a place that cannot be written to.
    """
    example = "step.svg" if text.startswith("<svg") else "step.html"
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{caller} expects the name of a file, not {type(path).__name__}: {caller[:-1]}'{example}')")
    target = Path(os.fsdecode(path))
    if target.is_dir():
        raise IsADirectoryError(
            f"{caller} expects the name of a file, and {str(target)!r} is a folder: try {str(target / example)!r}"
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{caller} cannot write {str(target)!r}: there is no folder {str(target.parent)!r}")
    target.write_bytes(text.encode("utf-8"))
