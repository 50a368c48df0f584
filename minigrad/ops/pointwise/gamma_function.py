"""The logarithm of the gamma function and its derivatives: lgamma, digamma.

After this module a reader knows how a function is computed where no series for it is quick: a recurrence leads to where
one is. The derivatives of lgamma have short series for large x, and step towards them by lgamma(x + 1) = lgamma(x) +
log(x), differentiated: digamma(x) = digamma(x + 1) - 1/x. (Abramowitz and Stegun, "Handbook of Mathematical Functions",
1964, formulas 6.3.5, 6.3.7, 6.3.18 and 6.4.6 to 6.4.11.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)  # B2, B4, ..., B14
_LARGE = 10  # from here on the series with these numbers are exact to 16 digits


def _log_gamma(x: float) -> float:
    """As Python's, with infinity where that raises: at the poles, and where the result is too large."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


@op(self=lambda F, g, self: g * F.digamma(self), floating=True)
def lgamma(self: Array) -> Array:
    """log|gamma(input)|, where gamma(n + 1) = n! for whole numbers n: the factorial's logarithm, for all numbers."""
    numbers = np.ravel(self).tolist()
    try:
        values = [*map(math.lgamma, numbers)]
    except (ValueError, OverflowError):
        values = [*map(_log_gamma, numbers)]
    return np.array(values, self.dtype).reshape(self.shape)


@op(self=lambda F, g, self: g * F.polygamma(self, 1), floating=True)
def digamma(self: Array) -> Array:
    """The derivative of lgamma. At 0 it is infinite, at negative whole numbers nan."""
    x = np.asarray(self, np.float64)
    turned = np.where(x < 0, 1 - x, x)
    total = _digamma_of_positive(turned)
    if np.any(x < 0):  # digamma(x) = digamma(1 - x) - pi / tan(pi x), whose tangent has a period of 1
        fraction = np.where(x < 0, np.fmod(x, 1), -0.25)
        total = np.where(x < 0, np.where(fraction == 0, math.nan, total - math.pi / np.tan(math.pi * fraction)), total)
    return total.astype(self.dtype)[()]


def _digamma_of_positive(x: Array) -> Array:
    total = np.zeros_like(x)
    for _ in range(_LARGE):
        small = x < _LARGE
        total -= np.where(small, 1 / x, 0)
        x = np.where(small, x + 1, x)
    total += np.log(x) - 0.5 / x
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        total -= bernoulli / (2 * k) * x ** (-2 * k)
    return total


@op(name="PolygammaBackward0", self=lambda F, g, self, n: g * F.polygamma(self, n + 1))
def polygamma(self: Array, n: int) -> Array:
    """The derivative number n of digamma, for n from 1 on.

    That is (-1)^(n + 1) n! times the sum of (x + k)^-(n + 1) over k = 0, 1, 2, ... The first terms are added up, and
    Euler and Maclaurin's formula gives the rest.
    """
    x, power = np.asarray(self, np.float64), n + 1
    total = np.zeros_like(x)
    large = _LARGE + power
    while np.any(small := x < large):
        total += np.where(small, x**-power, 0)
        x = np.where(small, x + 1, x)
    total += x ** (1 - power) / n + x**-power / 2
    factor = float(power)  # power (power + 1) ... (power + 2k - 2) / (2k)!
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        factor /= (2 * k - 1) * 2 * k
        total += bernoulli * factor * x ** -(power + 2 * k - 1)
        factor *= (power + 2 * k - 1) * (power + 2 * k)
    return ((-1) ** power * math.factorial(n) * total).astype(self.dtype)[()]


METHODS: tuple[str, ...] = ("lgamma", "digamma")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ("lgamma", "digamma")  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("lgamma", "digamma")  # those that take out=
