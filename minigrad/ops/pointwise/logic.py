"""Truth: logical_and, logical_or, logical_xor, logical_not, is_nonzero.

After this module a reader knows that every number but 0 counts as true. The answers are bools and have no gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.op import op, tensor_operands
from minigrad.ops.operands import tensors_only
from minigrad.ops.pointwise.comparison import eq
from minigrad.tensor import Tensor
from minigrad.writing import copy_

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


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element of a tensor is not zero."""
    (input,) = tensor_operands("is_nonzero", input)
    return bool(input)


def _written(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`x.logical_and_(y)`: the answer, as a number, in the tensor's place."""

    def method(self: Tensor, *others: Tensor) -> Tensor:
        with no_grad():
            return copy_(self, function(self, *others))

    method.__name__ = f"{function.__name__}_"
    method.__doc__ = f"In-place form of `{function.__name__}`. (Like PyTorch's, it leaves the history as it is.)"
    return method


logical_and_, logical_or_, logical_xor_, logical_not_ = map(
    _written, (logical_and, logical_or, logical_xor, logical_not)
)

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "logical_and", "logical_or", "logical_xor", "logical_not", "is_nonzero", "logical_and_", "logical_or_",
    "logical_xor_", "logical_not_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # all that have an in-place form overwrite whatever was there: they stand in METHODS
OUT: tuple[str, ...] = ("logical_and", "logical_or", "logical_xor", "logical_not")  # those that take out=
