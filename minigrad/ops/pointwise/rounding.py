"""Sizes, signs and rounding: abs, sign, floor, ceil, trunc, round, nan_to_num.

abs has a slope on either side of 0 and none at 0, where 0 is taken: it lies between the two, and so is one of its
subgradients. Nothing is learnt through a rounded number: a staircase is level between its steps, so its derivative is
0 wherever it has one. Nor through a number that was put in the place of nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import floats_only, numbers_only
from minigrad.public import public
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@public(in_place=True)
@public(name="absolute", in_place="method")
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


@op(self=lambda F, g: F.zeros(g.shape, g))
def round(self: Array) -> Array:
    """The nearest whole number, the even one if two are."""
    return _rounded("round", np.rint, self)


@op(name="RoundBackward1", self=lambda F, g: F.zeros(g.shape, g))
def round_decimals(self: Array, decimals: int) -> Array:
    """The nearest number with so many decimals; a negative count rounds to tens, hundreds and so on."""
    floats_only("round_cpu", self)
    wide = self.astype(np.result_type(self.dtype, np.float32))  # float16 does not reach beyond 65504
    unit = wide.dtype.type(10.0 ** max(decimals, -decimals))
    return (np.rint(wide * unit) / unit if decimals > 0 else np.rint(wide / unit) * unit).astype(self.dtype)


@op(self=lambda F, g, self: g * F.isfinite(self))
def nan_to_num(self: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    """The input with numbers in the place of nan and of both kinds of inf."""
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)


# ---------------------------------------------------------------- as the learner calls them

_round, _nan_to_num = round, nan_to_num


@public(in_place=True)  # type: ignore[no-redef]
def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The nearest whole number (the even one if two are), or the nearest number with so many decimals."""
    return _round(input) if decimals is None else round_decimals(input, decimals)


@public(in_place=True)  # type: ignore[no-redef]
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """The input with numbers in the place of nan (0), of inf (the largest float) and of -inf (the lowest)."""
    return _nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)
