"""Questions with bools for answers, and what joins these: comparisons, allclose, isnan, logical_and, `&`.

Two results of computing with floats are compared not for being equal, but for being close. Conditions are joined with
`&` and `|`: Python's `and` and `or` would ask for one answer to the whole tensor. None of these has a gradient.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, op
from minigrad.ops.declarations import give_name, tensors_only
from minigrad.ops.shapes.expanding import common_shape
from minigrad.ops.silence import silent
from minigrad.public import public
from minigrad.tensor import Tensor


def _question(name: str, answer: Callable[[Any, Any], Any], meaning: str) -> Callable[..., Any]:
    """An op of two operands that has no gradient."""
    return op(broadcasts=True)(give_name(name, meaning, lambda self, other: answer(self, other)))


eq, ne, lt, le, gt, ge = (
    public(overloaded=True)(_question(name, getattr(operator, name), f"input {sign} other, element by element."))
    for name, sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items()
)


def _question_of_one(name: str, answer: Callable[[Any], Any], meaning: str) -> Callable[..., Any]:
    """An op of one operand that has no gradient."""
    return op()(give_name(name, meaning, lambda self: answer(self)))


isnan = public(_question_of_one("isnan", np.isnan, 'Whether each element is nan, "not a number".'))
isinf = public(_question_of_one("isinf", np.isinf, "Whether each element is inf or -inf."))
isfinite = public(_question_of_one("isfinite", np.isfinite, "Whether each element is neither inf nor -inf nor nan."))


@public
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether abs(input - other) <= atol + rtol * abs(other) for all elements; infinite ones have to be equal.

    Args:
        equal_nan: whether nan is close to nan.

    Raises:
        RuntimeError: the dtypes differ, the shapes do not broadcast, or a tolerance is negative.
    """
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.tensor_type} did not match {other.dtype.tensor_type}: try other.to(input)")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    common_shape("isclose", input.shape, other.shape)
    return silent(np.allclose)(input._array, other._array, rtol, atol, equal_nan)


@public
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    return input.shape == other.shape and bool(np.all(eq(input, other)._array))


# ---------------------------------------------------------------- answers combined

_BOTH, _EITHER, _JUST_ONE = "Whether both are true", "Whether one or both are true", "Whether just one is true"
logical_and = public(tensors_only(_question("logical_and", np.logical_and, f"{_BOTH} (not zero).")))
logical_or = public(tensors_only(_question("logical_or", np.logical_or, f"{_EITHER} (not zero).")))
logical_xor = public(tensors_only(_question("logical_xor", np.logical_xor, f"{_JUST_ONE} (not zero).")))


@public
def logical_not(input: Tensor) -> Tensor:
    """Whether each element is false (zero)."""
    return eq(input, 0)


def _bitwise_op(name: str, combine: Callable[[Any, Any], Any], meaning: str) -> Callable[..., Any]:
    """An op of two integers, bit by bit, or of two bools; PyTorch's words refuse floats."""

    def answer(first: Array, second: Array) -> Array:
        try:
            return combine(first, second)
        except TypeError:
            np.broadcast(first, second)  # shapes that do not fit are the first thing to say
            kind = dtypes.of(first).tensor_type
            text = f"\"{name}_cpu\" not implemented for '{kind}': floats have no bits. Compare first, as in x > 0."
            raise NotImplementedError(text) from None

    return _question(name, answer, meaning)


bitwise_and = _bitwise_op("bitwise_and", operator.and_, f"input & other. {_BOTH}, for bools.")
bitwise_or = _bitwise_op("bitwise_or", operator.or_, f"input | other. {_EITHER}, for bools.")
bitwise_xor = _bitwise_op("bitwise_xor", operator.xor, f"input ^ other. {_JUST_ONE}, for bools.")


@public(function=False, name="__invert__")
@op()
def bitwise_not(self: Array) -> Array:
    """~input; for bools, whether it is false."""
    if self.dtype.kind == "f":
        text = "~ (operator.invert) is only implemented on integer and Boolean-type tensors, not"
        raise TypeError(f"{text} {dtypes.of(self)}: compare first, as in ~(x > 0).")
    return ~self
