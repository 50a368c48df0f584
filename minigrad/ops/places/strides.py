"""Parts of a tensor that are given by where their elements lie in memory.

The gradient of a view of which all that is known is its place in its base: take that part out, put it back, or clear
it. The nodes of views and of writes through views stand on these three.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.half_precision import widen
from minigrad.memory import Geometry, element_strides, extent, overlaps, part_of_row, repeats, storage_of, storage_start
from minigrad.op import Array, op
from minigrad.public import Ints, public
from minigrad.tensor import Tensor, own_array


def _memory(geometry: Geometry, dtype: Any) -> tuple[Array, Array]:
    """Fresh memory of zeros, seen as the whole and as the part."""
    start = min(0, geometry.offset)
    end_of_whole = extent(geometry.whole_shape, geometry.whole_strides)
    end = max(end_of_whole, geometry.offset + extent(geometry.shape, geometry.strides))
    row = np.zeros(end - start, dtype)
    whole = part_of_row(row[-start:], geometry.whole_shape, geometry.whole_strides)
    return whole, part_of_row(row[geometry.offset - start :], geometry.shape, geometry.strides)


def of_strided(F: Any, g: Any, geometry: Geometry) -> Any:
    """The gradient of what a part was taken from: of an empty one a constant, as in PyTorch."""
    return F.put_part(g, geometry) if all(geometry.shape) else F.zeros(geometry.whole_shape, g)


@op(name="AsStridedBackward0", view=True, self=of_strided)
def strided(self: Array, geometry: Geometry) -> Array:
    """The part of the memory under this tensor that a geometry describes."""
    row = storage_of(self)
    part = part_of_row(row[storage_start(self) + geometry.offset :], geometry.shape, geometry.strides)
    part.flags.writeable &= not overlaps(geometry.shape, geometry.strides)
    return part


@op(self=lambda F, g, geometry: F.put_part(g, geometry))
def take_part(self: Array, geometry: Geometry) -> Array:
    """The elements of a part, as a copy."""
    whole, part = _memory(geometry, self.dtype)
    whole[...] = self
    return part.copy()


@op(self=lambda F, g, geometry: F.take_part(g, geometry))
def put_part(self: Array, geometry: Geometry) -> Array:
    """Zeros, with the input in the place of the part; elements that share a place add up."""
    whole, part = _memory(geometry, self.dtype)
    if overlaps(geometry.shape, geometry.strides):
        places, of_part = _memory(geometry, np.int64)
        places[...] = np.arange(places.size).reshape(places.shape)
        row = widen(np.zeros(places.size, self.dtype))
        np.add.at(row, of_part, self)
        return row.reshape(places.shape).astype(self.dtype, copy=False)
    part[...] = self
    return np.ascontiguousarray(whole).reshape(whole.shape)


@op(self=lambda F, g, geometry: F.without_part(g, geometry))
def without_part(self: Array, geometry: Geometry) -> Array:
    """The input with zeros in the place of the part."""
    whole, part = _memory(geometry, self.dtype)
    whole[...] = self
    part[...] = 0
    return np.ascontiguousarray(whole).reshape(whole.shape)


@public(in_place="view")
def as_strided(input: Tensor, size: Ints, stride: Ints, storage_offset: int | None = None) -> Tensor:
    """A view of the memory under the input: of shape `size`, `stride` elements apart, from element `storage_offset`.

    RuntimeError if that reaches beyond the memory.
    """
    array = own_array(input)
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: {list(size)} and {list(stride)}")
    if any(step < 0 for step in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    start = storage_start(array)
    first = start if storage_offset is None else storage_offset
    end = first + extent(size, stride)
    storage = storage_of(array).size
    if first < 0 or end > storage:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {first}, and itemsize "
            f"{array.itemsize} requiring a storage size of {end * array.itemsize} are out of bounds for storage of "
            f"size {storage * array.itemsize}"
        )
    if repeats(array):
        raise RuntimeError("as_strided of a tensor whose elements share memory is not supported: clone() it first")
    return strided(input, Geometry(array.shape, element_strides(array), size, stride, first - start))
