"""Activations as layers, and Dropout: what stands between layers with weights.

Without an activation between them, two linear layers would be no more than one. Each is its formula, with the constants
that are options. The computation is in `minigrad.ops.pointwise`.
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class ReLU(Layer):
    """max(0, x)."""

    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class LeakyReLU(Layer):
    """x, and negative_slope * x for negative x."""

    negative_slope: float = 1e-2
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(Layer):
    """x, and alpha * (exp(x) - 1) for negative x."""

    alpha: float = 1.0

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha)


class GELU(Layer):
    """x * P(X <= x) for a standard normal X; approximate="tanh" for a formula with tanh."""

    approximate: str = "none"

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class SiLU(Layer):
    """x * sigmoid(x), also called swish."""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input)


class Softplus(Layer):
    """log(1 + exp(beta * x)) / beta, a smooth ReLU; x where beta * x > threshold, so that exp does not overflow."""

    beta: float = 1.0
    threshold: float = 20.0

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return input.sigmoid()


class LogSigmoid(Module):
    """log(sigmoid(x))."""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(Module):
    """tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        return input.tanh()


class Softmax(Layer):
    """exp(x) / sum(exp(x)) along `dim`: positive numbers whose sum is 1."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class Softmin(Layer):
    """softmax(-x) along `dim`: the smallest number gets the most."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class LogSoftmax(Layer):
    """log(softmax(x)) along `dim`, computed without overflow."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Dropout(Layer):
    """In training each element is set to 0 with probability `p`, and the others are divided by 1 - p.

    After `module.eval()` it does nothing. Hinton et al., "Improving neural networks by preventing co-adaptation of
    feature detectors" (2012). ValueError if p is not between 0 and 1.
    """

    p: float = 0.5
    inplace: bool = False

    def _set_up(self) -> None:
        if self.p < 0 or self.p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout2d(Dropout):
    """Dropout of whole channels of images (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)
