"""Rounding: floor, ceil, trunc, round.

After this module a reader knows why nothing is learnt through a rounded number: a staircase is level between its steps,
so its derivative is 0 wherever it has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import floats_only, numbers_only
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _rounded(name: str, round: Any, self: Array) -> Array:
    """The rounded numbers; integers need none."""
    numbers_only(f"{name}_vml_cpu", self)
    return round(self) if self.dtype.kind == "f" else np.array(self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def floor(self: Array) -> Array:
    """The largest whole number that is not above each element."""
    return _rounded("floor", np.floor, self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def ceil(self: Array) -> Array:
    """The smallest whole number that is not below each element."""
    return _rounded("ceil", np.ceil, self)


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


# ---------------------------------------------------------------- as the learner calls them

_round = round


def round(input: Tensor, *, decimals: int | None = None) -> Tensor:  # type: ignore[no-redef]
    """The nearest whole number (the even one if two are), or the nearest number with so many decimals."""
    return _round(input) if decimals is None else round_decimals(input, decimals)


floor_, ceil_ = in_place(floor, "floor_"), in_place(ceil, "ceil_")
trunc_, round_ = in_place(trunc, "trunc_"), in_place(round, "round_")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "floor", "ceil", "trunc", "round", "floor_", "ceil_", "trunc_", "round_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = ("floor", "ceil", "trunc", "round")  # those that take out=
