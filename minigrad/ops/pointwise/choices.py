"""Choices between numbers, element by element: where, maximum, minimum, clamp.

A choice passes its gradient on to what was chosen, and exactly 0 to the other. Of equals, `maximum` halves the gradient
between them, `clamp` gives it to the number rather than to the bound.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, op
from minigrad.ops.declarations import tensors_only
from minigrad.ops.places.elements import nonzero
from minigrad.ops.pointwise.conversion import in_dtype
from minigrad.public import Operand, plain, public
from minigrad.tensor import Tensor


@op(
    constants=("condition",),
    self=lambda F, g, condition: F.where(condition, g, 0),
    other=lambda F, g, condition: F.where(condition, 0, g),
    broadcasts=True,
)
def _where(condition: Array, self: Array, other: Array) -> Array:
    """Where `condition` (bools) is true the element of input, else that of other."""
    if condition.dtype != np.bool_:
        text = "where expected condition to be a boolean tensor, but got a tensor with dtype"
        raise RuntimeError(f"{text} {condition.dtype}: try condition != 0")
    return np.where(condition, self, other)


def _of_larger(F: Any, g: Any, self: Any, other: Any) -> Any:
    """The gradient where input is larger than other; of equals each gets a half."""
    return F.where(self < other, 0, F.where(self == other, g / 2, g))


def _of_smaller(F: Any, g: Any, self: Any, other: Any) -> Any:
    return F.where(self > other, 0, F.where(self == other, g / 2, g))


@public
@tensors_only
@op(self=_of_larger, other=_of_smaller, broadcasts=True)
def maximum(self: Array, other: Array) -> Array:
    """The larger of two elements. Equal ones share its gradient."""
    return np.maximum(self, other)


@public
@tensors_only
@op(self=_of_smaller, other=_of_larger, broadcasts=True)
def minimum(self: Array, other: Array) -> Array:
    """The smaller of two elements. Equal ones share its gradient."""
    return np.minimum(self, other)


# ---------------------------------------------------------------- bounds


def _inside(self: Any, min: Any, max: Any) -> Any:
    """Where elements lie between the bounds, or on them; None is no bound."""
    if min is None or max is None:
        return self <= max if min is None else self >= min
    return (self >= min) & (self <= max)


@op(name="ClampBackward1", self=lambda F, g, self, min, max: F.where(_inside(self, min, max), g, 0))
def clamp_to_numbers(self: Array, min: Any, max: Any) -> Array:
    """The nearest number between two. The gradient passes inside and at the bounds."""
    self = self if min is None else np.maximum(min, self)  # of equals the second: -0.0 stays -0.0
    return self if max is None else np.minimum(max, self)


# ---------------------------------------------------------------- as the learner calls them


@public(method=False, overloaded=True)
def where(condition: Tensor, input: Operand | None = None, other: Operand | None = None) -> Any:
    """Where `condition` (bools) is true the element of input, else that of other: tensors or numbers.

    With a condition alone: where it is true, as one tensor of indices per dimension.
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError("where() received an invalid combination of arguments: give input and other, or neither")
    for value, beside in ((input, other), (other, input)):
        if isinstance(value, dtypes.NUMBER_TYPES):  # which the dtype of the result has to hold
            kind = beside.dtype if isinstance(beside, Tensor) else dtypes.bool
            dtypes.element(dtypes.dtype_of_number(value, kind), value, alone=True)
    return _where(condition, input, other)


@public(function=False, name="where", overloaded=True)
def _where_method(input: Tensor, condition: Tensor, other: Operand) -> Tensor:
    """The element where `condition` (bools) is true, else that of other."""
    return where(condition, input, other)


@public(aliases=("clip",), in_place=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """The nearest number that is not below `min` and not above `max`; None for no bound.

    The gradient passes inside and at the bounds. (Bounds that are tensors: `minimum` and `maximum`.)
    """
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError("minigrad.clamp: At least one of 'min' or 'max' must not be None")
    if not all(isinstance(bound, dtypes.NUMBER_TYPES) for bound in bounds):
        got = f"received an invalid combination of arguments - got ({type(min).__name__}, {type(max).__name__})"
        raise TypeError(f"clamp() {got}: both bounds are numbers. Tensors bound with maximum() and minimum().")
    kind = functools.reduce(lambda kind, bound: dtypes.dtype_of_number(bound, kind), bounds, input.dtype)
    if kind is dtypes.bool:
        raise NotImplementedError("\"clamp_scalar_cpu\" not implemented for 'Bool': nothing is between bools")
    held = [bound if bound is None else dtypes.element(kind, bound) for bound in (min, max)]
    if kind.category == 1:
        min, max = held
    return clamp_to_numbers(in_dtype(input, kind), plain(min), plain(max))
