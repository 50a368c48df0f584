"""Whole slices at a vector of indices along one dimension: index_select.

Looking up rows of a table is what an embedding does. Its gradient adds up: a row that was taken twice gets the
gradients of both. Along the first of two dimensions: result[i] = input[index[i]].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.places.gather import check_index_dtype, flat_positions
from minigrad.public import public
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _slice_positions(index: Array, dim: int, shape: Sequence[int]) -> Array:
    """The positions, counted in row-major order, of all elements of an array of `shape` that are at `index` (a vector)
    along `dim`.
    """
    sizes = (*shape[:dim], index.size, *shape[dim + 1 :])
    column = np.reshape(index, (-1, *[1] * (len(shape) - dim - 1)))
    return flat_positions(column, dim, shape, sizes).reshape(-1)


@op(constants=("index",), self=lambda F, g, index, dim, self_shape: F.index_select_backward(g, index, dim, self_shape))
def index_select(self: Array, index: Array, dim: int) -> Array:
    """The slices of the input at `index` (a vector) along `dim`."""
    return np.take(self, np.reshape(index, -1), axis=dim) if np.ndim(self) else np.array(self)


@op(name="IndexAddBackward0", constants=("index",), self=lambda F, g, index, dim: F.index_select(g, index, dim))
def index_select_backward(self: Array, index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the slices of the input added at `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    np.add.at(out.reshape(-1), _slice_positions(index, dim, shape), np.reshape(self, -1))
    return out


# ---------------------------------------------------------------- as the learner calls them


def _dim_of_slices(function: str, input: Tensor, dim: int, index: Tensor, expected: str) -> tuple[int, int]:
    """`dim` counted from the front, and how many slices there are; raise unless `index` is a vector of indices."""
    if index.ndim > 1:
        raise IndexError(f"{function}(): Index is supposed to be a vector, but has {index.ndim} dimensions")
    dim = wrap_dim(dim, input.ndim)
    check_index_dtype(function, index, expected)
    return dim, input.shape[dim] if input.ndim else 1


@public(name="index_select")
def select_slices(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of the input at `index`, a vector of ints, along `dim`: rows 2 and 0 for [2, 0] and dim 0.

    IndexError if one is out of bounds.
    """
    dim, size = _dim_of_slices("index_select", input, dim, index, "int32 or int64")
    if not input.ndim and index.numel() != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    found = index._array
    if found.size and (found.min() < 0 or found.max() >= size):
        raise IndexError(f"index out of range in self: from {found.min()} to {found.max()}, along a size of {size}")
    return index_select(input, index, dim)
