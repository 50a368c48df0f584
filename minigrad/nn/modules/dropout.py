"""Dropout: in training, random elements are set to zero, and the others scaled up to keep the mean.

After `module.eval()` it does nothing.
"""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer
from minigrad.tensor import Tensor


class Dropout(Layer):
    """In training each element is set to 0 with probability `p`, and the others are divided by 1 - p.

    Hinton et al., "Improving neural networks by preventing co-adaptation of feature detectors" (2012). ValueError if p
    is not between 0 and 1.
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
