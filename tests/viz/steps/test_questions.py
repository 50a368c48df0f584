"""What a step asks to be predicted: the number that the step makes, and what wrong answers are made of."""

import json
from typing import Any

import numpy as np
import pytest
from viz.cells import cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.steps.questions import MOST_ELEMENTS, Question, question


def asked(source: str) -> dict[str, Question]:
    """The name of a box -> the last question about it, over a whole pass."""
    stepper = cell(source + "\ns = viz.BackwardStepper(loss)\ns.last()\n")["s"]
    names = {box.id: box.name for box in stepper.session.graph.boxes}
    return {names[one.box]: one for frame in stepper.frames for one in frame.questions}


def test_the_number_is_the_one_that_the_engine_sent() -> None:
    found = asked(
        "a = mg.tensor(3.0, requires_grad=True)\nb = mg.tensor(2.0, requires_grad=True)\n"
        "a.grad = mg.tensor(10.0)\nc = a * b\nloss = c * c"
    )
    assert (found["a"].edge, found["a"].value, found["a"].came, found["a"].held) == (None, 34.0, 24.0, 10.0)
    assert (found["c"].value, found["c"].came, found["c"].held) == (6.0, 1.0, 6.0)  # the second of two that meet
    assert (found["b"].value, found["b"].came, found["b"].held) == (36.0, 12.0, None)  # what its .grad becomes is clear


def test_of_an_array_the_largest_cell_is_asked_for() -> None:
    found = asked("x = mg.tensor([[1.0, -4.0], [2.0, 3.0]], requires_grad=True)\nloss = (x * x).sum()")
    assert (found["x"].cell, found["x"].value, found["x"].came) == ("[0, 1]", -8.0, -8.0)


@pytest.mark.parametrize("array", [np.zeros(MOST_ELEMENTS + 1), np.zeros(0), np.ones(2, complex), np.array([True])])
def test_what_nobody_could_answer_is_not_asked(array: Any) -> None:
    assert question("e0", "n0", array, None, None) is None
    assert question("e0", "n0", np.zeros(MOST_ELEMENTS), None, None) is not None


def test_beside_complex_numbers_only_the_real_one_is_told() -> None:
    one = question("e0", "n0", np.array([2.0]), np.array([1 + 2j]), None)
    assert one == Question("e0", "n0", "", 2.0, None, None)


def test_numbers_that_json_cannot_say_are_texts() -> None:
    one = question("e0", "n0", np.array([np.nan]), np.array([np.inf, -np.inf]), np.array(-np.inf))
    assert one is not None
    told = json.loads(json.dumps(one.to_json(), allow_nan=False))
    assert (told["value"], told["came"], told["held"]) == ("nan", None, "-inf")


def test_a_stepper_can_begin_with_predicting() -> None:
    loss = mg.tensor(2.0, requires_grad=True) ** 2
    assert viz.BackwardStepper(loss, predict=True).picture["predict"] is True
    assert "predict" not in viz.BackwardStepper(mg.tensor(2.0, requires_grad=True) ** 2).picture
