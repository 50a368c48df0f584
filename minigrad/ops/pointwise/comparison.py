"""Questions with bools for answers, and what joins these: comparisons, isclose, isnan, logical_and, bitwise_and.

Two results of computing with floats are compared not for being equal, but for being close. Conditions are joined with
`&` and `|`: Python's `and` and `or` would ask for one answer to the whole tensor. None of these has a gradient.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, size_mismatch
from minigrad.ops.operands import of_tensors
from minigrad.public import public
from minigrad.tensor import Tensor
from minigrad.writing import augmented, in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _question(name: str, answer: Callable[[Any, Any], Any], meaning: str) -> Callable[..., Any]:
    """An op of two operands that is answered with bools."""

    def kernel(self: Array, other: Array) -> Array:
        return answer(self, other)

    kernel.__name__, kernel.__doc__ = name, meaning
    return op(broadcasts=True)(kernel)


eq = public(_question("eq", operator.eq, "input == other, element by element."))
ne = public(_question("ne", operator.ne, "input != other, element by element."))
lt = public(_question("lt", operator.lt, "input < other, element by element."))
le = public(_question("le", operator.le, "input <= other, element by element."))
gt = public(_question("gt", operator.gt, "input > other, element by element."))
ge = public(_question("ge", operator.ge, "input >= other, element by element."))


@public
@op()
def isnan(self: Array) -> Array:
    """Whether each element is nan, "not a number"."""
    return np.isnan(self)


@public
@op()
def isinf(self: Array) -> Array:
    """Whether each element is inf or -inf."""
    return np.isinf(self)


@public
@op()
def isfinite(self: Array) -> Array:
    """Whether each element is neither inf nor -inf nor nan."""
    return np.isfinite(self)


@op(constants=("other",))
def close(self: Array, other: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Whether abs(input - other) <= atol + rtol * abs(other)."""
    if self.dtype.kind == "b":
        return self == other
    near = np.isfinite(other) & (np.abs(self - other) <= atol + np.abs(rtol * other))
    near = near | (self == other)
    return near | (np.isnan(self) & np.isnan(other)) if equal_nan else near


@public
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether abs(input - other) <= atol + rtol * abs(other), element by element; infinite ones have to be equal.

    Args:
        equal_nan: whether nan is close to nan.

    Raises:
        RuntimeError: the dtypes differ, the shapes do not broadcast, or a tolerance is negative.
    """
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


@public
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as `isclose` says."""
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)._array))


@public
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    return input.shape == other.shape and bool(np.all(eq(input.detach(), other.detach())._array))


# ---------------------------------------------------------------- answers combined


_both = _question("logical_and", np.logical_and, "Whether both elements are true (not zero).")
_either = _question("logical_or", np.logical_or, "Whether one or both of the elements are true (not zero).")
_just_one = _question("logical_xor", np.logical_xor, "Whether just one of the elements is true (not zero).")
logical_and, logical_or, logical_xor = (public(of_tensors(question)) for question in (_both, _either, _just_one))


@public
def logical_not(input: Tensor) -> Tensor:
    """Whether each element is false (zero)."""
    return eq(input, 0)


def _refuse_floats(name: str, *arrays: Array) -> None:
    """Raise, in the name of PyTorch's kernel, if an array holds floats."""
    if arrays[0].dtype.kind == "f":
        np.broadcast(*arrays)  # shapes that do not fit are the first thing to say
        raise NotImplementedError(
            f"\"{name}_cpu\" not implemented for '{dtypes.of(arrays[0]).tensor_type}': floats have no bits to combine. "
            "Compare first, as in (x > 0) & (y > 0)."
        )


@op(broadcasts=True)
def bitwise_and(self: Array, other: Array) -> Array:
    """input & other; for bools, whether both are true."""
    _refuse_floats("bitwise_and", self, other)
    return self & other


@op(broadcasts=True)
def bitwise_or(self: Array, other: Array) -> Array:
    """input | other; for bools, whether either is true."""
    _refuse_floats("bitwise_or", self, other)
    return self | other


@op(broadcasts=True)
def bitwise_xor(self: Array, other: Array) -> Array:
    """input ^ other; for bools, whether just one is true."""
    _refuse_floats("bitwise_xor", self, other)
    return self ^ other


@op()
def bitwise_not(self: Array) -> Array:
    """~input; for bools, whether it is false."""
    _refuse_floats("bitwise_not", self)
    return ~self


__iand__, __ior__, __ixor__ = (
    augmented(in_place(bits, f"{bits.__name__}_"), symbol, reflected)
    for bits, symbol, reflected in (
        (bitwise_and, "&=", "__rand__"),
        (bitwise_or, "|=", "__ror__"),
        (bitwise_xor, "^=", "__rxor__"),
    )
)


@public(function=False, name="__invert__")
def invert(input: Tensor) -> Tensor:
    """~input."""
    if input.dtype.is_floating_point:
        raise TypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {input.dtype}: compare "
            "first, as in ~(x > 0)."
        )
    return bitwise_not(input)
