"""Diagonals of matrices: diagonal, diag, diag_embed, diagflat, diagonal_scatter, trace.

After this module a reader knows that taking a diagonal out and putting one in among zeros are each other's gradient.
`diagonal` is a view; `diag` is a copy, and goes both ways.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.shapes.views import ravel
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# fmt: off
METHODS = (  # the functions that are methods of Tensor, too
    "diagonal", "diag", "diag_embed", "diagflat", "diagonal_scatter", "fill_diagonal_", "trace",
)
# fmt: on
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


@op(
    self=lambda F, g, src_shape, offset, dim1, dim2: F.diagonal_scatter(g, F.zeros(src_shape, g), offset, dim1, dim2),
    src=lambda F, g, offset, dim1, dim2: F.diagonal(g, offset, dim1, dim2),
)
def diagonal_scatter(self: Array, src: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The input with other elements on a diagonal."""
    out = np.array(self)
    _writable_diagonal(out, offset, dim1, dim2)[...] = src
    return out


@op(self=lambda F, g, self_shape: F.diagonal_backward(F.expand(g, (min(self_shape),)), self_shape, 0, 0, 1))
def trace(self: Array) -> Array:
    """The sum of a matrix's diagonal."""
    return np.trace(self)


# ---------------------------------------------------------------- as the learner calls them

_diagonal, _diag_embed, _diagonal_scatter, _trace = diagonal, diag_embed, diagonal_scatter, trace


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
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D: see diagonal() and diag_embed()")
    return diag_embed(input, diagonal) if input.ndim == 1 else diagonal_copy(input, diagonal)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:  # type: ignore[no-redef]
    """Matrices with the last dimension of the input on their diagonals and zeros elsewhere: (…, n) gives (…, n, n).

    Args:
        offset: how far above the main diagonal; the matrices are larger by so much.
        dim1, dim2: where the two dimensions of the matrices are in the result.
    """
    (input,) = tensor_operands("diag_embed", input)
    return _diag_embed(input, offset, *_two_dims(dim1, dim2, input.ndim + 1))


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix that has all elements, in a row, on its diagonal."""
    return diag_embed(ravel(input), offset)


def diagonal_scatter(  # type: ignore[no-redef]
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of the input with `src` in the place of `input.diagonal(offset, dim1, dim2)`."""
    tensor_operands("diagonal_scatter", input, src)
    replaced = diagonal(input.detach(), offset, dim1, dim2)
    if src.shape != replaced.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(replaced.shape)}"
        )
    return _diagonal_scatter(input, src.to(input.dtype), int(offset), *_two_dims(dim1, dim2, input.ndim))


def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write a number to the diagonal of a matrix, or of a tensor with equal sizes; returns the tensor itself.

    Args:
        wrap: begin another diagonal below the square that the first crosses, one row further down.
    """
    if input.ndim < 2:
        raise RuntimeError("dimensions must larger than 1, since fewer have no diagonal")
    if input.ndim > 2 and len({*input.shape}) > 1:
        raise RuntimeError(f"all dimensions of input must be of equal length, not {list(input.shape)}")
    height, width = input.shape[:2]
    rows = np.arange(height if wrap and input.ndim == 2 else min(height, width))
    columns = rows % (width + 1)
    inside = columns < width
    input[(rows[inside], *[columns[inside]] * (input.ndim - 1))] = fill_value
    return input


def trace(input: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The sum of a matrix's diagonal; of integers, as int64."""
    (input,) = tensor_operands("trace", input)
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype is dtypes.bool:
        raise NotImplementedError("\"trace\" not implemented for 'Bool': convert the tensor first, as in x.int()")
    return _trace(input if input.dtype.is_floating_point else input.to(dtypes.int64))
