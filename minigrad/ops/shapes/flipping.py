"""The elements in other places: flip, roll.

After this module a reader knows that what only moves elements has a gradient that moves them back: flipped again,
rolled the other way. Both are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.shapes.views import int_tuple
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("flip", "roll")  # the functions that are methods of Tensor, too
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


# ---------------------------------------------------------------- as the learner calls them

_flip, _roll = flip, roll


def flip(input: Tensor, *order: Any, dims: Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The elements in opposite order along the dimensions `dims`, as a copy."""
    (input,) = tensor_operands("flip", input)
    wrapped = tuple([wrap_dim(dim, input.ndim) for dim in int_tuple("flip", "dims", order, dims)])
    if len(set(wrapped)) < len(wrapped):
        raise RuntimeError(f"dim {max(wrapped, key=wrapped.count)} appears multiple times in the list of dims")
    return _flip(input, wrapped if input.ndim else ())


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
