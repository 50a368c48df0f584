"""Tensors made of tensors, lists and ranges: `tensor()`, the constructor `Tensor()`, `is_tensor`."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import COPY_CONSTRUCT, TO_SCALAR

behaviours = Behaviours()


@behaviours("tensor(): a copy of a tensor is outside its graph, and a warning says so", warns=(COPY_CONSTRUCT,))
def _(F):
    x = leaf(F)
    y = F.tensor(x * 2)
    return y, y.is_leaf


@behaviours("tensor(): a copy of a tensor with a gradient of its own", warns=(COPY_CONSTRUCT,))
def _(F):
    x = leaf(F)
    y = F.tensor(x, requires_grad=True)
    (y * 2).sum().backward()
    return y, y.grad, x.grad


@behaviours("tensor(): a list of tensors with one element each")
def _(F):
    return F.tensor([F.tensor(1.0), F.tensor(2)]), F.tensor([F.ones(1), F.ones(1)]), F.tensor([[F.tensor(1)], [2]])


@behaviours("tensor(): a list of results loses their graph, and a warning says so", warns=(TO_SCALAR, TO_SCALAR))
def _(F):
    x = leaf(F)
    return F.tensor([x[0], x[1]])


@behaviours(
    "tensor(): a list of vectors is not stacked",
    error=ValueError,
    says="only one element tensors can be converted to Python scalars",
)
def _(F):
    F.tensor([F.ones(2), F.ones(2)])


@behaviours("tensor(): kinds of numbers in lists, tuples and ranges")
def _(F):
    lists: list[Any] = [
        [],
        [[], []],
        [True, 2],
        [1, 2.0],
        [True, False],
        ((1, 2), (3, 4)),
        range(3),
        2.5,
        True,
        [[[7]]],
    ]
    return [F.tensor(numbers) for numbers in lists]


behaviours.table(
    ("Tensor: the constructor makes float32 of lists, and of sizes a tensor of that shape",
     lambda F: (F.Tensor([1, 2]), F.Tensor([[1, 2], [3, 4]]), F.Tensor(2, 3).shape, F.Tensor(3).shape, F.Tensor())),
    ("Tensor: the constructor takes a number only as a size", lambda F: F.Tensor(2.5),
     TypeError, "new(): data must be a sequence"),
)  # fmt: skip


@behaviours("Tensor: the constructor of a tensor gives another one with the same memory")
def _(F):
    x = F.zeros(2)
    y = F.Tensor(x)
    y[0] = 5
    return x, y is x


@behaviours("is_tensor: tells tensors from everything else")
def _(F):
    return [F.is_tensor(value) for value in (F.ones(2), 3, [1.0], None, np.ones(2))], isinstance(F.ones(2), F.Tensor)


test_as_in_torch = behaviours.test()
