"""Elements repeated: expand, which copies nothing; repeat, tile and repeat_interleave, which copy; grids of vectors.

Broadcasting is a view with stride 0, one element seen many times, and its gradient is therefore a sum: what is seen
many times answers for all of them. `expand` and `sum_to` are each other's gradient. Copies come in two orders: a b a b
(repeat) and a a b b (repeat_interleave).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.layout import contiguous_copy
from minigrad.op import op, size_mismatch
from minigrad.ops.places.index_select import index_select
from minigrad.ops.shapes.views import flatten, unsqueeze, view
from minigrad.public import Sizes, as_tensors, public
from minigrad.tensor import Size, Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(view=True, self=lambda F, g, self_shape: F.sum_to(g, self_shape))
def expand(self: Array, shape: tuple[int, ...]) -> Array:
    """The same elements repeated along dimensions of size 1 and along new ones in front, in the same memory."""
    if math.prod(shape) == self.size:  # nothing is repeated, so the result may be written to
        return self.reshape(shape)
    return np.broadcast_to(self, shape)


@op(self=lambda F, g, self_shape: F.expand(g, self_shape))
def sum_to(self: Array, shape: tuple[int, ...]) -> Array:
    """The sum over the dimensions along which `shape` was repeated to make this one."""
    lead = self.ndim - len(shape)
    repeated = (*range(lead), *(lead + i for i, size in enumerate(shape) if size == 1 != self.shape[lead + i]))
    return np.add.reduce(self, axis=repeated, keepdims=True).reshape(shape)[()]


def unbroadcast(F: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """For rules: a gradient summed over the dimensions along which its input was broadcast, if it was."""
    return g if g.shape == shape else F.sum_to(g, shape)


def _sum_of_copies(F: Any, g: Any, self_shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """The gradient of each element: of (times, size) along each dimension, the sum over times."""
    own = (1,) * (len(repeats) - len(self_shape)) + self_shape
    pairs = [size for pair in zip(repeats, own, strict=True) for size in pair]
    return F.reshape(F.sum_dims(F.reshape(g, tuple(pairs)), tuple(range(0, 2 * len(own), 2)), False), self_shape)


@public(function=False)
@op(self=_sum_of_copies)
def repeat(self: Array, repeats: Sizes) -> Array:
    """The whole tensor so many times along each dimension, as a copy: `x.repeat(2, 3)` or `x.repeat((2, 3))`.

    With more numbers than dimensions, also along new ones in front; RuntimeError if there are fewer.
    """
    if len(repeats) < self.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: got "
            f"{list(repeats)} for shape {list(self.shape)}"
        )
    own = (1,) * (len(repeats) - self.ndim) + self.shape
    shape = [size * times for size, times in zip(own, repeats, strict=True)]
    if min(shape, default=0) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {shape}")
    return np.tile(self, repeats)


# ---------------------------------------------------------------- as the learner calls them


def check_expands(input: Tensor, target: Sequence[int]) -> None:
    """RuntimeError unless the input can be repeated to the shape `target`."""
    shape, sizes = list(input.shape), list(target)
    lead = len(sizes) - len(shape)
    if lead < 0:
        raise RuntimeError(
            f"expand(minigrad.{input.dtype.tensor_type}Tensor{{{shape}}}, size={sizes}): the number of sizes provided "
            f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    for dim in reversed(range(len(shape))):  # as in PyTorch, the last one that does not fit is named
        if shape[dim] not in (1, sizes[lead + dim]) and sizes[lead + dim] != -1:
            raise RuntimeError(
                f"The expanded size of the tensor ({sizes[lead + dim]}) must match the existing size ({shape[dim]}) at "
                f"non-singleton dimension {lead + dim}.  Target sizes: {sizes}.  Tensor sizes: {shape}"
            )


@public(out=False)
def broadcast_to(input: Tensor, size: Sizes) -> Tensor:
    """The elements repeated along dimensions of size 1 and along new ones in front, as a view; -1 keeps a size.

    RuntimeError if another size would change.
    """
    check_expands(input, size)
    own = (-1,) * (len(size) - input.ndim) + input.shape
    target = tuple([old if new == -1 else new for old, new in zip(own, size, strict=True)])
    if any(count < 0 for count in target):
        raise RuntimeError(
            f"The expanded size of the tensor ({min(target)}) isn't allowed in a leading, non-existing dimension"
        )
    return expand(input, target)


public(name="expand", function=False)(broadcast_to)


@public(function=False)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.shape)`."""
    return broadcast_to(input, other.shape)


def common_shape(function: str, first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The shape that two shapes have together; RuntimeError if they do not broadcast."""
    mismatch = size_mismatch(function, first, second)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    return np.broadcast_shapes(tuple(first), tuple(second))


@public(method=False, out=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors, expanded to the shape that they have together; those that have it already as they are."""
    shape: tuple[int, ...] = ()
    for tensor in as_tensors("broadcast_tensors", "tensors", 1, tensors):
        shape = common_shape("broadcast_tensors", shape, tensor.shape)
    return tuple([tensor if tensor.shape == shape else expand(tensor, shape) for tensor in tensors])


@public(method=False, out=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes have together; an int counts as a shape of one dimension."""
    together: tuple[int, ...] = ()
    for shape in shapes:
        together = common_shape("broadcast_shapes", together, (shape,) if isinstance(shape, int) else shape)
    return Size(together)


@public(out=False)
def tile(input: Tensor, dims: Sizes) -> Tensor:
    """`repeat`, where numbers fewer than the dimensions count for the last ones."""
    return repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


@public(out=False)
def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each element (or each part along `dim`) `repeats` times in a row, as a copy.

    Args:
        repeats: a number, or a vector of ints, one for each.
        dim: None to take the tensor as one row.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int | Tensor):
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments: repeats must be an int or a tensor of "
            f"ints, not {type(repeats).__name__}"
        )
    if dim is not None and not input.ndim:
        raise IndexError(f"Dimension out of range: it is {dim}, but the tensor is a number and has no dimensions")
    along = flatten(input) if dim is None else input
    dim = 0 if dim is None else wrap_dim(dim, input.ndim)
    before, size, after = along.shape[:dim], along.shape[dim], along.shape[dim + 1 :]
    if isinstance(repeats, Tensor):
        return index_select(along, from_array(_repeated_indices(repeats, size)), dim)
    if repeats < 0:
        raise RuntimeError(f"Repeats must be non-negative, not {repeats}")
    copies = contiguous_copy(expand(unsqueeze(along, dim + 1), (*before, size, repeats, *after)))
    return view(copies, (*before, size * repeats, *after))


def _repeated_indices(repeats: Tensor, size: int) -> Array:
    """Each index below `size` as often as the int there says: [2, 0, 1] gives [0, 0, 2]."""
    if repeats.dtype not in (dtypes.int32, dtypes.int64):
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{repeats.dtype.tensor_type}': convert the repeats, "
            "as in repeats.long()"
        )
    times = repeats._array
    if times.ndim > 1:
        raise RuntimeError(f"repeats must be 0-dim or 1-dim tensor, not {times.ndim}-dim")
    if times.size not in (1, size):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {times.size} and "
            f"input.size(0) = {size}"
        )
    if np.any(times < 0):
        raise RuntimeError("repeats can not be negative")
    return np.repeat(np.arange(size), times)


@public(method=False, out=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: for each vector, its numbers along a dimension of its own, repeated along the others.

    Args:
        tensors: vectors (or numbers) of one dtype.
        indexing: "ij" to have the dimensions in the order of the vectors; "xy" with the first two exchanged, as
            pictures have them.
    """
    listed = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    if indexing is None:
        warnings.warn(
            "minigrad.meshgrid: in an upcoming release, it will be required to pass the indexing argument. Without it "
            "indexing='ij' is taken.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    if not listed:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for vector in as_tensors("meshgrid", "tensors", 1, listed):
        if vector.ndim > 1:
            raise RuntimeError(
                f"minigrad.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {vector.ndim}D, of shape "
                f"{list(vector.shape)}"
            )
        if vector.dtype is not listed[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'minigrad.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    places = [*range(len(listed))]
    if indexing == "xy":
        places[:2] = places[:2][::-1]
    shape = tuple([listed[place].numel() for place in places])  # exchanging two twice changes nothing
    ones = (1,) * len(shape)
    return tuple(
        expand(view(vector, (*ones[:place], vector.numel(), *ones[place + 1 :])), shape)
        for place, vector in zip(places, listed, strict=True)
    )
