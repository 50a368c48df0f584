"""Steps that run a backward of their own, as a reentrant checkpoint does: Back takes back what that left, too."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import ipywidgets
import numpy as np
import pytest
from conftest import require

import minigrad as mg
from minigrad import viz

torch: Any = require("torch")


@pytest.fixture(autouse=True)
def no_widget_stays() -> Iterator[None]:
    yield
    ipywidgets.Widget.close_all()


def held(tensors: list[Any]) -> list[Any]:
    return [None if tensor.grad is None else np.array(tensor.grad.detach().numpy()) for tensor in tensors]


def equal(one: list[Any], other: list[Any]) -> bool:
    return all((a is None and b is None) or np.array_equal(a, b) for a, b in zip(one, other, strict=True))


class Checkpointed(mg.autograd.Function):
    """As PyTorch's reentrant checkpoint: backward runs the function again, and a backward of its own through that."""

    @staticmethod
    def forward(ctx: Any, function: Any, x: mg.Tensor) -> Any:
        ctx.function = function
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx: Any, g: mg.Tensor) -> Any:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            ctx.function(x).backward(g)
        return None, x.grad


def checkpointed(library: Any, function: Any, x: Any) -> Any:
    if library is mg:
        return Checkpointed.apply(function, x)
    return import_module("torch.utils.checkpoint").checkpoint(function, x, use_reentrant=True)


def built(library: Any) -> tuple[Any, list[Any]]:
    """A checkpointed layer in the middle of a graph; `w` is used both inside and outside of it."""
    library.manual_seed(0)
    net = library.nn.Linear(2, 1)
    x = library.ones(3, 2, requires_grad=True)
    w = library.tensor([2.0], requires_grad=True)
    made = checkpointed(library, lambda y: net(y) * w, x * 3)
    return (made * w).sum(), [x, w, *net.parameters()]


@pytest.mark.parametrize("library", [mg, torch])
def test_what_a_checkpoint_left_is_taken_back_and_put_in_again(library: Any) -> None:
    loss, tensors = built(library)
    loss.backward()
    expected = held(tensors)
    loss, tensors = built(library)
    x, w, weight, bias = tensors
    stepper = viz.BackwardStepper(loss, names={"x": x, "w": w, "weight": weight, "bias": bias})
    stepper.run_to(next(box.name for box in stepper.session.graph.boxes if box.op.startswith("Checkpoint")))
    between = held(tensors)
    assert between[2] is not None
    assert between[1] is not None
    stepper.back()
    assert equal(held(tensors)[2:], [None, None])
    assert not equal([held(tensors)[1]], [between[1]])  # w had its share from outside the checkpoint
    stepper.next()
    assert equal(held(tensors), between)
    stepper.last()
    assert equal(held(tensors), expected)
    stepper.first()
    assert equal(held(tensors), [None] * 4)
    stepper.last()
    assert equal(held(tensors), expected)


@pytest.mark.parametrize("library", [mg, torch])
def test_the_frame_tells_which_gradients_a_backward_inside_has_changed(library: Any) -> None:
    loss, tensors = built(library)
    stepper = viz.BackwardStepper(loss, names=dict(zip(["x", "w", "weight", "bias"], tensors, strict=True)))
    stepper.run_to(next(box.name for box in stepper.session.graph.boxes if box.op.startswith("Checkpoint")))
    told = [line.text for line in stepper.frame.story if line.text.startswith("a backward inside this step changed")]
    assert [text.split(" changed ")[1].split(" from ")[0] for text in told] == ["w.grad", "weight.grad", "bias.grad"]
    assert told[1] == "a backward inside this step changed weight.grad from None to [[36, 36]]"


def test_a_gradient_that_was_nan_and_stays_nan_was_not_changed_inside() -> None:
    loss, tensors = built(mg)
    weight = tensors[2]
    weight.grad = mg.full((1, 2), mg.nan)
    stepper = viz.BackwardStepper(loss, names=dict(zip(["x", "w", "weight", "bias"], tensors, strict=True)))
    stepper.last()
    told = " ".join(line.text for frame in stepper.frames for line in frame.story)
    assert "changed bias.grad from None" in told
    assert "changed weight.grad" not in told


def test_the_parameters_of_a_checkpointed_module_need_no_variable() -> None:
    def make() -> tuple[Any, list[Any]]:
        net = torch.nn.Linear(2, 1)
        made = import_module("torch.utils.checkpoint").checkpoint(
            net, torch.ones(1, 2, requires_grad=True), use_reentrant=True
        )
        return made.sum(), list(net.parameters())

    loss, parameters = make()
    stepper = viz.BackwardStepper(loss, names={"loss": loss})
    stepper.last()
    assert [parameter.grad.tolist() for parameter in parameters] == [[[1.0, 1.0]], [1.0]]
    stepper.first()
    assert [parameter.grad for parameter in parameters] == [None, None]
