"""Answers that are others with a stretch of source replaced."""

import re

import pytest
from teach.answers import said

import minigrad as mg
from minigrad.teach import EXERCISES, check, edited

slope_of_w = EXERCISES["slope_of_w"].reference
NUMBERS = 2.0, 3.0, 1.0, 6.0  # of which the error is 1


def test_a_stretch_is_replaced_and_what_is_around_it_stays() -> None:
    assert slope_of_w(*NUMBERS) == 6.0
    assert edited(slope_of_w, "2 * error * x", "error")(*NUMBERS) == 1.0
    assert edited(slope_of_w, "2 * error", "error", "w * x + b", "w + b")(*NUMBERS) == -9.0
    assert slope_of_w(*NUMBERS) == 6.0


def test_what_was_edited_can_be_edited_again_and_is_about_something_else() -> None:
    halved = edited(slope_of_w, "2 * error", "error")
    assert edited(halved, "error * x", "error * w")(*NUMBERS) == 2.0
    assert slope_of_w.__doc__
    assert halved.__doc__ is None
    assert halved.__name__ == "slope_of_w"


@pytest.mark.parametrize(("old", "times"), [("3 * error", 0), ("error", 2)])
def test_a_stretch_has_to_be_there_once(old: str, times: int) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{old!r} stands {times} times in the source of slope_of_w, not")):
        edited(slope_of_w, old, "1")
    with pytest.raises(ValueError, match="shorter"):
        edited(slope_of_w, "2 * error")


def test_a_card_shows_the_line_that_was_edited() -> None:
    rows = said(check.slope_of_w(edited(slope_of_w, "2 * error * x", "undefined * x")))
    assert rows["in your line"].strip() == "return undefined * x"
    assert rows["likely"].startswith("A name that is not defined here")


def test_it_knows_what_the_other_knows() -> None:
    middle = edited(EXERCISES["middle_gradient"].reference, "hidden = w * x", "return mg")
    assert middle(None, None, None) is mg
