"""The beta distribution of numbers between 0 and 1, and how a gradient flows through what is drawn by rejection.

After this module a reader knows the implicit reparametrization trick. No formula leads from noise to a beta number, but
a number that is drawn has a place in its distribution: the probability F(x; a, b) of a smaller one. That place is to
stay when the parameters move, and from dF = 0 follows dx/da = -(dF/da) / (dF/dx). Figurnov, Mohamed and Mnih, "Implicit
reparameterization gradients" (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.function import Function, once_differentiable
from minigrad.distributions.distribution import Distribution, between, positive, same_shape
from minigrad.op import arrays
from minigrad.ops.pointwise.choice import where
from minigrad.ops.pointwise.exponential import xlogy
from minigrad.ops.pointwise.gamma_function import digamma, lgamma
from minigrad.random.gamma import beta
from minigrad.random.generator import default_generator
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array


class Beta(Distribution):
    """Numbers between 0 and 1 with the density x^(a - 1) (1 - x)^(b - 1) / B(a, b), for a = `concentration1` and
    b = `concentration0`, numbers or tensors: how likely a probability is, after a - 1 successes and b - 1 failures.

    ValueError for concentrations that are not positive, unless `validate_args` is False.
    """

    has_rsample = True
    support = between(0.0, 1.0)

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = same_shape(concentration1, concentration0)
        shape = self.concentration1.shape
        super().__init__(shape, validate_args, concentration1=positive, concentration0=positive)

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """Where the density is largest: inside for concentrations above 1, else at an end; 1 where it is both ends."""
        a: Any = self.concentration1
        b: Any = self.concentration0
        first, second = (a - 1).clamp(min=0), (b - 1).clamp(min=0)
        return where((a < 1) & (b < 1), 1.0, first / (first + second))

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total**2 * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """The share of one gamma number in the sum of two. (These are drawn one by one: a million take seconds.)"""
        shape = self._extended_shape(sample_shape)
        drawn: Tensor = _Draw.apply(self.concentration1.expand(shape), self.concentration0.expand(shape))
        return drawn

    def log_prob(self, value: Tensor) -> Tensor:
        """(a - 1) log(value) + (b - 1) log(1 - value) - log B(a, b)"""
        self._check_value(value)
        a, b = self.concentration1, self.concentration0
        return xlogy(a - 1, value) + xlogy(b - 1, 1 - value) - log_beta(a, b)

    def entropy(self) -> Tensor:
        """log B(a, b) - (a - 1) digamma(a) - (b - 1) digamma(b) + (a + b - 2) digamma(a + b)"""
        a, b = self.concentration1, self.concentration0
        return log_beta(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (a + b - 2) * digamma(a + b)


def log_beta(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of B(a, b), the integral of x^(a - 1) (1 - x)^(b - 1) from 0 to 1."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


class _Draw(Function):
    """Beta numbers, with their slopes by the two concentrations. There is no second derivative, as in PyTorch."""

    @staticmethod
    def forward(ctx: Any, concentration1: Tensor, concentration0: Tensor) -> Tensor:
        with default_generator.lock:
            drawn = from_array(beta(concentration1._array, concentration0._array, default_generator)[()])
        ctx.save_for_backward(drawn, concentration1, concentration0)
        return drawn

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, a, b = (np.asarray(tensor._array, np.float64) for tensor in ctx.saved_tensors)
        slopes = slope(x, a, b), -slope(1 - x, b, a)  # 1 - x is drawn from the distribution with a and b exchanged
        first, second = (g * from_array(values.astype(g._array.dtype)) for values in slopes)
        return first, second


# The integral over v from 0 to infinity as a sum over s, with v = exp(s - exp(-s)): evenly spaced points are then dense
# where the integrand changes fast, and its ends are flat. (Takahasi and Mori, "Double exponential formulas for
# numerical integration", 1974.)
_S = np.linspace(-5, 9, 281)
_V = np.exp(_S - np.exp(-_S))
_STEPS = _V * (1 + np.exp(-_S)) * (_S[1] - _S[0])


def slope(x: Array, a: Array, b: Array) -> Array:
    """dx/da for a beta number that keeps its place in the distribution (arrays of float64, of one shape).

    With dF/dx, which is the density, and d log B / da = E = digamma(a) - digamma(a + b),

        dx/da = -integral from 0 to x of (t/x)^(a - 1) ((1 - t)/(1 - x))^(b - 1) (log(t) - E) dt

    and, since the integral from 0 to 1 is 0, also the one from x to 1 without the minus. Of the two we take the one
    towards the nearer end, as seen from the mean: all terms are small there. For t = x exp(-v/a), or for
    1 - t = (1 - x) exp(-v/b), the first power, or the second, becomes exp(-v).
    """
    x, a, b = (values[..., np.newaxis] for values in (x, a, b))
    expected = arrays.digamma(a) - arrays.digamma(a + b)
    lower = x < a / (a + b)
    near, far = np.where(lower, x, 1 - x), np.where(lower, 1 - x, x)
    power: Array = np.where(lower, a, b)
    other: Array = np.where(lower, b, a)
    log_other = np.log1p(-near / far * np.expm1(-_V / power))  # log((1 - t)/(1 - x)), or log(t/x)
    log_t = np.log(x) + np.where(lower, -_V / power, log_other)
    terms = np.exp((other - 1) * log_other - _V) * (log_t - expected) * _STEPS
    return (np.where(lower, -near, near) / power)[..., 0] * np.add.reduce(terms, -1)
