"""Flatten, the step from convolutions to linear layers."""

from __future__ import annotations

from minigrad.nn.modules.layer import Layer
from minigrad.tensor import Tensor


class Flatten(Layer):
    """Joins the dimensions from start_dim to end_dim; by default all but the first, which is the batch."""

    start_dim: int = 1
    end_dim: int = -1

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)
