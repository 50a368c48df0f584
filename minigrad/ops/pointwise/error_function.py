"""The error function and its kin: erf, erfc, erfinv.

After this module a reader knows how a function that no formula gives exactly is computed all the same: by a quotient of
polynomials that was fitted to it once, and its inverse by Halley's method.

erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x. numpy has none. In float64: W. J. Cody, "Rational Chebyshev
approximations for the error function", Mathematics of Computation 23 (1969), 631-637: three quotients of polynomials,
each for a range of abs(x). In float32: one quotient for all x, fitted for this module (relative error of the fit 2e-8).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# Numerator and denominator for each range of abs(x), from the constant up.


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
_SINGLE_END = 3.925  # beyond it float32 cannot tell erf from 1


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
    x = np.minimum(np.maximum(x, -_SINGLE_END), _SINGLE_END)
    quotient = _quotient(_SINGLE, x * x)
    quotient *= x
    return np.minimum(np.maximum(quotient, -1), 1)


@op(self=lambda F, g, self: g * (2 / math.sqrt(math.pi)) * F.exp(-self * self), floating=True)
def erf(self: Array) -> Array:
    """The error function: how much of a bell curve of variance 1/2 lies within `input` of its middle."""
    if self.dtype == np.float32:
        return _single_erf(self)
    return _error_function(self.astype(np.float64), False).astype(self.dtype)


erf_ = in_place(erf, "erf_")

METHODS: tuple[str, ...] = ("erf", "erf_")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = ("erf",)  # those that take out=
