"""Powers, logarithms and the error function: expm1, log1p, logaddexp, erf and their kin.

After this module a reader knows why there is a log1p beside log (1 + 1e-9 has lost the 1e-9 before the logarithm sees
it), how sums of powers are taken without overflow, and how a function that no formula gives exactly is computed all the
same: by a quotient of polynomials that was fitted to it once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.ops.pointwise.arithmetic import floats_only
from minigrad.ops.pointwise.elementwise import pow_number, pow_of_number, pow_tensor
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, result: g * (result * math.log(2)), floating=True)
def exp2(self: Array) -> Array:
    """2 to the power of each element."""
    return np.exp2(self)


@op(self=lambda F, g, result: g * (result + 1), floating=True)
def expm1(self: Array) -> Array:
    """exp(input) - 1, exact for small numbers, too."""
    return np.expm1(self)


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


@op(self=lambda F, g, result: g * (result * result * result * -0.5), floating=True)
def rsqrt(self: Array) -> Array:
    """1 / sqrt(input); inf at 0, nan below."""
    return 1 / np.sqrt(self)


@op(
    self=lambda F, g, self, other: g / (1 + F.exp(other - self)),
    other=lambda F, g, self, other: g / (1 + F.exp(self - other)),
    broadcasts=True,
)
def logaddexp(self: Array, other: Array) -> Array:
    """log(exp(input) + exp(other)), without overflow on the way. The gradient is shared by the sizes of the two."""
    floats_only("logaddexp_cpu", self)
    return np.logaddexp(self, other)


@op(
    self=lambda F, g, self, other: g / (1 + F.exp2(other - self)),
    other=lambda F, g, self, other: g / (1 + F.exp2(self - other)),
    broadcasts=True,
)
def logaddexp2(self: Array, other: Array) -> Array:
    """log2(2**input + 2**other), without overflow on the way."""
    floats_only("logaddexp2_cpu", self)
    return np.logaddexp2(self, other)


def _times_log(self: Array, other: Array) -> Array:
    return np.where((self == 0) & ~np.isnan(other), np.zeros_like(self), self * np.log(other))[()]


def _log_where_it_counts(F: Any, g: Any, self: Any, other: Any) -> Any:
    """g * log(other), and 0 where input is 0 and the logarithm has no value."""
    return F.where((self == 0) & (other <= 0), 0, F.xlogy(g, other))


@op(
    self=lambda F, g, self, other: _log_where_it_counts(F, g, self, other),
    other=lambda F, g, self, other: g * self / other,
    broadcasts=True,
    floating=True,
)
def xlogy(self: Array, other: Array) -> Array:
    """input * log(other), and 0 where input is 0, whatever the logarithm."""
    return _times_log(self, other)


@op(
    name="XlogyBackward1",
    constants=("self",),
    other=lambda F, g, self, other: g * self / other,
    broadcasts=True,
    floating=True,
)
def xlogy_of_number(self: Array, other: Array) -> Array:
    """`xlogy`, where input is a number."""
    return _times_log(self, other)


@op(
    name="XlogyBackward2",
    constants=("other",),
    self=lambda F, g, self, other: _log_where_it_counts(F, g, self, other),
    broadcasts=True,
    floating=True,
)
def xlogy_by_number(self: Array, other: Array) -> Array:
    """`xlogy`, where other is a number."""
    return _times_log(self, other)


def _logit_slope(F: Any, g: Any, self: Any, eps: float | None) -> Any:
    low, outside = (0, math.nan) if eps is None or eps < 0 else (eps, 0)
    return F.where((self < low) | (self > 1 - low), outside, g / (self * (1 - self)))


@op(self=lambda F, g, self, eps: _logit_slope(F, g, self, eps), floating=True)
def logit(self: Array, eps: float | None) -> Array:
    """log(p / (1 - p)) of probabilities p: the inverse of sigmoid."""
    if eps is not None and eps >= 0:
        low, high = self.dtype.type(eps), self.dtype.type(1) - self.dtype.type(eps)
        self = np.where(self < low, low, np.where(self > high, high, self))
    return np.log(self / (1 - self))


# ---------------------------------------------------------------- the error function
#
# erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x. numpy has none.
#
# In float64: W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23
# (1969), 631-637: three quotients of polynomials, each for a range of |x|. The coefficients stand from the constant up.
# In float32: one quotient for all x, fitted for this module (relative error of the fit 2e-8); beyond 3.925 float32 can
# tell erf from 1 no more.

_NEAR = (
    (3.20937758913846947e03, 3.77485237685302021e02, 1.13864154151050156e02, 3.16112374387056560e00,
     1.85777706184603153e-1),
    (2.84423683343917062e03, 1.28261652607737228e03, 2.44024637934444173e02, 2.36012909523441209e01, 1.0),
)  # fmt: skip
_MIDDLE = (
    (1.23033935479799725e03, 2.05107837782607147e03, 1.71204761263407058e03, 8.81952221241769090e02,
     2.98635138197400131e02, 6.61191906371416295e01, 8.88314979438837594e00, 5.64188496988670089e-1,
     2.15311535474403846e-8),
    (1.23033935480374942e03, 3.43936767414372164e03, 4.36261909014324716e03, 3.29079923573345963e03,
     1.62138957456669019e03, 5.37181101862009858e02, 1.17693950891312499e02, 1.57449261107098347e01, 1.0),
)  # fmt: skip
_FAR = (
    (6.58749161529837803e-4, 1.60837851487422766e-2, 1.25781726111229246e-1, 3.60344899949804439e-1,
     3.05326634961232344e-1, 1.63153871373020978e-2),
    (2.33520497626869185e-3, 6.05183413124413191e-2, 5.27905102951428412e-1, 1.87295284992346725e00,
     2.56852019228982242e00, 1.0),
)  # fmt: skip
_SINGLE = (
    (1.12837915, 0.190592805, 0.052769181, 0.00377251022, 0.000284842736, 2.04603665e-06),
    (1.0, 0.502241207, 0.114182336, 0.01498312, 0.00116384817, 3.80478278e-05),
)
_NEAR_END, _MIDDLE_END = 0.46875, 4.0


def _quotient(coefficients: tuple[tuple[float, ...], ...], x: Array) -> Array:
    """One polynomial in x divided by another, each by Horner's rule."""
    parts = []
    for constants in coefficients:
        total = x * constants[-1]
        for constant in constants[-2:0:-1]:
            total += constant
            total *= x
        total += constants[0]
        parts.append(total)
    return parts[0] / parts[1]


def _exp_of_minus_square(x: Array) -> Array:
    """exp(-x**2), where rounding the square would cost digits: x is cut into a short number and the rest."""
    short = np.trunc(x * 16) / 16
    return np.exp(-short * short) * np.exp(-(x - short) * (x + short))


def _erfc_of_positive(x: Array) -> Array:
    """1 - erf(x) for x from _NEAR_END on, as exp(-x**2) times what is left."""
    rest = np.empty_like(x)
    middle = x <= _MIDDLE_END
    rest[middle] = _quotient(_MIDDLE, x[middle])
    far = x[~middle]
    inverse = 1 / (far * far)
    rest[~middle] = (1 / math.sqrt(math.pi) - inverse * _quotient(_FAR, inverse)) / far
    return _exp_of_minus_square(np.minimum(x, 30)) * rest  # the square of inf less itself would be nan


def _error_function(x: Array, complement: bool) -> Array:
    """erf(x) or erfc(x) = 1 - erf(x) in float64: each is computed where it is small, the other is 1 less that."""
    x = np.asarray(x)
    size = np.abs(x)
    result = np.full(x.shape, math.nan)
    near = size <= _NEAR_END
    close = x[near]
    result[near] = close * _quotient(_NEAR, close * close)
    if complement:
        result[near] = 1 - result[near]
    beyond = size > _NEAR_END
    rest, sign = _erfc_of_positive(size[beyond]), np.sign(x[beyond])
    result[beyond] = np.where(sign > 0, rest, 2 - rest) if complement else sign * (1 - rest)
    return result[()]


def _single_erf(x: Array) -> Array:
    x = np.minimum(np.maximum(x, -3.925), 3.925)
    quotient = _quotient(_SINGLE, x * x)
    quotient *= x
    return np.minimum(np.maximum(quotient, -1), 1)


@op(self=lambda F, g, self: g * (2 / math.sqrt(math.pi)) * F.exp(-self * self), floating=True)
def erf(self: Array) -> Array:
    """The error function: how much of a bell curve of variance 1/2 lies within `input` of its middle."""
    if self.dtype == np.float32:
        return _single_erf(self)
    return _error_function(self.astype(np.float64), False).astype(self.dtype)


@op(self=lambda F, g, self: g * (-2 / math.sqrt(math.pi)) * F.exp(-self * self), floating=True)
def erfc(self: Array) -> Array:
    """1 - erf(input), exact where it is tiny, too."""
    return _error_function(self.astype(np.float64), True).astype(self.dtype)


@op(self=lambda F, g, result: g * (math.sqrt(math.pi) / 2) * F.exp(result * result), floating=True)
def erfinv(self: Array) -> Array:
    """The number whose error function is input, between -1 and 1.

    Starts from the closed form of S. Winitzki, "A handy approximation for the error function and its inverse" (2008),
    good to 2 digits. Halley's method triples the number of right digits at each step.
    """
    goal = self.astype(np.float64)
    size = np.abs(goal)
    bend = np.log1p(-size * size)
    middle = 2 / (math.pi * 0.147) + bend / 2
    x = np.sqrt(np.sqrt(middle * middle - bend / 0.147) - middle)
    for _ in range(3):
        above = np.where(
            size < 0.5, _error_function(x, False) - size, (1 - size) - _error_function(x, True)
        )  # erf(x) - goal, without losing digits near 1
        step = above * (math.sqrt(math.pi) / 2) / _exp_of_minus_square(x)
        x = x - step / (1 + x * step)
    return np.copysign(np.where(size == 1, math.inf, x), goal).astype(self.dtype)


# ---------------------------------------------------------------- as the learner calls them

_logaddexp, _logaddexp2, _xlogy, _logit = logaddexp, logaddexp2, xlogy, logit
_NUMBERS = (int, float, np.number, np.bool_)


def logaddexp(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """log(exp(input) + exp(other)), without overflow on the way."""
    return _logaddexp(*tensor_operands("logaddexp", input, other))


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """log2(2**input + 2**other), without overflow on the way."""
    return _logaddexp2(*tensor_operands("logaddexp2", input, other))


def xlogy(input: Any, other: Any) -> Tensor:  # type: ignore[no-redef]
    """input * log(other), and 0 where input is 0, whatever the logarithm. One of the two may be a number."""
    if isinstance(input, Tensor) and isinstance(other, _NUMBERS):
        return xlogy_by_number(input, other)
    if isinstance(input, _NUMBERS) and isinstance(other, Tensor):
        return xlogy_of_number(input, other)
    return _xlogy(*tensor_operands("xlogy", input, other))


def logit(input: Tensor, eps: float | None = None) -> Tensor:  # type: ignore[no-redef]
    """log(p / (1 - p)) of probabilities p: the inverse of sigmoid.

    Args:
        eps: probabilities are first moved into the range from `eps` to 1 - `eps`, without gradient outside of it.
            Without it 0 and 1 give -inf and inf, and what is no probability gives nan.
    """
    return _logit(input, None if eps is None else float(eps))


def float_power(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, computed in float64. One of the two may be a number."""
    if isinstance(input, Tensor) and isinstance(exponent, Tensor):
        return pow_tensor(input.to(dtypes.float64), exponent.to(dtypes.float64))
    if isinstance(input, Tensor) and isinstance(exponent, _NUMBERS):
        return pow_number(input.to(dtypes.float64), exponent.item() if isinstance(exponent, np.generic) else exponent)
    if isinstance(input, _NUMBERS) and isinstance(exponent, Tensor):
        return pow_of_number(exponent.to(dtypes.float64), float(input))
    kinds = f"{type(input).__name__}, {type(exponent).__name__}"
    raise TypeError(
        f"float_power() received an invalid combination of arguments - got ({kinds}): one of them is a tensor, the "
        "other a tensor or a number"
    )


_float_power_in_place = in_place(float_power, "float_power_")


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """In-place form of `float_power`, for float64 tensors."""
    if self.dtype is not dtypes.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.tensor_type} but the operation's result requires "
            "dtype Double. Convert it first, as in x = x.double()."
        )
    return _float_power_in_place(self, exponent)


exp2_, expm1_, log2_, log10_, log1p_, rsqrt_, xlogy_, erf_, erfc_, logit_ = (
    in_place(function, f"{function.__name__}_")
    for function in (exp2, expm1, log2, log10, log1p, rsqrt, xlogy, erf, erfc, logit)
)

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "exp2", "expm1", "log2", "log10", "log1p", "rsqrt", "logaddexp", "logaddexp2", "xlogy", "erf", "erfc", "erfinv",
    "logit", "float_power", "exp2_", "expm1_", "log2_", "log10_", "log1p_", "rsqrt_", "xlogy_", "erf_", "erfc_",
    "logit_", "float_power_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("erfinv",)  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "exp2", "expm1", "log2", "log10", "log1p", "rsqrt", "logaddexp", "logaddexp2", "xlogy", "erf", "erfc", "erfinv",
    "logit", "float_power",
)  # fmt: skip
