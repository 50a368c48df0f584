"""Diagonals of matrices: diagonal, diag, trace.

Taking a diagonal out and putting one in among zeros are each other's gradient. `diagonal` is a view; `diag` is a copy,
and goes both ways.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import arrays, op, tensor_operands
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

METHODS = ("diagonal", "diag", "trace")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("diag",)  # those that take out=


def _writable_diagonal(array: Array, offset: int, dim1: int, dim2: int) -> Array:
    """numpy's view of a diagonal, which numpy hands out as read-only, as a precaution."""
    diagonal = np.diagonal(array, offset, dim1, dim2)
    diagonal.flags.writeable = array.flags.writeable
    return diagonal


@op(
    view=True,
    self=lambda F, g, self_shape, offset, dim1, dim2: F.diagonal_backward(g, self_shape, offset, dim1, dim2),
)
def diagonal(self: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The diagonal of each matrix that two dimensions make, as the last dimension."""
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


@op(self=lambda F, g, offset, dim1, dim2: F.diagonal(g, offset, dim1, dim2))
def diag_embed(self: Array, offset: int, dim1: int, dim2: int) -> Array:
    """Matrices of zeros, along two new dimensions, with the last dimension of the input on their diagonals."""
    size = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for dim in sorted((dim1, dim2)):
        shape.insert(dim, size)
    return arrays.diagonal_backward(self, tuple(shape), offset, dim1, dim2)


@op(self=lambda F, g, self_shape: F.diagonal_backward(F.expand(g, (min(self_shape),)), self_shape, 0, 0, 1))
def trace(self: Array) -> Array:
    """The sum of a matrix's diagonal."""
    return np.trace(self)


# ---------------------------------------------------------------- as the learner calls them

_diagonal, _trace = diagonal, trace


def _two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Two dimensions counted from the front, which must differ."""
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:  # type: ignore[no-redef]
    """The diagonal of each matrix that two dimensions make, as a view; its elements are the last dimension.

    `offset`: how far above the main diagonal.
    """
    (input,) = tensor_operands("diagonal", input)
    return _diagonal(input, int(offset), *_two_dims(dim1, dim2, input.ndim))


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, as a copy; or of a vector, the matrix that has it on its diagonal.

    `diagonal`: how far above the main diagonal.
    """
    (input,) = tensor_operands("diag", input)
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D: see diagonal()")
    return diag_embed(input, diagonal, 0, 1) if input.ndim == 1 else diagonal_copy(input, diagonal)


def trace(input: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The sum of a matrix's diagonal; of integers, as int64."""
    (input,) = tensor_operands("trace", input)
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype is dtypes.bool:
        raise NotImplementedError("\"trace\" not implemented for 'Bool': convert the tensor first, as in x.int()")
    return _trace(input if input.dtype.is_floating_point else input.to(dtypes.int64))
