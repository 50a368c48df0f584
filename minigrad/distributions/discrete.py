"""Distributions of whole numbers: Bernoulli, Categorical. Each is given by probabilities, or by logits.

After this module a reader knows that logits are what a network gives: any real numbers, of which sigmoid or softmax
makes probabilities. A drawing has no gradient; its `log_prob` has one, which is all that a policy gradient needs.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from minigrad import dtypes
from minigrad.autograd.grad_mode import no_grad
from minigrad.distributions.distribution import (
    Constraint,
    Distribution,
    between,
    boolean,
    real,
    real_vector,
    same_shape,
)
from minigrad.nn.functional import binary_cross_entropy_with_logits
from minigrad.random import bernoulli, multinomial
from minigrad.tensor import Tensor

_SIMPLEX = Constraint("Simplex()", lambda value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6))


class _ByProbsOrLogits(Distribution):
    """A distribution that is given by probabilities or by logits; the other of the two is computed when it is read."""

    def _given(self, probs: Any, logits: Any) -> str:
        """Which of the two was given; ValueError for both or none."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return "logits" if probs is None else "probs"

    def _inside(self) -> Tensor:
        """The probabilities, inside (0, 1) by the smallest step, so that they have logarithms."""
        eps = dtypes.finfo(self.probs.dtype).eps
        return self.probs.clamp(eps, 1 - eps)

    probs: Any
    logits: Any


class Bernoulli(_ByProbsOrLogits):
    """1 with probability `probs`, else 0. Give the probability, or its `logits`, log(p / (1 - p)).

    ValueError for a probability that is not from 0 to 1, unless `validate_args` is False; for both or none.
    """

    support = boolean

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name = self._given(probs, logits)
        (value,) = same_shape(logits if probs is None else probs)
        setattr(self, name, value)
        super().__init__(value.shape, validate_args, **{name: real if probs is None else between(0.0, 1.0)})

    @functools.cached_property
    def probs(self) -> Tensor:
        return self.logits.sigmoid()

    @functools.cached_property
    def logits(self) -> Tensor:
        inside = self._inside()
        return inside.log() - (-inside).log1p()

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw zeros and ones, (*sample_shape, *batch_shape) in all."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """log(p) for 1, log(1 - p) for 0"""
        self._check_value(value)
        logits, value = same_shape(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """-p log(p) - (1 - p) log(1 - p)"""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Categorical(_ByProbsOrLogits):
    """One of the classes 0 … K-1, by probabilities (…, K), which are divided by their sum, or by logits (…, K).

    ValueError for negative probabilities, unless `validate_args` is False; for both or none; without a dimension.
    """

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        name = self._given(probs, logits)
        value: Any = logits if probs is None else probs
        if value.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = value - value.logsumexp(-1, keepdim=True)
        else:
            self.probs = value / value.sum(-1, keepdim=True)
        self._num_events = value.shape[-1]
        super().__init__(value.shape[:-1], validate_args, **{name: real_vector if probs is None else _SIMPLEX})

    @functools.cached_property
    def probs(self) -> Tensor:
        return self.logits.softmax(-1)

    @functools.cached_property
    def logits(self) -> Tensor:
        return self._inside().log()

    @property
    def support(self) -> Constraint:  # type: ignore[override]
        last = self._num_events - 1
        return Constraint(
            f"IntegerInterval(lower_bound=0, upper_bound={last})",
            lambda value: (value % 1 == 0) & (value >= 0) & (value <= last),
        )

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw classes, (*sample_shape, *batch_shape) in all."""
        shape = self._extended_shape(sample_shape)
        count = shape.numel() // max(self._batch_shape.numel(), 1)
        with no_grad():
            return multinomial(self.probs.reshape(-1, self._num_events), count, True).t().reshape(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """log(p[value])"""
        self._check_value(value)
        classes = value.long()
        classes, _ = same_shape(classes, self.logits[..., 0])
        return self.logits.expand(*classes.shape, self._num_events).gather(-1, classes.unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """-sum of p log(p)"""
        return -(self.logits.clamp(min=dtypes.finfo(self.logits.dtype).min) * self.probs).sum(-1)
