"""Other shapes for the elements that there are: view, reshape, flatten, squeeze, unsqueeze.

These copy nothing where they can help it: the result is a view, the same memory read by other sizes. The gradient has
the same elements, too, and goes back into the old shape. (Views with the dimensions in another order are in
transposing.py, views that repeat elements in expanding.py.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from minigrad.op import Array, arrays, op, tensors, with_node_name
from minigrad.public import Dims, Sizes, public
from minigrad.tensor import Tensor, from_array, wrap_dim


def infer_shape(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The shape with its -1, if there is one, worked out for `count` elements; RuntimeError if it does not fit."""
    for index, size in enumerate(shape):
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {index} of shape {list(shape)}")
    known, open_sizes = abs(math.prod(shape)), shape.count(-1)
    if open_sizes > 1:
        raise RuntimeError("only one dimension can be inferred")
    if open_sizes and known == count == 0:
        reason = "because the unspecified dimension size -1 can be any value and is ambiguous"
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} {reason}")
    if (not known or count % known) if open_sizes else known != count:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return tuple([count // known if size == -1 else size for size in shape]) if open_sizes else shape


def _in_old_shape(F: Any, g: Any, self_shape: tuple[int, ...]) -> Any:
    """The gradient of what has the same elements under another shape."""
    return F.reshape(g, self_shape)


@public(function=False, overloaded=True)
@op(view=True, self=_in_old_shape)
def view(self: Array, size: Sizes) -> Array:
    """The tensor's memory under another shape; one size may be -1: what is left for it.

    RuntimeError if that cannot be done without a copy.
    """
    out = self.reshape(infer_shape(size, self.size))
    if self.size and not np.may_share_memory(out, self):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return out


@op(self=_in_old_shape)
def unsafe_view(self: Array, shape: tuple[int, ...]) -> Array:
    """Another shape for memory that nothing else looks at, so that no view has to be recorded."""
    return self.reshape(shape)


@public(in_place="view")
@op(view=True, self=lambda F, g, dim: F.squeeze_one(g, (dim,)))
def unsqueeze(self: Array, dim: int) -> Array:
    """A new dimension of size 1 at `dim`, as a view."""
    return np.expand_dims(self, wrap_dim(dim, self.ndim + 1))


@op(name="SqueezeBackward1", view=True, self=lambda F, g, dim: reduce(F.unsqueeze, dim, g))
def squeeze_one(self: Array, dim: tuple[int, ...]) -> Array:
    """The array without the dimensions `dim`, which have size 1."""
    return self.squeeze(dim)


squeeze_all = with_node_name(squeeze_one, "SqueezeBackward0")  # by how the dimensions are given
squeeze_several = with_node_name(squeeze_one, "SqueezeBackward2")


@public(overloaded=True, in_place="view")
def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    """The tensor without its dimensions of size 1, or without those of them that `dim` names, as a view."""
    wrapped = range(input.ndim) if dim is None else different_dims(dim, input.ndim)
    ones = tuple([d for d in wrapped if input.ndim and input.shape[d] == 1])
    by_kind = squeeze_all if dim is None else squeeze_one if isinstance(dim, int) else squeeze_several
    return by_kind(input, ones)


def different_dims(dims: Dims, ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front: one, several, or None; RuntimeError if one is there twice."""
    listed = dims if isinstance(dims, Sequence) else () if dims is None else (dims,)
    wrapped = tuple([wrap_dim(dim, ndim) for dim in listed])
    for position, dim in enumerate(wrapped):
        if dim in wrapped[:position]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


@public
def reshape(input: Tensor, shape: Sizes) -> Tensor:
    """Another shape, as a view where that is possible, else as a copy; one size may be -1: what is left for it."""
    array = input._array
    if array.flags.c_contiguous:
        return view(input, shape)
    target = infer_shape(shape, array.size)
    if np.may_share_memory(array.reshape(target), array):
        return view(input, target)
    return unsafe_view(input.contiguous(), target)


@public(composed=True)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim`, both included, made into one: (2, 3, 4) becomes (24,)."""
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if input.ndim and start == end:
        return input
    merged = math.prod(input.shape[start : end + 1])
    return reshape(input, (*input.shape[:start], merged, *input.shape[end + 1 :]))


@public(function=False)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.shape)`."""
    return view(input, other.shape)


# What rules call as F.reshape(g, shape) and F.zeros(shape, like): zeros of the dtype of `like`.
arrays.reshape, tensors.reshape = np.reshape, reshape
arrays.zeros = lambda shape, like: np.zeros(shape, like.dtype)
tensors.zeros = lambda shape, like: from_array(np.zeros(shape, like._array.dtype))
