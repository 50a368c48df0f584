"""Powers and roots, exponentials and logarithms: pow, sqrt, exp, log, log1p and their kin.

The power rule is d(x**n) = n * x**(n - 1); where the exponent is a variable, d(a**x) = a**x * log(a) joins it. There is
a log1p beside log because 1 + 1e-9 has lost the 1e-9 before the logarithm sees it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import beside_array, elementwise_operands, op
from minigrad.ops.operands import integers_as_floats, plain
from minigrad.ops.pointwise.conversion import in_dtype
from minigrad.public import public
from minigrad.tensor import Tensor, from_array
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@public(in_place=True)
@op(self=lambda F, g, result: g * result, floating=True)
def exp(self: Array) -> Array:
    """e to the power of each element."""
    return np.exp(self)


@public(in_place=True)
@op(self=lambda F, g, result: g * (result + 1), floating=True)
def expm1(self: Array) -> Array:
    """exp(input) - 1, exact for small numbers, too."""
    return np.expm1(self)


@public(in_place=True)
@op(self=lambda F, g, self: g / self, floating=True)
def log(self: Array) -> Array:
    """The natural logarithm; -inf at 0, nan below."""
    return np.log(self)


@public(in_place=True)
@op(self=lambda F, g, self: g / (self * math.log(2)), floating=True)
def log2(self: Array) -> Array:
    """The logarithm to the base 2; -inf at 0, nan below."""
    return np.log2(self)


@public(in_place=True)
@op(self=lambda F, g, self: g / (self * math.log(10)), floating=True)
def log10(self: Array) -> Array:
    """The logarithm to the base 10; -inf at 0, nan below."""
    return np.log10(self)


@public(in_place=True)
@op(name="Log1PBackward0", self=lambda F, g, self: g / (self + 1), floating=True)
def log1p(self: Array) -> Array:
    """log(1 + input), exact for small numbers, too."""
    return np.log1p(self)


# ---------------------------------------------------------------- powers and roots


@public(in_place=True)
@op(self=lambda F, g, result: g / (2 * result), floating=True)
def sqrt(self: Array) -> Array:
    """The square root; nan below 0."""
    return np.sqrt(self)


@public(in_place=True)
@op(self=lambda F, g, result: g * (result * result * result * -0.5), floating=True)
def rsqrt(self: Array) -> Array:
    """1 / sqrt(input); inf at 0, nan below."""
    return 1 / np.sqrt(self)


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


@public
def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, where one of them may be a number."""
    if isinstance(exponent, np.ndarray):
        input, exponent = beside_array(input, exponent)
    if isinstance(exponent, Tensor):
        if exponent.dtype is dtypes.bool and (isinstance(input, bool) or getattr(input, "dtype", None) is dtypes.bool):
            raise NotImplementedError("\"pow\" not implemented for 'Bool': convert the tensor first, as in x.long()")
        if isinstance(input, Tensor):
            if input._array.dtype is not exponent._array.dtype:
                input, exponent = integers_as_floats(input, exponent)
            return pow_tensor(input, exponent)
        base, exponent = elementwise_operands("pow", input, exponent)
        return pow_of_number(in_dtype(exponent, base.dtype), base.item())
    input, number = elementwise_operands("pow", input, exponent)
    if input.dtype is number.dtype is dtypes.bool:
        return from_array((input._array**number._array).astype(np.bool_))  # numpy alone would make bytes of them
    if number.dtype.category < 2 and exponent < 0:
        raise RuntimeError(
            "Integers to negative integer powers are not allowed. Convert the tensor first, as in x.float() ** -1."
        )
    if number.dtype.category == 1:
        exponent = dtypes.element(number.dtype, exponent)
    return pow_number(in_dtype(input, number.dtype), plain(exponent))


@public(in_place=True)
def square(input: Any) -> Tensor:
    """Each element times itself."""
    return pow(input, 2)


public(function=False)(in_place(pow, "pow_", operand="exponent"))
