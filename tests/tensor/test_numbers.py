"""Numbers of tensors: bool, item, tolist, float, int, index (A09)."""

from __future__ import annotations

import math
import operator
from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import TO_SCALAR, matrix

behaviours = Behaviours()


NAN, INF = float("nan"), float("inf")


behaviours.table(
    ("A09: bool of two elements", lambda F: bool(F.ones(2)),
     RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    ("A09: bool of no element", lambda F: bool(F.zeros(0)),
     RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
)  # fmt: skip


@behaviours("A09: bool of one element, whatever its shape")
def _(F):
    numbers: list[Any] = [0.0, -0.0, NAN, [[0.0]], [2.0], 0, True, False]
    return [bool(F.tensor(number)) for number in numbers], bool(leaf(F)[0])


behaviours.table(
    ("A09: item of two elements", lambda F: F.tensor([1, 2]).item(),
     RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
    ("A09: item of no element", lambda F: F.zeros(0).item(),
     RuntimeError, "a Tensor with 0 elements cannot be converted to Scalar"),
)  # fmt: skip


@behaviours("A09: item is a number of Python's, exactly the one that is stored")
def _(F):
    values = [F.tensor(0.1).item(), F.tensor([[3]]).item(), F.tensor(True).item(), leaf(F)[0].item()]
    return values, repr(values[0]), [type(value).__name__ for value in values], F.tensor(2, dtype=F.int32).item()


@behaviours("A09: tolist nests lists of Python's numbers")
def _(F):
    tensors = (matrix(F), F.tensor(2.5), F.zeros(0, 3), F.zeros(2, 0), leaf(F), F.tensor([True, False]), F.arange(2))
    return [x.tolist() for x in tensors]


@behaviours("A09: float and int of one element, whatever its shape")
def _(F):
    x = F.tensor([[2.5]])
    return float(x), int(x), int(F.tensor(-1.7)), float(F.tensor(3)), float(F.tensor(True)), int(F.tensor([5]))


behaviours.table(
    ("A09: float of two elements", lambda F: float(F.ones(2)),
     ValueError, "only one element tensors can be converted to Python sc"),
    ("A09: int of no element", lambda F: int(F.zeros(0)),
     ValueError, "only one element tensors can be converted to Python scalars"),
    ("A09: int of nan", lambda F: int(F.tensor(NAN)), ValueError, "cannot convert float NaN to integer"),
    ("A09: int of infinity", lambda F: int(F.tensor(INF)), OverflowError, "cannot convert float infinity to integer"),
)  # fmt: skip


@behaviours("A09: float of a tensor that requires grad warns", warns=(TO_SCALAR, TO_SCALAR))
def _(F):
    return float(leaf(F)[0]), float(F.tensor(1.5, requires_grad=True))


@behaviours("A09: a function of math warns as float does", warns=(TO_SCALAR,))
def _(F):
    return math.sqrt(F.tensor(4.0, requires_grad=True)), math.sqrt(F.tensor(4.0)), math.floor(F.tensor(2.5))


@behaviours("A09: int, bool, item, tolist and format do not warn")
def _(F):
    x = F.tensor(1.5, requires_grad=True)
    return int(x), bool(x), x.item(), x.tolist(), f"{x:.2f}"


@behaviours("A09: a whole number of one element is an index")
def _(F):
    one = F.tensor(1)
    return [10, 20, 30][one], list(range(F.tensor(3))), operator.index(F.tensor([[2]])), operator.index(F.tensor(True))


behaviours.table(
    ("A09: a float is no index", lambda F: [10, 20][F.tensor(1.0)],
     TypeError, "only integer tensors of a single element can be converted to an index"),
    ("A09: several numbers are no index", lambda F: operator.index(F.arange(3)),
     TypeError, "only integer tensors of a single element can be converted to an index"),
    ("A09: a tensor does not round to a number", lambda F: round(F.tensor(2.5)),
     TypeError, "type Tensor doesn't define __round__ method"),
)  # fmt: skip


test_as_in_torch = behaviours.test()
