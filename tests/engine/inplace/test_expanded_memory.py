"""Expanded tensors, several of whose elements are one, and transposes: which writes are refused (D05)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from engine.inplace.effects import NO_ROOM, gradients, graph, state, tried
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D05: expand repeats memory: no write through it, but writes to its base show")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    repeated = y.expand(3, 2)
    refused = tried(lambda: repeated.add_(1), NO_ROOM)
    y.mul_(3.0)
    return refused, state(y, repeated), graph(repeated), gradients(F, repeated, x)


@behaviours("D05: fill_() with a number may write to elements that share memory", error=None)
def _(F):
    x = F.ones(3).expand(2, 3)
    x.fill_(2.0)
    return x


@behaviours(
    "D05: fill_() with a tensor may not", error=RuntimeError, says="unsupported operation: more than one element"
)
def _(F):
    F.ones(3).expand(2, 3).fill_(F.tensor(2.0))


@behaviours("D05: a part of an expanded tensor's data can be written to")
def _(F):
    x = F.ones(3)
    part = x.expand(2, 3).data
    part[0] = F.tensor([4.0, 5.0, 6.0])
    return x, part


@behaviours("D13: concatenated and cloned, expanded tensors are contiguous")
def _(F):
    x = F.tensor([1.0, 2.0]).expand(3, 2)
    return [y.is_contiguous() for y in (F.cat([x, x]), x.clone(), x.double())]


@behaviours(
    "D05: an expanded tensor written to through indices: the gradient of the value alone",
    warns=("UserWarning: Use of index_put_ on expanded tensors is deprecated.",),
)
def _(F):
    x = F.tensor(1.75, requires_grad=True)
    row, value = (x * x).expand(2), x * 3
    row[[0]] = value
    return F.autograd.grad(row.sum(), value)


@behaviours(
    "D05: an expanded tensor written to through indices has no gradient for what was there",
    error=RuntimeError,
    says="unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
    warns=("UserWarning: Use of index_put_ on expanded tensors is deprecated.",),
)
def _(F):
    x = F.tensor(1.75, requires_grad=True)
    row, value = (x * x).expand(2), x * 3
    row[[0]] = value
    row.sum().backward()


SHARED = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory"


@behaviours("D05: a write computed from a part of the same memory is refused", error=RuntimeError, says=SHARED)
def _(F):
    x = F.ones(6)
    x[1:4].remainder_(x[:3])


@behaviours("D05: that memory is shared is said before sizes are looked at", error=RuntimeError, says=SHARED)
def _(F):
    x = F.ones(6)
    x[1:4].remainder_(x[:5])


@behaviours(
    "D05: that elements share memory is said before sizes are looked at",
    error=RuntimeError,
    says="unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
)
def _(F):
    F.ones(1).expand(3).remainder_(F.ones(2))


WITH_ITS_TRANSPOSE: dict[str, Callable[[Any], Any]] = {
    "add_": lambda x: x.add_(x.t()),
    "mul_": lambda x: x.mul_(x.t()),
    "copy_": lambda x: x.copy_(x.t()),
    "x[:] =": lambda x: operator.setitem(x, slice(None), x.t()),
}


def with_its_transpose(name: str, write: Callable[[Any], Any]) -> None:
    @behaviours(
        f"D05: {name} of a square with its own transpose, which has the same memory in another order",
        error=RuntimeError,
        says="unsupported operation: some elements of the input tensor and the written-to tensor refer to a single",
    )
    def _(F):
        write(F.tensor([[1.0, 2.0], [3.0, 4.0]]))


for name, write in WITH_ITS_TRANSPOSE.items():
    with_its_transpose(name, write)


test_as_in_torch = behaviours.test()


@behaviours("D05: elements written over themselves change nothing, and are counted", error=None)
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x.sum().expand(2, 2)
    y[...] = y
    y.copy_(y.T)
    y[0] = y[1]
    with F.no_grad():
        y.copy_(y)
        y[...] = y
    return state(y), graph(y)


@behaviours("D05: they may be seen by two views; a sum with itself is a write", error=RuntimeError, says=NO_ROOM)
def _(F):
    y = F.tensor([1.0, 2.0]).expand(2, 2)
    y[:] = y[:]
    y.add_(y)


@behaviours(
    "D05: copy_() refuses a part of what it writes to", error=RuntimeError, says="unsupported operation: some elements"
)
def _(F):
    x = F.ones(2, 2)
    x.copy_(x[0])


@behaviours("D05: one element of an expanded tensor is a place of its own")
def _(F):
    x = F.tensor(3.0, requires_grad=True)
    y = (x * 2).expand(2)
    y[0] = x * 5
    with F.no_grad():
        y[1].copy_(x)
    return state(y)
