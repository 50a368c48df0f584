"""Graphs of 150,000 nodes are built, differentiated and dropped without recursion (B18)."""

from __future__ import annotations

import weakref
from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("B18: a chain of 150,000 nodes is built, differentiated and dropped")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x
    for _ in range(150_000):
        y = y + 1
    y.sum().backward()
    del y
    return x.grad


@behaviours("B18: a chain that nobody differentiates is dropped at once, from its last result to its first")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = first = x * x
    for _ in range(60_000):
        y = y * y
    dropped = [weakref.ref(first), weakref.ref(y)]
    del first, y
    return [tensor() is None for tensor in dropped]


@behaviours("B18: a deep chain in which every node saved something and has two edges")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y * x
    (gradient,) = F.autograd.grad(y, x)
    return gradient


@behaviours("B18: a deep chain is differentiated twice")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    y = x * x
    for _ in range(5_000):
        y = y * 1.0
    (gradient,) = F.autograd.grad(y, x, create_graph=True)
    return gradient, F.autograd.grad(gradient, x)


@behaviours("B18: a wide graph of 5,000 branches")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    total = x * 0.0
    for _ in range(5_000):
        total = total + x * 1.0
    total.backward()
    return x.grad


test_as_in_torch = behaviours.test()
