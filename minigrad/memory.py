"""Where the elements of arrays lie in memory: parts of a whole, elements that share a place, arrays that overlap.

The engine asks this of views, and of what is written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.tensor_base import TensorBase

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

_CLONE_FIRST = "to a single memory location. Please clone() the tensor before performing the operation."
SHARED = f"unsupported operation: some elements of the input tensor and the written-to tensor refer {_CLONE_FIRST}"
OVERLAP = f"unsupported operation: more than one element of the written-to tensor refers {_CLONE_FIRST}"


class Geometry(NamedTuple):
    """Where the elements of a part lie in the memory of a whole. Strides and offset are counted in elements."""

    whole_shape: tuple[int, ...]
    whole_strides: tuple[int, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def geometry(view: TensorBase) -> Geometry:
    """Where a view lies in its base."""
    part, whole = view._array, view._viewed._array  # type: ignore[union-attr]
    offset = storage_start(part) - storage_start(whole)  # not of addresses: `.data = ...` may have moved the base
    return Geometry(whole.shape, element_strides(whole), part.shape, element_strides(part), offset)


def element_strides(array: Array) -> tuple[int, ...]:
    """An array's strides, in elements."""
    return tuple([stride // array.itemsize for stride in array.strides])


def storage_start(array: Array) -> int:
    """How many elements of an array's memory lie before its first."""
    row = storage_of(array)
    return (array.__array_interface__["data"][0] - row.__array_interface__["data"][0]) // array.itemsize


def storage_of(array: Array) -> Array:
    """All of the memory that an array looks at a part of, as one row."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.transpose(np.argsort(array.strides)[::-1]).reshape(-1)  # of any order of dimensions, and no copy


def part_of_row(row: Array, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """The memory in a row as an array of a shape, from the row's first element."""
    return np.ndarray(shape, row.dtype, row, 0, tuple([stride * row.itemsize for stride in strides]))


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements of memory lie between the first and the last, both included."""
    return 0 if 0 in shape else 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def overlaps(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements share a place in memory."""
    if 0 in shape:
        return False
    reached = 0
    for stride, size in sorted((stride, size) for stride, size in zip(strides, shape, strict=True) if size > 1):
        if stride <= reached:
            return True
        reached += (size - 1) * stride
    return False


def repeats(array: Array) -> bool:
    """Whether elements of an array share a place in memory."""
    return overlaps(array.shape, element_strides(array))


def writable(array: Array, once: bool = False) -> Array:
    """The array's own elements as an array that can be written to: numpy protects those that may share a place. Where
    the memory under them is protected itself, so is what is returned.

    `once`: a dimension along which all elements have one place gets size 1, so that each place is written to once.
    """
    row = storage_of(array)
    strides, shape = element_strides(array), array.shape
    if once and array.size:
        shape = tuple([min(size, 1) if not stride else size for size, stride in zip(shape, strides, strict=True)])
    return part_of_row(row[storage_start(array) :], shape, strides)


def same_elements(first: Array, second: Array) -> bool:
    """Whether two arrays see the same places in memory, in the same order."""
    same_start = first.__array_interface__["data"][0] == second.__array_interface__["data"][0]
    return same_start and first.shape == second.shape and first.squeeze().strides == second.squeeze().strides


# ---------------------------------------------------------------- what may not be written to


def check_overlap(target: Array, source: Array) -> None:
    """Raise if an array that is to be written shares some of its target's memory, but not element by element.

    Like PyTorch, only for arrays without gaps, whose memory is known by its two ends.
    """
    if _share_a_range(target, source) and not same_elements(target, source):
        raise RuntimeError(SHARED)


def check_apart(target: Array, source: Array) -> None:
    """Raise if two arrays share memory: like PyTorch, only for the very same array, and for arrays without gaps."""
    if source is target or _share_a_range(target, source):
        raise RuntimeError(SHARED)


def _share_a_range(first: Array, second: Array) -> bool:
    """Whether two arrays without gaps have memory in common."""
    may_share = second.__class__ is np.ndarray and np.may_share_memory(first, second)
    return may_share and _is_dense(first) and _is_dense(second)


def _is_dense(array: Array) -> bool:
    """Whether the elements fill a range of memory, each place once."""
    largest_step_first = np.argsort(array.strides)[::-1]
    return array.transpose(largest_step_first).flags.c_contiguous
