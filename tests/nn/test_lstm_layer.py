"""An LSTM layer as one node: it does what its steps do, and makes way for them where somebody looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd.modes import modes, set_node_observer
from minigrad.autograd.node import Node

SIZES = {
    "plain": {},
    "two layers, both ways": {"num_layers": 2, "bidirectional": True},
    "no bias, the batch first": {"bias": False, "batch_first": True},
}


@pytest.fixture
def nobody_looks() -> Iterator[None]:
    """As in a program that draws no pictures: they have an observer of new nodes."""
    observer = set_node_observer(None)
    assert modes.special == 0
    yield
    set_node_observer(observer)


def layer(F: Any, dtype: str, options: dict[str, Any]) -> Any:
    """A layer whose weights are the same numbers in each library."""
    made = F.nn.LSTM(3, 4, **options).to(getattr(F, dtype))
    rng = np.random.default_rng(0)
    with F.no_grad():
        for parameter in made.parameters():
            parameter.copy_(F.tensor(rng.standard_normal(tuple(parameter.shape)) * 0.5))
    return made


def gradients(F: Any, dtype: str, options: dict[str, Any], twice: bool) -> list[Any]:
    """Outputs and gradients of everything that goes into a layer; `twice`: of these gradients' squares."""
    made, rng = layer(F, dtype, options), np.random.default_rng(1)
    states = (2 if options.get("bidirectional") else 1) * options.get("num_layers", 1), 2, 4
    given = [rng.standard_normal(shape) for shape in ((2, 5, 3) if made.batch_first else (5, 2, 3), states, states)]
    x, h, c = (F.tensor(numbers.astype(dtype), requires_grad=True) for numbers in given)
    output, (h_n, c_n) = made(x, (h, c))
    loss = (output**2).sum() + (h_n**3).sum() + c_n[-1].sin().sum()
    inputs = [x, h, c, *made.parameters()]
    found = F.autograd.grad(loss, inputs, create_graph=twice)
    if twice:
        found = F.autograd.grad(sum((gradient**2).sum() for gradient in found), inputs)
    return [tensor.detach().numpy() for tensor in (output, h_n, c_n, *found)]


def names(node: Node | None) -> set[str]:
    found, waiting = set[str](), [node]
    while waiting:
        node = waiting.pop()
        if node is not None:
            found.add(node.name())
            waiting += [child for child, _ in node.next_functions]
    return found


@pytest.mark.usefixtures("nobody_looks")
@pytest.mark.parametrize("twice", [False, True], ids=["once", "twice"])
@pytest.mark.parametrize("options", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 2e-5)])
def test_one_node_gives_what_torch_gives(
    torch: Any, dtype: str, tolerance: float, options: dict[str, Any], twice: bool
) -> None:
    own, expected = gradients(mg, dtype, options, twice), gradients(torch, dtype, options, twice)
    assert [array.dtype.name for array in own] == [dtype] * len(own)
    for mine, theirs in zip(own, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.usefixtures("nobody_looks")
def test_the_layer_is_one_node_and_the_steps_where_somebody_looks() -> None:
    x = mg.ones(5, 2, 3)
    made = mg.nn.LSTM(3, 4)
    output, _ = made(x)
    assert "LSTMLayerBackward" in names(output.grad_fn)
    assert "TanhBackward0" not in names(output.grad_fn)

    seen: list[str] = []
    previous = set_node_observer(lambda node, *_: seen.append(node.name()))
    try:
        output, _ = made(x)
    finally:
        set_node_observer(previous)
    assert seen.count("SigmoidBackward0") == 3 * 5
    assert "LSTMLayerBackward" not in names(output.grad_fn)


@pytest.mark.usefixtures("nobody_looks")
def test_hooks_on_saved_tensors_see_the_steps_and_float16_takes_them() -> None:
    packed: list[Any] = []
    with mg.autograd.graph.saved_tensors_hooks(lambda tensor: packed.append(tensor) or tensor, lambda tensor: tensor):
        mg.nn.LSTM(3, 4)(mg.ones(5, 2, 3))
    assert len(packed) > 5 * 5
    output, _ = mg.nn.LSTM(3, 4).half()(mg.ones(5, 2, 3).half())
    assert "LSTMLayerBackward" not in names(output.grad_fn)


@pytest.mark.usefixtures("nobody_looks")
def test_what_is_frozen_gets_nothing_and_a_write_to_an_output_harms_nothing() -> None:
    made, x = layer(mg, "float64", {}), mg.ones(5, 2, 3, dtype=mg.float64)
    made.weight_hh_l0.requires_grad_(False)
    output, _ = made(x)
    expected = mg.autograd.grad(output.sum(), made.bias_hh_l0)[0]
    output, _ = made(x)
    loss = output.sum()
    with mg.no_grad():
        output.mul_(0)
    loss.backward()
    assert made.weight_hh_l0.grad is None
    assert made.bias_hh_l0.grad.tolist() == expected.tolist()


@pytest.mark.usefixtures("nobody_looks")
def test_a_write_to_a_weight_before_the_backward_is_noticed() -> None:
    made = mg.nn.LSTM(3, 4)
    output, _ = made(mg.ones(5, 2, 3))
    with mg.no_grad():
        made.weight_hh_l0.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.sum().backward()
    output, _ = made(mg.ones(5, 2, 3))
    output.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        output.sum().backward()
