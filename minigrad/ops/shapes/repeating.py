"""Copies of the elements: repeat, tile, repeat_interleave.

After this module a reader knows the two orders of copies, a b a b (repeat) and a a b b (repeat_interleave), and that
the gradient of an element is the sum of its copies' gradients. (To repeat without copying, see expanding.py.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.layout import contiguous_copy
from minigrad.op import op, tensor_operands
from minigrad.ops.places.index_select import index_select
from minigrad.ops.shapes.expanding import expand
from minigrad.ops.shapes.views import flatten, int_tuple, reshape, unsqueeze, view
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("repeat", "tile", "repeat_interleave")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def _sum_of_copies(F: Any, g: Any, self_shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """The gradient of each element: of (times, size) along each dimension, the sum over times."""
    own = (1,) * (len(repeats) - len(self_shape)) + self_shape
    pairs = [size for pair in zip(repeats, own, strict=True) for size in pair]
    return F.reshape(F.sum_dims(F.reshape(g, tuple(pairs)), tuple(range(0, 2 * len(own), 2)), False), self_shape)


@op(self=_sum_of_copies)
def repeat(self: Array, repeats: tuple[int, ...]) -> Array:
    """The whole array so many times along each dimension, as a copy."""
    return np.tile(self, repeats)


# ---------------------------------------------------------------- as the learner calls them

_repeat = repeat


def _checked_repeat(name: str, input: Tensor, repeats: tuple[int, ...]) -> Tensor:
    shape = [own * times for own, times in zip((1,) * (len(repeats) - input.ndim) + input.shape, repeats, strict=True)]
    if min(shape, default=0) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {shape}. {name}() wants numbers of times."
        )
    return _repeat(input, repeats)


def repeat(input: Tensor, *times: Any, repeats: Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The whole tensor so many times along each dimension, as a copy: `x.repeat(2, 3)` or `x.repeat((2, 3))`.

    With more numbers than dimensions, also along new ones in front; RuntimeError if there are fewer.
    """
    (input,) = tensor_operands("repeat", input, composed=True)
    counts = int_tuple("repeat", "repeats", times, repeats)
    if len(counts) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: got "
            f"{list(counts)} for shape {list(input.shape)}"
        )
    return _checked_repeat("repeat", input, counts)


def tile(input: Tensor, *times: Any, dims: Sequence[int] | None = None) -> Tensor:
    """`repeat`, where numbers fewer than the dimensions count for the last ones."""
    (input,) = tensor_operands("tile", input)
    counts = int_tuple("tile", "dims", times, dims)
    return _checked_repeat("tile", input, (1,) * (input.ndim - len(counts)) + counts)


def repeat_interleave(
    input: Tensor, repeats: int | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element (or each part along `dim`) `repeats` times in a row, as a copy.

    Args:
        repeats: a number, or a vector of numbers, one for each. Without it the input is taken as `repeats`, and the
            result has each index so many times.
        dim: None to take the tensor as one row.
        output_size: how many there will be; RuntimeError if it is another number.
    """
    (input,) = tensor_operands("repeat_interleave", input)
    if repeats is None:
        return _repeated_indices(input, output_size)
    if isinstance(repeats, bool) or not isinstance(repeats, int | Tensor):
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments: repeats must be an int or a tensor of "
            f"ints, not {type(repeats).__name__}"
        )
    if dim is not None and not input.ndim:
        raise IndexError(f"Dimension out of range: it is {dim}, but the tensor is a number and has no dimensions")
    along = flatten(input) if dim is None else input
    dim = 0 if dim is None else wrap_dim(dim, input.ndim)
    if isinstance(repeats, Tensor):
        return index_select(along, dim, _repeated_indices(_one_for_each(repeats, along.shape[dim]), output_size))
    if repeats < 0:
        raise RuntimeError(f"Repeats must be non-negative, not {repeats}")
    shape = along.shape
    copies = contiguous_copy(expand(unsqueeze(along, dim + 1), (*shape[: dim + 1], repeats, *shape[dim + 1 :])))
    return view(copies, (*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :]))


def _one_for_each(repeats: Tensor, size: int) -> Tensor:
    """A vector of `size` numbers of times."""
    if repeats.ndim > 1:
        raise RuntimeError(f"repeats must be 0-dim or 1-dim tensor, not {repeats.ndim}-dim")
    if repeats.numel() == 1:
        return expand(reshape(repeats, (1,)), size)
    if repeats.numel() != size:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.numel()} and input.size(0) = {size}"
        )
    return repeats


def _repeated_indices(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each index of a vector of ints as often as the int there says: [2, 0, 1] gives [0, 0, 2]."""
    if repeats.dtype not in (dtypes.int32, dtypes.int64):
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{repeats.dtype.tensor_type}': convert the repeats, "
            "as in repeats.long()"
        )
    if repeats.ndim != 1:
        raise RuntimeError(f"repeat_interleave only accept 1D vector as repeat, not {repeats.ndim}D")
    if np.any(repeats._array < 0):
        raise RuntimeError("repeats can not be negative")
    indices = np.repeat(np.arange(repeats.numel(), dtype=repeats._array.dtype), repeats._array)
    if output_size is not None and output_size != indices.size:
        raise RuntimeError(f"allocated size does not match required size: {output_size}, not {indices.size}")
    return from_array(indices)
