"""The stepper over PyTorch programs as users write them: what it leaves is what `backward()` leaves, to the bit."""

import random
import re
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest
from viz import torch_user_programs
from viz.torch_programs import PROGRAMS, built, same, torch

from minigrad import viz

NAMES = [name for name in PROGRAMS if hasattr(torch_user_programs, name)]


@pytest.fixture(autouse=True)
def no_widget_stays() -> Iterator[None]:
    yield
    ipywidgets.Widget.close_all()


def grads(tensors: list[Any]) -> list[Any]:
    return [None if tensor.grad is None else tensor.grad.detach().clone() for tensor in tensors]


def assert_same(tensors: list[Any], expected: list[Any]) -> None:
    assert [same(tensor.grad, gradient) for tensor, gradient in zip(tensors, expected, strict=True)] == [
        True for _ in tensors
    ]


def test_there_are_enough_kinds() -> None:
    assert len(NAMES) >= 25


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")
def test_stepped_rewound_and_replayed_it_is_backward(name: str) -> None:
    loss, tensors = built(name)
    loss.backward()
    expected = grads(tensors)
    loss, tensors = built(name)
    stepper = viz.BackwardStepper(loss, names={f"p{number}": tensor for number, tensor in enumerate(tensors)})
    seen = {0: grads(tensors)}
    for _ in range(4):  # every frame is seen once on the way on, and from then on it stays what it is
        stepper.next()
        seen[stepper.index] = grads(tensors)
    moves = random.Random(0)
    for _ in range(20):
        getattr(stepper, moves.choice(["next", "next", "back", "back", "first"]))()
        assert_same(tensors, seen.setdefault(stepper.index, grads(tensors)))
    stepper.last()
    assert_same(tensors, expected)
    stepper.first()
    assert_same(tensors, seen[0])
    stepper.last()
    assert_same(tensors, expected)
    frames = stepper.frames
    assert [before.next and before.next.box for before in frames[:-1]] == [frame.box for frame in frames[1:]]
    assert not [event.text for frame in frames for event in frame.events if event.kind in ("error", "anomaly")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")
def test_it_is_drawn_the_same_each_time_and_without_addresses(name: str) -> None:
    drawings = []
    for _ in range(2):
        loss, tensors = built(name)
        names = {f"p{number}": tensor for number, tensor in enumerate(tensors)}
        drawings.append(viz.draw(loss, names=names))
    one, other = drawings
    assert one.svg == other.svg
    assert not re.search("0x[0-9a-f]{6}", one.svg)
    assert all(f"p{number}" in str(one) for number, tensor in enumerate(tensors) if uses(loss, tensor))


def uses(loss: Any, tensor: Any) -> bool:
    """Whether a leaf is part of the graph behind a loss."""
    stack, seen = [loss.grad_fn], set()
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if getattr(node, "variable", None) is tensor:
            return True
        stack += [child for child, _ in node.next_functions]
    return False


def test_a_step_through_a_compiled_function_is_one_step() -> None:
    torch.manual_seed(0)
    loss, (w,) = built("a_traced_function")
    stepper = viz.BackwardStepper(loss, names={"w": w})
    stepper.last()
    assert [frame.op for frame in stepper.frames[1:]] == ["CompiledFunctionBackward", "MulBackward0", "AccumulateGrad"]
