"""Layers that only change the shape: Flatten (between convolutions and linear layers) and Unflatten."""

from __future__ import annotations

from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class Flatten(Module):
    """Joins the dimensions from start_dim to end_dim; by default all but the first, which is the batch."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
