"""Angles and hyperbolas: sin, cos, tan, asin, atan2, sinh, tanh and their kin.

Inverse functions have plain derivatives: that of asin is
1 / cos(asin(x)), and the cosine of the angle whose sine is x is sqrt(1 - x**2). All angles are in radians; integers are
computed in the default dtype. The derivatives are those of Abramowitz and Stegun, Handbook of Mathematical Functions,
sections 4.3 to 4.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import of_tensors
from minigrad.public import public

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@public(in_place=True)
@op(self=lambda F, g, self: g * F.cos(self), floating=True)
def sin(self: Array) -> Array:
    """The sine of angles in radians."""
    return np.sin(self)


@public(in_place=True)
@op(self=lambda F, g, self: -g * F.sin(self), floating=True)
def cos(self: Array) -> Array:
    """The cosine of angles in radians."""
    return np.cos(self)


@public(in_place=True)
@op(self=lambda F, g, result: g * (1 + result * result), floating=True)
def tan(self: Array) -> Array:
    """The tangent of angles in radians."""
    return np.tan(self)


@public(in_place=True)
@op(self=lambda F, g, self: g / F.sqrt(1 - self * self), floating=True)
def asin(self: Array) -> Array:
    """The angle between -pi/2 and pi/2 whose sine is input; nan outside of -1 to 1."""
    return np.arcsin(self)


@public(in_place=True)
@op(self=lambda F, g, self: -g / F.sqrt(1 - self * self), floating=True)
def acos(self: Array) -> Array:
    """The angle between 0 and pi whose cosine is input; nan outside of -1 to 1."""
    return np.arccos(self)


@public(in_place=True)
@op(self=lambda F, g, self: g / (1 + self * self), floating=True)
def atan(self: Array) -> Array:
    """The angle between -pi/2 and pi/2 whose tangent is input."""
    return np.arctan(self)


def _atan2_gradient(F: Any, g: Any, side: Any, self: Any, other: Any) -> Any:
    """The far side over the square of the distance, at which the angle turns. At 0, which has no angle, it is 0."""
    square = self * self + other * other
    return F.where(square == 0, 0, g * (side / square))


@public(in_place="method")
@of_tensors
@op(
    self=lambda F, g, self, other: _atan2_gradient(F, g, other, self, other),
    other=lambda F, g, self, other: _atan2_gradient(F, -g, self, self, other),
    broadcasts=True,
    floating=True,
)
def atan2(self: Array, other: Array) -> Array:
    """The angle of the point whose height is input and whose way to the right is other."""
    return np.arctan2(self, other)


@public(in_place=True)
@op(self=lambda F, g, self: g * F.cosh(self), floating=True)
def sinh(self: Array) -> Array:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2."""
    return np.sinh(self)


@public(in_place=True)
@op(self=lambda F, g, self: g * F.sinh(self), floating=True)
def cosh(self: Array) -> Array:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2."""
    return np.cosh(self)


@public(in_place=True)
@op(self=lambda F, g, result: g * (1 - result * result), floating=True)
def tanh(self: Array) -> Array:
    """The hyperbolic tangent."""
    return np.tanh(self)
