"""Sizes, signs and rounding: abs, sign, floor, ceil, trunc, round.

abs has a slope on either side of 0 and none at 0, where 0 is taken: it lies between the two, and so is one of its
subgradients. Nothing is learnt through a rounded number: a staircase is level between its steps, so its derivative is
0 wherever it has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import numbers_only
from minigrad.public import public

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@public(in_place=True)
@op(self=lambda F, g, self: g * F.sign(self))
def abs(self: Array) -> Array:
    """The absolute value. At 0 its gradient is 0."""
    numbers_only("abs_cpu", self)
    return np.abs(self)


@public(in_place="method")
@op(self=lambda F, g: F.zeros(g.shape, g))
def sign(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element; 0 for nan."""
    return np.array(self) if self.dtype.kind == "b" else np.subtract(self > 0, self < 0, dtype=self.dtype)


def _rounded(name: str, round: Any, self: Array) -> Array:
    """The rounded numbers; integers need none."""
    numbers_only(f"{name}_vml_cpu", self)
    return round(self) if self.dtype.kind == "f" else np.array(self)


@public(in_place=True)
@op(self=lambda F, g: F.zeros(g.shape, g))
def floor(self: Array) -> Array:
    """The largest whole number that is not above each element."""
    return _rounded("floor", np.floor, self)


@public(in_place=True)
@op(self=lambda F, g: F.zeros(g.shape, g))
def ceil(self: Array) -> Array:
    """The smallest whole number that is not below each element."""
    return _rounded("ceil", np.ceil, self)


@public(in_place=True)
@op(self=lambda F, g: F.zeros(g.shape, g))
def trunc(self: Array) -> Array:
    """Each element without its digits after the decimal point: rounded towards 0."""
    return _rounded("trunc", np.trunc, self)


@public(in_place=True)
@op(self=lambda F, g: F.zeros(g.shape, g))
def round(self: Array) -> Array:
    """The nearest whole number, the even one if two are."""
    return _rounded("round", np.rint, self)
