"""Sums, differences, products and quotients: the sum rule, the product rule and the quotient rule, one line each.

Inputs may have any shapes that broadcast: the engine sums each gradient back to its input's shape. A rounded quotient
is a step: its derivative is 0 where it has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, arrays, op, with_node_name
from minigrad.ops.declarations import level, no_derivative, numbers_only
from minigrad.public import Number, plain, public
from minigrad.tensor import Tensor
from minigrad.writing import in_place


@op(self=lambda F, g: g, other=lambda F, g: g, broadcasts=True)
def _add(self: Array, other: Array) -> Array:
    """Add: input + other."""
    return self + other


def _scale(array: Array, alpha: Any) -> Array:
    """alpha * array, in the array's dtype. RuntimeError for an alpha that the dtype does not hold."""
    kind = dtypes.of(array)
    if isinstance(alpha, bool) and kind is not dtypes.bool:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not kind.is_floating_point:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return array * dtypes.element(kind, alpha)


@op(name="AddBackward0", self=lambda F, g: g, other=lambda F, g, alpha: g * alpha, broadcasts=True)
def add_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """input + alpha * other, where alpha is a number."""
    return self + _scale(other, alpha)


@op(self=lambda F, g: g, other=lambda F, g: -g, broadcasts=True, bools=False)
def _sub(self: Array, other: Array) -> Array:
    """Subtract: input - other."""
    return self - other


@op(name="SubBackward0", self=lambda F, g: g, other=lambda F, g, alpha: -g * alpha, broadcasts=True, bools=False)
def sub_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """input - alpha * other, where alpha is a number."""
    return self - _scale(other, alpha)


@op(name="RsubBackward1", constants=("other",), self=lambda F, g: -g, broadcasts=True, bools=False)
def rsub(self: Array, other: Array) -> Array:
    """A number minus input."""
    return other - self


@public
@op(self=lambda F, g, other: g * other, other=lambda F, g, self: g * self, broadcasts=True)
def mul(self: Array, other: Array) -> Array:
    """Multiply: input * other. One of the two may be a number."""
    return self * other


@public(in_place=True)
@op(exact=True, self=lambda F, g: -g)
def neg(self: Array) -> Array:
    """Negate: -input."""
    return -self


# ---------------------------------------------------------------- quotients and remainders


@public
@op(
    self=lambda F, g, other: g / other,
    other=lambda F, g, self, other: -g * (self / other / other),
    broadcasts=True,
    floating=True,
)
def div(self: Array, other: Array) -> Array:
    """Divide: input / other. One of the two may be a number."""
    return self / other


def _check_divisor(kernel: str, dividend: Array, divisor: Array) -> None:
    """Raise if a divisor is a bool, or an integer 0, which has no inf or nan for an answer."""
    numbers_only(kernel, divisor)
    if divisor.dtype.kind in "iu" and dividend.size and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError: an integer was divided by 0, which only floats allow")


@op(name="DivBackward2", self=level, other=level, broadcasts=True)
def div_down(self: Array, other: Array) -> Array:
    """input / other, rounded down."""
    _check_divisor("div_floor_cpu", self, other)
    return np.floor_divide(self, other)


@public(overloaded=True)
@op(name="NotImplemented", self=no_derivative("floor_divide"), other=no_derivative("floor_divide"), broadcasts=True)
def floor_divide(self: Array, other: Array) -> Array:
    """input / other, rounded down. (PyTorch gives it no derivative.)"""
    return arrays.div_down(self, other)


@op(
    name="RemainderBackward1",
    self=lambda F, g: g,
    other=lambda F, g, self, other: -g * F.div_down(self, other),
    broadcasts=True,
)
def _remainder(self: Array, other: Array) -> Array:
    """The remainder of input / other rounded down: input - other * floor(input / other). Its sign is that of other."""
    _check_divisor("remainder_cpu", self, other)
    rest: Array = np.remainder(self, other)  # in which a 0 has the sign of other, but in PyTorch that of self
    return rest if rest.dtype.kind != "f" else np.where(rest == 0, np.copysign(rest, self), rest)


remainder_by_number = with_node_name(_remainder, "RemainderBackward0", other=None)
# PyTorch gives it no derivative.
remainder_of_number = with_node_name(_remainder, "NotImplemented", self=None, other=no_derivative("remainder"))


# ---------------------------------------------------------------- as the learner calls them

# the operators, which may leave the answer to `other`
__add__, __sub__, __rsub__, __mul__, __truediv__ = _add, _sub, rsub, mul, div


@public
def add(input: Any, other: Any, *, alpha: Number = 1) -> Tensor:
    """input + alpha * other. One of the two may be a number."""
    once = alpha == 1 and alpha is not True
    return __add__(input, other) if once else add_scaled(input, other, plain(alpha))


@public
def sub(input: Any, other: Any, *, alpha: Number = 1) -> Tensor:
    """input - alpha * other. One of the two may be a number."""
    once = alpha == 1 and alpha is not True
    return __sub__(input, other) if once else sub_scaled(input, other, plain(alpha))


@public(overloaded=True)
def remainder(input: Any, other: Any) -> Tensor:
    """The remainder of input / other rounded down: input - other * floor(input / other). Its sign is that of other."""
    if isinstance(input, Tensor) and isinstance(other, dtypes.NUMBER_TYPES):
        return remainder_by_number(input, other)
    if isinstance(input, dtypes.NUMBER_TYPES) and isinstance(other, Tensor):
        return remainder_of_number(input, other)
    return _remainder(input, other)


def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input.dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported. Convert it first, as in x.int().")
    return input


_UFUNCS: dict[Any, Any] = {add: np.add, sub: np.subtract, mul: np.multiply, div: np.divide}
for _function in (*_UFUNCS, floor_divide, remainder):
    public(function=False)(in_place(_function, f"{_function.__name__}_", _UFUNCS.get(_function), operand="other"))
