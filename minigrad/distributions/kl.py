"""The Kullback-Leibler divergence: how much longer messages from p get in the code that is best for q.

After this module a reader knows the closed forms of the mean of log p(x) - log q(x) over x drawn from p.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.distributions.beta import Beta, log_beta
from minigrad.distributions.continuous import Normal, Uniform
from minigrad.distributions.discrete import Bernoulli, Categorical
from minigrad.distributions.distribution import Distribution
from minigrad.distributions.multivariate_normal import MultivariateNormal, squared_distance
from minigrad.nn.functional import softplus
from minigrad.ops.matrices.inverse import solve_triangular
from minigrad.ops.pointwise.choice import where
from minigrad.ops.pointwise.gamma_function import digamma
from minigrad.tensor import Tensor


def _normals(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    distance = ((p.loc - q.loc) / q.scale) ** 2
    return (ratio + distance - 1 - ratio.log()) / 2


def _uniforms(p: Any, q: Any) -> Tensor:
    longer = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), float("inf"), longer)


def _vectors(p: Any, q: Any) -> Tensor:
    """½ (log det Σq - log det Σp + trace(Σq⁻¹ Σp) + |Lq⁻¹ (μp - μq)|² - k), where |Lq⁻¹ Lp|² is the trace."""
    trace = (solve_triangular(q.scale_tril, p.scale_tril, upper=False) ** 2).sum((-2, -1))
    distance = squared_distance(q.scale_tril, q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + (trace + distance - p.event_shape[0]) / 2


def _betas(p: Any, q: Any) -> Tensor:
    a, b, wanted = p.concentration1, p.concentration0, log_beta(q.concentration1, q.concentration0)
    by_a = (a - q.concentration1) * (digamma(a) - digamma(a + b))
    by_b = (b - q.concentration0) * (digamma(b) - digamma(a + b))
    return wanted - log_beta(a, b) + by_a + by_b


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
    MultivariateNormal: _vectors,
    Uniform: _uniforms,
    Beta: _betas,
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
