"""The Kullback-Leibler divergence: how much longer messages from p get in the code that is best for q.

After this module a reader knows the closed forms of the mean of log p(x) - log q(x) over x drawn from p.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.distributions.continuous import Normal, Uniform
from minigrad.distributions.discrete import Bernoulli, Categorical
from minigrad.distributions.distribution import Distribution
from minigrad.nn.functional import softplus
from minigrad.ops.pointwise.choice import where
from minigrad.tensor import Tensor


def _normals(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    distance = ((p.loc - q.loc) / q.scale) ** 2
    return (ratio + distance - 1 - ratio.log()) / 2


def _uniforms(p: Any, q: Any) -> Tensor:
    longer = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), float("inf"), longer)


def _weighed(term: Tensor, p: Any, q: Any) -> Tensor:
    """p * log(p / q), which is 0 for p = 0, else inf for q = 0."""
    return where(p == 0, 0.0, where(q == 0, float("inf"), term))


def _bernoullis(p: Any, q: Any) -> Tensor:
    of_one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    of_zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return _weighed(of_one, p.probs, q.probs) + _weighed(of_zero, 1 - p.probs, 1 - q.probs)


def _categoricals(p: Any, q: Any) -> Tensor:
    return _weighed(p.probs * (p.logits - q.logits), p.probs, q.probs).sum(-1)


_FORMULAS: dict[type[Distribution], Callable[[Any, Any], Tensor]] = {
    Normal: _normals,
    Uniform: _uniforms,
    Bernoulli: _bernoullis,
    Categorical: _categoricals,
}


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p || q) for each of a batch of pairs. NotImplementedError for two of different kinds."""
    for kind, formula in _FORMULAS.items():
        if isinstance(p, kind) and isinstance(q, kind):
            return formula(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )
