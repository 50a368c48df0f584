"""Pages that stand alone: one HTML file with its style, its script and its data in it, and the network forbidden.

After this module a reader knows how a recorded pass steps without a kernel. The page holds the widget's own JavaScript
and style sheet, a model of a few lines that answers in the kernel's place (`static/page.mjs`), and the recorded
frames. What learners wrote (names, code, values) is data in it and text on it, never markup or script, and a policy in
the page's head lets nothing run that we did not put there and nothing be fetched at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from html import escape
from pathlib import Path
from typing import Any

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
    text = "\n".join([module, _read("kept.mjs"), _read("page.mjs")])
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


def page(title: str, body: str, styles: str, code: str = "") -> str:
    """A whole HTML page. `body` is markup; `code`, if not empty, is the one script that may run."""
    allowed = f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'" if code else "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    running = f'<script type="module">{code}</script>\n' if code else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="minigrad">\n'
        f"<title>{escape(title)}</title>\n<style>{styles}</style>\n</head>\n"
        f"<body>\n{body}\n{running}</body>\n</html>\n"
    )


def head(title: str, words: str) -> str:
    """The page's title and a line of markup below it."""
    return f'<header class="page-head"><h1>{escape(title)}</h1><p>{words}</p></header>'


def words(title: str, text: str) -> str:
    """Text for those who do not see the picture: folded away by the script, so open where no script runs."""
    return f'<details class="minigrad-words" open><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>'


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


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def page_style() -> str:
    """The style of the page around a picture or a stepper."""
    return _read("page.css")


def notebook_style() -> str:
    """The style of a notebook's cells and outputs."""
    return _read("notebook.css")
