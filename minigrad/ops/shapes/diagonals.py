"""Diagonals and triangles of matrices: diagonal, diag, tril, triu.

Taking a diagonal out and putting one in among zeros are each other's gradient. `diagonal` is a view; `diag` is a copy,
and goes both ways. A triangle's mask of zeros is its own gradient's mask: what was left out has no influence.
"""

from __future__ import annotations

import numpy as np

from minigrad.op import Array, op
from minigrad.public import public
from minigrad.tensor import Tensor, wrap_dim


def _writable_diagonal(array: Array, offset: int, dim1: int, dim2: int) -> Array:
    """numpy's view of a diagonal, which numpy hands out as read-only, as a precaution."""
    diagonal = np.diagonal(array, offset, dim1, dim2)
    diagonal.flags.writeable = array.flags.writeable
    return diagonal


@public
@op(view=True, self=lambda F, g, self_shape, offset, dim1, dim2: F.diagonal_backward(g, self_shape, offset, dim1, dim2))
def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """The diagonal of each matrix that two dimensions make, as a view; its elements are the last dimension.

    `offset`: how far above the main diagonal.
    """
    if wrap_dim(dim1, self.ndim) == wrap_dim(dim2, self.ndim):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _writable_diagonal(self, offset, dim1, dim2)


@op(self=lambda F, g, offset, dim1, dim2: F.diagonal(g, offset, dim1, dim2))
def diagonal_backward(self: Array, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Array:
    """Zeros of a shape with the input on a diagonal."""
    out = np.zeros(shape, self.dtype)
    _writable_diagonal(out, offset, dim1, dim2)[...] = self
    return out


@op(
    name="DiagonalBackward0_copy",
    self=lambda F, g, self_shape, offset: F.diagonal_backward(g, self_shape, offset, 0, 1),
)
def diagonal_copy(self: Array, offset: int) -> Array:
    """The diagonal of a matrix, as a copy."""
    return np.diagonal(self, offset).copy()


@op(self=lambda F, g, offset: F.diagonal(g, offset, 0, 1))
def diag_embed(self: Array, offset: int) -> Array:
    """The matrix that has a vector on its diagonal and zeros elsewhere."""
    return np.diag(self, offset)


def _check_matrices(name: str, array: Array) -> Array:
    if array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, not {array.ndim}")
    return array


@public(in_place="method")
@op(self=lambda F, g, diagonal: F.tril(g, diagonal))
def tril(self: Array, diagonal: int = 0) -> Array:
    """The lower triangle of each matrix: zeros above the diagonal that is `diagonal` above the main one."""
    return np.tril(_check_matrices("tril", self), diagonal)


@public(in_place="method")
@op(self=lambda F, g, diagonal: F.triu(g, diagonal))
def triu(self: Array, diagonal: int = 0) -> Array:
    """The upper triangle of each matrix: zeros below the diagonal that is `diagonal` above the main one."""
    return np.triu(_check_matrices("triu", self), diagonal)


@public
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, as a copy; or of a vector, the matrix that has it on its diagonal.

    `diagonal`: how far above the main diagonal.
    """
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D: see diagonal()")
    return diag_embed(input, diagonal) if input.ndim == 1 else diagonal_copy(input, diagonal)
