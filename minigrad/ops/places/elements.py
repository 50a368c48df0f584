"""Single elements, at places given by a tensor of indices (gather, scatter, scatter_add) or by a mask (masked_fill).

`gather` has one index for each element, and `scatter` and `scatter_add` bring elements there. Each is the other's
gradient: where gather reads along one dimension, its gradient adds; where scatter writes, its gradient is read. In two
dimensions, along the first:

    gather:      result[i, j] = input[index[i, j], j]
    scatter:     result[index[i, j], j] = src[i, j]
    scatter_add: result[index[i, j], j] += src[i, j]

A mask is a choice of elements, and a gradient passes only through those that were chosen. `nonzero` makes indices of a
mask. (`where`, the choice between two tensors, is in ops/pointwise/choices.py.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, arrays, op
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.public import Number, Operand, public
from minigrad.tensor import Tensor, from_array, from_index, wrap_dim


def _flat_positions(index: Array, dim: int, shape: Sequence[int], sizes: Sequence[int]) -> Array:
    """The positions, counted in row-major order, in an array of `shape` of the elements that are at `index` along `dim`
    and at 0, 1, 2, … along every other dimension, up to its size in `sizes`.
    """
    index = index.astype(np.intp, copy=False)  # in a browser Python counts in 32 bits
    if len(shape) < 2 or not index.size:
        return index
    positions = index * math.prod(shape[dim + 1 :])
    for other, size in enumerate(sizes):
        if other != dim:
            steps = np.arange(size) * math.prod(shape[other + 1 :])
            positions = positions + steps.reshape(-1, *[1] * (len(sizes) - other - 1))
    return positions


@op(
    constants=("index",), self=lambda F, g, index, dim, self_shape: F.scatter_add(F.zeros(self_shape, g), g, index, dim)
)
def gather(self: Array, index: Array, dim: int) -> Array:
    """For each element of `index` the element of the input that is there along `dim`."""
    return np.reshape(self, -1).take(_flat_positions(index, dim, np.shape(self), index.shape))


def _zeros_at_index(F: Any, g: Any, index: Any, dim: int) -> Any:
    """The gradient of what was written over at `index`: zeros there."""
    return F.scatter_number(g, index, dim, 0)


@op(constants=("index",), self=_zeros_at_index, src=lambda F, g, index, dim: F.gather(g, index, dim))
def scatter(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` put at `index` along `dim`."""
    out = np.array(self, order="C")
    out.reshape(-1)[_flat_positions(index, dim, out.shape, index.shape)] = src
    return out


@op(name="ScatterBackward1", constants=("index",), self=_zeros_at_index)
def scatter_number(self: Array, index: Array, dim: int, number: Any) -> Array:
    """The input with a number put at `index` along `dim`."""
    return arrays.scatter(self, number, index, dim)


@op(constants=("index",), self=lambda F, g: g, src=lambda F, g, index, dim: F.gather(g, index, dim))
def scatter_add(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` added at `index` along `dim`: where several come to one place, in order."""
    out = np.array(self, order="C")
    np.add.at(out.reshape(-1), np.reshape(_flat_positions(index, dim, out.shape, index.shape), -1), np.reshape(src, -1))
    return out


def _outside_mask(F: Any, g: Any, mask: Any, self_shape: tuple[int, ...]) -> Any:
    """The gradient of what was kept outside of a mask."""
    return unbroadcast(F, F.masked_fill(g, mask, 0), self_shape)


@op(name="MaskedFillBackward0", exact=True, constants=("mask",), self=_outside_mask)
def masked_fill(self: Array, mask: Array, value: Any) -> Array:
    """The input with a number where `mask` is true. The two broadcast."""
    return np.where(mask, value, self)  # half the time of np.copyto(copy, value, where=mask)


@op(
    name="MaskedFillBackward1",
    constants=("mask",),
    self=_outside_mask,
    value=lambda F, g, mask: F.sum_all(F.where(mask, g, 0)),
)
def masked_fill_tensor(self: Array, value: Array, mask: Array) -> Array:
    """The input with one element, a 0-d tensor, where `mask` is true."""
    return np.where(mask, value, self)


# ---------------------------------------------------------------- what is checked


def check_bounds(index: Array, size: int, dim: int, least: int = 0, error: type[Exception] = RuntimeError) -> None:
    """Raise unless all of `index` lies from `least` to below `size`."""
    outside = (index < least) | (index >= size)
    if np.count_nonzero(outside):
        wrong = np.reshape(index, -1)[np.reshape(outside, -1)][0]
        raise error(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


def dim_of_index(function: str, input: Tensor, dim: int, index: Tensor, src: Tensor | None = None) -> int:
    """`dim` counted from the front; raise unless `index` fits along it, and fits `src`, if there is one."""
    dim = wrap_dim(dim, input.ndim)
    if index.dtype is not dtypes.int64 and index.dtype is not dtypes.int32:
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index but got: {index.dtype.tensor_type}")
    if src is not None and src.dtype is not input.dtype:
        kinds = f"{input.dtype} and {src.dtype}"
        raise RuntimeError(f"scatter(): Expected self.dtype to be equal to src.dtype, but they are {kinds}")
    if not index.numel():
        return dim
    sizes, theirs, given = (t.shape or (1,) for t in (index, input, index if src is None else src))
    for who, shape in (("input" if function == "gather" else "self", theirs), ("src", given)):
        if len(sizes) != len(shape):
            count = f"{len(sizes)} are not {len(shape)}"
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {who} tensor: {count}")
    for place, size in enumerate(sizes):
        if (place != dim and size > theirs[place]) or size > given[place]:
            text = f"index {list(sizes)} to be no larger than self {list(theirs)} apart from dimension {dim}"
            text += "" if src is None else f" and to be no larger size than src {list(given)}"
            where = f"Size does not match at dimension {place} expected" if function == "gather" else "Expected"
            raise RuntimeError(f"{where} {text}")
    check_bounds(index._array, theirs[dim], dim)
    return dim


def fill_value(function: str, input: Tensor, value: Operand) -> Any:
    """What places are filled with, a number or a 0-d tensor, in the input's dtype."""
    if not isinstance(value, Tensor):
        return dtypes.element(input.dtype, value)
    if value.ndim:
        text = f"a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        raise RuntimeError(f"{function} only supports {text}")
    return value.to(input.dtype)


def _covered_part(index: Tensor, src: Tensor) -> Tensor:
    """The part of `src` that `index` covers."""
    if src.shape == index.shape:
        return src
    if not index.numel():
        return from_array(np.zeros(index.shape, src._array.dtype))
    if not (src.ndim and index.ndim):
        return src[0] if src.ndim else src.view(1)
    return src[tuple(slice(count) for count in index.shape)]


# ---------------------------------------------------------------- as the learner calls them


@public(name="gather")
def gather_along(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """For each element of `index` the element of the input that is there along `dim`.

    In two dimensions, along the first: result[i, j] = input[index[i, j], j]. The result has the shape of `index`, which
    may be smaller than the input in the other dimensions. (`sparse_grad` is of no effect: the gradient is dense.)
    RuntimeError if an index is out of bounds, or not of dtype int32 or int64.
    """
    return gather(input, index, dim_of_index("gather", input, dim, index))


@public(name="scatter", in_place="method", overloaded=True)
def scatter_along(
    input: Tensor, dim: int, index: Tensor, src: Operand | None = None, *, value: Number | None = None
) -> Tensor:
    """A copy of the input with elements of `src`, or the number `value`, put at `index` along `dim`.

    In two dimensions, along the first: result[index[i, j], j] = src[i, j]. Where several come to one place, any of them
    may stay. The number may stand in the place of `src`.
    """
    source = value if src is None else src
    if source is None:
        raise TypeError("scatter() received an invalid combination of arguments: give src, a tensor, or a value")
    if isinstance(source, Tensor):
        dim = dim_of_index("scatter", input, dim, index, source)
        return scatter(input, _covered_part(index, source), index, dim)
    dim = dim_of_index("scatter", input, dim, index)
    return scatter_number(input, index, dim, dtypes.element(input.dtype, source))


@public(name="scatter_add", in_place="method")
def scatter_add_along(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of the input with the elements of `src` added at `index` along `dim`; all of those that come to one place.

    In two dimensions, along the first: result[index[i, j], j] += src[i, j].
    """
    dim = dim_of_index("scatter", input, dim, index, src)
    return scatter_add(input, _covered_part(index, src), index, dim)


@public(name="masked_fill", in_place="method", overloaded=True)
def fill_where(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """A copy of the input with a number, or a 0-d tensor, wherever `mask` (bools) is true. The two broadcast."""
    value = fill_value("masked_fill_", input, value)
    if mask.dtype is not dtypes.bool:
        text = f"boolean masks, but got mask with dtype {mask.dtype.c_name}: try mask != 0"
        raise RuntimeError(f"masked_fill_ only supports {text}")
    return masked_fill_tensor(input, value, mask) if isinstance(value, Tensor) else masked_fill(input, mask, value)


@public
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of all elements that are not zero: a row of indices for each, (count, ndim), or (`as_tuple`) a vector
    of indices for each dimension, with which the tensor can be indexed.
    """
    if as_tuple:
        return tuple(map(from_index, np.atleast_1d(input._array).nonzero()))
    return from_index(np.argwhere(input._array))
