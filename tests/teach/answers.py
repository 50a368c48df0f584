"""Answers that are none: stubs, and what a learner might pass by mistake or in anger; and the wrong ones, by name."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.teach import EXERCISES, Exercise
from minigrad.teach.card import Card


def threads() -> int:
    """How many there are, also those that no threading.Thread stands for."""
    return len(sys._current_frames())


def check_threads_ended(before: int) -> None:
    """None is left that was not there before. One that was told to end needs a moment."""
    late = time.monotonic() + 10
    while threads() > before and time.monotonic() < late:
        time.sleep(0.001)
    assert threads() <= before


def said(card: Card) -> dict[str, str]:
    return dict(card.rows)


def each_wrong(exercise: Exercise) -> list[tuple[Callable[..., Any], str]]:
    """The wrong answers in the exercise's file, with the words for each."""
    return [(answer, mistake.words) for mistake in exercise.known for answer in mistake.answers]


def wrong(exercise: str, name: str) -> Callable[..., Any]:
    """A wrong answer of an exercise."""
    return _of_name(name, (answer for answer, _ in each_wrong(EXERCISES[exercise])))


def tried(exercise: str, name: str) -> Callable[..., Any]:
    """An answer that is tried besides, by its name."""
    return _of_name(name, itertools.chain(EXERCISES[exercise].right, *EXERCISES[exercise].wrong.values()))


def _of_name(name: str, answers: Iterable[Callable[..., Any]]) -> Callable[..., Any]:
    """The answer that its module calls so: an edited one has the name of the other, too."""
    (found,) = [one for one in answers if one is getattr(sys.modules[one.__module__], name, None)]
    return found


def said_in_a_line(card: Card) -> str:
    """All that a card says, in one line."""
    return " ".join(repr(card).split())


def name_of(value: Any) -> str | None:
    """What a test of a table is called by: the answer's name."""
    return getattr(value, "__name__", None)


def dots(*arguments): ...


def documented(*arguments):
    """To be written."""
    ...  # noqa: PIE790


def passes(*arguments):
    pass


def returns_none(*arguments):
    return None


def not_implemented(*arguments):
    """To be written."""
    raise NotImplementedError


def not_implemented_called(*arguments):
    raise NotImplementedError()


def begun(root):
    node = root  # some lines that were given  # noqa: F841
    raise NotImplementedError


class Strange:
    def __repr__(self) -> str:
        raise ValueError("no repr")


HOSTILE = [
    (3, "this is not a function"),
    ("slope_of_w", "this is not a function"),
    (mg.tensor(1.0), "this is not a function"),
    (Strange(), "this is not a function"),
    (lambda: 1, "the parameters are not the ones asked for"),
    (lambda *, loss: 1, "the parameters are not the ones asked for"),
    (int, None),
    (print, None),
    (lambda *arguments: 1 / 0, "raises ZeroDivisionError"),
    (lambda *arguments: exit(), "raises"),
    (lambda *arguments: undefined_name, "raises NameError"),  # noqa: F821
    (lambda *arguments: None, "not"),
    (lambda *arguments: Strange(), None),
    (lambda *arguments: "<script>alert(1)</script>", None),
    (lambda *arguments: object(), None),
    (lambda *arguments: [], None),
    (lambda *arguments: {}, None),
    (lambda *arguments: {1: 2}, None),
    (lambda *arguments: [[1, 2], [3]], None),
    (lambda *arguments: np.ones((3, 2)), None),
    (lambda *arguments: mg.ones(3, 2), None),
    (lambda *arguments: mg.tensor(float("nan")), None),
    (lambda *arguments: True, None),
    (lambda *arguments: (1.0, 2.0), None),
    (lambda *arguments: (None, None), None),
    (lambda *arguments: (item for item in arguments), None),
    (lambda *arguments: arguments, None),
    (lambda *arguments: 10**400, None),
    (lambda *arguments: 1j, None),
]
