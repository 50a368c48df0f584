"""Distributions of real numbers: Normal, Uniform.

After this module a reader knows the reparametrization trick, loc + scale * noise: the noise is drawn from a fixed
distribution, so that the result has a gradient towards loc and scale. Kingma and Welling, "Auto-encoding variational
Bayes" (2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigrad.creation.factories import empty
from minigrad.distributions.distribution import Constraint, Distribution, positive, real, same_shape
from minigrad.random import rand
from minigrad.tensor import Tensor


class Normal(Distribution):
    """The normal distribution of mean `loc` and standard deviation `scale`, numbers or tensors.

    ValueError for a scale that is not positive, or nan, unless `validate_args` is False.
    """

    has_rsample = True
    support = real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = same_shape(loc, scale)
        super().__init__(self.loc.shape, validate_args, loc=real, scale=positive)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.scale**2

    @property
    def stddev(self) -> Tensor:
        return self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """loc + scale * noise, where the noise has mean 0 and standard deviation 1."""
        return self.loc + empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """-(value - loc)² / (2 scale²) - log(scale) - log(√(2π))"""
        self._check_value(value)
        return -((value - self.loc) ** 2) / (2 * self.variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of drawing a number up to this value."""
        self._check_value(value)
        return (1 + ((value - self.loc) / self.scale / math.sqrt(2)).erf()) / 2

    def icdf(self, value: Tensor) -> Tensor:
        """The number up to which this probability lies."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """½ + ½ log(2π) + log(scale)"""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """All numbers from `low` up to `high`, which are numbers or tensors, alike.

    ValueError unless low < high, or `validate_args` is False.
    """

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = same_shape(low, high)
        below = Constraint(f"LessThan(upper_bound={high})", lambda value: value < self.high)
        above = Constraint(f"GreaterThan(lower_bound={low})", lambda value: value > self.low)
        super().__init__(self.low.shape, validate_args, low=below, high=above)

    @property
    def support(self) -> Constraint:  # type: ignore[override]
        return Constraint(
            f"Interval(lower_bound={self.low}, upper_bound={self.high})",
            lambda value: (value >= self.low) & (value <= self.high),
        )

    @property
    def mean(self) -> Tensor:
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """low + (high - low) * noise, where the noise is uniform in [0, 1)."""
        return self.low + rand(self._extended_shape(sample_shape), dtype=self.low.dtype) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """-log(high - low) from low up to high, -inf elsewhere"""
        self._check_value(value)
        inside = self.low.le(value).logical_and(self.high.gt(value))
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of drawing a number up to this value."""
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        """The number up to which this probability lies."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """log(high - low)"""
        return (self.high - self.low).log()
