"""The elements in other places: flip, fliplr, flipud, roll, rot90.

After this module a reader knows that what only moves elements has a gradient that moves them back: flipped again,
rolled the other way, turned the other way. All of these are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.shapes.views import int_tuple
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("flip", "fliplr", "flipud", "roll", "rot90")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


@op(self=lambda F, g, dims: F.flip(g, dims))
def flip(self: Array, dims: tuple[int, ...]) -> Array:
    """The elements in opposite order along some dimensions."""
    return np.flip(self, dims).copy()


@op(self=lambda F, g, shifts, dims: F.roll(g, tuple(-shift for shift in shifts), dims))
def roll(self: Array, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    """The elements moved on along some dimensions (none: in the flattened array); what leaves at the end comes in at
    the start.
    """
    return np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0])


@op(self=lambda F, g, k, dims: F.rot90(g, -k, dims))
def rot90(self: Array, k: int, dims: tuple[int, int]) -> Array:
    """Turned k times by a right angle, from the first of two dimensions towards the second."""
    return np.rot90(self, k, dims).copy()


# ---------------------------------------------------------------- as the learner calls them

_flip, _roll, _rot90 = flip, roll, rot90


def flip(input: Tensor, *order: Any, dims: Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The elements in opposite order along the dimensions `dims`, as a copy."""
    (input,) = tensor_operands("flip", input)
    wrapped = tuple([wrap_dim(dim, input.ndim) for dim in int_tuple("flip", "dims", order, dims)])
    if len(set(wrapped)) < len(wrapped):
        raise RuntimeError(f"dim {max(wrapped, key=wrapped.count)} appears multiple times in the list of dims")
    return _flip(input, wrapped if input.ndim else ())


def fliplr(input: Tensor) -> Tensor:
    """The columns in opposite order, as a copy."""
    (input,) = tensor_operands("fliplr", input)
    if input.ndim < 2:
        raise RuntimeError(f"Input must be >= 2-d. Its shape is {list(input.shape)}.")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """The rows in opposite order, as a copy."""
    (input,) = tensor_operands("flipud", input)
    if not input.ndim:
        raise RuntimeError("Input must be >= 1-d. It is a number.")
    return flip(input, 0)


def _ints(value: int | Sequence[int]) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The elements moved on by `shifts` along `dims`; those that leave at the end come in at the start.

    Without `dims` they move on in the flattened tensor.
    """
    (input,) = tensor_operands("roll", input)
    steps, along = _ints(shifts), () if dims is None else _ints(dims)
    if not steps:
        raise RuntimeError("`shifts` required: by how many places to move on")
    if len(steps) != len(along) and (along or len(steps) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}")
    if along and not input.ndim:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    return _roll(input, steps, tuple([wrap_dim(dim, input.ndim) for dim in along]))


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:  # type: ignore[no-redef]
    """Turned `k` times by a right angle, from the first of the dimensions `dims` towards the second, as a copy."""
    (input,) = tensor_operands("rot90", input)
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = (wrap_dim(dim, input.ndim) for dim in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return _rot90(input, k % 4, (first, second))
