"""`run_table`: a few lines under each of several circumstances, all of them run, in a table whose cells open.

A table that says what a mode or a switch does is believed or forgotten. In this one every cell was run: it shows the
last line that was printed, or the error, and opened it shows the lines and all that they printed. It is HTML without a
script, so it opens in a saved notebook and on a page as well, with the mouse or with Tab and Enter.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import fill, indent
from typing import Any

from minigrad.autograd.grad_mode import enable_grad
from minigrad.viz.graph.values import ADDRESS
from minigrad.viz.picture.markup import MONO, SANS, attribute, clean, clean_lines, markup, shorten_words
from minigrad.viz.picture.palette import light_dark

LONGEST, WIDTH = 52, 96  # characters of an answer in a cell, and of a line below the table
LINE = 19  # pixels
STYLE = (
    f".minigrad-runs{{color-scheme:light dark;position:relative;max-width:100%;font:13px/1.5 {SANS};margin:4px 2px;"
    f"color:{light_dark('ink')}}}"
    '[data-jp-theme-light="true"] .minigrad-runs{color-scheme:light}'
    '[data-jp-theme-light="false"] .minigrad-runs{color-scheme:dark}'
    ".minigrad-runs>div{overflow-x:auto}"
    ".minigrad-runs table{margin:0;color:inherit;border:none;border-collapse:collapse;font-size:13px;table-layout:auto}"
    ".minigrad-runs tr{background:transparent!important}"
    f".minigrad-runs :is(th,td){{border:1px solid {light_dark('line')};max-width:none;"
    "padding:0!important;text-align:left!important}"
    ".minigrad-runs th{padding:5px 10px!important;font-weight:600;vertical-align:bottom}"
    f".minigrad-runs tbody th{{font:12px/1.5 {MONO};white-space:nowrap;vertical-align:middle}}"
    ".minigrad-runs summary{cursor:pointer;display:block;padding:5px 10px}"
    ".minigrad-runs summary:hover{background:light-dark(#e9f3fa,#24384a)}"
    f".minigrad-runs summary:focus-visible{{outline:2px solid {light_dark('leaf')}}}"
    ".minigrad-runs [open]>summary{background:light-dark(#d5e9f6,#1c4a68);font-weight:600}"
    f".minigrad-runs .mgr-raised{{color:{light_dark('hot')}}}"
    ".minigrad-runs details>div{position:absolute;left:0;bottom:0;box-sizing:border-box;overflow:auto;padding:8px 12px;"
    f"border-left:4px solid {light_dark('leaf')};width:100%}}"
    f".minigrad-runs pre{{margin:0;padding:0;background:transparent;color:inherit;font:12px/{LINE}px {MONO}}}"
    f".minigrad-runs pre+pre{{margin-top:8px!important;color:{light_dark('done')}!important}}"
    f".minigrad-runs .mgr-raised+div pre+pre{{color:{light_dark('hot')}!important}}"
)


@dataclass(frozen=True)
class Run:
    """Lines that were run, what they printed, and the error that ended them, or ""."""

    code: str
    printed: str
    error: str

    @property
    def answer(self) -> str:
        """What a cell shows: the last line that was printed, or the kind of error."""
        words = self.error.partition(":")[0] or (self.printed.splitlines() or ["(nothing)"])[-1]
        return shorten_words(words, LONGEST)

    @property
    def told(self) -> str:
        """All that came of it."""
        lines = [*self.printed.splitlines(), *self.error.splitlines()]
        return "\n".join(fill(line, WIDTH, break_on_hyphens=False) for line in lines) or "(nothing was printed)"


class RunTable:
    """A table of runs: shows itself in a notebook, and `print` shows it as text. `runs[row, column]` has each Run."""

    def __init__(self, runs: Mapping[tuple[str, str], Run]) -> None:
        self.runs = runs
        self.rows, self.columns = (list(dict.fromkeys(key[i] for key in runs)) for i in range(2))

    def __str__(self) -> str:
        answers = [[row, *(self.runs[row, column].answer for column in self.columns)] for row in self.rows]
        lines = [["", *self.columns], *answers]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, map(clean, line), widths)).rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        name = "runs-" + hashlib.sha256(str(self).encode()).hexdigest()[:12]  # of a table's cells, one is open
        height = LINE * max(len(run.code.splitlines()) + len(run.told.splitlines()) for run in self.runs.values()) + 24
        head = "".join(f'<th scope="col">{markup(column)}</th>' for column in self.columns)
        body = "".join(
            f'<tr><th scope="row">{markup(row)}</th>'
            + "".join(f"<td>{self._cell(row, column, name, height)}</td>" for column in self.columns)
            + "</tr>"
            for row in self.rows
        )
        return (
            f'<div class="minigrad-runs" style="padding-bottom:{height + 8}px"><style>{STYLE}</style>'
            f"<div><table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div></div>"
        )

    def _cell(self, row: str, column: str, name: str, height: int) -> str:
        run = self.runs[row, column]
        is_first = (row, column) == (self.rows[0], self.columns[0])
        raised = ' class="mgr-raised"' if run.error else ""
        return (
            f'<details name="{name}"{" open" if is_first else ""}>'
            f"<summary{raised} aria-label={attribute(f'{row}, {column}: {run.answer}')}>{markup(run.answer)}</summary>"
            f'<div style="height:{height}px"><pre>{markup(run.code)}</pre><pre>{markup(run.told)}</pre></div></details>'
        )


def run_table(
    rows: Mapping[str, str], columns: Mapping[str, str], names: Callable[[], Mapping[str, Any]] = dict
) -> RunTable:
    """Run the lines of each column after those of each row, and show what they print in a table whose cells open.

    `rows` and `columns` have lines of code by the words above and beside the cells. Where a row ends with a colon, as
    "with mg.no_grad():", the column's lines stand inside of it; after other rows they follow, and "" adds nothing.
    `names` is called before each run, and returns what the lines may use, by name. Each run begins with recording on;
    an error ends the run alone, and is its answer.

    Raises TypeError where one of the three is something else, ValueError without rows or columns, and SyntaxError if
    lines are no Python.
    """
    for word, lines in (("rows", rows), ("columns", columns)):
        if not isinstance(lines, Mapping) or not all(isinstance(one, str) for one in [*lines, *lines.values()]):
            raise TypeError(f"run_table expects {word} to be a dict of lines of code by the words that name them")
        if not lines:
            raise ValueError(f"run_table has nothing to run: there are no {word}")
    if not callable(names):
        raise TypeError(f"run_table expects names to be a function that returns a dict, not {type(names).__name__}")
    codes = {(row, column): _together(rows[row], columns[column]) for row in rows for column in columns}
    programs = {place: compile(code, "<run_table>", "exec") for place, code in codes.items()}
    return RunTable({place: _run(code, programs[place], dict(names())) for place, code in codes.items()})


def _together(first: str, then: str) -> str:
    """The lines of a row, and those of a column in or below them."""
    first, then = first.strip("\n"), then.strip("\n")
    depth = re.match(r" *", first.splitlines()[-1] if first else "")[0]  # type: ignore[index]
    return "\n".join(filter(None, [first, indent(then, depth + "    ") if first.endswith(":") else then]))


def _run(code: str, program: Any, names: dict[str, Any]) -> Run:
    printed, error = io.StringIO(), ""
    with enable_grad(), contextlib.redirect_stdout(printed):
        try:
            exec(program, names)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    return Run(code, *(clean_lines(ADDRESS.sub("", text.rstrip())) for text in (printed.getvalue(), error)))
