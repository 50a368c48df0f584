"""Gradients have the dtype and the shape of their inputs, summed over what was broadcast (B15, B17)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


# ---------------------------------------------------------------- dtypes


@behaviours("B15: gradients have the dtype of their inputs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    w = F.tensor([3.0, 4.0], dtype=F.float64, requires_grad=True)
    y = x * w
    y.sum().backward()
    return y.dtype, x.grad, w.grad


@behaviours("B15: through a cast they come back")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x.double() * 2).sum().backward()
    return x.grad


@behaviours("B15: gradients of 0-d inputs that promote have the input's dtype")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    scale = F.tensor(3.0, dtype=F.float64, requires_grad=True)
    y = x * scale
    y.sum().backward()
    return y.dtype, x.grad, scale.grad


# ---------------------------------------------------------------- shapes


@behaviours("B17: broadcast inputs get gradients of their own shape")
def _(F: Any) -> Any:
    row, column, scalar, one = (
        F.tensor([1.0, 2.0, 3.0], requires_grad=True),
        F.tensor([[10.0], [20.0]], requires_grad=True),
        F.tensor(5.0, requires_grad=True),
        F.ones(1, 1, 1, requires_grad=True),
    )
    weights = F.tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    (row * column + scalar * one).backward(weights)
    return row.grad, column.grad, scalar.grad, one.grad


@behaviours("B17: an input that was broadcast to nothing gets zeros")
def _(F: Any) -> Any:
    x = F.ones(1, requires_grad=True)
    (x * F.ones(0)).sum().backward()
    return x.grad


@behaviours("B17: expand and its gradient")
def _(F: Any) -> Any:
    x = F.tensor([[1.0], [2.0]], requires_grad=True)
    x.expand(2, 3).backward(F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    return x.grad


@behaviours("B17: with create_graph the sums are recorded")
def _(F: Any) -> Any:
    x, w = leaf(F, 2.0), leaf(F, 1.0, 2.0, 3.0)
    (gradient,) = F.autograd.grad((x * w * w).sum(), x, create_graph=True)
    return gradient, F.autograd.grad(gradient.sum(), w)


test_as_in_torch = behaviours.test()
