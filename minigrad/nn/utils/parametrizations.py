"""Weight and spectral normalization as parametrizations: a layer's weight is computed whenever it is read.

After this module a reader knows two classic functions for a layer's weight: its length times its direction, and what
stretches no vector. `weight_norm.py` and `spectral_norm.py` have them in the older way, by hooks.
"""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.modules.module import Module
from minigrad.nn.utils.parametrize import register_parametrization
from minigrad.nn.utils.spectral_norm import (
    as_matrix,
    check_times,
    default_dim,
    divided_by_norm,
    power_method,
    random_direction,
)
from minigrad.nn.utils.weight_norm import norm_except_dim
from minigrad.tensor import Tensor

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / norm_except_dim(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Train a weight as its length `parametrizations.weight.original0` and its direction `original1`.

    Args:
        name: the parameter.
        dim: the dimension along which each slice has a length of its own: 0 for each output; None for one length.

    Returns the module. ValueError if there is no such parameter.
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if dim >= weight.ndim or dim < -weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        check_times(n_power_iterations)
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            self.register_buffer("_u", random_direction(matrix, 0, eps))
            self.register_buffer("_v", random_direction(matrix, 1, eps))
            power_method(matrix.t(), self._v, self._u, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            power_method(matrix.t(), self._v, self._u, self.n_power_iterations, self.eps)
        return divided_by_norm(weight, matrix, self._u, self._v)

    def right_inverse(self, value: Tensor) -> Tensor:
        return value  # a matrix whose norm is 1 is its own; no other comes out


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value; what is trained is `parametrizations.weight.original`.

    Args:
        name: the parameter.
        n_power_iterations: steps of the power method each time that the weight is read in training.
        eps: the least length that vectors are divided by.
        dim: the dimension of the weight's outputs: 0, but 1 for transposed convolutions.

    Returns the module. ValueError if there is no such parameter, or n_power_iterations is not positive.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, default_dim(module, dim), eps)
    )
