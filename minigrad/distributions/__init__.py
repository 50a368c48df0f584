"""Probability distributions, to draw from and to take the log-probability of: what policy gradients and variational
autoencoders need.

Where to read on: `distribution` (what they share), `continuous` (Normal, Uniform), `multivariate_normal`, `beta`,
`discrete` (Bernoulli, Categorical), `kl` (how far one is from another).
"""

from minigrad.distributions.beta import Beta
from minigrad.distributions.continuous import Normal, Uniform
from minigrad.distributions.discrete import Bernoulli, Categorical
from minigrad.distributions.distribution import Distribution
from minigrad.distributions.kl import kl_divergence
from minigrad.distributions.multivariate_normal import MultivariateNormal

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Distribution", "MultivariateNormal", "Normal", "Uniform", "kl_divergence",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """What a name that does not exist raises."""
    raise AttributeError(
        f"module 'minigrad.distributions' has no attribute {name!r}: there are Normal, MultivariateNormal, Uniform, "
        "Beta, Bernoulli and Categorical"
    )
