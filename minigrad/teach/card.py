"""How the course answers: a card with a title and labelled rows, as text and as HTML.

Every check, hint and prediction puts its words on the page with it. What a learner's code returned is text here,
whatever it contains: escaped, shortened, without the memory addresses that would differ in each run.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from textwrap import fill, indent
from typing import Any

from minigrad.teach.limits import TookTooLongError

LONGEST = 400  # characters of a value that is shown,
LONGEST_ERROR = 1000  # and of an error, whose last sentence says what to do
WIDTH = 96  # characters of a line of text

# The state is said by mark and word; colour only repeats it. These four read on a white and on a black page.
MARKS = {"good": "✓", "bad": "✗", "open": "○", "note": "·"}
COLOURS = {"good": "#00805a", "bad": "#c24e00", "open": "#7a8694", "note": "#0072b2"}

# A notebook's own style sheet breaks code in the middle of words, and gives it and every other row a background.
CODE = "margin:2px 0;background:transparent;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
LABEL = "font-weight:600;white-space:nowrap"

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


def plain(value: object, longest: int = LONGEST) -> str:
    """A value as text that is safe to show: its repr, or the text itself; no address, no control characters, not too
    long. Of what holds very much only the size is told: a repr would take too long to write.
    """
    if isinstance(value, list | tuple | dict | set) and len(value) > longest:
        return f"a {type(value).__name__} of {len(value)} items"
    try:
        text = value[: 10 * longest] if isinstance(value, str) else repr(value)
    except Exception as error:  # the learner's own __repr__
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    text = _CONTROL.sub("", _ADDRESS.sub("", _COLOUR_CODE.sub("", text)))
    return text if len(text) <= longest else text[: longest - 2] + " …"


@dataclass(frozen=True)
class Card:
    """A titled answer. A row is `(label, text)`; lines of a text that start with two spaces are code."""

    kind: str  # a key of MARKS
    title: str
    rows: tuple[tuple[str, str], ...] = ()
    picture: str = ""  # an SVG below the rows, for pages that can show one
    at_work: Any = None  # a function: what it returns, a notebook shows beneath the card
    failed: int = 0  # the place of the case that failed, among those that were tried

    def __repr__(self) -> str:
        width = max((len(label) for label, _ in self.rows), default=0)
        lines = [f"{MARKS[self.kind]} {self.title}"]
        for label, text in self.rows:
            first, *others = _wrap(text, WIDTH - width - 4)
            lines += [f"  {label:<{width}}  {first}".rstrip(), *(" " * (width + 4) + line for line in others)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        colour = COLOURS[self.kind]
        cell = "text-align:left;vertical-align:top;padding:2px 14px 2px 0"
        rows = "".join(
            f'<tr style="background:transparent"><th scope="row" style="{cell};{LABEL}">{escape(label)}</th>'
            f'<td style="{cell};max-width:62em">{_paragraphs(text)}</td></tr>'
            for label, text in self.rows
        )
        if rows:
            rows = f'<table style="border:none;margin:4px 0 0 0;border-collapse:collapse"><tbody>{rows}</tbody></table>'
        mark = f'<span style="color:{colour}">{MARKS[self.kind]}</span>'
        inside = f'<div style="font-weight:600">{mark} {escape(self.title)}</div>{rows}{self._picture()}'
        return f'<div style="border-left:4px solid {colour};padding:6px 12px;margin:4px 0">{inside}</div>'

    def _ipython_display_(self) -> None:
        """Show the card, and beneath it what `at_work` gives."""
        if self.at_work is None:
            raise NotImplementedError  # with which IPython shows it as it does everything
        from IPython.display import display

        display(replace(self, at_work=None))  # type: ignore[no-untyped-call]
        with suppress(Exception, SystemExit, TookTooLongError):  # the answer is right, whatever becomes of this
            display(self.at_work())  # type: ignore[no-untyped-call]

    def _picture(self) -> str:
        if not self.picture:
            return ""
        from minigrad.viz.picture.image import image_html

        return image_html(self.picture, "the graph, with the wrong node marked", "minigrad-wrong-node")


def _wrap(text: str, width: int) -> list[str]:
    lines = [line if line.startswith("  ") else fill(line, max(width, 40)) for line in plain_lines(text)]
    return "\n".join(lines).split("\n")


def plain_lines(text: str) -> list[str]:
    return [_CONTROL.sub("", line) for line in text.split("\n")]


def _paragraphs(text: str) -> str:
    """Lines of code in <pre>, other lines as they are."""
    parts: list[str] = []
    for is_code, lines in groupby(plain_lines(text), lambda line: line.startswith("  ")):
        if is_code:
            code = "\n".join(line[2:] for line in lines)
            parts.append(f'<pre style="{CODE}">{escape(code)}</pre>')
        else:
            parts += [f"<div>{escape(line)}</div>" for line in lines]
    return "".join(parts)


def code(text: str) -> str:
    """Mark lines as code for a row."""
    return indent(text, "  ")
