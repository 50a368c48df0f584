"""When a run stops by itself.

After this module a reader knows what a breakpoint is: a box (it stops when that box has run), or a condition on the
gradient `g` that a node received. A condition is a text such as `g.norm() > 10`, `g.min() < 0`, `nan` or `inf`, which a
page without a kernel understands too (static/conditions.mjs), or a function of the frame. What a page sends is never
run as code.
"""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from minigrad.viz.frames import Frame
from minigrad.viz.values import MEASURES

FORM = re.compile(
    r"g\s*\.\s*(norm|max|min|mean)\s*\(\s*\)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)", re.IGNORECASE
)
COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


@dataclass(frozen=True)
class Breakpoint:
    """One of: the id of a `box`, the text of a condition `when`, or a `test` written in Python, of which the page shows
    the name.
    """

    box: str | None = None
    when: str | None = None
    test: Callable[[Frame], Any] | None = None

    @property
    def shown(self) -> dict[str, str]:
        """What the page gets to know."""
        if self.box is not None:
            return {"box": self.box}
        if self.when is not None:
            return {"when": self.when}
        name = getattr(self.test, "__name__", type(self.test).__name__)
        return {"code": "your lambda" if name == "<lambda>" else f"your {name}()"}

    def met(self, frame: Frame) -> bool:
        """Whether a run stops at this frame."""
        if self.box is not None:
            return frame.box == self.box
        if self.when is not None:
            return _holds(self.when, frame)
        assert self.test is not None
        return bool(self.test(frame))


class Breakpoints:
    """Those that are set, in the order in which they were."""

    def __init__(self) -> None:
        self.items: list[Breakpoint] = []

    def add(self, *added: Breakpoint) -> None:
        """Set some more; one that is set already is set once."""
        self.items = list(dict.fromkeys([*self.items, *added]))

    @property
    def shown(self) -> list[dict[str, str]]:
        """What the page gets to know."""
        return [item.shown for item in self.items]

    def met(self, frame: Frame) -> Breakpoint | None:
        """The first at which a run stops with this frame, if there is one."""
        return next((item for item in self.items if item.met(frame)), None)

    def replace(self, wanted: list[Any], runs: Container[str]) -> None:
        """Take over what the page has set, as far as it can be understood; `runs` are the boxes that do run.

        Those written in Python stay, since the page knows no more than their name.
        """
        self.items = [item for item in self.items if item.test is not None]
        for one in wanted:
            box, when = (one.get("box"), one.get("when")) if isinstance(one, dict) else (None, None)
            if box in runs:
                self.add(Breakpoint(box=box))
            elif isinstance(when, str):
                with contextlib.suppress(ValueError):
                    self.add(Breakpoint(when=condition(when)))


def breakpoint_for(test: str | Callable[[Frame], Any]) -> Breakpoint:
    """The breakpoint of a condition, which is a text or a function. ValueError or TypeError for what is neither."""
    if isinstance(test, str):
        return Breakpoint(when=condition(test))
    if callable(test):
        return Breakpoint(test=test)
    raise TypeError(
        f"break_when() expected a condition such as 'g.norm() > 10', or a function, not {type(test).__name__}"
    )


def condition(text: str) -> str:
    """The condition itself. ValueError, with what can be written, if it is none."""
    words = text.strip()
    if words.lower() in ("nan", "inf"):
        return words.lower()
    if FORM.fullmatch(words):
        return words
    raise ValueError(
        f"{text!r} is no condition: write g.norm(), g.max(), g.min() or g.mean(), a comparison and a number, as in "
        "'g.norm() > 10'; or 'nan' or 'inf'; or pass a function of the frame"
    )


def _holds(text: str, frame: Frame) -> bool:
    if text in ("nan", "inf"):
        return {"nan": "NaN", "inf": "Inf"}[text] in frame.alarm
    found = FORM.fullmatch(text)
    received = frame.received
    if found is None or received is None:
        return False
    return bool(COMPARE[found[2]](received[MEASURES.index(found[1].lower())], float(found[3])))
