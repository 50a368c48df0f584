"""What counts beside an answer's value: what an observer sees, how it is compared and shown, and what `when` asks."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from teach.answers import said

import minigrad as mg
from minigrad.teach import (
    Case,
    Exercise,
    Mistake,
    Noted,
    Seen,
    cases,
    compare,
    draw_numbers,
    flip,
    formula,
    gradients_of,
    has_graph,
    instead,
    observer,
    pick,
    pick_some,
    right_but,
    right_with_graph,
    saw,
    show,
)
from minigrad.teach.comparing import relation


def slope(f, x):
    """The slope of f at x, by one call."""
    return mg.autograd.grad(f(x), x)[0]


def turned(f, x):
    """The sign has got lost."""
    return -slope(f, x)


@cases("f(x) = {words}, x = {x}", note=", and a note")
def _case(words, x, note=False):
    return Noted(words, formula(words)), mg.tensor(x, requires_grad=True)


@observer
def _with_calls(answer, f, x):
    """As it says."""
    return {"the answer": answer(f, x), "calls of f": len(f.calls), "x afterwards": x.detach().clone()}


EXERCISE = Exercise(
    title="a tensor",
    stars=1,
    minutes=1,
    reference=slope,
    cases=(_case("sin(x) * x", 2.0), _case("x ** 2", 3.0)),
    hints=("one", "two", "three"),
    plug=_with_calls,
    notes={"calls of f": "One call is enough."},
    mistakes=(Mistake(turned, near=True),),
)


def slope_of_two_calls(f, x):
    f(x)
    return slope(f, x)


def test_what_is_seen_besides_counts_and_its_note_says_why() -> None:
    assert EXERCISE.check(slope).kind == "good"
    rows = said(EXERCISE.check(slope_of_two_calls))
    assert rows["first difference"] == "calls of f: yours 2, expected 1"
    assert rows["likely"] == "One call is enough."
    assert rows["yours"].endswith("; calls of f: 2"), "what is right is not shown"


def test_an_answer_that_returns_nothing_is_told_so() -> None:
    for nothing, words in ((None, "None came back."), (..., "`...` came back")):
        assert said(EXERCISE.check(lambda f, x: nothing))["likely"].startswith(words)  # noqa: B023


def test_a_near_mistake_is_known_by_the_case_that_failed_up_to_rounding() -> None:
    rounded = said(EXERCISE.check(lambda f, x: turned(f, x) * (1 + 1e-6)))
    assert rounded["likely"] == "The sign has got lost."
    exact = dataclasses.replace(EXERCISE, mistakes=(Mistake(turned),))
    assert said(exact.check(lambda f, x: turned(f, x) * (1 + 1e-6)))["likely"] == "The sign has got lost."

    def turned_at_2(f, x):
        return turned(f, x) if x.item() == 2 else slope(f, x)

    assert said(EXERCISE.check(turned_at_2))["likely"] == "The sign has got lost."
    assert said(exact.check(turned_at_2))["likely"] != "The sign has got lost."
    assert said(EXERCISE.check(lambda f, x: slope(f, x) + 1))["likely"] != "The sign has got lost."


@pytest.mark.parametrize(
    "when",
    [
        saw("the answer", lambda mine, right: mine == -right),
        instead(lambda right: -right),
        lambda outcome: outcome.seen and mg.equal(outcome.seen["the answer"], -outcome.right.first),
    ],
)
def test_a_mistake_may_look_at_what_was_seen_and_at_what_is_right(when) -> None:
    exercise = dataclasses.replace(EXERCISE, mistakes=(Mistake(slope_of_two_calls, when=when, words="Turned."),))
    assert said(exercise.check(turned))["likely"] == "Turned."
    assert said(exercise.check(lambda f, x: slope(f, x) * 2))["likely"] != "Turned."
    assert said(exercise.check(lambda f, x: 1 / 0))["likely"] != "Turned."
    unseen = dataclasses.replace(exercise, plug=lambda answer: answer)
    if when.__module__ != __name__:
        assert said(unseen.check(turned))["likely"] == "Turned."


def test_a_mistake_may_be_the_first_thing_that_is_not_right_and_names_may_stand_for_several() -> None:
    exercise = dataclasses.replace(
        EXERCISE,
        notes={"calls *": "One is enough."},
        mistakes=(
            Mistake(slope_of_two_calls, when=right_but("calls *", lambda mine, right: mine == 2), words="Twice."),
        ),
    )

    def of_three_calls(f, x):
        f(x)
        return slope_of_two_calls(f, x)

    assert said(exercise.check(slope_of_two_calls))["likely"] == "Twice."
    assert said(exercise.check(of_three_calls))["likely"] == "One is enough."
    assert said(exercise.check(lambda f, x: slope_of_two_calls(f, x) + 1))["likely"] != "Twice."
    assert not right_but("calls *")(exercise.run(slope, exercise.cases[0]))
    of_any_number = Mistake(slope_of_two_calls, when=right_but("calls *"), words="Not once.")
    exercise = dataclasses.replace(exercise, mistakes=(of_any_number,))
    assert said(exercise.check(of_three_calls))["likely"] == "Not once."
    assert said(exercise.check(lambda f, x: slope_of_two_calls(f, x) + 1))["likely"] != "Not once."


def test_what_a_call_is_noted_with_is_what_there_was_before_it() -> None:
    numbers = Noted("grow(numbers)", lambda given: given.append(1), note=len)
    given = [0]
    for _ in range(2):
        numbers(given)
    assert (numbers.calls, given, repr(numbers)) == ([1, 2], [0, 1, 1], "grow(numbers)")


def test_an_answer_that_is_to_return_nothing_may_leave_none() -> None:
    def look(answer, f, x):
        answer(f, x)
        return {"x.grad": x.grad}

    exercise = dataclasses.replace(EXERCISE, reference=lambda f, x: x.sum().backward(), writes=True)
    nothing = dataclasses.replace(exercise, plug=observer(look, returns=False)).check(lambda f, x: x)
    assert said(nothing)["first difference"].startswith("x.grad: yours None, expected ")
    assert said(dataclasses.replace(exercise, plug=observer(look)).check(lambda f, x: x))["likely"][:4] == "None"


def test_what_was_seen_may_be_known_by_words_in_it() -> None:
    mistake = Mistake(lambda f, x: "none", words="A text.", when=saw("the answer", "text"))
    exercise = dataclasses.replace(EXERCISE, mistakes=(mistake,))
    assert said(exercise.check(lambda f, x: "a text"))["likely"] == "A text."
    assert said(exercise.check(lambda f, x: "words"))["likely"] != "A text."


def test_the_words_of_a_case_end_as_its_values_are() -> None:
    assert _case("x ** 2", 3.0).words == "f(x) = x ** 2, x = 3.0"
    assert _case("x ** 2", 3.0, note=True).words == "f(x) = x ** 2, x = 3.0, and a note"

    @cases("x = {x}{before}; {kind}", before=", grad = {before}")
    def case_of(x, kind, before=None):
        return (x,)

    assert case_of(1, "odd", before=2).words == "x = 1, grad = 2; odd"
    assert case_of(1, "odd").words == "x = 1; odd"


@pytest.mark.parametrize(
    ("expected", "same", "others"),
    [
        (True, (np.True_,), (False, np.False_, 1, "True", mg.ones(1), mg.tensor(True))),
        (2.0, (2, np.float32(2.0), np.int64(2)), (True, "2", mg.tensor(2.0), np.array(2.0), 2j, 3.0)),
        (mg.ones(2), (mg.ones(2, dtype=mg.float64),), (mg.ones(2, dtype=mg.int64), mg.ones(2).bool(), [1.0, 1.0])),
        ((1.0, 2.0), ((1, 2),), ([1.0, 2.0], (1.0,), mg.tensor([1.0, 2.0]))),
        ("data", (np.str_("data"),), ("Data", 3, None)),
        (None, (None,), (0, "None")),
        (
            np.ones(2),
            (np.ones(2) + 1e-12,),
            (np.ones(2) + 1e-6, np.ones(3), np.zeros(2), [1.0, 1.0], np.array(["a", "b"])),
        ),
        (
            {"a": 1, "b": [2.0]},
            ({"b": [2.0], "a": 1.0},),
            ({"a": 1, "b": (2.0,)}, {"a": 1}, {"a": 1, "b": [2.0], "c": 3}, {"a": 1, "b": [3.0]}),
        ),
        (Seen({"it": 1.0, "besides": "none"}), (Seen({"it": 1, "besides": "none"}),), (Seen({"it": 1}), 1.0, 2.0)),
    ],
)
def test_values_are_compared_by_their_kind(expected, same, others) -> None:
    for one in (expected, *same):
        assert compare(expected, one) is None
    for one in others:
        assert compare(expected, one) is not None, one


def test_a_difference_says_where_it_is() -> None:
    assert compare({"w": 1.0}, {"w": 2.0}, "{} afterwards").where == "w afterwards"
    assert compare([1.0, 2.0], [1.0, 3.0], "loss {}").where == "loss 2"
    assert compare([1.0, 2.0], [1.0, 3.0], "the losses").where == "the losses, item 2 of 2"
    assert compare(1.0, 2.0, note="because").note == "because"
    assert compare(True, "yes").note == "The answer is True or False; this is a str."
    assert compare((1.0,), [1.0]).note == "What is in it is right; a tuple is asked for, and this is a list."
    assert compare((1.0,), [2.0]).where == "item 1 of 1"
    graph = mg.ones((), requires_grad=True) * 2
    assert "this is a Tensor that holds it, and its graph with it: .item()" in compare(2.0, graph).note
    assert right_with_graph([graph], [2.0])
    assert not right_with_graph([graph], [3.0])
    assert not right_with_graph([graph.detach()], [2.0])
    assert show(Seen({"the answer": 1.0, "calls": 2})) == "1; calls: 2"
    assert show(Seen({"it": 1.0, "calls": 2})) == "it: 1; calls: 2"


def test_a_near_mistake_may_be_about_one_thing_that_is_seen() -> None:
    def moves_x(f, x):
        """x was moved."""
        x.detach().add_(1)
        return slope(f, x)

    def moves_x_and_calls_twice(f, x):
        found = slope_of_two_calls(f, x)
        x.detach().add_(1)
        return found

    named = Mistake(moves_x, near="x afterwards")
    exercise = dataclasses.replace(EXERCISE, mistakes=(named,), notes={}, writes=True)
    assert said(exercise.check(moves_x_and_calls_twice))["likely"] == "x was moved."
    assert said(exercise.check(slope_of_two_calls))["likely"] != "x was moved."
    whole = dataclasses.replace(exercise, mistakes=(Mistake(moves_x, near=True),))
    assert said(whole.check(moves_x_and_calls_twice))["likely"] != "x was moved."


def test_a_gradient_that_arrives_nowhere_is_told_so() -> None:
    expected = Seen({"it": 1.0, "the gradient of x": mg.ones(2)})
    got = Seen({"it": 1.0, "the gradient of x": None})
    assert compare(expected, got).note == "No gradient goes back to x."
    assert compare(expected, got, notes={"the gradient of ?": "Look."}).note == "Look."


def test_gradients_are_seen_by_name() -> None:
    x, w = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor(3.0, requires_grad=True)
    weights = mg.tensor([1.0, 10.0])
    found = gradients_of(x * 2, {"x": x, "w": w}, weights)
    assert found["the gradient of x"].tolist() == [2.0, 20.0]
    assert found["the gradient of w"] is None
    assert gradients_of(x.detach(), {"x": x}, weights) == {"the gradient of x": None}
    assert gradients_of(x.sum(), {"x": x}, weights) == gradients_of("x", {"x": x}, weights) == {}
    assert has_graph(x * 2)
    assert has_graph([1.0, x * 2])
    assert not has_graph([1.0, mg.ones(1)])


def test_what_is_drawn_keeps_its_kind() -> None:
    random = np.random.default_rng(0)
    shapes = [(), (2,), (2, 3)]
    assert {pick(random, shapes) for _ in range(40)} == set(shapes)
    assert {type(pick(random, ["a", "b"])) for _ in range(4)} == {str}
    assert sorted(pick_some(random, shapes)) == shapes
    assert len(set(pick_some(random, shapes, 2))) == 2
    assert {flip(random) for _ in range(40)} == {True, False}
    numbers = draw_numbers(random, 200, unit=0.25, most=1, zero=False)
    assert set(numbers) == {-1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0}
    assert 0.0 in draw_numbers(random, 200, unit=0.25, most=1)
    assert isinstance(draw_numbers(random), float)
    assert np.shape(draw_numbers(random, (2, 3))) == (2, 3)


def test_a_formula_is_what_it_says() -> None:
    assert formula("sin(x) * x")(mg.tensor(2.0)) == mg.sin(mg.tensor(2.0)) * 2
    assert formula("w * x + mg.ones(1)", "w, x")(2.0, 3.0).item() == 7.0
    f = Noted("x ** 2", formula("x ** 2"), note=lambda x: x + 1)
    assert (f(3), f.calls, repr(f)) == (9, [4], "x ** 2")


def test_of_much_that_is_seen_a_card_shows_the_first_that_differs() -> None:
    """What is told apart by it is all of it."""

    @observer
    def with_many(answer, f, x):
        return {"the answer": answer(f, x)} | {f"weight {number}": float(answer(f, x)) + number for number in range(9)}

    def last_is_other(f, x):
        """Only here."""
        return slope(f, x) if len(f.calls) < 9 else turned(f, x)

    exercise = dataclasses.replace(EXERCISE, plug=with_many, mistakes=(turned, last_is_other), notes={})
    card = said(exercise.check(lambda f, x: -slope(f, x)))
    assert re.findall(r"weight \d", card["yours"]) == re.findall(r"weight \d", card["expected"]) == [
        "weight 0", "weight 1", "weight 2"
    ]  # fmt: skip
    assert card["likely"] == "The sign has got lost."
    assert re.findall(r"weight \d", said(exercise.check(lambda f, x: x + None))["expected"]) == [
        "weight 0", "weight 1", "weight 2"
    ]  # fmt: skip
    card = said(exercise.check(last_is_other))
    assert re.findall(r"weight \d", card["yours"]) == ["weight 8"]
    assert card["likely"] == "Only here."


def test_of_what_is_seen_an_answer_with_its_graph_is_told_besides() -> None:
    card = EXERCISE.check(lambda f, x: mg.autograd.grad(f(x), x, create_graph=True)[0])
    assert card.kind == "good"
    assert "holds on to its graph" in said(card)["besides"]
    assert "besides" not in said(EXERCISE.check(slope))


@pytest.mark.parametrize(
    ("expected", "got", "words"),
    [
        (6.0, 12.0, "What came is 2 times what is expected."),
        (6.0, -6.0, "What came is -1 times what is expected."),
        (6.0, 3.0, "What came is 0.5 times what is expected."),
        (6.0, 7.3, ""),
        (0.9, 2.5e-8, ""),
        (0.9, 0.81, ""),
        (np.array([6.5, 2.0]), np.array([42.25, 4.0]), "What came is the square of what is expected."),
        (
            [6.5, mg.tensor([2.25, 4.0])],
            [6.5, mg.tensor([1.5, 2.0])],
            "At the first difference, what came is the root of what is expected.",
        ),
        (mg.tensor([2.0, 5.0]), mg.tensor([0.5, 0.2]), "What came is 1 divided by what is expected."),
        (6.5, 6.49, "What came is near, and not near enough"),
        (6.5, 6.45, ""),
        (100, 101, ""),
        (mg.tensor([1.0, 2.0]), mg.tensor([1.0, 3.0]), "As it should be: 1 of 2 numbers."),
        ([1.0, mg.tensor([1.0, 0.0])], [1.0, mg.tensor([1.3, 0.0])], "As it should be: 1 of 2 numbers."),
        (mg.tensor([1.0, 2.0]), mg.tensor([1.3, 2.6]), "What came is 1.3 times what is expected."),
        (mg.tensor([1.0, 2.0]), mg.tensor([1.5, 2.5]), "What came is everywhere 0.5 more than what is expected."),
        (mg.tensor([-1.0, 2.0, 3.0]), mg.tensor([1.0, -2.0, 3.5]), ""),
        (
            Seen({"it": np.array([1.0, 2.0])}),
            Seen({"it": np.array([np.nan, 2.0])}),
            "There is nan or inf where a number",
        ),
        (mg.ones(2), mg.ones(3), ""),
        ("a", "b", ""),
    ],
)
def test_what_wrong_numbers_have_to_do_with_the_right_ones(expected, got, words: str) -> None:
    assert relation(expected, got).startswith(words)
    assert words or not relation(expected, got)


def test_an_unknown_mistake_is_told_what_came_out_right_before() -> None:
    first = said(EXERCISE.check(lambda f, x: slope(f, x) * 3))["likely"]
    seen = "None of the mistakes that are known here. As it should be: calls of f, x afterwards. "
    assert first.startswith(seen + "At the first difference, what came is 3 times what is expected.")
    none = f"None of the {len(EXERCISE.cases)} inputs comes out right: follow this one through your lines by hand."
    assert first.endswith(none)
    for place, other in ((0, 1), (1, 0)):
        words, number = EXERCISE.cases[other].words, EXERCISE.cases[place].make()[1].item()
        told = said(EXERCISE.check(lambda f, x, number=number: slope(f, x) * (2 if x.item() == number else 1)))
        assert f"This input comes out right: {words}. What is in the one above that is not in it?" in told["likely"]


def logarithm(x):
    return np.log(np.abs(x)) if x > 0 else x * np.nan


@pytest.mark.parametrize(
    "wrap", [lambda answer: answer, observer(lambda answer, x: {"log": answer(x), "x afterwards": str(x)})]
)
def test_what_is_nan_or_inf_whatever_one_does_is_not_told_as_right(wrap) -> None:
    """A mistake of any kind makes nan of nan: what is in another input that is not in that one, nobody can say."""
    numbers = {"two": 2.0, "three": 3.0, "nan": np.nan, "minus one": -1.0}
    cases = {words: Case(words, lambda number=number: (number,)) for words, number in numbers.items()}

    def told(answer, *names: str) -> str:
        tried = Exercise(
            title="the logarithm", stars=1, minutes=1, reference=logarithm, mistakes=(), hints=(), in_double=0,
            cases=tuple(cases[name] for name in names), plug=wrap,
        )  # fmt: skip
        return said(tried.check(answer))["likely"]

    wrong = {"of two": lambda x: logarithm(x) + (x == 2), "all": lambda x: logarithm(x) + 1}
    assert "This input comes out right: three." in told(wrong["of two"], "two", "nan", "three")
    assert "This input comes out right: three." in told(wrong["of two"], "three", "minus one", "two")
    ending = "inputs comes out right, but for what is to be nan or inf: follow this one through your lines by hand."
    assert told(wrong["all"], "two", "nan").endswith(f"None of the 2 {ending}")
    assert told(wrong["all"], "two", "three", "minus one").endswith(f"None of the 3 {ending}")
    assert told(wrong["all"], "two", "three").endswith(
        "None of the 2 " + ending.replace(", but for what is to be nan or inf", "")
    )
