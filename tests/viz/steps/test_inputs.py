"""What a pass with `inputs=` shows: which nodes run, what their hooks did, and where it ends."""

from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets
import pytest
from conftest import require

import minigrad as mg
from minigrad import viz
from minigrad.viz import BackwardStepper

LIBRARIES = ["minigrad", "torch"]


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Iterator[Any]:
    yield mg if request.param == "minigrad" else require("torch")
    ipywidgets.Widget.close_all()  # which keeps a pass of PyTorch's that stands half way


def leaves(library: Any, *numbers: Any) -> Iterator[Any]:
    return (library.tensor(number, requires_grad=True) for number in numbers)


def order_shown(stepper: BackwardStepper) -> list[str]:
    """The names of those that ran, each of which was said before to be the next."""
    stepper.last()
    nexts = [frame.next.box for frame in stepper.frames[:-1] if frame.next]
    assert nexts == [frame.box for frame in stepper.frames[1:]]
    return [frame.name for frame in stepper.frames[1:]]


def test_a_result_that_is_wanted_runs_as_the_engine_has_it_run(library: Any) -> None:
    w, x = leaves(library, 2.0, 3.0)
    b = w * 3
    a = x * 2
    loss = a * b
    stepper = BackwardStepper(loss, inputs=[a, w], names={"w": w, "x": x, "a": a, "b": b, "loss": loss})
    assert stepper.frame.total == 4
    assert order_shown(stepper) == ["loss", "a", "b", "w"]
    assert (w.grad.item(), a.grad.item(), x.grad) == (18.0, 6.0, None)


def raising(gradient: Any) -> Any:
    raise ValueError("oh")


def test_a_hook_of_a_wanted_result_that_raises_gives_a_failed_frame_of_it(library: Any) -> None:
    (x,) = leaves(library, 3.0)
    y = x * 2
    loss = y * y
    y.register_hook(raising)
    stepper = BackwardStepper(loss, inputs=[y], names={"x": x, "y": y, "loss": loss})
    with pytest.raises(ValueError, match="oh"):
        stepper.last()
    assert [(frame.name, frame.failed) for frame in stepper.frames[1:]] == [("loss", False), ("y", True)]


def wanted_result(library: Any) -> BackwardStepper:
    (x,) = leaves(library, 3.0)
    y = x * 2
    loss = y * y
    return viz.BackwardStepper(loss, inputs=[y], names={"x": x, "y": y, "loss": loss})


def wanted_root(library: Any) -> BackwardStepper:
    (x,) = leaves(library, 3.0)
    y = x * 2
    return viz.BackwardStepper(y, inputs=[y], names={"x": x, "y": y})


def nothing_for_a_leaf(library: Any) -> BackwardStepper:
    class Product(library.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, one: Any, other: Any) -> Any:
            return one * other

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    x, w = leaves(library, 3.0, 4.0)
    y = Product.apply(x, w)
    return viz.BackwardStepper(y, names={"x": x, "w": w, "y": y})


@pytest.mark.parametrize("stepper_of", [wanted_result, wanted_root, nothing_for_a_leaf])
def test_the_last_step_says_that_the_pass_is_over(library: Any, stepper_of: Callable[[Any], BackwardStepper]) -> None:
    stepper = stepper_of(library)
    while stepper.frame.next is not None:
        stepper.next()
    assert stepper.finished
    assert "That was the last node: the backward pass is over." in stepper.frame.spoken


def test_one_goes_to_a_wanted_result_and_stops_there(library: Any) -> None:
    stepper = wanted_result(library)
    key = stepper.session.graph.box_named("y").id
    assert not stepper.picture["boxes"][key]["pruned"]
    stepper.break_at("y")
    assert stepper.run().name == "y"
    assert stepper.stopped == {"index": 2, "why": "Stopped at a breakpoint: y."}
    stepper.first()
    assert stepper.run_to("y").name == "y"


@pytest.mark.parametrize(
    "form", [lambda *given: dict(enumerate(given)), lambda *given: iter(given), lambda *given: given]
)
def test_inputs_come_in_any_form_that_backward_takes(library: Any, form: Callable[..., Any]) -> None:
    w, x = leaves(library, 2.0, 3.0)
    loss = w * x
    stepper = BackwardStepper(loss, inputs=form(w), names={"w": w, "x": x, "loss": loss})
    assert stepper.frame.total == 2
    stepper.last()
    assert (w.grad.item(), x.grad) == (3.0, None)


def test_two_outputs_of_one_node_are_both_wanted_and_both_put_back(library: Any) -> None:
    (x,) = leaves(library, [1.0, 2.0])
    y, z = x.unbind()
    loss = y * z * 2
    stepper = BackwardStepper(loss, inputs=[y, z], names={"x": x, "y": y, "z": z, "loss": loss})
    for _ in range(2):
        stepper.last()
        assert (y.grad.item(), z.grad.item()) == (4.0, 2.0)
        stepper.first()
        assert (y.grad, z.grad) == (None, None)


def test_with_other_numbers_two_outputs_of_one_node_are_wanted_too() -> None:
    (x,) = leaves(mg, [1.0, 2.0])
    y, z = x.unbind()
    loss = y * z * 2
    stepper = BackwardStepper(loss, inputs=[y, z], names={"x": x, "y": y, "z": z, "loss": loss})
    assert len(stepper.what_if(x=[3.0, 5.0]).frames) == stepper.frame.total + 1


def test_an_edge_among_inputs_is_said_to_be_none_of_a_steppers(library: Any) -> None:
    (x,) = leaves(library, 3.0)
    y = x * 2
    edge = library.autograd.graph.get_gradient_edge(x)
    with pytest.raises(TypeError, match=r"tensor.*GradientEdge"):
        BackwardStepper(y, inputs=[edge])
