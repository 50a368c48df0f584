"""The forward pass before the backward one: what appears when, what is told of it, and that nothing runs or changes."""

import ast
from typing import Any

import ipywidgets
import numpy as np
import pytest
from conftest import require
from viz.cells import cell

import minigrad as mg
from minigrad import viz

PROGRAMS = {
    "a formula": "x = mg.tensor(2.0)\nw = mg.tensor(3.0, requires_grad=True)\nb = mg.tensor(1.0, requires_grad=True)\n"
    "prediction = w * x + b\ny = mg.tensor(10.0)\nloss = (prediction - y) ** 2\n",
    "a network": "net = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.ReLU(), mg.nn.Linear(3, 1))\n"
    "loss = (net(mg.ones(4, 2)) ** 2).mean()\n",
    "a loop": "x = mg.tensor([1.0, 2.0], requires_grad=True)\nh = mg.zeros(2)\n"
    "for i in range(3):\n    h = mg.tanh(h * x + i)\nloss = h.sum()\n",
    "writes": "x = mg.tensor([1.0, 2.0], requires_grad=True)\ny = x * 2\ny.add_(1)\ny[0] = 5.0\na, b = y.unbind(0)\n"
    "loss = (a * b).exp()\n",
    "a recorded gradient": "x = mg.tensor([1.0, 2.0], requires_grad=True)\n"
    "(g,) = mg.autograd.grad((x ** 3).sum(), x, create_graph=True)\nloss = (g * g).sum()\n",
}


def scope_of(program: str) -> Any:
    return cell(PROGRAMS[program] + "s = viz.BackwardStepper(loss, forward=True)\n")


def grown(program: str) -> Any:
    return scope_of(program)["s"]


def told(stepper: Any) -> dict[str, str]:
    """Name -> the sentence that tells how it was made."""
    return {frame.name: frame.story[0].text for frame in stepper.session.forward}


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_box_appears_once_and_behind_what_it_is_made_of(program: str) -> None:
    stepper = grown(program)
    made: list[str] = []
    for place, frame in enumerate(stepper.session.forward):
        assert frame.index == place - len(stepper.session.forward)
        made += frame.made
        assert frame.made[-1] == frame.box
        for key in frame.made:
            assert {edge.source for edge in stepper.session.graph.into[key]} <= set(made)
    assert sorted(made) == sorted(box.id for box in stepper.session.graph.boxes)
    assert made[-1] == stepper.session.graph.root


def test_lines_come_in_the_order_in_which_they_ran() -> None:
    stepper = grown("a formula")
    lines = [frame.marks[0][1] for frame in stepper.session.forward if frame.marks]
    assert lines == sorted(lines)
    assert [frame.name for frame in stepper.session.forward] == ["x", "w", "b", "t0", "prediction", "y", "t1", "loss"]


def test_what_is_written_in_a_function_draws_no_leaf_to_it_from_the_lines_above() -> None:
    """Where its lines stand says nothing of when they run."""
    stepper = cell(
        "x = mg.tensor([1.0, 2.0], requires_grad=True)\nlate = mg.tensor([3.0, 4.0], requires_grad=True)\n"
        "def cut(x):\n    y = x * 2\n    y[0] = 5.0\n    return y\n"
        "loss = (cut(x) * late).sum()\ns = viz.BackwardStepper(loss, forward=True)\n"
    )["s"]
    names = [frame.name for frame in stepper.session.forward]
    assert names == ["x", "y", "t0", "late", "t1", "loss"]


def test_a_result_is_told_with_names_with_numbers_and_what_it_comes_to() -> None:
    formula = told(grown("a formula"))
    assert formula["w"] == "w = 3, a leaf: backward() will put its gradient into w.grad."
    assert formula["x"] == "x = 2, which asks for no gradient."
    assert formula["t0"] == "t0 = w × x = 3 × 2 = 6."
    assert formula["loss"] == "loss = t1² = (-3)² = 9."
    assert told(grown("a loop"))["h₂"] == "h₂ = tanh(t3) = tanh([1, 1]) = [0.7616, 0.7616]."
    assert told(grown("a network"))["t1"] == "t1 = relu(t0), of shape [4, 3]."
    assert told(grown("writes"))["y"] == "y is what y[0] = 5.0 left: [5, 5]."
    assert told(grown("writes"))["y₁"] == "y₁ = x × 2 = [1, 2] × 2 = [2, 4]."  # and not what the writes left


def test_a_name_that_was_given_on_is_told_as_what_it_stood_for() -> None:
    scope = cell(
        "x = mg.tensor(1.0, requires_grad=True)\ny = x\nwhile y < 9:\n    y = y * 3\n"
        "s = viz.BackwardStepper(y, forward=True)\n"
    )
    sentences = told(scope["s"])
    assert sentences["y₁"] == "y₁ = x × 3 = 1 × 3 = 3."
    assert sentences["y₂"] == "y₂ = y₁ × 3 = 3 × 3 = 9."


@pytest.mark.parametrize("program", ["a formula", "a loop", "a recorded gradient"])
def test_the_numbers_of_an_equation_are_equal(program: str) -> None:
    compared = 0
    for text in told(grown(program)).values():
        signs = {"×": "*", "²": " ** 2", "³": " ** 3"}
        sides = [text.rstrip(".").translate(str.maketrans(signs)) for text in text.split(" = ")[2:]]
        values = []
        for side in sides:
            for word in ("tanh", "sum"):
                side = side.replace(f"{word}(", f"np.{word}(")
            arrays = side.replace("[", "np.array([").replace("]", "])")
            ast.parse(arrays, mode="eval")
            values.append(eval(arrays, {"np": np}))
        for value in values[1:]:
            np.testing.assert_allclose(value, values[0], rtol=2e-3)
            compared += 1
    assert compared >= 2


def test_what_is_kept_for_the_way_back_is_told_to_who_asks() -> None:
    (product,) = [frame for frame in grown("a formula").session.forward if frame.name == "t0"]
    why = [line.text for line in product.story if line.why]
    assert why == ["This left the node MulBackward0, which keeps x for the way back."]


def test_one_walk_leads_through_both_passes_and_back() -> None:
    scope = scope_of("a formula")
    stepper, w = scope["s"], scope["w"]
    assert stepper.index == -8
    assert stepper.back() is None
    indices = []
    while (frame := stepper.next()) is not None:
        indices.append(frame.index)
        assert stepper.frame is frame
        assert frame.index > 0 or w.grad is None
    assert indices == [*range(-7, stepper.frame.total + 1)]
    assert w.grad.item() == -12.0
    assert stepper.out(back=True).index == 0
    assert w.grad is None
    assert stepper.out(back=True).index == -8
    assert stepper.last().index == stepper.frame.total
    assert stepper.first().index == -8
    assert w.grad is None
    assert repr(stepper).endswith("forward 1 of 8, next: w")  # which nobody runs here
    assert stepper.run_to("prediction").box == stepper.session.graph.box_named("prediction").id
    assert stepper.index > 0


def test_in_the_forward_pass_nobody_has_run_whatever_was_stepped_since() -> None:
    stepper = grown("a formula")
    frame = stepper.session.forward[3]
    waiting = frame.waiting
    stepper.last()
    assert (frame.done, frame.waiting) == ((), waiting)


def test_what_is_written_to_a_grad_meanwhile_stays() -> None:
    scope = scope_of("a formula")
    stepper, w = scope["s"], scope["w"]
    w.grad = mg.tensor(7.0)
    stepper.next()
    assert w.grad.item() == 7.0
    stepper.last()
    assert w.grad.item() == -5.0
    stepper.first()
    assert w.grad.item() == 7.0


def test_a_breakpoint_waits_for_the_way_back() -> None:
    stepper = grown("a formula")
    stepper.break_at("t0")
    assert stepper.run().index > 0
    assert stepper.frame.name == "t0"


def test_a_click_leads_into_the_forward_pass_and_no_further_than_its_first_frame() -> None:
    stepper = grown("a formula")
    for wanted, index in ((2, 2), (-3, -3), (-99, -8), (0, 0)):
        stepper.request = {"to": wanted, "nth": stepper.answered + 1}
        assert stepper.index == index


def test_the_trace_tells_both() -> None:
    stepper = grown("a formula")
    stepper.last()
    text = stepper.trace()
    heads = ["forward 1 of 8", "t0 = w × x = 3 × 2 = 6.", "forward 8 of 8", "step 0 of", "pow: t1 gets"]
    assert sorted(heads, key=text.index) == heads


def test_graphs_of_pytorchs_grow_as_well() -> None:
    torch = require("torch")
    p = torch.tensor(2.0, requires_grad=True)
    q = p.exp() * p
    stepper = viz.BackwardStepper(q, forward=True)
    assert "14.78" in told(stepper)["q"]
    stepper.last()
    assert p.grad.item() == pytest.approx(22.167, rel=1e-4)
    ipywidgets.Widget.close_all()
