"""Functions of one number: exponentials and logarithms, powers and roots, angles, sizes, signs and rounding, erf.

The rules are those of every table of derivatives (Abramowitz and Stegun, Handbook of Mathematical Functions, sections
4.1 to 4.6, 7.1). Where the result is at hand, the rule uses it: the slope of exp(x) is exp(x) itself. There is a log1p
beside log because 1 + 1e-9 has lost the 1e-9 before the logarithm sees it. Angles are in radians.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import keep_silent
from minigrad.op import Array, op
from minigrad.operands import elementwise_operands
from minigrad.ops.declarations import give_name, level, numbers_only
from minigrad.ops.pointwise.conversion import in_dtype
from minigrad.public import plain, public
from minigrad.tensor import Tensor, from_array
from minigrad.writing import in_place


def elementary(**declared: Any) -> Callable[[Any], Any]:
    """Declare an op of one number, and make it public: `exp(x)`, `x.exp()`, `x.exp_()`. Integers count as floats."""
    return lambda kernel: public(in_place=True)(op(floating=True, **declared)(kernel))


def _numpy_op(name: str, compute: Any, rule: Callable[..., Any], meaning: str, /, **declared: Any) -> Any:
    """An elementary op that numpy computes."""
    return elementary(self=rule, **declared)(give_name(name, meaning, lambda self: compute(self)))


# ---------------------------------------------------------------- exponentials and logarithms

exp = _numpy_op("exp", np.exp, lambda F, g, result: g * result, "e to the power of each element.")
expm1 = _numpy_op("expm1", np.expm1, lambda F, g, result: g * (result + 1), "exp(x) - 1, exact for small x, too.")
log = _numpy_op("log", np.log, lambda F, g, self: g / self, "The natural logarithm; -inf at 0, nan below.")
log2 = _numpy_op("log2", np.log2, lambda F, g, self: g / (self * math.log(2)), "The binary logarithm.")
log10 = _numpy_op("log10", np.log10, lambda F, g, self: g / (self * math.log(10)), "The decimal logarithm.")
log1p = _numpy_op("log1p", np.log1p, lambda F, g, self: g / (self + 1), "log(1 + x), exact.", name="Log1PBackward0")


# ---------------------------------------------------------------- powers and roots

reciprocal = _numpy_op("reciprocal", lambda x: 1 / x, lambda F, g, result: -g * (result * result), "1 / x.")
sqrt = _numpy_op("sqrt", np.sqrt, lambda F, g, result: g / (2 * result), "The square root; nan below 0.")
rsqrt = _numpy_op("rsqrt", lambda x: 1 / np.sqrt(x), lambda F, g, result: g * (result**3 * -0.5), "1 / sqrt(x).")


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
    """Raise each element to the same power, a number.

    The powers 0.5 and -0.5 are roots: 1 / sqrt(-0.0) is -inf and sqrt(-inf) is nan, where numpy's power gives inf. That
    is why the rule does not write self ** -0.5.
    """
    if exponent == 0.5:
        return np.sqrt(self)
    return 1 / np.sqrt(self) if exponent == -0.5 else self**exponent


@op(
    name="PowBackward1",
    self=lambda F, g, self, exponent: F.where(exponent == 0, 0, g * exponent * self ** (exponent - 1)),
    exponent=lambda F, g, self, exponent, result: F.where(  # the base is promoted before its logarithm
        (self == 0) & (exponent >= 0), 0, g * (result * F.log(self + F.zeros(exponent.shape, exponent)))
    ),
    broadcasts=True,
    exact=False,
)
def pow_tensor(self: Array, exponent: Array) -> Array:
    """Raise each element to the power in the same place: d(x ** n) = n * x ** (n - 1), d(a ** x) = a ** x * log(a)."""
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


@public
def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, where one of them may be a number."""
    keep_silent()
    base, power = elementwise_operands("pow", input, exponent)
    if base.dtype is power.dtype is dtypes.bool:
        if not power._is_number:
            raise NotImplementedError("\"pow\" not implemented for 'Bool': convert the tensor first, as in x.long()")
        return from_array(base._array | np.logical_not(power._array))  # of numpy's power bytes come, or a warning
    if base._is_number:
        return pow_of_number(in_dtype(power, base.dtype), base.item())
    if not power._is_number:
        return pow_tensor(base, power)
    whole = power.dtype.category == 1
    if whole and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed. Convert first, as in x.float() ** -1.")
    if whole or power.dtype is dtypes.float16:  # the others compute with any number
        exponent = dtypes.element(power.dtype, exponent)
    return pow_number(in_dtype(base, power.dtype), exponent if whole else plain(exponent))


@public(in_place=True)
def square(input: Any) -> Tensor:
    """Each element times itself."""
    return pow(input, 2)


public(function=False)(in_place(pow, "pow_", operand="exponent"))


# ---------------------------------------------------------------- angles and hyperbolas

sin = _numpy_op("sin", np.sin, lambda F, g, self: g * F.cos(self), "The sine of angles in radians.")
cos = _numpy_op("cos", np.cos, lambda F, g, self: -g * F.sin(self), "The cosine of angles in radians.")
tan = _numpy_op("tan", np.tan, lambda F, g, result: g * (1 + result * result), "The tangent of angles in radians.")
# The slope of asin is 1 / cos(asin(x)), and the cosine of the angle whose sine is x is sqrt(1 - x**2).
asin = _numpy_op("asin", np.arcsin, lambda F, g, self: g / F.sqrt(1 - self * self), "The angle with this sine.")
acos = _numpy_op("acos", np.arccos, lambda F, g, self: -g / F.sqrt(1 - self * self), "The angle with this cosine.")
atan = _numpy_op("atan", np.arctan, lambda F, g, self: g / (1 + self * self), "The angle with this tangent.")
sinh = _numpy_op("sinh", np.sinh, lambda F, g, self: g * F.cosh(self), "(exp(x) - exp(-x)) / 2.")
cosh = _numpy_op("cosh", np.cosh, lambda F, g, self: g * F.sinh(self), "(exp(x) + exp(-x)) / 2.")
tanh = _numpy_op("tanh", np.tanh, lambda F, g, result: g * (1 - result * result), "The hyperbolic tangent.")


# ---------------------------------------------------------------- sizes, signs and rounding


@public(in_place=True)
@op(exact=True, self=lambda F, g, self: g * F.sign(self))
def abs(self: Array) -> Array:
    """The absolute value. At 0 its gradient is 0, which lies between the slopes on either side: a subgradient."""
    numbers_only("abs_cpu", self)
    return np.abs(self)


@public(in_place="method")
@op(exact=True, self=level)
def sign(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element; 0 for nan."""
    return np.array(self) if self.dtype.kind == "b" else np.subtract(self > 0, self < 0, dtype=self.dtype)


def _rounding(name: str, rounding: Callable[[Any], Any], meaning: str) -> Any:
    """An op that rounds; integers need none."""

    def kernel(self: Array) -> Array:
        numbers_only(f"{name}_vml_cpu", self)
        return rounding(self) if self.dtype.kind == "f" else np.array(self)

    return public(in_place=True)(op(exact=True, self=level)(give_name(name, meaning, kernel)))


floor = _rounding("floor", np.floor, "The largest whole number that is not above each element.")
ceil = _rounding("ceil", np.ceil, "The smallest whole number that is not below each element.")
trunc = _rounding("trunc", np.trunc, "Each element without its digits after the decimal point: rounded towards 0.")
round = _rounding("round", np.rint, "The nearest whole number, the even one if two are.")


# ---------------------------------------------------------------- the error function

# No formula gives it exactly, and numpy has none. Python's own is exact, one number at a time. For float32, in which
# networks compute, it is tanh(x * p(x**2)): p was fitted once (relative error of the fit 1e-7), its constants from
# the highest power on. Beside a quotient of two polynomials this takes a third of the time: numpy's tanh is fast.
_IN_TANH = np.array(
    [1.4186826e-07, -5.66873185e-06, 8.76387121e-05, -0.000619787761, -0.000191827975, 0.102769055, 1.12837927],
    np.float32,
)


@elementary(self=lambda F, g, self: g * (2 / math.sqrt(math.pi)) * F.exp(-self * self))
def erf(self: Array) -> Array:
    """The error function, 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x: how much of a bell curve of variance 1/2
    lies within `input` of its middle.
    """
    if self.dtype != np.float32:
        return np.array([*map(math.erf, np.ravel(self).tolist())], self.dtype).reshape(self.shape)[()]
    square = self * self
    power_sum = square * _IN_TANH[0]
    for constant in _IN_TANH[1:-1]:
        power_sum += constant
        power_sum *= square
    return np.tanh((power_sum + _IN_TANH[-1]) * self)
