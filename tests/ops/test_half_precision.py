"""float16 is computed in float32 and rounded once: sums that float16 cannot hold, squares beyond its largest number,
gates that are nearly shut; forwards, backwards and twice backwards, in place, and in a batch of gradients.
(Every op is tried in float16 by tests/ops/test_ops.py.)
"""

from __future__ import annotations

import pickle
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minigrad
from minigrad import op

COUNT = 4100  # numbers of which the sum stops at 2048, where 1 is less than half a step of float16


def half(F: Any, *numbers: float) -> Any:
    return F.tensor(numbers, dtype=F.float16, requires_grad=True)


def full(F: Any, count: int, number: float) -> Any:
    return F.full((count,), number, dtype=F.float16, requires_grad=True)


def zeros(F: Any, *shape: int) -> Any:
    return F.zeros(*shape, dtype=F.float16, requires_grad=True)


def first_row(F: Any) -> Any:
    return F.zeros(COUNT, dtype=F.int64)


def attended(F: Any, x: Any, **options: Any) -> Any:
    q = x.reshape(1, 1, 2, 2)
    return F.nn.functional.scaled_dot_product_attention(q, q, q, **options)


# name -> how it is computed, and of what numbers
COMPUTED: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "mean of large numbers": (lambda F, x: x.mean(), lambda F: full(F, 4, 60000.0)),
    "mean of many": (lambda F, x: x.mean(), lambda F: full(F, 70000, 1.0)),
    "mean along a dimension": (lambda F, x: x.view(2, -1).mean(1), lambda F: full(F, 70000, 1.0)),
    "sum of many": (lambda F, x: x.sum(), lambda F: full(F, COUNT, 1.0)),
    "running sum": (lambda F, x: x.cumsum(0), lambda F: full(F, 3000, 0.1)),
    "norm": (lambda F, x: x.norm(), lambda F: full(F, 4, 300.0)),
    "std": (lambda F, x: x.std(), lambda F: half(F, 300.0, 900.0, -500.0)),
    "std of equal numbers": (lambda F, x: x.std(), lambda F: full(F, 4, 60000.0)),
    "max of many": (lambda F, x: x.max(), lambda F: full(F, 70000, 1.0)),
    "softmax of many": (lambda F, x: x.softmax(0), lambda F: full(F, 70000, 0.0)),
    "sigmoid": (lambda F, x: x.sigmoid(), lambda F: half(F, -12.0, -17.0, 12.0)),
    "softplus": (lambda F, x: F.nn.functional.softplus(x), lambda F: half(F, 12.0, -12.0)),
    "gelu": (lambda F, x: F.nn.functional.gelu(x), lambda F: half(F, -4.0, 4.0)),
    "silu": (lambda F, x: F.nn.functional.silu(x), lambda F: half(F, -12.0, 12.0)),
    "leaky relu": (lambda F, x: F.nn.functional.leaky_relu(x, 1e-8), lambda F: half(F, -60000.0, 3.0)),
    "mse": (lambda F, x: F.nn.functional.mse_loss(x, F.zeros_like(x)), lambda F: full(F, 3, 200.0)),
    "l1": (lambda F, x: F.nn.functional.l1_loss(x, F.zeros_like(x)), lambda F: full(F, 4, 60000.0)),
    "huber": (lambda F, x: F.nn.functional.huber_loss(x, F.zeros_like(x)), lambda F: full(F, 2, 60000.0)),
    "layer norm": (lambda F, x: F.nn.functional.layer_norm(x, (3,)), lambda F: half(F, 1000.0, 2000.0, 3000.0)),
    "rms norm": (lambda F, x: F.nn.functional.rms_norm(x, (3,)), lambda F: half(F, 1000.0, 2000.0, 3000.0)),
    "group norm": (
        lambda F, x: F.nn.functional.group_norm(x.reshape(1, 2, 2), 1),
        lambda F: half(F, 1000.0, 2000.0, 3000.0, 5000.0),
    ),
    "batch norm": (
        lambda F, x: F.nn.functional.batch_norm(x.reshape(3, 1), None, None, training=True)[0] * 1000,
        lambda F: half(F, 1000.0, 3000.0, 4000.0),
    ),
    "average pooling": (
        lambda F, x: F.nn.functional.avg_pool1d(x.reshape(1, 4), 4),
        lambda F: full(F, 4, 60000.0),
    ),
    "attention": (attended, lambda F: half(F, 100.0, 300.0, 200.0, 50.0)),
    "dot": (lambda F, x: x @ F.ones_like(x), lambda F: full(F, COUNT, 1.0)),
    "matrix product": (lambda F, x: x.view(2, -1) @ x.view(-1, 2), lambda F: full(F, 2 * COUNT, 1.0)),
    "power": (lambda F, x: x**2 / 1e4, lambda F: half(F, 200.0, 3.0)),
    "scatter_add": (lambda F, x: zeros(F, 1).scatter_add(0, first_row(F), x), lambda F: full(F, COUNT, 1.0)),
    "gather": (lambda F, x: x.gather(0, first_row(F)), lambda F: half(F, 1.0)),
    "repeat": (lambda F, x: x.repeat(COUNT), lambda F: half(F, 1.0)),
    "expand": (lambda F, x: x.expand(COUNT).clone(), lambda F: half(F, 1.0)),
    "a window on memory": (lambda F, x: x.as_strided((COUNT,), (0,)).clone(), lambda F: half(F, 1.0)),
    "a row beside rows": (lambda F, x: F.ones(COUNT, 2, dtype=F.float16) + x, lambda F: half(F, 1.0, 2.0)),
    "a bias": (
        lambda F, x: F.nn.functional.linear(zeros(F, COUNT, 3), zeros(F, 2, 3), x),
        lambda F: half(F, 1.0, 2.0),
    ),
    # What PyTorch adds up in float16 stops at 2048 here, too.
    "index": (lambda F, x: x[first_row(F)], lambda F: half(F, 1.0)),
    "embedding": (
        lambda F, x: F.nn.functional.embedding(first_row(F), x.view(1, 1)),
        lambda F: half(F, 1.0),
    ),
    "many uses": (lambda F, x: sum([x] * COUNT), lambda F: half(F, 1.0)),
}


def close(own: Any, other: Any, of_largest: float = 0) -> None:
    """The same but for two units in the last place, or for a part of the largest number."""
    own, other = own.detach().numpy(), other.detach().numpy()
    assert own.dtype == other.dtype == np.float16
    largest = np.abs(other.astype(float)).max()
    np.testing.assert_allclose(own.astype(float), other.astype(float), rtol=2**-9, atol=2**-23 + of_largest * largest)


@pytest.mark.parametrize("name", COMPUTED)
def test_as_in_torch(name: str, torch: types.ModuleType) -> None:
    function, numbers = COMPUTED[name]
    sides = []
    for F in (minigrad, torch):
        x = numbers(F)
        out = function(F, x)
        out.backward(F.ones_like(out))
        sides.append((out, x.grad))
    (ours, our_gradient), (theirs, their_gradient) = sides
    close(ours, theirs)
    close(our_gradient, their_gradient, of_largest=2**-8)


@pytest.mark.parametrize("name", ["silu", "gelu", "power", "std", "layer norm"])
def test_second_derivatives_are_those_of_float32_rounded(name: str) -> None:
    function, numbers = COMPUTED[name]

    def second(x: Any) -> Any:
        out = function(minigrad, x)
        (first,) = minigrad.autograd.grad(out, x, minigrad.ones_like(out), create_graph=True)
        assert first.dtype is x.dtype
        return minigrad.autograd.grad(first, x, minigrad.arange(1, x.numel() + 1, dtype=x.dtype))[0]

    x = numbers(minigrad)
    wide = second(x.detach().float().requires_grad_())
    close(second(x), wide.half())


def test_gradients_in_a_batch_are_those_of_single_passes() -> None:
    x = half(minigrad, -12.0, 0.5, 3.0)
    out = (minigrad.nn.functional.layer_norm(x, (3,)) * 70000.0).sigmoid() + x.softmax(0)
    rows = minigrad.eye(3, dtype=minigrad.float16)
    (together,) = minigrad.autograd.grad(out, x, rows, is_grads_batched=True, retain_graph=True)
    single = [minigrad.autograd.grad(out, x, row, retain_graph=True)[0] for row in rows]
    assert together.dtype is minigrad.float16
    assert together.tolist() == [row.tolist() for row in single]


def test_steps_that_torch_rounds_are_not_rounded(torch: types.ModuleType) -> None:
    """It computes these in several steps, each of which is one operation."""

    def results(F: Any) -> list[float]:
        lengths = full(F, 4, 300.0)
        slope = F.autograd.grad(lengths.norm(3), lengths)[0][0]
        return [full(F, 70000, 0.0).logsumexp(0).item(), half(F, 6e4, 6e4, 1e-4, 1e-4).prod().item(), slope.item()]

    assert results(minigrad) == pytest.approx([np.log(70000), 36, 4 ** (1 / 3 - 1)], rel=2**-9)
    assert not np.isfinite(results(torch)).any()


# ---------------------------------------------------------------- what stays as it is


def test_nodes_are_those_of_torch(torch: types.ModuleType) -> None:
    def names(F: Any) -> list[str]:
        node = F.nn.functional.gelu(half(F, 1.0, 2.0).tanh()).mean().grad_fn
        found = []
        while node is not None:
            found.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        return found[:-1]

    assert names(minigrad) == names(torch) == ["MeanBackward0", "GeluBackward0", "TanhBackward0"]


def test_writes_go_into_the_memory_that_is_there() -> None:
    x = minigrad.zeros(4, dtype=minigrad.float16)
    array, part = x.numpy(), x[:2]
    part.sigmoid_().add_(x[2:], alpha=2)
    assert (x._version, part._version, part._base is x) == (2, 2, True)
    assert np.shares_memory(part.numpy(), array)
    assert array.tolist() == [0.5, 0.5, 0, 0]
    y = half(minigrad, 1.0).tanh()
    loss = y.mul_(2).sum()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_dtype_that_numpy_copied_is_float16_too() -> None:
    array = pickle.loads(pickle.dumps(np.full(4, 60000, np.float16)))
    assert array.dtype is not np.dtype(np.float16)
    assert minigrad.from_numpy(array).mean().item() == 60000
    assert minigrad.from_numpy(array * np.float16(-1)).sigmoid().tolist() == [0] * 4


@pytest.fixture
def half_by_default(torch: types.ModuleType) -> Iterator[None]:
    for F in (minigrad, torch):
        F.set_default_dtype(F.float16)
    yield
    for F in (minigrad, torch):
        F.set_default_dtype(F.float32)


def test_integers_are_computed_as_float16_if_that_is_the_default(
    half_by_default: None, torch: types.ModuleType
) -> None:
    ours, theirs = (F.tensor([-12, -17, 3]).sigmoid() for F in (minigrad, torch))
    close(ours, theirs)


def test_the_texts_of_ops_without_steps_say_nothing_of_it() -> None:
    x = minigrad.ones(2)
    assert (x * x).sigmoid().tolist()
    assert "float16" not in op.source(minigrad.mul)
    assert "return in_half(input)" in op.source(minigrad.sigmoid)
