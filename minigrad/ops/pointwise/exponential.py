"""Exponentials and logarithms: exp, exp2, expm1, log, log2, log10, log1p, logaddexp.

After this module a reader knows why there is a log1p beside log (1 + 1e-9 has lost the 1e-9 before the logarithm sees
it), and how a sum of exponentials is taken without overflow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import floats_only, tensors_only
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, result: g * result, floating=True)
def exp(self: Array) -> Array:
    """e to the power of each element."""
    return np.exp(self)


@op(self=lambda F, g, result: g * (result * math.log(2)), floating=True)
def exp2(self: Array) -> Array:
    """2 to the power of each element."""
    return np.exp2(self)


@op(self=lambda F, g, result: g * (result + 1), floating=True)
def expm1(self: Array) -> Array:
    """exp(input) - 1, exact for small numbers, too."""
    return np.expm1(self)


@op(self=lambda F, g, self: g / self, floating=True)
def log(self: Array) -> Array:
    """The natural logarithm; -inf at 0, nan below."""
    return np.log(self)


@op(self=lambda F, g, self: g / (self * math.log(2)), floating=True)
def log2(self: Array) -> Array:
    """The logarithm to the base 2; -inf at 0, nan below."""
    return np.log2(self)


@op(self=lambda F, g, self: g / (self * math.log(10)), floating=True)
def log10(self: Array) -> Array:
    """The logarithm to the base 10; -inf at 0, nan below."""
    return np.log10(self)


@op(name="Log1PBackward0", self=lambda F, g, self: g / (self + 1), floating=True)
def log1p(self: Array) -> Array:
    """log(1 + input), exact for small numbers, too."""
    return np.log1p(self)


@tensors_only
@op(
    self=lambda F, g, self, other: g / (1 + F.exp(other - self)),
    other=lambda F, g, self, other: g / (1 + F.exp(self - other)),
    broadcasts=True,
)
def logaddexp(self: Array, other: Array) -> Array:
    """log(exp(input) + exp(other)), without overflow on the way. The gradient is shared by the sizes of the two."""
    floats_only("logaddexp_cpu", self)
    return np.logaddexp(self, other)


def _xlogy_gradient(F: Any, g: Any, self: Any, other: Any) -> Any:
    """g * log(other), and 0 where input is 0 and the logarithm has no value."""
    return F.where((self == 0) & (other <= 0), 0, F.xlogy(g, other))


@op(
    self=_xlogy_gradient,
    other=lambda F, g, self, other: g * self / other,
    broadcasts=True,
    floating=True,
)
def xlogy(self: Array, other: Array) -> Array:
    """input * log(other), and 0 where input is 0, whatever the logarithm."""
    return np.where((self == 0) & ~np.isnan(other), 0, self * np.log(other))[()]


# ---------------------------------------------------------------- as the learner calls them


exp_, exp2_, expm1_, log_, log2_, log10_, log1p_ = (
    in_place(function, f"{function.__name__}_") for function in (exp, exp2, expm1, log, log2, log10, log1p)
)

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "exp_",
    "exp2_", "expm1_", "log_", "log2_", "log10_", "log1p_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp",
)  # fmt: skip
