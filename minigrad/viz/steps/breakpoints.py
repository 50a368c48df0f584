"""When a run stops by itself.

A breakpoint is a box (the run stops when that box has run), or a condition on the gradient `g` that a node received. A
condition is a text such as `g.norm() > 10`, `g.min() < 0`, `nan` or `inf`, which a page without a kernel understands
too (static/conditions.mjs), or a function of the frame. What a page sends is never run as code.
"""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Container
from typing import Any

from minigrad.viz.graph.values import MEASURES
from minigrad.viz.steps.frames import Frame

FORM = re.compile(
    r"g\s*\.\s*(norm|max|min|mean)\s*\(\s*\)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)", re.IGNORECASE
)
COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
ALARMS = {"nan": "NaN", "inf": "Inf"}  # a condition, and what a frame says where it holds


class Breakpoints:
    """Those that are set, in the order in which they were."""

    def __init__(self) -> None:
        self.items: list[tuple[str, Any]] = []  # "box" and its id, "when" and a condition, or "code" and a function

    def add(self, kind: str, value: Any) -> None:
        """Set one more; one that is set already is set once."""
        if (kind, value) not in self.items:
            self.items.append((kind, value))

    @property
    def shown(self) -> list[dict[str, str]]:
        """What the page gets to know: of a function no more than its name."""
        return [{kind: _function_name(value) if kind == "code" else value} for kind, value in self.items]

    def first_met(self, frame: Frame) -> dict[str, str] | None:
        """The first at which a run stops with this frame, as `shown`, if there is one."""
        for (kind, value), words in zip(self.items, self.shown, strict=True):
            is_met = value(frame) if kind == "code" else frame.box == value if kind == "box" else _holds(value, frame)
            if is_met:
                return words
        return None

    def replace(self, wanted: list[Any], runs: Container[str]) -> None:
        """Take over what the page has set, as far as it can be understood; `runs` are the boxes that do run.

        Functions stay, since the page knows no more than their names.
        """
        self.items = [(kind, value) for kind, value in self.items if kind == "code"]
        for one in wanted:
            box, when = (one.get("box"), one.get("when")) if isinstance(one, dict) else (None, None)
            if isinstance(box, str) and box in runs:
                self.add("box", box)
            elif isinstance(when, str):
                with contextlib.suppress(ValueError):
                    self.add("when", condition(when))

    def add_test(self, test: Any) -> None:
        """Set a condition, which is a text or a function. ValueError or TypeError for what is neither."""
        if isinstance(test, str):
            self.add("when", condition(test))
        elif callable(test):
            self.add("code", test)
        else:
            kind = type(test).__name__
            raise TypeError(f"break_when() expected a condition such as 'g.norm() > 10', or a function, not {kind}")


def condition(text: str) -> str:
    """The condition itself. ValueError, with what can be written, if it is none."""
    words = text.strip()
    if words.lower() in ALARMS:
        return words.lower()
    if FORM.fullmatch(words):
        return words
    raise ValueError(
        f"{text!r} is no condition: write g.norm(), g.max(), g.min() or g.mean(), a comparison and a number, as in "
        "'g.norm() > 10'; or 'nan' or 'inf'; or pass a function of the frame"
    )


def _function_name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "your lambda" if name == "<lambda>" else f"your {name}()"


def _holds(text: str, frame: Frame) -> bool:
    if text in ALARMS:
        return ALARMS[text] in frame.alarm
    form, received = FORM.fullmatch(text), frame.received
    if form is None or received is None:
        return False
    return bool(COMPARE[form[2]](received[MEASURES.index(form[1].lower())], float(form[3])))
