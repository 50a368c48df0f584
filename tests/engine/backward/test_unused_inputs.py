"""Inputs of grad() that were not used: allow_unused and materialize_grads (B06)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.refusals import message_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours(
    "B06: an input that was not used",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if "
    "this is the desired behavior.",
)
def _(F: Any) -> Any:
    F.autograd.grad(leaf(F, 1.0, 2.0).sum(), leaf(F, 3.0))


@behaviours(
    "B06: the error's number is the input's place in the list",
    error=RuntimeError,
    says="The differentiated Tensor at index 2 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 1.0, 2.0)
    F.autograd.grad((x * w).sum(), [x, w, leaf(F, 3.0)])


@behaviours(
    "B06: a result computed from the input after the output",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), x * 2)


@behaviours(
    "B06: a clone of the input is not the input",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), x.clone())


@behaviours(
    "B06: a view of the input is not the input either",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first = x[0]
    F.autograd.grad((x * x).sum(), first)


@behaviours("B06: with allow_unused its gradient is None, among the others")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    return F.autograd.grad((x * x).sum(), [unused, x, unused], allow_unused=True)


@behaviours("B06: with materialize_grads it is zeros of the input's shape and dtype")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), F.ones(2, 3, dtype=F.float64, requires_grad=True)
    return F.autograd.grad((x * x).sum(), [unused, x], materialize_grads=True)


@behaviours("B06: materialized zeros require grad under create_graph")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    (zeros,) = F.autograd.grad((x * x).sum(), unused, materialize_grads=True, create_graph=True)
    return zeros, zeros.is_leaf


@behaviours("B06: materialize_grads and allow_unused=True are no contradiction")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    return F.autograd.grad(x.sum(), unused, materialize_grads=True, allow_unused=True)


@behaviours(
    "B06: materialize_grads and allow_unused=False are one",
    error=ValueError,
    says="Expected allow_unused to be True or not passed when materialize_grads=True",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), x, materialize_grads=True, allow_unused=False)


@behaviours("B06: the graph is freed although the unused input raised an error")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    y = (x * x).sum()
    first = message_of(lambda: F.autograd.grad(y, [x, unused]))
    return first, message_of(lambda: F.autograd.grad(y, [x]))


@behaviours("B06: when nothing leads to the only input, nothing runs and nothing is freed")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    y = (x * x).sum()
    F.autograd.grad(y, unused, allow_unused=True)
    return F.autograd.grad(y, x)


test_as_in_torch = behaviours.test()
