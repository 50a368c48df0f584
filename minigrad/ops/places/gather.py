"""Taking out and putting in where a tensor says so: gather, scatter, index_select, masked_fill, take, nonzero.

After this module a reader knows that these come in pairs, each the other's gradient: what was taken out of a place
gets its gradient put back there (added, if it was taken twice), and what was put somewhere has its gradient taken from
there. Here are those that count elements as if in one row, and those that write in the place of a view; the others have
files of their own. `where`, the choice between two tensors, is in pointwise/choice.py; `x[index]` is in indexing.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.ops.places.masks import argwhere, masked_fill, masked_scatter, masked_select, nonzero
from minigrad.ops.places.scattering import (
    as_row,
    gather,
    scatter,
    scatter_add,
    scatter_reduce,
    take_along_dim,
    tensor_argument,
)
from minigrad.ops.places.selection import index_add, index_copy, index_fill, index_select
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# fmt: off
__all__ = [  # all that are public
    "argwhere", "diagonal_scatter", "gather", "index_add", "index_copy", "index_fill", "index_select", "masked_fill",
    "masked_scatter", "masked_select", "nonzero", "put", "scatter", "scatter_add", "scatter_reduce", "select_scatter",
    "slice_scatter", "take", "take_along_dim",
]
# fmt: on
METHODS = tuple(__all__)  # the functions that are methods of Tensor, too
IN_PLACE = (  # those that have an in-place form, with a trailing underscore
    *("scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_fill"),
    *("masked_fill", "masked_scatter", "put"),
)
OUT = (  # those that take out=
    *("gather", "scatter", "scatter_add", "scatter_reduce", "take_along_dim", "index_select", "index_add"),
    *("index_copy", "masked_select", "nonzero", "take"),
)


@op(constants=("index",), self=lambda F, g, index, self_shape: F.taken_back(g, index, self_shape))
def take(self: Array, index: Array) -> Array:
    """The elements of input at `index`, counted as if it were one row."""
    return np.reshape(self, -1).take(index)


@op(name="PutBackward0", constants=("index",), self=lambda F, g, index: F.take(g, index))
def taken_back(self: Array, index: Array, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input added at `index`, counted as if it were one row."""
    out = np.zeros(shape, self.dtype)
    np.add.at(out.reshape(-1), np.reshape(index, -1), np.reshape(self, -1))
    return out


@op(
    name="PutBackward0",
    constants=("index",),
    self=lambda F, g, index, accumulate: (
        g if accumulate else F.put_in_row(g, F.zeros(index.shape, g), index, accumulate)
    ),
    source=lambda F, g, index, source_shape: F.reshape(F.take(g, index), source_shape),
)
def put_in_row(self: Array, source: Array, index: Array, accumulate: bool) -> Array:
    """The input with the elements of `source` put, or added, at `index`, counted as if it were one row."""
    out, row = as_row(self)
    if accumulate:
        np.add.at(row, np.reshape(index, -1), np.reshape(source, -1))
    else:
        row[np.reshape(index, -1)] = np.reshape(source, -1)
    return out


def _in_view_of(node: str) -> Any:
    """One op for each of the names that PyTorch has, by which view is meant."""

    @op(
        name=node,
        self=lambda F, g, index: F.without_index(g, index),
        src=lambda F, g, index: F.basic_index(g, index),
    )
    def put_view(self: Array, src: Array, index: tuple[Any, ...]) -> Array:
        """The input with other values in the part that ints and slices select."""
        out = np.array(self)
        out[index] = src
        return out

    return put_view


put_select, put_slice = _in_view_of("SelectScatterBackward0"), _in_view_of("SliceScatterBackward0")


@op(
    self=lambda F, g, src_shape, offset, dim1, dim2: F.diagonal_scatter(g, F.zeros(src_shape, g), offset, dim1, dim2),
    src=lambda F, g, offset, dim1, dim2: F.diagonal(g, offset, dim1, dim2),
)
def diagonal_scatter(self: Array, src: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The input with other values on a diagonal."""
    out = np.array(self)
    seen = np.diagonal(out, offset, dim1, dim2)
    seen.flags.writeable = True
    seen[...] = src
    return out


# ---------------------------------------------------------------- as the learner calls them

_take, _diagonal_scatter = take, diagonal_scatter


def _check_row(function: str, input: Tensor, index: Any) -> None:
    """Raise unless `index` counts elements of the input; from its end, if negative."""
    if tensor_argument(function, "index", 2, index).dtype is not dtypes.int64:
        raise RuntimeError(f"{function}(): Expected a long tensor for index, but got {index.dtype.tensor_type}")
    count, found = input.numel(), index._array
    if found.size and (found.min() < -count or found.max() >= count):
        if not count and function == "take":
            raise IndexError("take(): tried to take from an empty tensor")
        wrong = found.max() if found.max() >= count else found.min()
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")


def take(input: Tensor, index: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The elements of the input at `index`, counted as if it were one row; in the shape of `index`."""
    tensor_operands("take", input)
    _check_row("take", input, index)
    return _take(input, index)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The input with the elements of `source` put at `index`, counted as if it were one row; or added there
    (`accumulate`).
    """
    tensor_operands("put", input)
    tensor_argument("put", "source", 3, source)
    if tensor_argument("put", "index", 2, index).dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype.tensor_type}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{input.dtype.tensor_type} and source.dtype = {source.dtype.tensor_type}"
        )
    if source.numel() != index.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    _check_row("put", input, index)
    return put_in_row(input, source, index, bool(accumulate))


def _check_src(src: Tensor, there: Sequence[int]) -> None:
    if tuple(src.shape) != tuple(there):
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(there)}"
        )


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """The input with `src` in the place of `input.select(dim, index)`."""
    tensor_operands("select_scatter", input, src)
    _check_src(src, input.detach().select(dim, index).shape)
    where = (*[slice(None)] * wrap_dim(dim, input.ndim), int(index), ...)
    return put_select(input, src.to(input.dtype), where)


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """The input with `src` in the place of its part from `start` up to `end` along `dim`, every `step`-th."""
    tensor_operands("slice_scatter", input, src)
    if not input.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    where = (*[slice(None)] * wrap_dim(dim, input.ndim), slice(start, end, step), ...)
    _check_src(src, input._array[where].shape)
    return put_slice(input, src.to(input.dtype), where)


def diagonal_scatter(  # type: ignore[no-redef]
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """The input with `src` in the place of `input.diagonal(offset, dim1, dim2)`."""
    tensor_operands("diagonal_scatter", input, src)
    _check_src(src, input.detach().diagonal(offset, dim1, dim2).shape)
    return _diagonal_scatter(
        input, src.to(input.dtype), int(offset), wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    )
