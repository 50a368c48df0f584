"""Probability distributions under PyTorch's names: Normal and Categorical.

Each holds its parameters as tensors of one shape and computes with them as any other program does: `log_prob` and
`entropy` are part of the graph. `sample` draws numbers, PyTorch's for the same seed, that have no gradient; `rsample`
draws standard ones and moves them to where the parameters say, so that these get one (Kingma and Welling,
"Auto-encoding variational Bayes", 2014).
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from minigrad import dtypes, random
from minigrad.absent import attributes_of
from minigrad.creation import as_tensor
from minigrad.ops.shapes.expanding import broadcast_tensors
from minigrad.size import Size
from minigrad.tensor import Tensor

__getattr__ = attributes_of(__name__)


class Distribution:
    """The base of all: `batch_shape` is the shape of the parameters, each of whose elements is a distribution by
    itself. A sample has the shape (*sample_shape, *batch_shape).

    ValueError for parameters that make no sense, unless `validate_args` is False.
    """

    event_shape, batch_shape = Size(), Size()
    _shown: tuple[str, ...] = ()  # the parameters that were given

    def _check(self, name: str, makes_sense: Tensor, constraint: str) -> None:
        if not makes_sense.all():
            value = getattr(self, name)
            raise ValueError(
                f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution {self} to satisfy "
                f"the constraint {constraint}, but found invalid values:\n{value}"
            )

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Random numbers, with gradients for the parameters. NotImplementedError where a choice has none."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample(): a choice has no gradient; use sample()")

    def sample(self, sample_shape: Any = ()) -> Any:
        """Random numbers, without gradients."""
        return self.rsample(sample_shape).detach()

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in self._shown}
        texts = [f"{name}: {value.item() if value.numel() == 1 else value.shape}" for name, value in given.items()]
        return f"{type(self).__name__}({', '.join(texts)})"


class Normal(Distribution):
    """The bell curve with mean `loc` and standard deviation `scale`: tensors that broadcast, or numbers."""

    _shown = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        kind = next((value.dtype for value in (loc, scale) if isinstance(value, Tensor)), dtypes.get_default_dtype())
        parameters = [value if isinstance(value, Tensor) else as_tensor(value, kind) for value in (loc, scale)]
        self.loc, self.scale = broadcast_tensors(*parameters)
        self.mean, self.stddev, self.variance = self.loc, self.scale, self.scale**2
        self.batch_shape = self.loc.shape
        if validate_args is not False:
            self._check("loc", self.loc.eq(self.loc), "Real()")  # which nan is not
            self._check("scale", self.scale > 0, "GreaterThan(lower_bound=0.0)")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.loc + random.randn((*sample_shape, *self.batch_shape), dtype=self.loc.dtype) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """log(density) at `value`."""
        return -((value - self.loc) ** 2) / (2 * self.variance) - self.scale.log() - math.log(2 * math.pi) / 2

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    def _divergence(self, other: Normal) -> Tensor:
        ratio = (self.scale / other.scale) ** 2
        return 0.5 * (ratio + ((self.loc - other.loc) / other.scale) ** 2 - 1 - ratio.log())


class Categorical(Distribution):
    """The numbers 0 to K - 1 with the probabilities `probs` (..., K), or those whose logarithms are `logits`, up to a
    number that all of a row share.
    """

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self.probs = logits.softmax(-1) if probs is None else probs / probs.sum(-1, keepdim=True)
        self._limits = np.finfo(self.probs._array.dtype)
        eps = float(self._limits.eps)  # keeps logarithms finite
        self.logits = self.probs.clamp(eps, 1 - eps).log() if logits is None else logits.log_softmax(-1)
        self.batch_shape = self.probs.shape[:-1]
        self._shown = ("logits",) if probs is None else ("probs",)
        if validate_args is not False:
            self._check(*self._shown, self.probs >= 0, "Simplex()" if logits is None else "Real()")

    def sample(self, sample_shape: Any = ()) -> Any:
        rows = self.probs.detach().reshape(-1, self.probs.shape[-1])
        drawn: Any = random.multinomial(rows, math.prod(sample_shape), True)
        return drawn.T.reshape((*sample_shape, *self.batch_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """log(probability) of whole numbers from 0 to K - 1."""
        indices, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, indices[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return -(self.logits.clamp(min=float(self._limits.min)) * self.probs).sum(-1)

    def _divergence(self, other: Categorical) -> Tensor:
        share = self.probs * (self.logits - other.logits)
        return share.masked_fill(other.probs == 0, math.inf).masked_fill(self.probs == 0, 0).sum(-1)


def kl_divergence(p: Any, q: Any) -> Any:
    """KL(p || q), the mean over p of log(p / q), for two distributions of one class. NotImplementedError for others."""
    if type(p) is not type(q):
        kinds = f"p type {type(p).__name__} and q type {type(q).__name__}"
        raise NotImplementedError(f"No KL(p || q) is implemented for {kinds}")
    return p._divergence(q)


# PyTorch has each in a module of its own: `from torch.distributions.normal import Normal`.
for _name in ("categorical", "distribution", "kl", "normal"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = sys.modules[__name__]
