"""Cases, drawn ones too: other ones at each check, and the same again with a seed; and how answers are compared."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np
from teach.answers import said

import minigrad as mg
from minigrad.teach import EXERCISES, Case, Difference, Exercise, cases, compare
from minigrad.teach.exercise import DRAWS

made: list[float] = []


def halves(random: np.random.Generator) -> Iterator[Case]:
    """Two cases, whose numbers differ in each draw."""
    for _ in range(2):
        number = float(random.normal())
        made.append(number)
        yield Case(f"x = {number:.3f}", lambda number=number: (mg.tensor(number),))


def half(x):
    return x / 2


def a_tenth(x):
    """This is a tenth."""
    return x / 10


def tenths_of_large_ones(x):
    return x / 2 if abs(x) < 0.5 else x / 10


def half_of_two(x):
    return mg.tensor(1.0)


EXERCISE = Exercise(
    title="half of it",
    stars=1,
    minutes=1,
    reference=half,
    cases=(Case("x = 2", lambda: (mg.tensor(2.0),)),),
    drawn=halves,
    hints=("Divide.", "By two.", "x / 2"),
    mistakes=(a_tenth,),
)


def test_other_cases_are_drawn_at_each_check() -> None:
    cards, numbers = set(), []
    for _ in range(2):
        made.clear()
        cards.add(repr(EXERCISE.check(half)))
        numbers.append(sorted(made))
        assert len(set(made)) > DRAWS
    assert numbers[0] != numbers[1]
    (words,) = cards  # compared in notebooks: nothing of the numbers is in it
    assert f"1 case tried, all as expected: x = 2. So were those of {DRAWS} random draws." in words


def test_what_no_fixed_case_shows_is_found_by_a_drawn_one_and_drawn_again() -> None:
    card = EXERCISE.check(half_of_two)
    assert card.title == "half: not yet"
    again = re.search(r"check\.half\(half, seed=(\d+)\) draws it again", said(card)["drawn"])
    assert again is not None
    for _ in range(3):
        assert EXERCISE.check(half_of_two, seed=int(again[1])) == card
    assert EXERCISE.check(half, seed=int(again[1])) == EXERCISE.check(half)


def test_a_fixed_case_that_fails_has_no_seed() -> None:
    rows = said(EXERCISE.check(a_tenth))
    assert "drawn" not in rows
    assert rows["likely"] == "This is a tenth."
    assert "random draws" not in repr(dataclasses.replace(EXERCISE, drawn=None).check(half))


def test_a_mistake_is_named_only_if_it_does_the_same_on_the_drawn_cases_too() -> None:
    alike = dataclasses.replace(EXERCISE, cases=(Case("x = 4", lambda: (mg.tensor(4.0),)),))
    assert said(alike.check(lambda x: x / 10))["likely"] == "This is a tenth."
    assert said(alike.check(lambda x: tenths_of_large_ones(x)))["likely"] != "This is a tenth."


def test_a_parameter_of_the_function_is_no_seed() -> None:
    card = EXERCISES["slope_of_w"].check(half, w=3)
    assert card.title == "slope_of_w: one function is asked for"


def unlike(x):
    """Two and three do not fit."""
    return x + (mg.ones(2) + mg.ones(3)).sum()


def test_an_error_of_a_mistake_is_known_by_its_text_and_its_place() -> None:
    def made_otherwise(x):
        several = mg.ones(2)
        return mg.ones(3).sum() * x if x is None else several + mg.ones(3)

    def said_by_itself(x):
        raise RuntimeError(text)

    exercise = dataclasses.replace(EXERCISE, mistakes=(unlike,))
    rows = said(exercise.check(made_otherwise))
    assert rows["likely"] == "Two and three do not fit."
    text = rows["raised"].removeprefix("RuntimeError: ")
    others = said(exercise.check(said_by_itself))
    assert others["raised"] == rows["raised"]
    assert others["likely"] != rows["likely"]


def test_who_calls_itself_for_ever_is_not_said_to_go_along_a_graph() -> None:
    def forever(x):
        return forever(x)

    assert "Does a function call itself" in said(EXERCISE.check(forever))["likely"]


def test_the_words_of_a_case_have_its_values_in_them_and_its_arguments_are_made_anew() -> None:
    @cases("x = {x}, in steps of {step:.2f}")
    def case_of(x, step=0.5):
        return [x], step

    case = case_of(2.0)
    assert case.words == "x = 2.0, in steps of 0.50"
    assert case.make() == ([2.0], 0.5)
    assert case.make()[0] is not case.make()[0]
    assert case_of(x="{x}", step=2).words == "x = {x}, in steps of 2.00"


def test_of_several_comparisons_the_first_difference_counts_and_no_other_is_made() -> None:
    def chain(expected, got, outcome):
        yield compare(expected, got)
        yield Difference("the sign", "+", "-")
        raise AssertionError("nobody asks for more")

    def none_differs(expected, got, outcome):
        yield None

    exercise = dataclasses.replace(EXERCISE, compare=chain)
    assert said(exercise.check(a_tenth))["first difference"].startswith("the answer: yours 0.2")
    assert said(exercise.check(half))["first difference"] == "the sign: yours +, expected -"
    assert dataclasses.replace(EXERCISE, compare=none_differs).check(a_tenth).kind == "good"
