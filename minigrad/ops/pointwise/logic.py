"""Questions whose answers are bools: logical_and, isclose, isin, signbit, and other names for the comparisons.

After this module a reader knows how two results of computing with floats are compared: not for being equal, but for
being close. None of these has a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.autograd.grad_mode import no_grad
from minigrad.op import meet_all, op, size_mismatch, tensor_operands
from minigrad.ops.pointwise.comparison import eq, ge, gt, le, lt, ne
from minigrad.tensor import Tensor, from_array
from minigrad.writing import comparing, copy_

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
_NUMBERS = (int, float, np.number, np.bool_)


@op(broadcasts=True)
def logical_and(self: Array, other: Array) -> Array:
    """Whether both elements are true (not zero)."""
    return np.logical_and(self, other)


@op(broadcasts=True)
def logical_or(self: Array, other: Array) -> Array:
    """Whether one or both of the elements are true (not zero)."""
    return np.logical_or(self, other)


@op(broadcasts=True)
def logical_xor(self: Array, other: Array) -> Array:
    """Whether just one of the elements is true (not zero)."""
    return np.logical_xor(self, other)


@op()
def isposinf(self: Array) -> Array:
    """Whether each element is inf."""
    return self == np.inf


@op()
def isneginf(self: Array) -> Array:
    """Whether each element is -inf."""
    return self == -np.inf


@op()
def isreal(self: Array) -> Array:
    """Whether each element has no imaginary part: all have none, for there are no complex dtypes."""
    return np.isreal(self)


@op()
def signbit(self: Array) -> Array:
    """Whether each element has a minus in front; -0.0 has one, too."""
    return np.signbit(self) if self.dtype.kind == "f" else self < 0


@op(constants=("other",))
def close(self: Array, other: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Whether input and other differ by atol + rtol * abs(other) at most."""
    if self.dtype.kind == "b":
        return self == other
    near = np.isfinite(other) & (np.abs(self - other) <= atol + np.abs(rtol * other))
    near = near | (self == other)
    return near | (np.isnan(self) & np.isnan(other)) if equal_nan else near


# ---------------------------------------------------------------- as the learner calls them

_logical_and, _logical_or, _logical_xor = logical_and, logical_or, logical_xor


def logical_and(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Whether both elements are true (not zero)."""
    return _logical_and(*tensor_operands("logical_and", input, other))


def logical_or(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Whether one or both of the elements are true (not zero)."""
    return _logical_or(*tensor_operands("logical_or", input, other))


def logical_xor(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Whether just one of the elements is true (not zero)."""
    return _logical_xor(*tensor_operands("logical_xor", input, other))


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether elements differ by atol + rtol * abs(other) at most; infinite ones have to be equal.

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


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each of `elements` is among `test_elements`; with `invert` whether it is not. One may be a number.

    Args:
        assume_unique: says that neither has equal elements, which may save time.

    Raises:
        RuntimeError: one of the two holds bools.
    """
    given = (elements, test_elements)
    if not any(isinstance(value, Tensor) for value in given) or not all(
        isinstance(value, (Tensor, *_NUMBERS)) for value in given
    ):
        raise TypeError(
            f"isin() received an invalid combination of arguments - got ({', '.join(map(type_name, given))}): give "
            "tensors, or a tensor and a number"
        )
    arrays = [value._array if isinstance(value, Tensor) else _constant(value) for value in given]
    if any(array.dtype == np.bool_ for array in arrays):
        raise RuntimeError("Unsupported input type encountered for isin(): Bool. Convert it first, as in x.int().")
    wanted, among = meet_all(arrays)[0]
    return from_array(np.isin(wanted, among, assume_unique=assume_unique, invert=invert)[()])


def _constant(number: Any) -> Any:
    return dtypes.of_number(number, dtypes.bool).numpy.type(number)


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element of a tensor is not zero."""
    (input,) = tensor_operands("is_nonzero", input)
    return bool(input)


def _answering(function: Any, name: str) -> Any:
    """`x.logical_and_(y)`: the answer in the tensor's place. (Like PyTorch's, it leaves the history as it is.)"""

    def method(self: Tensor, other: Tensor) -> Tensor:
        with no_grad():
            return copy_(self, function(self, other))

    method.__name__ = name
    method.__doc__ = f"In-place form of `{name[:-1]}`. (Like PyTorch's, it leaves the tensor's history as it is.)"
    return method


logical_and_, logical_or_, logical_xor_ = (
    _answering(function, f"{function.__name__}_") for function in (logical_and, logical_or, logical_xor)
)
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne
greater_, greater_equal_, less_, less_equal_, not_equal_ = map(comparing, ("gt", "ge", "lt", "le", "ne"))

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "logical_and", "logical_or", "logical_xor", "isclose", "allclose", "equal", "isposinf", "isneginf", "isreal",
    "signbit", "is_nonzero", "greater", "greater_equal", "less", "less_equal", "not_equal", "logical_and_",
    "logical_or_", "logical_xor_", "greater_", "greater_equal_", "less_", "less_equal_", "not_equal_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # all that have an in-place form overwrite whatever was there: they stand in METHODS
OUT: tuple[str, ...] = (  # those that take out=
    "logical_and", "logical_or", "logical_xor", "isposinf", "isneginf", "signbit", "isin", "greater", "greater_equal",
    "less", "less_equal", "not_equal",
)  # fmt: skip
