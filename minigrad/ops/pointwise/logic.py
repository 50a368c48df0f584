"""Truth: logical_and, logical_or, logical_xor, logical_not.

After this module a reader knows that every number but 0 counts as true. The answers are bools and have no gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import tensors_only
from minigrad.ops.pointwise.comparison import eq
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@tensors_only
@op(broadcasts=True)
def logical_and(self: Array, other: Array) -> Array:
    """Whether both elements are true (not zero)."""
    return np.logical_and(self, other)


@tensors_only
@op(broadcasts=True)
def logical_or(self: Array, other: Array) -> Array:
    """Whether one or both of the elements are true (not zero)."""
    return np.logical_or(self, other)


@tensors_only
@op(broadcasts=True)
def logical_xor(self: Array, other: Array) -> Array:
    """Whether just one of the elements is true (not zero)."""
    return np.logical_xor(self, other)


def logical_not(input: Tensor) -> Tensor:
    """Whether each element is false (zero)."""
    return eq(input, 0)


METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "logical_and", "logical_or", "logical_xor", "logical_not",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # all that have an in-place form overwrite whatever was there: they stand in METHODS
OUT: tuple[str, ...] = ("logical_and", "logical_or", "logical_xor", "logical_not")  # those that take out=
