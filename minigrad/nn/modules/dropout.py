"""Dropout layers: in training, random elements are set to zero, and the others scaled up to keep the mean.

After this module a reader knows that dropout does nothing after `module.eval()`, and what the variants drop: single
elements, or whole channels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class _Dropout(Module):
    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training each element is set to 0 with probability `p`, and the others are divided by 1 - p.

    Hinton et al., "Improving neural networks by preventing co-adaptation of feature detectors" (2012). ValueError if p
    is not between 0 and 1.
    """

    function = F.dropout
