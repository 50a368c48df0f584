"""Arithmetic and the functions that act on each element alone.

After this module a reader has seen nearly every rule of differential calculus as one line of code. Inputs may have any
shapes that broadcast; the engine sums each gradient back to its input's shape.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import arrays, meet_all, op, size_mismatch, tensor_operands
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g: g, other=lambda F, g: g, broadcasts=True)
def add(self: Array, other: Array) -> Array:
    """Add: input + other."""
    return self + other


@op(self=lambda F, g: g, other=lambda F, g: -g, broadcasts=True, bools=False)
def sub(self: Array, other: Array) -> Array:
    """Subtract: input - other."""
    return self - other


@op(
    name="AddBackward0",
    self=lambda F, g: g,
    other=lambda F, g, alpha: g * alpha,
    broadcasts=True,
)
def add_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """input + alpha * other, where alpha is a number."""
    return self + other * alpha


@op(
    name="SubBackward0",
    self=lambda F, g: g,
    other=lambda F, g, alpha: -g * alpha,
    broadcasts=True,
    bools=False,
)
def sub_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """input - alpha * other, where alpha is a number."""
    return self - other * alpha


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
    other=lambda F, g, self, other: -g * (self / other / other),
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


@op(self=lambda F, g, result: -g * (result * result), floating=True)
def reciprocal(self: Array) -> Array:
    """1 / input."""
    return 1 / self


@op(
    name="PowBackward0",
    self=lambda F, g, self, exponent: (
        F.zeros(g.shape, g)
        if exponent == 0
        else g * exponent * self ** (exponent - 1)
        if exponent != 0.5
        else g * 0.5 * F.pow_number(self, -0.5)
    ),
)
def pow_number(self: Array, exponent: Any) -> Array:
    """Raise each element to the same power, a number."""
    return 1 / np.sqrt(self) if exponent == -0.5 else self**exponent  # of -0.0 it is -inf; numpy's power says inf


@op(
    name="PowBackward1",
    self=lambda F, g, self, exponent: F.where(exponent == 0, 0, g * exponent * self ** (exponent - 1)),
    exponent=lambda F, g, self, exponent, result: F.where((self == 0) & (exponent >= 0), 0, g * result * F.log(self)),
    broadcasts=True,
)
def pow_tensor(self: Array, exponent: Array) -> Array:
    """Raise each element to the power in the same place."""
    return _power(self, exponent)


@op(
    name="PowBackward2",
    exponent=lambda F, g, exponent, base, result: (
        g * result * float(np.log(base)) if base else g * F.where(exponent >= 0, 0, result * -math.inf)
    ),
)
def pow_of_number(exponent: Array, base: Any) -> Array:
    """Raise a number to each of the powers."""
    return _power(base, exponent)


def _power(base: Any, exponent: Array) -> Array:
    """base ** exponent; a whole number's negative powers are 0, but for those of 1 and -1."""
    if exponent.dtype.kind == "i" and np.any(exponent < 0):
        return np.where((exponent < 0) & (np.abs(base) != 1), 0, base ** np.abs(exponent))
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


@op(self=lambda F, g: F.zeros(g.shape, g))
def sign(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element; 0 for nan."""
    if self.dtype.kind != "f":
        return np.array(self) if self.dtype.kind == "b" else np.sign(self)
    signs = np.sign(self)
    return np.fmax(signs, 0.0) + np.fmin(signs, 0.0)  # both choose 0 where the sign is nan


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


@op(self=lambda F, g, result: F.where_positive(g, result))
def relu(self: Array) -> Array:
    """max(input, 0). At 0 its gradient is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(0, self)  # of equals the second: -0.0 stays -0.0


@op(
    name="ThresholdBackwardBackward0",
    self=lambda F, g, condition: F.where_positive(g, condition),
    condition=lambda F, g: F.zeros(g.shape, g),
)
def where_positive(self: Array, condition: Array) -> Array:
    """The input with exact zeros, also for inf and nan, where `condition` is 0 or less; both have the same shape."""
    bits = self.view(f"i{self.itemsize}")  # multiplied as integers: six times as fast as np.where
    return (bits * ~(condition <= 0)).view(self.dtype)


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
    return np.array(self, order="C" if 0 in self.strides else "K")  # numpy would put an expanded dimension last


@op(name="ToCopyBackward0", self=lambda F, g, self_dtype: F.cast(g, self_dtype))
def cast(self: Array, dtype: Any) -> Array:
    """The same numbers in another numpy dtype."""
    return self.astype(dtype, order="C" if 0 in self.strides else "K")


# ---------------------------------------------------------------- steps: their derivative is 0 where there is one


def _whole(name: str, rounded: Any, self: Array) -> Array:
    if self.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}_vml_cpu\" not implemented for 'Bool': bools are whole numbers already")
    return rounded(self) if self.dtype.kind == "f" else np.array(self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def floor(self: Array) -> Array:
    """The next whole number below."""
    return _whole("floor", np.floor, self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def ceil(self: Array) -> Array:
    """The next whole number above."""
    return _whole("ceil", np.ceil, self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def trunc(self: Array) -> Array:
    """What stands before the point."""
    return _whole("trunc", np.trunc, self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def round(self: Array) -> Array:
    """The nearest whole number, the even one if two are."""
    return _whole("round", np.rint, self)


@op(name="RoundBackward1", self=lambda F, g: F.zeros(g.shape, g))
def round_decimals(self: Array, decimals: int) -> Array:
    """The nearest number with some decimals; fewer than none round to tens, hundreds and so on."""
    if self.dtype.kind != "f":
        raise NotImplementedError(
            f"\"round_cpu\" not implemented for '{dtypes.of(self).tensor_type}': only floats have decimals"
        )
    unit = self.dtype.type(10.0 ** max(decimals, -decimals))
    return np.rint(self * unit) / unit if decimals > 0 else np.rint(self / unit) * unit


def _check_divisor(kernel: str, divisor: Array) -> None:
    if divisor.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': convert a tensor first, as in x.int()")
    if divisor.dtype.kind == "i" and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError: an integer was divided by 0, which only floats allow")


def _no_derivative(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@op(
    name="NotImplemented",
    self=lambda F, g: _no_derivative("floor_divide"),
    other=lambda F, g: _no_derivative("floor_divide"),
    broadcasts=True,
)
def floor_divide(self: Array, other: Array) -> Array:
    """How many times other goes into input: the floor of input / other. (PyTorch gives it no derivative.)"""
    _check_divisor("div_floor_cpu", other)
    return np.floor_divide(self, other)


@op(
    name="DivBackward2",
    self=lambda F, g: F.zeros(g.shape, g),
    other=lambda F, g: F.zeros(g.shape, g),
    broadcasts=True,
)
def div_floor(self: Array, other: Array) -> Array:
    """The floor of input / other, with the derivative of a step."""
    return np.floor_divide(self, other)


@op(
    name="RemainderBackward1",
    self=lambda F, g: g,
    other=lambda F, g, self, other: -g * F.div_floor(self, other),
    broadcasts=True,
)
def remainder(self: Array, other: Array) -> Array:
    """What is left of input when other was taken away as often as it goes in; its sign is that of other."""
    _check_divisor("remainder_cpu", other)
    return np.remainder(self, other)


@op(name="RemainderBackward0", constants=("other",), self=lambda F, g: g, broadcasts=True)
def remainder_by_number(self: Array, other: Array) -> Array:
    """`remainder`, where other is a number."""
    return arrays.remainder(self, other)


@op(name="NotImplemented", other=lambda F, g: _no_derivative("remainder"), broadcasts=True)
def remainder_of_number(self: Array, other: Array) -> Array:
    """`remainder`, where input is a number. (PyTorch gives it no derivative.)"""
    return arrays.remainder(self, other)


# ---------------------------------------------------------------- the larger, the smaller


@op(
    self=lambda F, g, self, other: F.where(self < other, 0, F.where(self == other, g / 2, g)),
    other=lambda F, g, self, other: F.where(self > other, 0, F.where(self == other, g / 2, g)),
    broadcasts=True,
)
def maximum(self: Array, other: Array) -> Array:
    """The larger of two elements. Equal ones share its gradient."""
    return np.maximum(self, other)


@op(
    self=lambda F, g, self, other: F.where(self > other, 0, F.where(self == other, g / 2, g)),
    other=lambda F, g, self, other: F.where(self < other, 0, F.where(self == other, g / 2, g)),
    broadcasts=True,
)
def minimum(self: Array, other: Array) -> Array:
    """The smaller of two elements. Equal ones share its gradient."""
    return np.minimum(self, other)


def _inside(self: Any, min: Any, max: Any) -> Any:
    if min is None or max is None:
        return self <= max if min is None else self >= min
    return (self >= min) & (self <= max)


@op(name="ClampBackward1", self=lambda F, g, self, min, max: F.where(_inside(self, min, max), g, 0))
def clamp_to_numbers(self: Array, min: Any, max: Any) -> Array:
    """The nearest number between two. The gradient passes inside and at the bounds."""
    self = self if min is None else np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


@op(
    name="ClampBackward0",
    self=lambda F, g, self, min, max: F.where(_inside(self, min, max), g, 0),
    min=lambda F, g, self, min, max: F.where((self < min) & (min < max), g, 0),
    max=lambda F, g, self, min, max: F.where((self > max) | (max < min), g, 0),
)
def clamp_to_tensors(self: Array, min: Array, max: Array) -> Array:
    """The nearest number between those in the same place of two tensors. The bound that was hit gets the gradient."""
    return np.minimum(np.maximum(self, min), max)


# ---------------------------------------------------------------- as the learner calls them

_round, _remainder, _maximum, _minimum = round, remainder, maximum, minimum
_NUMBERS = (int, float, np.number, np.bool_)


def round(input: Tensor, *, decimals: int | None = None) -> Tensor:  # type: ignore[no-redef]
    """The nearest whole number (the even one if two are), or number with some decimals."""
    return _round(input) if decimals is None else round_decimals(input, decimals)


def remainder(input: Any, other: Any) -> Tensor:  # type: ignore[no-redef]
    """What is left of input when other was taken away as often as it goes in; its sign is that of other."""
    if isinstance(input, Tensor) and isinstance(other, _NUMBERS):
        return remainder_by_number(input, other)
    if isinstance(input, _NUMBERS) and isinstance(other, Tensor):
        return remainder_of_number(input, other)
    return _remainder(input, other)


def maximum(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The larger of two elements. Equal ones share its gradient."""
    return _maximum(*tensor_operands("maximum", input, other))


def minimum(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The smaller of two elements. Equal ones share its gradient."""
    return _minimum(*tensor_operands("minimum", input, other))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """The nearest number that is not below `min` and not above `max`: numbers, or tensors; None for no bound.

    The gradient passes inside and at the bounds; where a tensor bounds, it goes to that.
    """
    (input,) = tensor_operands("clamp", input)
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError("minigrad.clamp: At least one of 'min' or 'max' must not be None")
    if all(isinstance(bound, Tensor) for bound in bounds):
        return clamp_to_tensors(*_alike(input, min, max))
    if not all(isinstance(bound, _NUMBERS) for bound in bounds):
        kinds = ", ".join(type(bound).__name__ for bound in bounds)
        raise TypeError(
            f"clamp() received an invalid combination of arguments - got ({kinds}): the bounds are either numbers or "
            "tensors"
        )
    kind = input.dtype
    for bound in bounds:
        kind = dtypes.of_number(bound, kind)
    if kind is dtypes.bool:
        raise NotImplementedError("\"clamp_scalar_cpu\" not implemented for 'Bool': bools have nothing between them")
    plain = [bound.item() if isinstance(bound, np.generic) else bound for bound in (min, max)]
    return clamp_to_numbers(input.to(kind), *plain)


def _alike(input: Tensor, min: Tensor | None, max: Tensor | None) -> list[Tensor]:
    """A tensor and its bounds in one dtype and shape; no bound becomes one that nothing goes beyond."""
    given = [tensor for tensor in (input, min, max) if tensor is not None]
    kind = dtypes.of(meet_all([tensor._array for tensor in given])[0][0])
    shape: tuple[int, ...] = ()
    for tensor in given:
        mismatch = size_mismatch("clamp", shape, tensor.shape)
        if mismatch is not None:
            raise RuntimeError(mismatch)
        shape = np.broadcast_shapes(shape, tensor.shape)
    lowest, highest = _range(kind)
    min = from_array(np.full(shape, lowest, kind.numpy)) if min is None else min
    max = from_array(np.full(shape, highest, kind.numpy)) if max is None else max
    return [tensor.to(kind) if tensor.shape == shape else tensor.to(kind).expand(shape) for tensor in (input, min, max)]


def _range(kind: dtypes.dtype) -> tuple[Any, Any]:
    """The lowest and the highest number of a dtype."""
    if kind.category == 1:
        return np.iinfo(kind.numpy).min, np.iinfo(kind.numpy).max
    return (-math.inf, math.inf) if kind.is_floating_point else (False, True)
