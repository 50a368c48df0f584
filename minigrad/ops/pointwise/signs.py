"""Sizes and signs: abs, sign, sgn, copysign, heaviside, signbit.

After this module a reader knows what is done at a kink: abs has a slope on either side of 0 and none at 0, where 0 is
taken, which lies between the two. That is one of its subgradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import arrays, op
from minigrad.ops.operands import NUMBERS, check_tensors, invalid_arguments, no_derivative, numbers_only
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, self: g * F.sign(self))
def abs(self: Array) -> Array:
    """The absolute value. At 0 its gradient is 0."""
    numbers_only("abs_cpu", self)
    return np.abs(self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def sign(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element; 0 for nan."""
    return np.array(self) if self.dtype.kind == "b" else np.subtract(self > 0, self < 0, dtype=self.dtype)


@op(self=lambda F, g: F.zeros(g.shape, g))
def sgn(self: Array) -> Array:
    """The same as `sign`: they differ for complex numbers only."""
    return arrays.sign(self)


def _copysign_gradient(F: Any, g: Any, self: Any, result: Any) -> Any:
    """g where the sign stayed as it was, -g where it changed, and 0 at 0."""
    return F.where(self == 0, 0, g * (result / self))


@op(
    self=_copysign_gradient,
    other=lambda F, g: F.zeros(g.shape, g),
    broadcasts=True,
    floating=True,
)
def copysign(self: Array, other: Array) -> Array:
    """The size of input with the sign of other."""
    return np.copysign(self, other)


@op(
    name="CopysignBackward1",
    constants=("other",),
    self=_copysign_gradient,
    broadcasts=True,
    floating=True,
)
def copysign_of_number(self: Array, other: Array) -> Array:
    """`copysign`, where other is a number."""
    return np.copysign(self, other)


@op(
    name="NotImplemented",
    self=lambda F, g: no_derivative("heaviside"),
    values=lambda F, g: no_derivative("heaviside"),
    broadcasts=True,
)
def heaviside(self: Array, values: Array) -> Array:
    """0 below 0, 1 above it, and at 0 the element of `values`. (PyTorch gives it no derivative.)"""
    return np.where(self == 0, values, (self > 0).astype(self.dtype))[()]


@op()
def signbit(self: Array) -> Array:
    """Whether each element has a minus in front; -0.0 has one, too."""
    return np.signbit(self) if self.dtype.kind == "f" else self < 0


# ---------------------------------------------------------------- as the learner calls them

_copysign, _heaviside = copysign, heaviside


def copysign(input: Tensor, other: Any) -> Tensor:  # type: ignore[no-redef]
    """The size of input with the sign of other, a tensor or a number."""
    if not isinstance(input, Tensor) or not isinstance(other, (Tensor, *NUMBERS)):
        raise invalid_arguments("copysign", input, other)
    return _copysign(input, other) if isinstance(other, Tensor) else copysign_of_number(input, other)


def heaviside(input: Tensor, values: Tensor) -> Tensor:  # type: ignore[no-redef]
    """0 below 0, 1 above it, and at 0 the element of `values`."""
    check_tensors("heaviside", input=input, values=values)
    if input.dtype is not values.dtype:
        raise RuntimeError(
            "heaviside is not yet implemented for tensors with different dtypes. Convert one of them first, as in "
            "values.to(input.dtype)."
        )
    return _heaviside(input, values)


absolute = abs

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "abs", "absolute", "sign", "sgn", "copysign", "heaviside", "signbit",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("abs", "absolute", "sign", "sgn", "copysign", "heaviside")  # those that have such a form
OUT: tuple[str, ...] = ("abs", "absolute", "sign", "sgn", "copysign", "heaviside", "signbit")  # those that take out=
