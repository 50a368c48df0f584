"""Elements repeated: expand, which copies nothing, and repeat, which copies; what shapes broadcast to.

Broadcasting is a view with stride 0, one element seen many times, and its gradient is therefore a sum, `sum_to`: what
is seen many times answers for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import warn
from minigrad.half_precision import widen
from minigrad.op import Array, arrays, op, tensors
from minigrad.ops.reductions.dims import np_sum
from minigrad.public import Sizes, public
from minigrad.size import size_mismatch
from minigrad.tensor import Tensor


@op(view=True, self=lambda F, g, self_shape: unbroadcast(F, g, self_shape))
def expand(self: Array, shape: tuple[int, ...]) -> Array:
    """The elements, in the memory they have, repeated along dimensions of size 1 and along new ones in front."""
    if math.prod(shape) == self.size:  # nothing is repeated, so the result may be written to
        return self.reshape(shape)
    return np.broadcast_to(self, shape)


def _repeated_dims(own: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions along which `shape` was repeated to make this one."""
    lead = len(own) - len(shape)
    return (*range(lead), *(lead + i for i, size in enumerate(shape) if size == 1 != own[lead + i]))


def sum_to(self: Array, shape: tuple[int, ...]) -> Array:
    """For rules: the sum over the dimensions along which `shape` was repeated to make this one."""
    repeated = _repeated_dims(self.shape, shape)
    if self.itemsize == 2:  # the rules of views call this kernel as it is
        return np_sum(widen(self), axis=repeated, keepdims=True).reshape(shape).astype(self.dtype)[()]
    return np_sum(self, axis=repeated, keepdims=True).reshape(shape)[()]


def _recorded_sum_to(input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The same, of the operations that PyTorch records for it."""
    if not shape:
        return tensors.sum_all(input)
    total = tensors.sum_dims(input, _repeated_dims(input.shape, shape), True)
    return tensors.reshape(total, shape) if input.ndim > len(shape) else total


arrays.sum_to, tensors.sum_to = sum_to, _recorded_sum_to


def unbroadcast(F: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """For rules: a gradient summed over the dimensions along which its input was broadcast, if it was."""
    return g if g.shape == shape else F.sum_to(g, shape)


def _sum_of_copies(F: Any, g: Any, self_shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """The gradient of each element: of (times, size) along each dimension, the sum over times."""
    lead = len(repeats) - len(self_shape)
    pairs = [*repeats[:lead], *(size for pair in zip(repeats[lead:], self_shape, strict=True) for size in pair)]
    return F.sum_dims(F.reshape(g, tuple(pairs)), (*range(lead), *range(lead, len(pairs), 2)), False)


@public(function=False)
@op(self=_sum_of_copies)
def repeat(self: Array, repeats: Sizes) -> Array:
    """The whole tensor so many times along each dimension, as a copy: `x.repeat(2, 3)` or `x.repeat((2, 3))`.

    With more numbers than dimensions, also along new ones in front; RuntimeError if there are fewer.
    """
    if len(repeats) < self.ndim:
        text = "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        raise RuntimeError(f"{text}: got {list(repeats)} for shape {list(self.shape)}")
    own = (1,) * (len(repeats) - self.ndim) + self.shape
    shape = [size * times for size, times in zip(own, repeats, strict=True)]
    if min(shape, default=0) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {shape}")
    return np.tile(self, repeats)


# ---------------------------------------------------------------- as the learner calls them


@public
def tile(input: Tensor, dims: Sizes) -> Tensor:
    """The whole tensor so many times along its last dimensions, as a copy: `repeat`, which fewer numbers may tell."""
    return repeat(input, (1,) * (input.ndim - len(dims)) + dims)


def check_expands(input: Tensor, target: Sequence[int]) -> None:
    """RuntimeError unless the input can be repeated to the shape `target`."""
    shape, sizes = list(input.shape), list(target)
    lead = len(sizes) - len(shape)
    if lead < 0:
        text = f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        call = f"expand(minigrad.{input.dtype.tensor_type}Tensor{{{shape}}}, size={sizes})"
        raise RuntimeError(f"{call}: the number of sizes provided {text}")
    for dim in reversed(range(len(shape))):  # as in PyTorch, the last one that does not fit is named
        if shape[dim] not in (1, sizes[lead + dim]) and sizes[lead + dim] != -1:
            must = f"The expanded size of the tensor ({sizes[lead + dim]}) must match the existing size ({shape[dim]})"
            where = f"at non-singleton dimension {lead + dim}.  Target sizes: {sizes}.  Tensor sizes: {shape}"
            raise RuntimeError(f"{must} {where}")


@public
def broadcast_to(input: Tensor, size: Sizes) -> Tensor:
    """The elements repeated along dimensions of size 1 and along new ones in front, as a view; -1 keeps a size.

    RuntimeError if another size would change.
    """
    check_expands(input, size)
    own = (-1,) * (len(size) - input.ndim) + input.shape
    target = tuple([old if new == -1 else new for old, new in zip(own, size, strict=True)])
    if any(count < 0 for count in target):
        text = "isn't allowed in a leading, non-existing dimension"
        raise RuntimeError(f"The expanded size of the tensor ({min(target)}) {text}")
    return expand(input, target)


public(name="expand", function=False)(broadcast_to)


def common_shape(function: str, first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The shape that two shapes have together; RuntimeError if they do not broadcast."""
    mismatch = size_mismatch(function, first, second)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    return np.broadcast_shapes(tuple(first), tuple(second))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of the tensors, expanded to the shape that they have together; those that have it already as they are."""
    shape: tuple[int, ...] = ()
    for tensor in tensors:
        shape = common_shape("broadcast_tensors", shape, tensor.shape)
    return tuple([tensor if tensor.shape == shape else expand(tensor, shape) for tensor in tensors])


@public(method=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: of vectors with n and m numbers two tensors of shape (n, m), which are views.

    `indexing`: "ij" for that shape, "xy" for (m, n), as in pictures. RuntimeError for another one.
    """
    axes = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], Sequence) else tensors
    if indexing is None:
        warn("minigrad.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'minigrad.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    columns = [axis.reshape(-1, *(1,) * (len(axes) - place)) for place, axis in enumerate(axes, 1)]
    grids = broadcast_tensors(*columns)
    return tuple([grid.transpose(0, 1) for grid in grids]) if indexing == "xy" and len(axes) > 1 else grids
