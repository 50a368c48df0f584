"""Comparisons: eq, ne, lt, le, gt, ge, and isclose, allclose, equal.

After this module a reader knows how two results of computing with floats are compared: not for being equal, but for
being close. The answers are bools and have no gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(broadcasts=True)
def eq(self: Array, other: Array) -> Array:
    """input == other, element by element."""
    return self == other


@op(broadcasts=True)
def ne(self: Array, other: Array) -> Array:
    """input != other, element by element."""
    return self != other


@op(broadcasts=True)
def lt(self: Array, other: Array) -> Array:
    """input < other, element by element."""
    return self < other


@op(broadcasts=True)
def le(self: Array, other: Array) -> Array:
    """input <= other, element by element."""
    return self <= other


@op(broadcasts=True)
def gt(self: Array, other: Array) -> Array:
    """input > other, element by element."""
    return self > other


@op(broadcasts=True)
def ge(self: Array, other: Array) -> Array:
    """input >= other, element by element."""
    return self >= other


@op(constants=("other",))
def close(self: Array, other: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Whether abs(input - other) <= atol + rtol * abs(other)."""
    if self.dtype.kind == "b":
        return self == other
    near = np.isfinite(other) & (np.abs(self - other) <= atol + np.abs(rtol * other))
    near = near | (self == other)
    return near | (np.isnan(self) & np.isnan(other)) if equal_nan else near


# ---------------------------------------------------------------- as the learner calls them


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether abs(input - other) <= atol + rtol * abs(other), element by element; infinite ones have to be equal.

    Args:
        equal_nan: whether nan is close to nan.

    Raises:
        RuntimeError: the dtypes differ, the shapes do not broadcast, or a tolerance is negative.
    """
    input, other = tensor_operands("isclose", input, other)
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"{input.dtype.tensor_type} did not match {other.dtype.tensor_type}: convert one of the two first, as in "
            "other.to(input.dtype)"
        )
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    mismatch = size_mismatch("isclose", input.shape, other.shape)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    return close(input.detach(), other.detach(), rtol, atol, equal_nan)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as `isclose` says."""
    input, other = tensor_operands("allclose", input, other)
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)._array))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    input, other = tensor_operands("equal", input, other)
    return input.shape == other.shape and bool(np.all(eq(input.detach(), other.detach())._array))


METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "eq", "ne", "lt", "le", "gt", "ge", "isclose",
    "allclose", "equal",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # all that have an in-place form overwrite whatever was there: they stand in METHODS
OUT: tuple[str, ...] = (  # those that take out=
    "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip
