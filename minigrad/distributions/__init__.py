"""Probability distributions, to draw from and to take the log-probability of: what policy gradients and variational
autoencoders need.

Where to read on: `distribution` (what they share), `continuous` (Normal, Uniform), `discrete` (Bernoulli,
Categorical), `kl` (how far one is from another).
"""

from minigrad.distributions.continuous import Normal, Uniform
from minigrad.distributions.discrete import Bernoulli, Categorical
from minigrad.distributions.distribution import Distribution
from minigrad.distributions.kl import kl_divergence

__all__ = ["Bernoulli", "Categorical", "Distribution", "Normal", "Uniform", "kl_divergence"]


def __getattr__(name: str) -> object:
    """What a name that does not exist raises."""
    raise AttributeError(
        f"module 'minigrad.distributions' has no attribute {name!r}: there are Normal, Uniform, Bernoulli and "
        "Categorical"
    )
