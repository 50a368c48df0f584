"""Activations as layers, and Dropout: what stands between layers with weights.

Without an activation between them, two linear layers would be no more than one. Each is its formula, with the constants
that are options. The computation is in `minigrad.ops.pointwise`.
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer


class ReLU(Layer, function=F.relu):
    """max(0, x)."""

    inplace: bool = False


class LeakyReLU(Layer, function=F.leaky_relu):
    """x, and negative_slope * x for negative x."""

    negative_slope: float = 1e-2
    inplace: bool = False


class ELU(Layer, function=F.elu):
    """x, and alpha * (exp(x) - 1) for negative x."""

    alpha: float = 1.0


class GELU(Layer, function=F.gelu):
    """x * P(X <= x) for a standard normal X; approximate="tanh" for a formula with tanh."""

    approximate: str = "none"


class SiLU(Layer, function=F.silu):
    """x * sigmoid(x), also called swish."""


class Softplus(Layer, function=F.softplus):
    """log(1 + exp(beta * x)) / beta, a smooth ReLU; x where beta * x > threshold, so that exp does not overflow."""

    beta: float = 1.0
    threshold: float = 20.0


class Sigmoid(Layer, function=F.sigmoid):
    """1 / (1 + exp(-x))."""


class LogSigmoid(Layer, function=F.logsigmoid):
    """log(sigmoid(x))."""


class Tanh(Layer, function=F.tanh):
    """tanh(x)."""


class Softmax(Layer, function=F.softmax):
    """exp(x) / sum(exp(x)) along `dim`: positive numbers whose sum is 1."""

    dim: int | None = None


class Softmin(Layer, function=F.softmin):
    """softmax(-x) along `dim`: the smallest number gets the most."""

    dim: int | None = None


class LogSoftmax(Layer, function=F.log_softmax):
    """log(softmax(x)) along `dim`, computed without overflow."""

    dim: int | None = None


class Dropout(Layer, function=F.dropout):
    """In training each element is set to 0 with probability `p`, and the others are divided by 1 - p.

    After `module.eval()` it does nothing. Hinton et al., "Improving neural networks by preventing co-adaptation of
    feature detectors" (2012). ValueError if p is not between 0 and 1.
    """

    p: float = 0.5
    inplace: bool = False

    def _set_up(self) -> None:
        if self.p < 0 or self.p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout2d(Dropout, function=F.dropout2d):
    """Dropout of whole channels of images (N, C, H, W)."""
