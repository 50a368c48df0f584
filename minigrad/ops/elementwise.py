"""Arithmetic and the functions that act on each element alone.

After this module a reader has seen nearly every rule of differential calculus as one line of code. Inputs may have any
shapes that broadcast; the engine sums each gradient back to its input's shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g: g, other=lambda F, g: g, broadcasts=True)
def add(self: Array, other: Array) -> Array:
    """Add: input + other."""
    return self + other


@op(self=lambda F, g: g, other=lambda F, g: -g, broadcasts=True, bools=False)
def sub(self: Array, other: Array) -> Array:
    """Subtract: input - other."""
    return self - other


@op(name="RsubBackward1", constants=("other",), self=lambda F, g: -g, broadcasts=True, bools=False)
def rsub(self: Array, other: Array) -> Array:
    """A number minus input."""
    return other - self


@op(self=lambda F, g, other: g * other, other=lambda F, g, self: g * self, broadcasts=True)
def mul(self: Array, other: Array) -> Array:
    """Multiply: input * other."""
    return self * other


@op(
    self=lambda F, g, other: g / other,
    other=lambda F, g, self, other: -g * self / (other * other),
    broadcasts=True,
    floating=True,
)
def div(self: Array, other: Array) -> Array:
    """Divide: input / other."""
    return self / other


@op(self=lambda F, g: -g)
def neg(self: Array) -> Array:
    """Negate: -input."""
    return -self


@op(self=lambda F, g, result: -g * result * result, floating=True)
def reciprocal(self: Array) -> Array:
    """1 / input."""
    return 1 / self


@op(name="PowBackward0", self=lambda F, g, self, exponent: g * exponent * self ** (exponent - 1) if exponent else g * 0)
def pow_number(self: Array, exponent: Any) -> Array:
    """Raise each element to the same power, a number."""
    return self**exponent


@op(
    name="PowBackward1",
    self=lambda F, g, self, exponent: F.where(exponent == 0, 0, g * exponent * self ** (exponent - 1)),
    exponent=lambda F, g, self, exponent, result: F.where((self == 0) & (exponent >= 0), 0, g * result * F.log(self)),
    broadcasts=True,
)
def pow_tensor(self: Array, exponent: Array) -> Array:
    """Raise each element to the power in the same place."""
    return self**exponent


@op(name="PowBackward2", exponent=lambda F, g, base, result: g * result * float(np.log(base)) if base else g * 0)
def pow_of_number(exponent: Array, base: Any) -> Array:
    """Raise a number to each of the powers."""
    return base**exponent


@op(self=lambda F, g, result: g * result, floating=True)
def exp(self: Array) -> Array:
    """e to the power of each element."""
    return np.exp(self)


@op(self=lambda F, g, self: g / self, floating=True)
def log(self: Array) -> Array:
    """The natural logarithm; -inf at 0, nan below."""
    return np.log(self)


@op(self=lambda F, g, result: g / (2 * result), floating=True)
def sqrt(self: Array) -> Array:
    """The square root; nan below 0."""
    return np.sqrt(self)


@op(self=lambda F, g, self: g * F.sign(self))
def abs(self: Array) -> Array:
    """The absolute value. At 0 its gradient is 0."""
    if self.dtype.kind == "b":
        raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool': bools have no absolute value")
    return np.abs(self)


@op(self=lambda F, g: g * 0)
def sign(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element."""
    return np.sign(self) if self.dtype.kind != "b" else self


@op(self=lambda F, g, self: g * F.cos(self), floating=True)
def sin(self: Array) -> Array:
    """The sine of angles in radians."""
    return np.sin(self)


@op(self=lambda F, g, self: -g * F.sin(self), floating=True)
def cos(self: Array) -> Array:
    """The cosine of angles in radians."""
    return np.cos(self)


@op(self=lambda F, g, result: g * (1 - result * result), floating=True)
def tanh(self: Array) -> Array:
    """The hyperbolic tangent."""
    return np.tanh(self)


@op(self=lambda F, g, result: g * result * (1 - result), floating=True)
def sigmoid(self: Array) -> Array:
    """1 / (1 + exp(-input))."""
    return 1 / (1 + np.exp(-self))


@op(self=lambda F, g, result: F.mask_out(g, result <= 0))
def relu(self: Array) -> Array:
    """max(input, 0). At 0 its gradient is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(self, 0)


@op(constants=("mask",), self=lambda F, g, mask: F.mask_out(g, mask))
def mask_out(self: Array, mask: Array) -> Array:
    """The input with exact zeros, also for inf and nan, where `mask` is true; both have the same shape."""
    bits = self.view(f"i{self.itemsize}")  # multiplied as integers: six times as fast as np.where
    return (bits * ~mask).view(self.dtype)


@op(
    constants=("condition",),
    self=lambda F, g, condition: F.where(condition, g, 0),
    other=lambda F, g, condition: F.where(condition, 0, g),
    broadcasts=True,
)
def where(condition: Array, self: Array, other: Array) -> Array:
    """Where `condition` (bools) is true the element of input, else that of other."""
    if condition.dtype != np.bool_:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}: try "
            "condition != 0"
        )
    return np.where(condition, self, other)


@op(self=lambda F, g: g)
def clone(self: Array) -> Array:
    """A copy that is part of the graph."""
    return np.array(self)


@op(name="ToCopyBackward0", self=lambda F, g, self_dtype: F.cast(g, self_dtype))
def cast(self: Array, dtype: Any) -> Array:
    """The same numbers in another numpy dtype."""
    return self.astype(dtype)
