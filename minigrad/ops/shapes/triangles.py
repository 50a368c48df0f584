"""Triangles of matrices: tril, triu, and the indices of their elements.

After this module a reader knows that a mask of zeros is its own gradient's mask: what was left out has no influence,
and so no gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("tril", "triu")  # the functions that are methods of Tensor, too
IN_PLACE = ("tril", "triu")  # those that have an in-place form, with a trailing underscore
OUT = ("tril", "triu")  # those that take out=


@op(self=lambda F, g, diagonal: F.tril(g, diagonal))
def tril(self: Array, diagonal: int) -> Array:
    """Each matrix with zeros above a diagonal."""
    return np.tril(self, diagonal)


@op(self=lambda F, g, diagonal: F.triu(g, diagonal))
def triu(self: Array, diagonal: int) -> Array:
    """Each matrix with zeros below a diagonal."""
    return np.triu(self, diagonal)


# ---------------------------------------------------------------- as the learner calls them

_tril, _triu = tril, triu


def _check_matrices(name: str, input: Tensor) -> Tensor:
    (input,) = tensor_operands(name, input)
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, not {input.ndim}")
    return input


def tril(input: Tensor, diagonal: int = 0) -> Tensor:  # type: ignore[no-redef]
    """The lower triangle of each matrix: zeros above the diagonal that is `diagonal` above the main one."""
    return _tril(_check_matrices("tril", input), int(diagonal))


def triu(input: Tensor, diagonal: int = 0) -> Tensor:  # type: ignore[no-redef]
    """The upper triangle of each matrix: zeros below the diagonal that is `diagonal` above the main one."""
    return _triu(_check_matrices("triu", input), int(diagonal))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Tensor:
    """The row indices and the column indices, shape (2, n), of the lower triangle of a (row, col) matrix.

    `offset`: how far the triangle's edge is above the main diagonal.
    """
    return _triangle_indices("tril_indices", np.tril_indices, row, col, offset, dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Tensor:
    """The row indices and the column indices, shape (2, n), of the upper triangle of a (row, col) matrix.

    `offset`: how far the triangle's edge is above the main diagonal.
    """
    return _triangle_indices("triu_indices", np.triu_indices, row, col, offset, dtype)


def _triangle_indices(name: str, find: Callable[..., Any], row: int, col: int, offset: int, dtype: Any) -> Tensor:
    kind = dtypes.int64 if dtype is None else dtypes.resolve(dtype, name)
    for what, count in (("row", row), ("col", col)):
        if count < 0:
            raise RuntimeError(f"{what} must be non-negative, got{count}")
    if kind.category != 1:
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.tensor_type}': indices are integers")
    return from_array(np.stack(find(row, offset, col)).astype(kind.numpy))
