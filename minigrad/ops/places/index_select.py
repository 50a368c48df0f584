"""Whole slices at a vector of indices along one dimension: index_select, index_add, index_copy, index_fill.

After this module a reader knows what looking up rows of a table is, as an embedding does, and why its gradient adds up:
a row that was taken twice gets the gradients of both. Along the first of two dimensions:

    index_select: result[i] = input[index[i]]
    index_add:    result[index[i]] += source[i]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.operands import NUMBERS
from minigrad.ops.places.checks import check_bounds, in_dtype_of, is_index, tensor_argument, wrong_arguments
from minigrad.ops.places.gather import copy_and_row, flat_positions
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("index_select", "index_add", "index_copy", "index_fill")  # the functions that are methods of Tensor, too
IN_PLACE = ("index_add", "index_copy", "index_fill")  # those that have an in-place form, with a trailing underscore
OUT = ("index_select", "index_add", "index_copy")  # those that take out=


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


@op(
    constants=("index",),
    self=lambda F, g: g,
    source=lambda F, g, index, dim, alpha, source_shape: F.reshape(F.index_select(g, index, dim), source_shape) * alpha,
)
def index_add(self: Array, source: Array, index: Array, dim: int, alpha: Any) -> Array:
    """The input with the slices of `source` times alpha added at `index` along `dim`."""
    out, row = copy_and_row(self)
    scaled = source if alpha == 1 else source * out.dtype.type(alpha)
    np.add.at(row, _slice_positions(index, dim, out.shape), np.reshape(scaled, -1))
    return out


@op(
    constants=("index",),
    self=lambda F, g, index, dim: F.index_fill(g, index, dim, 0),
    source=lambda F, g, index, dim, source_shape: F.reshape(F.index_select(g, index, dim), source_shape),
)
def index_copy(self: Array, source: Array, index: Array, dim: int) -> Array:
    """The input with the slices of `source` in the place of those at `index` along `dim`."""
    out, row = copy_and_row(self)
    row[_slice_positions(index, dim, out.shape)] = np.reshape(source, -1)
    return out


@op(constants=("index",), self=lambda F, g, index, dim: F.index_fill(g, index, dim, 0))
def index_fill(self: Array, index: Array, dim: int, value: Any) -> Array:
    """The input with a number everywhere at `index` along `dim`."""
    out, row = copy_and_row(self)
    (out if out.ndim else row)[(slice(None),) * dim + (np.reshape(index, -1),)] = value
    return out


def _filled_sum(F: Any, g: Any, index: Any, dim: int) -> Any:
    """The sum of a gradient over all elements that were filled, each counted once."""
    return F.sum_all(F.where(F.index_fill(F.zeros(g.shape, g), index, dim, 1) > 0, g, 0))


@op(
    name="IndexFillBackward1",
    constants=("index",),
    self=lambda F, g, index, dim: F.index_fill(g, index, dim, 0),
    value=_filled_sum,
)
def index_fill_tensor(self: Array, value: Array, index: Array, dim: int) -> Array:
    """The input with one element, a 0-d tensor, everywhere at `index` along `dim`."""
    return arrays.index_fill(self, index, dim, value)


# ---------------------------------------------------------------- as the learner calls them

_index_select, _index_add, _index_copy, _index_fill = index_select, index_add, index_copy, index_fill


def _check_vector(function: str, index: Any, text: str, error: type[Exception] = IndexError) -> None:
    """Raise unless `index` is a tensor of at most one dimension; `text` is what PyTorch says of others."""
    tensor_argument(function, "index", 3, index)
    if index.ndim > 1:
        raise error(text)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The slices of the input at `index`, a vector of ints, along `dim`: rows 2 and 0 for [2, 0] and dim 0.

    IndexError if one is out of bounds.
    """
    tensor_operands("index_select", input)
    _check_vector("index_select", index, "index_select(): Index is supposed to be a vector")
    dim = wrap_dim(dim, input.ndim)
    if not is_index(index):
        raise RuntimeError(f"index_select(): Expected dtype int32 or int64 for index, but it is {index.dtype}")
    if not input.ndim and index.numel() != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    size, found = input.shape[dim] if input.ndim else 1, index._array
    if found.size and (found.min() < 0 or found.max() >= size):
        raise IndexError(f"index out of range in self: from {found.min()} to {found.max()}, along a size of {size}")
    return _index_select(input, index, dim)


def index_add(  # type: ignore[no-redef]
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1
) -> Tensor:
    """A copy of the input with the slices of `source`, times the number `alpha`, added at `index` along `dim`.

    `index`: a vector of as many ints as `source` has slices; each may occur several times. RuntimeError if shapes or
    dtypes do not fit.
    """
    tensor_operands("index_add", input)
    tensor_argument("index_add", "source", 4, source)
    _check_vector(
        "index_add",
        index,
        f"index_add_(): Index is supposed to be a vector, but got dim: {getattr(index, 'ndim', 0)}",
    )
    dim = wrap_dim(dim, input.ndim)
    if not is_index(index):
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {index.dtype.tensor_type}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"index_add_(): self ({input.dtype.tensor_type}) and source ({source.dtype.tensor_type}) must have the "
            "same scalar type"
        )
    if source.ndim != input.ndim or any(
        own != other for d, (own, other) in enumerate(zip(input.shape, source.shape, strict=True)) if d != dim
    ):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input.shape)} source.shape = {list(source.shape)}"
        )
    count = source.shape[dim] if source.ndim else 1
    if index.numel() != count:
        raise RuntimeError(
            f"index_add_(): Number of indices ({index.numel()}) should be equal to source.size(dim): ({count}), for "
            f"dim: {dim}"
        )
    check_bounds(index._array, input.shape[dim] if input.ndim else 1, dim)
    return _index_add(input, source, index, dim, alpha)


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The input with the slices of `source` in the place of those at `index`, a vector, along `dim`."""
    tensor_operands("index_copy", input)
    tensor_argument("index_copy", "source", 4, source)
    dim = wrap_dim(dim, input.ndim)
    _check_vector(
        "index_copy", index, f"index_copy_(): Index should have dimension 1 or 0 (got {getattr(index, 'ndim', 0)})"
    )
    if source.ndim != input.ndim and source.ndim and input.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {index.dtype.tensor_type}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{input.dtype.tensor_type} and (source) {source.dtype.tensor_type}"
        )
    count = source.shape[dim] if source.ndim else 1
    slices = [(*tensor.shape[:dim], *tensor.shape[dim + 1 :]) for tensor in (input, source)]
    if slices[0] != slices[1]:
        own, other = (" ".join(map(str, sizes)) for sizes in slices)
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{own} at dimension {dim} and source slice shape: {other} at dimension {dim}."
        )
    if index.numel() != count:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.numel()}) should be equal to source.size(dim) ({count})"
        )
    check_bounds(index._array, input.shape[dim] if input.ndim else 1, dim, IndexError, "index_copy_(): ")
    return _index_copy(input, source, index, dim)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:  # type: ignore[no-redef]
    """A copy of the input with a number, or a 0-d tensor, in all slices at `index` along `dim`.

    `index`: a vector of ints; -1 is the last. IndexError if one is out of bounds.
    """
    tensor_operands("index_fill", input)
    if not isinstance(value, (Tensor, *NUMBERS)):
        raise wrong_arguments("index_fill", dim, index, value)
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    _check_vector("index_fill", index, "Index has to be a vector/scalar", RuntimeError)
    dim = wrap_dim(dim, input.ndim)
    if index.dtype is not dtypes.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index. It is {index.dtype}.")
    size, found = input.shape[dim] if input.ndim else 1, index._array
    wrong = found[(found < -size) | (found >= size)] if found.size else found
    if wrong.size:
        raise IndexError(f"index {np.reshape(wrong, -1)[0]} is out of bounds for dimension {dim} with size {size}")
    if isinstance(value, Tensor):
        return index_fill_tensor(input, value.to(input.dtype), index, dim)
    return _index_fill(input, index, dim, in_dtype_of(value, input))
