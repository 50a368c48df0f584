"""The answers that are tried besides: right ones that look strange, and wrong ones that look right.

A wrong one stands beneath the words that its card must have; " … " is between words that need not follow each other.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest
from teach.answers import name_of, said, said_in_a_line

from minigrad.autograd.modes import modes
from minigrad.teach import EXERCISES, check
from minigrad.teach import exercise as exercises
from minigrad.teach.exercise import DRAWS

pytestmark = pytest.mark.usefixtures("in_this_process")

RIGHT = [(name, answer) for name, exercise in EXERCISES.items() for answer in exercise.right]
WRONG = [
    (name, answer, words)
    for name, exercise in EXERCISES.items()
    for words, answers in exercise.wrong.items()
    for answer in answers
]
# Mistakes that are named where no draw tells them from what was done, and not named where one does.
BY_CHANCE = ("the numbers went through float32", "The tolerance is too large")
MISTAKES = {name: [mistake.words for mistake in exercise.known] for name, exercise in EXERCISES.items()}
# Nobody looks at pictures here, which take as long to draw as all else; test_wrong_answers.py does.
UNDRAWN = {name: replace(exercise, picture=None) for name, exercise in EXERCISES.items()}
# Some of their answers never come to an end, which is known as well after a moment as after four seconds.
HASTY = {name: replace(UNDRAWN[name], seconds=0.4) for name in ("in_order", "start")}


def test_each_exercise_has_some() -> None:
    without = EXERCISES.keys() - ({name for name, _ in RIGHT} & {name for name, _, _ in WRONG})
    assert without == set(), "each has at least one answer in right= and one in wrong="
    assert len(RIGHT) >= 286
    assert len(WRONG) >= 584


@pytest.mark.usefixtures("draws_once")
@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=name_of)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    card = EXERCISES[name].check(answer)
    assert card.kind == "good", card


@pytest.mark.long
@pytest.mark.parametrize("name", EXERCISES)
def test_right_answers_pass_with_whatever_is_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other draws each time, as many as forty learners meet."""
    exercise = EXERCISES[name]
    monkeypatch.setattr(exercises, "DRAWS", 40 * DRAWS)
    for answer in (exercise.reference, *exercise.right):
        card = exercise.check(answer)
        assert card.kind == "good", card


@pytest.mark.usefixtures("expects_once")
@pytest.mark.parametrize(("name", "answer", "words"), WRONG, ids=name_of)
def test_a_wrong_answer_that_looks_right_is_refused_with_words(
    name: str, answer, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake is named only if the words are about it."""
    parts = words.split(" … ")
    card = HASTY.get(name, UNDRAWN[name]).check(answer)
    if name in HASTY and not all(part in said_in_a_line(card) for part in parts):  # much else is running
        card = UNDRAWN[name].check(answer)
    if card.kind == "good":  # what a few draws do not show, those of a learner's check do
        monkeypatch.setattr(exercises, "DRAWS", DRAWS)
        card = UNDRAWN[name].check(answer)
    assert card.kind == "bad", card
    rows = tuple(row for row in card.rows if row[0] != "in your line")  # in which the words may stand, too
    text, likely = said_in_a_line(replace(card, rows=rows)), said(card)["likely"]
    assert [part for part in parts if part not in text] == [], card
    expected = [*filter(None, parts), *BY_CHANCE]
    assert likely not in MISTAKES[name] or any(part in likely for part in expected), card
    assert modes.profiler is None


def test_callables_that_are_no_plain_functions_are_tried_too() -> None:
    slope_of_w = EXERCISES["slope_of_w"].reference

    class Slope:
        def __call__(self, w, x, b, target):
            return slope_of_w(w, x, b, target)

    assert check.slope_of_w(Slope()).kind == "good"
    assert check.slope_of_w(functools.partial(slope_of_w)).kind == "good"
