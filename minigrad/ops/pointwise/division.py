"""Division and what it leaves: div, floor_divide, remainder, fmod, reciprocal; gcd and lcm of integers.

After this module a reader knows the quotient rule, and how the two remainders differ: `remainder` has the sign of the
divisor (the quotient is rounded down), `fmod` that of the dividend (the quotient is rounded towards 0). A rounded
quotient is a step: its derivative is 0 where it has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import arrays, op, unsupported
from minigrad.ops.operands import NUMBERS, no_derivative, numbers_only
from minigrad.tensor import Tensor
from minigrad.writing import augmented, in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    self=lambda F, g, other: g / other,
    other=lambda F, g, self, other: -g * (self / other / other),
    broadcasts=True,
    floating=True,
)
def div(self: Array, other: Array) -> Array:
    """Divide: input / other."""
    return self / other


@op(self=lambda F, g, result: -g * (result * result), floating=True)
def reciprocal(self: Array) -> Array:
    """1 / input."""
    return 1 / self


def _check_divisor(kernel: str, dividend: Array, divisor: Array) -> None:
    """Raise if a divisor is a bool, or an integer 0, which has no inf or nan for an answer."""
    numbers_only(kernel, divisor)
    if divisor.dtype.kind in "iu" and dividend.size and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError: an integer was divided by 0, which only floats allow")


@op(
    name="DivBackward2",
    self=lambda F, g: F.zeros(g.shape, g),
    other=lambda F, g: F.zeros(g.shape, g),
    broadcasts=True,
)
def div_rounded(self: Array, other: Array, rounding_mode: str) -> Array:
    """input / other, rounded towards 0 ("trunc") or down ("floor")."""
    _check_divisor(f"div_{rounding_mode}_cpu", self, other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    down = np.floor_divide(self, other)
    return down + ((down < 0) & (down * other != self))


@op(
    name="NotImplemented",
    self=lambda F, g: no_derivative("floor_divide"),
    other=lambda F, g: no_derivative("floor_divide"),
    broadcasts=True,
)
def floor_divide(self: Array, other: Array) -> Array:
    """input / other, rounded down. (PyTorch gives it no derivative.)"""
    _check_divisor("div_floor_cpu", self, other)
    return np.floor_divide(self, other)


@op(
    name="RemainderBackward1",
    self=lambda F, g: g,
    other=lambda F, g, self, other: -g * F.div_rounded(self, other, "floor"),
    broadcasts=True,
)
def remainder(self: Array, other: Array) -> Array:
    """The remainder of input / other rounded down: input - other * floor(input / other). Its sign is that of other."""
    _check_divisor("remainder_cpu", self, other)
    return np.remainder(self, other)


@op(name="RemainderBackward0", constants=("other",), self=lambda F, g: g, broadcasts=True)
def remainder_by_number(self: Array, other: Array) -> Array:
    """`remainder`, where other is a number."""
    return arrays.remainder(self, other)


@op(name="NotImplemented", other=lambda F, g: no_derivative("remainder"), broadcasts=True)
def remainder_of_number(self: Array, other: Array) -> Array:
    """`remainder`, where input is a number. (PyTorch gives it no derivative.)"""
    return arrays.remainder(self, other)


# ---------------------------------------------------------------- as the learner calls them

__truediv__ = div  # the operator, which may leave the answer to `other`
_remainder = remainder


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:  # type: ignore[no-redef]
    """input / other, rounded towards 0 with `rounding_mode` "trunc", rounded down with "floor".

    One of the two may be a number. RuntimeError for another mode, or if an integer is divided by 0 and rounded.
    """
    if rounding_mode is None:
        made = __truediv__(input, other)
        if made is NotImplemented:
            raise unsupported("div", input, other)
        return made
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return div_rounded(input, other, rounding_mode)


def remainder(input: Any, other: Any) -> Tensor:  # type: ignore[no-redef]
    """The remainder of input / other rounded down: input - other * floor(input / other). Its sign is that of other."""
    if isinstance(input, Tensor) and isinstance(other, NUMBERS):
        return remainder_by_number(input, other)
    if isinstance(input, NUMBERS) and isinstance(other, Tensor):
        return remainder_of_number(input, other)
    return _remainder(input, other)


div_ = in_place(div, "div_", np.divide, operand="other")
reciprocal_ = in_place(reciprocal, "reciprocal_")
floor_divide_ = in_place(floor_divide, "floor_divide_", operand="other")
remainder_ = in_place(remainder, "remainder_", operand="other")
__ifloordiv__, __imod__ = augmented(floor_divide_, "//=", "__rfloordiv__"), augmented(remainder_, "%=", "__rmod__")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "div", "reciprocal", "floor_divide", "remainder", "div_",
    "reciprocal_", "floor_divide_", "remainder_", "__ifloordiv__", "__imod__",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "div", "reciprocal", "floor_divide", "remainder",
)  # fmt: skip
