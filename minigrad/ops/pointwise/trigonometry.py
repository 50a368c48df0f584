"""Angles and hyperbolas: tan, asin, atan2, sinh and their kin.

After this module a reader has seen why the inverse functions have such plain derivatives: that of asin is
1 / cos(asin(x)), and the cosine of the angle whose sine is x is sqrt(1 - x**2). All angles are in radians; integers are
computed as float32. The derivatives are those of Abramowitz and Stegun, Handbook of Mathematical Functions, sections
4.3 to 4.6.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.pointwise.arithmetic import floats_only
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


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


def _turned(F: Any, g: Any, side: Any, self: Any, other: Any) -> Any:
    """The far side over the square of the distance, at which the angle turns. At 0, which has no angle, it is 0."""
    square = self * self + other * other
    return F.where(square == 0, 0, g * (side / square))


@op(
    self=lambda F, g, self, other: _turned(F, g, other, self, other),
    other=lambda F, g, self, other: _turned(F, -g, self, self, other),
    broadcasts=True,
    floating=True,
)
def atan2(self: Array, other: Array) -> Array:
    """The angle of the point whose height is input and whose way to the right is other."""
    return np.arctan2(self, other)


@op(
    self=lambda F, g, self, result: g * (self / result),
    other=lambda F, g, other, result: g * (other / result),
    broadcasts=True,
)
def hypot(self: Array, other: Array) -> Array:
    """sqrt(input**2 + other**2), also where the squares alone would overflow."""
    floats_only("hypot_cpu", self)
    return np.hypot(self, other)


@op(self=lambda F, g, self: g * F.cosh(self), floating=True)
def sinh(self: Array) -> Array:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2."""
    return np.sinh(self)


@op(self=lambda F, g, self: g * F.sinh(self), floating=True)
def cosh(self: Array) -> Array:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2."""
    return np.cosh(self)


@op(self=lambda F, g, self: g / F.sqrt(self * self + 1), floating=True)
def asinh(self: Array) -> Array:
    """The number whose hyperbolic sine is input."""
    return np.arcsinh(self)


@op(self=lambda F, g, self: g / F.sqrt(self * self - 1), floating=True)
def acosh(self: Array) -> Array:
    """The number from 0 on whose hyperbolic cosine is input; nan below 1."""
    return np.arccosh(self)


@op(self=lambda F, g, self: g / (1 - self * self), floating=True)
def atanh(self: Array) -> Array:
    """The number whose hyperbolic tangent is input; nan outside of -1 to 1."""
    return np.arctanh(self)


@op(name="Deg2RadBackward0", self=lambda F, g: g * (math.pi / 180), floating=True)
def deg2rad(self: Array) -> Array:
    """Degrees in radians."""
    return self * (math.pi / 180)


@op(name="Rad2DegBackward0", self=lambda F, g: g * (180 / math.pi), floating=True)
def rad2deg(self: Array) -> Array:
    """Radians in degrees."""
    return self * (180 / math.pi)


def _sinc_slope(F: Any, g: Any, self: Any) -> Any:
    """The quotient rule for sin(pi x) / (pi x). At 0, where it says 0 / 0, the slope is 0."""
    angle = self * math.pi
    return F.where(self == 0, 0, g * ((angle * F.cos(angle) - F.sin(angle)) / (angle * self)))


@op(self=lambda F, g, self: _sinc_slope(F, g, self), floating=True)
def sinc(self: Array) -> Array:
    """sin(pi x) / (pi x); 1 at 0."""
    angle = self * math.pi
    return np.where(self == 0, np.ones_like(self), np.sin(angle) / angle)[()]


# ---------------------------------------------------------------- as the learner calls them

_atan2, _hypot = atan2, hypot


def atan2(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The angle, between -pi and pi, of the point whose height is input and whose way to the right is other."""
    return _atan2(*tensor_operands("atan2", input, other))


def hypot(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The length of the diagonal, sqrt(input**2 + other**2), also where the squares alone would overflow."""
    return _hypot(*tensor_operands("hypot", input, other))


tan_, asin_, acos_, atan_, sinh_, cosh_, asinh_, acosh_, atanh_, deg2rad_, rad2deg_, sinc_ = (
    in_place(function, f"{function.__name__}_")
    for function in (tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, deg2rad, rad2deg, sinc)
)

arcsin, arccos, arctan, arctan2, arcsinh, arccosh, arctanh = asin, acos, atan, atan2, asinh, acosh, atanh
arcsin_, arccos_, arctan_, arcsinh_, arccosh_, arctanh_ = asin_, acos_, atan_, asinh_, acosh_, atanh_

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "deg2rad", "rad2deg", "sinc", "tan_",
    "asin_", "acos_", "atan_", "sinh_", "cosh_", "asinh_", "acosh_", "atanh_", "deg2rad_", "rad2deg_", "sinc_",
    "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arcsin_", "arccos_", "arctan_", "arcsinh_",
    "arccosh_", "arctanh_", "atan2", "arctan2", "hypot",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("atan2", "arctan2", "hypot")  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "arcsin", "arccos", "arctan", "arcsinh",
    "arccosh", "arctanh", "atan2", "arctan2", "hypot", "deg2rad", "rad2deg", "sinc",
)  # fmt: skip
