"""Angles and hyperbolas: sin, cos, tan, asin, atan2, sinh, tanh and their kin.

After this module a reader has seen why the inverse functions have such plain derivatives: that of asin is
1 / cos(asin(x)), and the cosine of the angle whose sine is x is sqrt(1 - x**2). All angles are in radians; integers are
computed in the default dtype. The derivatives are those of Abramowitz and Stegun, Handbook of Mathematical Functions,
sections 4.3 to 4.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import tensors_only
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, self: g * F.cos(self), floating=True)
def sin(self: Array) -> Array:
    """The sine of angles in radians."""
    return np.sin(self)


@op(self=lambda F, g, self: -g * F.sin(self), floating=True)
def cos(self: Array) -> Array:
    """The cosine of angles in radians."""
    return np.cos(self)


@op(self=lambda F, g, result: g * (1 + result * result), floating=True)
def tan(self: Array) -> Array:
    """The tangent of angles in radians."""
    return np.tan(self)


@op(self=lambda F, g, self: g / F.sqrt(1 - self * self), floating=True)
def asin(self: Array) -> Array:
    """The angle between -pi/2 and pi/2 whose sine is input; nan outside of -1 to 1."""
    return np.arcsin(self)


@op(self=lambda F, g, self: -g / F.sqrt(1 - self * self), floating=True)
def acos(self: Array) -> Array:
    """The angle between 0 and pi whose cosine is input; nan outside of -1 to 1."""
    return np.arccos(self)


@op(self=lambda F, g, self: g / (1 + self * self), floating=True)
def atan(self: Array) -> Array:
    """The angle between -pi/2 and pi/2 whose tangent is input."""
    return np.arctan(self)


def _atan2_gradient(F: Any, g: Any, side: Any, self: Any, other: Any) -> Any:
    """The far side over the square of the distance, at which the angle turns. At 0, which has no angle, it is 0."""
    square = self * self + other * other
    return F.where(square == 0, 0, g * (side / square))


@tensors_only
@op(
    self=lambda F, g, self, other: _atan2_gradient(F, g, other, self, other),
    other=lambda F, g, self, other: _atan2_gradient(F, -g, self, self, other),
    broadcasts=True,
    floating=True,
)
def atan2(self: Array, other: Array) -> Array:
    """The angle of the point whose height is input and whose way to the right is other."""
    return np.arctan2(self, other)


@op(self=lambda F, g, self: g * F.cosh(self), floating=True)
def sinh(self: Array) -> Array:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2."""
    return np.sinh(self)


@op(self=lambda F, g, self: g * F.sinh(self), floating=True)
def cosh(self: Array) -> Array:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2."""
    return np.cosh(self)


@op(self=lambda F, g, result: g * (1 - result * result), floating=True)
def tanh(self: Array) -> Array:
    """The hyperbolic tangent."""
    return np.tanh(self)


# ---------------------------------------------------------------- in place, and under other names

sin_, cos_, tan_, asin_, acos_, atan_, sinh_, cosh_, tanh_ = (
    in_place(function, f"{function.__name__}_") for function in (sin, cos, tan, asin, acos, atan, sinh, cosh, tanh)
)

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "sin_",
    "cos_", "tan_", "asin_", "acos_", "atan_", "sinh_", "cosh_", "tanh_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("atan2",)  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
)  # fmt: skip
