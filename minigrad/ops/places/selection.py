"""Whole parts at once: index_select takes those at a vector of indices along a dimension, index_add brings them there.

After this module a reader knows what looking up rows of a table is, as an embedding does, and why its gradient adds up:
a row that was taken twice is answerable for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.places.scattering import as_row, check_bounds, in_kind, invalid, places, tensor_argument
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def rowwise(index: Array, dim: int, shape: Sequence[int], count: int) -> Array:
    """The places of whole rows: of all elements at `index` (a vector) along `dim`, as one row of numbers."""
    sizes = (*shape[:dim], count, *shape[dim + 1 :])
    column = np.reshape(index, (-1, *[1] * (len(shape) - dim - 1)))
    return places(column, dim, shape, sizes).reshape(-1)


@op(constants=("index",), self=lambda F, g, index, dim, self_shape: F.selected_back(g, index, dim, self_shape))
def index_select(self: Array, index: Array, dim: int) -> Array:
    """The parts of input at `index` (a vector) along `dim`."""
    return np.take(self, np.reshape(index, -1), axis=dim) if np.ndim(self) else np.array(self)


@op(name="IndexAddBackward0", constants=("index",), self=lambda F, g, index, dim: F.index_select(g, index, dim))
def selected_back(self: Array, index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the parts of input added at `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    np.add.at(out.reshape(-1), rowwise(index, dim, shape, index.size), np.reshape(self, -1))
    return out


@op(
    name="IndexAddBackward0",
    constants=("index",),
    self=lambda F, g: g,
    source=lambda F, g, index, dim, alpha, source_shape: F.reshape(F.index_select(g, index, dim), source_shape) * alpha,
)
def add_selected(self: Array, source: Array, index: Array, dim: int, alpha: Any) -> Array:
    """The input with the parts of `source` times alpha added at `index` along `dim`."""
    out, row = as_row(self)
    scaled = source if alpha == 1 else (source * alpha).astype(out.dtype)
    np.add.at(row, rowwise(index, dim, out.shape, index.size), np.reshape(scaled, -1))
    return out


@op(
    constants=("index",),
    self=lambda F, g, index, dim: F.fill_selected(g, index, dim, 0),
    source=lambda F, g, index, dim, source_shape: F.reshape(F.index_select(g, index, dim), source_shape),
)
def index_copy(self: Array, source: Array, index: Array, dim: int) -> Array:
    """The input with the parts of `source` in the place of those at `index` along `dim`."""
    out, row = as_row(self)
    row[rowwise(index, dim, out.shape, index.size)] = np.reshape(source, -1)
    return out


@op(name="IndexFillBackward0", constants=("index",), self=lambda F, g, index, dim: F.fill_selected(g, index, dim, 0))
def fill_selected(self: Array, index: Array, dim: int, value: Any) -> Array:
    """The input with a number in all places at `index` along `dim`."""
    out, row = as_row(self)
    (out if out.ndim else row)[(slice(None),) * dim + (np.reshape(index, -1),)] = value
    return out


def _filled_sum(F: Any, g: Any, index: Any, dim: int) -> Any:
    """The sum of a gradient over all places that were filled, each counted once."""
    return F.sum_all(F.where(F.fill_selected(F.zeros(g.shape, g), index, dim, 1) > 0, g, 0))


@op(
    name="IndexFillBackward1",
    constants=("index",),
    self=lambda F, g, index, dim: F.fill_selected(g, index, dim, 0),
    value=lambda F, g, index, dim: _filled_sum(F, g, index, dim),
)
def fill_selected_with(self: Array, value: Array, index: Array, dim: int) -> Array:
    """The input with one element, a 0-d tensor, in all places at `index` along `dim`."""
    return arrays.fill_selected(self, index, dim, value)


# ---------------------------------------------------------------- as the learner calls them

_index_select, _index_copy = index_select, index_copy


def _vector(function: str, index: Any, text: str, error: type[Exception] = IndexError) -> None:
    tensor_argument(function, "index", 3, index)
    if index.ndim > 1:
        raise error(text)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The parts of the input at `index`, a vector of whole numbers, along `dim`. IndexError if one is out of bounds."""
    tensor_operands("index_select", input)
    _vector("index_select", index, "index_select(): Index is supposed to be a vector")
    dim = wrap_dim(dim, input.ndim)
    if index.dtype.category != 1:
        raise RuntimeError(f"index_select(): Expected dtype int32 or int64 for index, but it is {index.dtype}")
    if not input.ndim and index.numel() != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    size, found = input.shape[dim] if input.ndim else 1, index._array
    if found.size and (found.min() < 0 or found.max() >= size):
        raise IndexError(f"index out of range in self: from {found.min()} to {found.max()}, along a size of {size}")
    return _index_select(input, index, dim)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """The input with the parts of `source` times the number `alpha` added at `index`, a vector, along `dim`."""
    tensor_operands("index_add", input)
    tensor_argument("index_add", "source", 4, source)
    _vector(
        "index_add",
        index,
        f"index_add_(): Index is supposed to be a vector, but got dim: {getattr(index, 'ndim', 0)}",
    )
    dim = wrap_dim(dim, input.ndim)
    if index.dtype.category != 1:
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
    return add_selected(input, source, index, dim, alpha)


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The input with the parts of `source` in the place of those at `index`, a vector, along `dim`."""
    tensor_operands("index_copy", input)
    tensor_argument("index_copy", "source", 4, source)
    dim = wrap_dim(dim, input.ndim)
    _vector("index_copy", index, f"index_copy_(): Index should have dimension 1 or 0 (got {getattr(index, 'ndim', 0)})")
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


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The input with a number, or a 0-d tensor, in all places at `index`, a vector, along `dim`; -1 is the last."""
    tensor_operands("index_fill", input)
    if not isinstance(value, Tensor | int | float | np.number | np.bool_):
        raise invalid("index_fill", dim, index, value)
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    _vector("index_fill", index, "Index has to be a vector/scalar", RuntimeError)
    dim = wrap_dim(dim, input.ndim)
    if index.dtype is not dtypes.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index. It is {index.dtype}.")
    size, found = input.shape[dim] if input.ndim else 1, index._array
    wrong = found[(found < -size) | (found >= size)] if found.size else found
    if wrong.size:
        raise IndexError(f"index {np.reshape(wrong, -1)[0]} is out of bounds for dimension {dim} with size {size}")
    if isinstance(value, Tensor):
        return fill_selected_with(input, value.to(input.dtype), index, dim)
    return fill_selected(input, index, dim, in_kind(value, input))
