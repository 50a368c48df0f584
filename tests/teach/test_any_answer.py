"""Whatever is handed to a check, it answers and the notebook goes on."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import subprocess
import sys
import time
import warnings
from threading import get_ident

import pytest
from teach.answers import (
    HOSTILE,
    begun,
    check_threads_ended,
    documented,
    dots,
    not_implemented,
    not_implemented_called,
    passes,
    returns_none,
    said,
    threads,
    wrong,
)

import minigrad as mg
from minigrad.teach import EXERCISES, check, edited, hint, predict, progress_file
from minigrad.teach.answers import is_untouched, meaning_of
from minigrad.teach.limits import MOST_CHARACTERS, TookTooLongError, call_within

pytestmark = pytest.mark.usefixtures("in_this_process")

forgot_x = wrong("slope_of_w", "forgot_x")


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
@pytest.mark.parametrize(
    "stub",
    [None, dots, documented, passes, returns_none, not_implemented, not_implemented_called],
    ids=lambda stub: getattr(stub, "__name__", "nothing"),
)
def test_an_untouched_stub_is_not_attempted(exercise, stub) -> None:
    card = exercise.check(stub)
    assert card.kind == "open"
    assert "not attempted" in card.title
    assert "passed" not in progress_file.load()["exercises"].values()


def test_lines_above_and_below_a_forgotten_stub_are_seen() -> None:
    def later(w, x, b, target):
        if w > 0:
            return 2 * (w * x + b - target) * x
        raise NotImplementedError("yet")

    def above(w, x, b, target):
        """The slope."""
        raise NotImplementedError
        return 2 * (w * x + b - target) * x

    def twice(w, x, b, target):
        raise NotImplementedError
        raise ValueError(w)

    for card in (check.arrivals(begun), *map(check.slope_of_w, (later, above, twice))):
        assert card.kind == "open"
        assert "not finished" in card.title
        assert said(card)["in your line"].strip().startswith("raise NotImplementedError")
        assert "Take it out" in said(card)["next"]


def test_a_check_that_is_not_called_says_what_it_asks_for() -> None:
    assert repr(check.slope_of_w) == (
        f"slope_of_w(w, x, b, target): {EXERCISES['slope_of_w'].title}. check.slope_of_w(slope_of_w) tries it."
    )


def test_a_hint_that_is_not_called_says_how() -> None:
    assert repr(hint) == 'hint("slope_of_w")'


def test_what_an_answer_calls_and_is_not_implemented_there_is_an_error() -> None:
    def calls_another(w, x, b, target):
        return mg.autograd.Function.backward(None, w)

    assert check.slope_of_w(calls_another).title == "slope_of_w: raises NotImplementedError"


def test_an_error_is_told_to_its_end_where_it_says_what_to_do() -> None:
    def writes(w, x, b, target):
        h = mg.ones(1, requires_grad=True).exp()
        h[0] = 2
        h.backward()

    assert said(check.slope_of_w(writes))["raised"].endswith("or write to a clone().")


def test_a_word_that_is_returned_is_an_answer() -> None:
    def one_kind(tensor):
        return "data"

    assert check.kind_of(one_kind).title == "kind_of: not yet"


def test_only_stubs_count_as_untouched() -> None:
    assert not is_untouched(lambda: "data")
    assert not is_untouched(lambda: 3)
    assert not is_untouched(lambda x: x)
    assert not is_untouched(len)
    assert not is_untouched(functools.partial(dots))
    assert not is_untouched(forgot_x)


MET = [  # each answer by a fourth of the exercises, and each exercise by a fourth of the answers
    pytest.param(exercise, *hostile, id=f"{exercise.name}-{number}")
    for place, exercise in enumerate(EXERCISES.values())
    for number, hostile in enumerate(HOSTILE)
    if (place + number) % 4 == 0
]


@pytest.mark.usefixtures("draws_once")  # with which is known what the known mistakes do: that takes most of the time
@pytest.mark.parametrize(("exercise", "answer", "title"), MET)
def test_no_answer_stops_the_notebook(exercise, answer, title: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        card = exercise.check(answer)
    assert card.kind in ("bad", "open")
    assert title is None or title in card.title
    assert len(card.picture) < 20_000
    for text in (repr(card), dataclasses.replace(card, picture="")._repr_html_()):
        assert " at 0x" not in text
        assert "<script>" not in card._repr_html_()
        assert len(text) < 6000
    assert mg.is_grad_enabled()


def test_a_function_that_changes_its_inputs_is_told_so() -> None:
    def doubled_x(f, x):
        matrix = EXERCISES["jacobian"].reference(f, x)
        with mg.no_grad():
            x *= 2
        return matrix

    card = check.jacobian(doubled_x)
    assert card.title == "jacobian: changes its input"
    assert "x holds other numbers" in said(card)["likely"]


def test_evidence_is_of_the_input_as_it_was_before_the_answer_changed_it() -> None:
    def doubled_x_for_nothing(f, x):
        with mg.no_grad():
            x *= 2
        return mg.zeros(3, 2)

    rows = said(check.jacobian(doubled_x_for_nothing))
    assert rows["evidence"] == said(check.jacobian(lambda f, x: mg.zeros(3, 2)))["evidence"]
    assert rows["besides"].startswith("Afterwards x holds other numbers")


def test_arguments_of_the_function_are_not_for_the_check() -> None:
    for card in (check.slope_of_w(2.0, 3.0, 1.0, 5.0), check.slope_of_w(forgot_x, 2), check.slope_of_w(w=2.0)):
        assert card.title == "slope_of_w: one function is asked for"
        assert "check.slope_of_w(slope_of_w)" in said(card)["try"]


def test_the_checks_find_their_function_by_its_name() -> None:
    def slope_of_w(w, x, b, target):
        return 2 * x

    assert check(slope_of_w).title == "slope_of_w: not yet"
    for nothing in (None, 3, forgot_x, mg.tensor(1.0)):
        assert said(check(nothing))["try"] == "check.slope_of_w(slope_of_w)"
    assert said(check("by_hand"))["try"] == "check.by_hand(by_hand)"


def test_a_function_that_leaves_no_grad_on_harms_nobody() -> None:
    def switches_off(w, x, b, target):
        mg.set_grad_enabled(False)
        return 1.0

    assert check.slope_of_w(switches_off).kind == "bad"
    assert mg.is_grad_enabled()


def test_right_numbers_in_the_wrong_wrapping_are_named() -> None:
    as_numbers = check.by_hand(lambda e: tuple(g.item() for g in EXERCISES["by_hand"].reference(e)))
    assert "The numbers are right" in said(as_numbers)["likely"]
    assert "a tensor is asked for" in said(as_numbers)["likely"]
    as_array = check.jacobian(lambda f, x: EXERCISES["jacobian"].reference(f, x).detach().numpy())
    assert "leave out .numpy()" in said(as_array)["likely"]


def test_a_mistake_is_the_same_in_a_number_and_in_a_tensor_that_holds_it() -> None:
    def in_a_tensor(w, x, b, target):
        return mg.tensor(forgot_x(w, x, b, target))

    assert said(check.slope_of_w(in_a_tensor))["likely"] == said(check.slope_of_w(forgot_x))["likely"]


def test_an_error_between_two_lines_is_judged() -> None:
    def interrupted(w, x, b, target):
        raise ValueError("stopped somewhere")

    interrupted.__code__ = interrupted.__code__.replace(co_linetable=b"")
    card = check.slope_of_w(interrupted)
    assert card.title == "slope_of_w: raises ValueError"
    assert "in your line" not in said(card)


def test_the_line_that_raised_is_shown_without_a_path() -> None:
    def divides(w, x, b, target):
        error = w * x
        return error / 0

    for answer in (divides, functools.lru_cache(divides)):  # what decorates it is written in another file
        card = check.slope_of_w(answer)
        assert said(card)["in your line"].strip() == "return error / 0"
        assert __file__ not in repr(card) + card._repr_html_()


def test_what_an_answer_prints_is_printed_once_per_case(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(w, x, b, target):
        print("here")
        return 2 * x

    check.slope_of_w(talks)
    assert capsys.readouterr().out == "here\n"


def test_a_loop_that_prints_without_end_fills_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    def counts(w, x, b, target):
        number = 0
        while True:
            number += 1
            print("round", number)

    card = dataclasses.replace(EXERCISES["slope_of_w"], seconds=0.2).check(counts)
    assert "still running" in card.title
    printed = capsys.readouterr().out
    assert printed.startswith("round 1\nround 2\n")
    assert len(printed) < MOST_CHARACTERS + 100
    assert printed.count("the rest is left out") == 1


@pytest.mark.parametrize("group", [check, predict], ids=["check", "predict"])
def test_an_unknown_name_is_answered_with_the_nearest(group) -> None:
    with pytest.raises(AttributeError, match=r"there is no \w+ 'slope_of'|there is no"):
        _ = group.slope_of
    with pytest.raises(AttributeError, match="did you mean 'by_hand'"):
        _ = check.by_hnd
    assert {"slope_of_w", "run_order"} <= set(dir(check))


def test_an_endless_loop_is_stopped_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def never_ends(root):
        todo = [root.grad_fn]
        while todo:
            try:
                todo = [*todo]
            except Exception:
                continue

    limited = dataclasses.replace(EXERCISES["arrivals"], seconds=0.2)
    started = time.monotonic()
    card = limited.check(never_ends)
    assert time.monotonic() - started < 30
    assert card.title == "arrivals: stopped, it was still running after 0.2 seconds"
    assert "does not come to an end" in said(card)["likely"]
    assert said(card)["in your line"].strip()
    assert dataclasses.replace(limited, seconds=30.0).check(limited.reference).kind == "good"  # nothing of it is left


def test_code_that_catches_everything_is_stopped_as_well() -> None:
    caught = []

    def catches_twice_and_goes_on():
        while len(caught) < 2:
            try:
                while True:
                    pass
            except BaseException as error:
                caught.append(error)
        while True:
            pass

    with pytest.raises(TookTooLongError):
        call_within(0.1, catches_twice_and_goes_on)
    assert len(caught) == 2


def test_a_limit_that_was_kept_leaves_nothing_behind() -> None:
    before, late = threads(), 0
    for size in range(300):  # some end just before the limit, some just after, some as the error is on its way
        try:
            assert call_within(0.0005, sum, range(100 * size)) == sum(range(100 * size))
        except TookTooLongError:
            late += 1
    assert late < 300
    check_threads_ended(before)


def test_an_error_of_the_limit_before_that_meets_the_new_one_does_not_end_it() -> None:
    """Until it runs, a new thread is to Python the one that made it: an error that is raised just then goes there."""

    def begins_as_one_arrives() -> str:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(get_ident()), ctypes.py_object(TookTooLongError))
        late = time.monotonic() + 30
        while time.monotonic() < late:
            pass
        return "it went on for ever"

    before = threads()
    for _ in range(10):
        with pytest.raises(TookTooLongError):
            call_within(0.05, begins_as_one_arrives)
    check_threads_ended(before)


@pytest.mark.parametrize("seconds", [30.0, 0.01], ids=["in time", "too late"])
def test_code_that_was_limited_can_be_profiled_afterwards(seconds: float) -> None:
    program = f"""
import cProfile, contextlib
from minigrad.teach.limits import TookTooLongError, call_within
def counted():
    return sum(number for number in range(1_000_000 if {seconds} < 1 else 10))
for _ in range(3):
    with contextlib.suppress(TookTooLongError):
        call_within({seconds}, counted)
with cProfile.Profile():
    print(sum(number for number in range(10)))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert run.stdout == "45\n", run.stderr


def test_an_error_that_none_of_the_lines_has_raised_is_told_as_such() -> None:
    slope = edited(EXERCISES["slope_of_w"].reference, "2 *", "2.0 *")
    with pytest.raises(TypeError) as caught:
        slope(None, 1.0, 2.0, 3.0)
    assert "the line above, if there is one, where" in meaning_of(caught.value, slope)
    with pytest.raises(RuntimeError) as caught:
        mg.tensor(slope(1.0, 1.0, 2.0, 3.0)).backward()
    words = meaning_of(caught.value, slope)
    assert "None of your lines has raised it" in words
    assert "If its text names one of them, begin there." in words
