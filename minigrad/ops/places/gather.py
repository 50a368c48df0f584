"""One index for each element: gather and take_along_dim take elements from there; scatter.py brings them there.

After this module a reader knows that gather reads, along one dimension, from the index that is written at each place of
the result, and that its gradient adds to where was read. In two dimensions, along the first:

    gather:       result[i, j] = input[index[i, j], j]
    its gradient: gradient[index[i, j], j] += g[i, j]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.ops.places.checks import check_index, tensor_argument
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("gather", "take_along_dim")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("gather", "take_along_dim")  # those that take out=


def flat_positions(index: Array, dim: int, shape: Sequence[int], sizes: Sequence[int]) -> Array:
    """The positions, counted in row-major order, in an array of `shape` of the elements that are at `index` along `dim`
    and at 0, 1, 2, … along every other dimension, up to its size in `sizes`.
    """
    if len(shape) < 2 or not index.size:
        return index
    positions = np.multiply(index, math.prod(shape[dim + 1 :]), dtype=np.int64)
    for other, size in enumerate(sizes):
        if other != dim:
            steps = np.arange(size) * math.prod(shape[other + 1 :])
            positions = positions + steps.reshape(-1, *[1] * (len(sizes) - other - 1))
    return positions


def copy_and_row(array: Array) -> tuple[Array, Array]:
    """A copy of an array, and the copy's memory as one row."""
    out = np.array(array, order="C")
    return out, out.reshape(-1)


# Where several elements meet at one position, np.add.at adds them in order. For a row of numbers and a row of positions
# it is fast, for indices of whole rows it is not. 4,096 rows of 128 floats into 1,000 rows: rows 3.7 ms, the positions
# of their elements written out 0.6 ms, np.bincount 1.0 ms (and float64 only), sorted for np.add.reduceat 1.4 ms.


@op(constants=("index",), self=lambda F, g, index, dim, self_shape: F.gather_backward(g, index, dim, self_shape))
def gather(self: Array, index: Array, dim: int) -> Array:
    """For each element of `index` the element of the input that is there along `dim`."""
    return np.reshape(self, -1).take(flat_positions(index, dim, np.shape(self), index.shape))


@op(name="ScatterAddBackward0", constants=("index",), self=lambda F, g, index, dim: F.gather(g, index, dim))
def gather_backward(self: Array, index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of the input added at `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    np.add.at(out.reshape(-1), flat_positions(index, dim, shape, index.shape).reshape(-1), np.reshape(self, -1))
    return out


# ---------------------------------------------------------------- as the learner calls them

_gather = gather


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:  # type: ignore[no-redef]
    """For each element of `index` the element of the input that is there along `dim`.

    In two dimensions, along the first: result[i, j] = input[index[i, j], j]. The result has the shape of `index`, which
    may be smaller than the input in the other dimensions. (`sparse_grad` is of no effect: the gradient is dense.)
    RuntimeError if an index is out of bounds, or not of dtype int32 or int64.
    """
    return _gather(input, index, check_index("gather", input, dim, index))


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, for indices that broadcast with the input in the other dimensions, and may count from the end.

    Without `dim`, both are taken as one row.
    """
    tensor_operands("take_along_dim", input)
    if tensor_argument("take_along_dim", "indices", 2, indices).dtype is not dtypes.int64:
        raise RuntimeError(
            f"minigrad.take_along_dim(): dtype of indices should be Long but got {indices.dtype.tensor_type}"
        )
    if dim is None:
        return gather(input.view(-1), 0, from_array(np.reshape(indices._array, -1)))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "minigrad.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, input.ndim)
    mine, theirs = ([*t.shape[:dim], 1, *t.shape[dim + 1 :]] for t in (input, indices))
    mismatch = size_mismatch("take_along_dim", mine, theirs)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    shape = np.broadcast_shapes(mine, theirs)
    around = [(*shape[:dim], t.shape[dim], *shape[dim + 1 :]) for t in (input, indices)]
    wrapped = np.broadcast_to(indices._array % max(input.shape[dim], 1), around[1])
    return gather(input.expand(around[0]), dim, from_array(wrapped))
