"""The normal distribution of vectors whose numbers hang together.

After this module a reader knows what the triangular factor L of a covariance matrix L Lᵀ is good for: L times a vector
of independent noise has that covariance, L⁻¹ undoes it, and the determinant is a product over its diagonal.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from minigrad.creation.factories import empty
from minigrad.distributions.distribution import Constraint, Distribution, real_vector
from minigrad.ops.matrices.cholesky import cholesky
from minigrad.ops.matrices.eigh import eigvalsh
from minigrad.ops.matrices.inverse import inv, solve_triangular
from minigrad.ops.pointwise.comparison import isclose
from minigrad.ops.shapes.expanding import broadcast_shapes
from minigrad.tensor import Tensor


def _is_positive_definite(matrix: Any) -> Any:
    symmetric: Any = isclose(matrix, matrix.swapaxes(-2, -1), atol=1e-6)
    return symmetric.all(-2).all(-1) & (eigvalsh(matrix.detach()) > 0).all(-1)


def _is_cholesky_factor(matrix: Any) -> Any:
    triangular = (matrix.tril() == matrix).all(-2).all(-1)
    return triangular & (matrix.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


_CONSTRAINTS = {
    "covariance_matrix": Constraint("PositiveDefinite()", _is_positive_definite),
    "precision_matrix": Constraint("PositiveDefinite()", _is_positive_definite),
    "scale_tril": Constraint("LowerCholesky()", _is_cholesky_factor),
}


class MultivariateNormal(Distribution):
    """The normal distribution of vectors of k numbers, with the mean `loc` (..., k).

    Args:
        covariance_matrix: (..., k, k), the mean of (x - loc)(x - loc)ᵀ; or one of the following instead.
        precision_matrix: its inverse.
        scale_tril: its lower triangular factor L, with a positive diagonal: covariance_matrix = L Lᵀ.

    ValueError unless exactly one of them is given, or for matrices that are no such ones, unless `validate_args` is
    False; LinAlgError then for one that has no factor.
    """

    has_rsample = True
    support = real_vector
    scale_tril: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        options = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril,
        }  # fmt: skip
        given = [(name, matrix) for name, matrix in options.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, matrix = given[0]
        if matrix.ndim < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand(*batch_shape, -1)
        setattr(self, name, matrix.expand(*batch_shape, -1, -1))
        constraints = {"loc": real_vector, name: _CONSTRAINTS[name]}
        super().__init__(batch_shape, validate_args, self.loc.shape[-1:], **constraints)
        if name != "scale_tril":
            self.scale_tril = cholesky(self.covariance_matrix)

    @functools.cached_property
    def covariance_matrix(self) -> Tensor:
        return inv(self.precision_matrix) if "precision_matrix" in vars(self) else self.scale_tril @ self.scale_tril.mT

    @functools.cached_property
    def precision_matrix(self) -> Tensor:
        return inv(self.covariance_matrix)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Of each of the k numbers: the diagonal of the covariance matrix."""
        return (self.scale_tril**2).sum(-1)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """loc + L @ noise, where the noise is independent, with mean 0 and standard deviation 1."""
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + (self.scale_tril @ noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """-½ |L⁻¹ (value - loc)|² - log det L - ½ k log(2π)"""
        self._check_value(value)
        size = self._event_shape[0]
        return -0.5 * (size * math.log(2 * math.pi) + squared_distance(self.scale_tril, value - self.loc)) - (
            self._half_log_det()
        )

    def entropy(self) -> Tensor:
        """½ k (1 + log(2π)) + log det L"""
        return 0.5 * self._event_shape[0] * (1 + math.log(2 * math.pi)) + self._half_log_det()

    def _half_log_det(self) -> Tensor:
        """Half the logarithm of the covariance matrix's determinant: log det L, a sum over its diagonal."""
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def squared_distance(scale_tril: Tensor, difference: Tensor) -> Tensor:
    """|L⁻¹ d|², the squared distance of Mahalanobis: d measured in standard deviations along each axis of the bell."""
    measured: Any = solve_triangular(scale_tril, difference.unsqueeze(-1), upper=False)
    return (measured**2).sum((-2, -1))
