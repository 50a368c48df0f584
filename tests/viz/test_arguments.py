"""The stepper takes what backward() takes, and explains what it cannot take."""

from typing import Any

import pytest
from viz.cells import EXAMPLE, SVG, cell, parsed, still

import minigrad as mg
from minigrad import viz


def test_a_leaf_used_twice_waits_for_both() -> None:
    scope = cell("x = mg.tensor(3., requires_grad=True)\ny = x * x\ns = viz.BackwardStepper(y)\n")
    frame = scope["s"].next()
    assert [item.joint for item in frame.contributions] == ["", "3 + 3 = 6"]
    assert frame.grads["n0"] == "None"  # two gradients have arrived, but .grad is written when AccumulateGrad runs
    assert scope["s"].next().grads["n0"] == "6"
    assert scope["s"].next() is None


def test_gradient_inputs_and_retain_graph() -> None:
    scope = cell(EXAMPLE)
    stepper = viz.BackwardStepper(scope["F"], gradient=mg.tensor([10.0]), inputs=[scope["B"]], retain_graph=True)
    stepper.last()
    assert scope["A"].grad is None
    assert scope["B"].grad.tolist() == [400.0]
    assert all(frame.freed == () for frame in stepper.frames)
    scope["F"].backward()  # the graph is still there
    assert [stepper.session.graph.by_id[frame.box].op for frame in stepper.frames[1:]].count("PowBackward0") == 1
    with pytest.raises(ValueError, match="does not run in this backward pass"):
        stepper.run_to(next(box.name for box in stepper.session.graph.boxes if box.id == "n1"))


def test_a_result_among_inputs_gets_its_grad_and_gives_it_back() -> None:
    scope = cell(EXAMPLE)
    stepper = viz.BackwardStepper(scope["F"], inputs=[scope["D"]], names={name: scope[name] for name in "ABCDEF"})
    assert stepper.frames[0].total == 3
    stepper.last()
    assert scope["D"].grad.tolist() == [10.0]
    stepper.first()
    assert scope["D"].retains_grad  # it was asked for, so it is kept from now on
    assert scope["D"].grad is None


def test_create_graph_gives_gradients_with_a_graph() -> None:
    scope = cell("x = mg.tensor(3., requires_grad=True)\ny = x ** 3\n")
    stepper = viz.BackwardStepper(scope["y"], create_graph=True)
    stepper.last()
    first = scope["x"].grad
    assert first.item() == 27
    stepper.back()
    assert scope["x"].grad is None
    stepper.next()
    assert scope["x"].grad is first
    (second,) = mg.autograd.grad(first, scope["x"])
    assert second.item() == 18


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("viz.BackwardStepper(3.)", TypeError, "expected a Tensor as its root, but got float: 3.0"),
        ("viz.BackwardStepper('loss')", TypeError, "expected a Tensor as its root, but got str"),
        ("viz.BackwardStepper(None)", TypeError, "got NoneType"),
        (
            "viz.BackwardStepper(A)",
            RuntimeError,
            "element 0 of tensors is a leaf and does not have a grad_fn.*compute something",
        ),
        (
            "viz.BackwardStepper(mg.ones(1))",
            RuntimeError,
            "element 0 of tensors does not require grad and does not have a grad_fn",
        ),
        (
            "viz.BackwardStepper(mg.stack([E, F]))",
            RuntimeError,
            "grad can be implicitly created only for scalar outputs",
        ),
        ("viz.BackwardStepper(F, gradient=mg.ones(3))", RuntimeError, "Mismatch in shape"),
        ("viz.BackwardStepper(F, gradient=1.)", TypeError, "gradients can be either Tensors or None, but got float"),
        ("viz.BackwardStepper(F, inputs=[])", RuntimeError, "cannot be empty"),
        ("viz.BackwardStepper(F, inputs=[mg.ones(1)])", RuntimeError, "does not require grad"),
        (
            "F.backward(); viz.BackwardStepper(F).last()",
            RuntimeError,
            "Trying to backward through the graph a second time.*retain_graph=True",
        ),
        ("viz.BackwardStepper(F).run_to('Z')", ValueError, "no box is named 'Z'; there are: A, C, B, D, E, F"),
        ("viz.draw(3.)", TypeError, "expected a Tensor, but got float: 3.0"),
    ],
)
def test_bad_input_is_explained(code: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        cell(EXAMPLE + code + "\n")


def test_nothing_runs_when_the_stepper_cannot_be_made() -> None:
    scope = cell(EXAMPLE)
    with pytest.raises(RuntimeError):
        viz.BackwardStepper(scope["F"], gradient=mg.ones(3))
    scope["F"].backward()
    assert scope["A"].grad.tolist() == [24.0]


def test_a_failing_step_raises_from_code_and_is_shown_after_a_click(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.next()
    example["F"].backward()
    stepper.request = {"to": 2, "nth": 1}  # a click
    assert stepper.problem["text"].startswith("RuntimeError: Trying to backward through the graph a second time")
    assert stepper.session.graph.by_id[stepper.problem["box"]].name == "E"
    assert (stepper.index, stepper.answered) == (2, 1)
    assert stepper.frame.failed
    with pytest.raises(RuntimeError, match="this pass cannot go on: its last step failed"):
        stepper.next()
    assert stepper.back().index == 1


@pytest.mark.parametrize(
    "request_", [{}, {"to": "x", "nth": "y"}, {"to": None}, {"to": True, "nth": 3}, {"to": 1e9}, {"nth": 2}]
)
def test_a_malformed_request_changes_nothing(example: dict[str, Any], request_: dict[str, Any]) -> None:
    example["s"].request = request_
    assert example["s"].index == 0
    assert len(example["s"].frames) == 1


def test_requests_out_of_range_are_clamped(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.request = {"to": 99, "nth": 1}
    assert (stepper.index, stepper.finished, stepper.answered) == (6, True, 1)
    stepper.request = {"to": -5, "nth": 2}
    assert (stepper.index, stepper.answered) == (0, 2)
    assert example["A"].grad is None


def test_the_widgets_bundle_carries_the_picture_too(example: dict[str, Any]) -> None:
    example["s"].run_to("E")
    data = example["s"]._repr_mimebundle_()
    assert data["text/plain"] == "BackwardStepper of F: step 2 of 6, next to run: D"
    texts = [element.text for element in parsed(still(data["text/html"])).iter(f"{SVG}text")]
    assert {"1 × 4 = 4", "1 + 9 = 10", "just ran", "next ▸"} <= set(texts)
