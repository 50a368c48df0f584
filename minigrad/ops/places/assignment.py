"""`x[index] = value`: writing into a part of a tensor.

An assignment is a write in place to the view that `x[index]` is (minigrad/writing.py tells of these). Only lists and
tensors of indices need more: what they select is no view, so that there is an operation of its own, index_put_.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import count_write, type_name, warn
from minigrad.autograd.inplace import begin_write, check_history
from minigrad.autograd.modes import check_mode
from minigrad.memory import OVERLAP, check_apart, check_overlap, repeats, writable
from minigrad.op import check_places, size_mismatch
from minigrad.ops.places import indexing
from minigrad.ops.places.overwrite import copy_, fill_, spread_
from minigrad.ops.shapes.expanding import broadcast_to
from minigrad.tensor import Tensor, from_array, own_array
from minigrad.writing import in_place, needs_grad


def set_item(self: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`: write into a part of the tensor."""
    if index is False:
        return  # nothing is selected: nothing is written or counted
    parts, indices = indexing.read_index(self, None if index is True else index, needs_grad(self, value), written=True)
    if not isinstance(value, Tensor):
        if not isinstance(value, bool | int | float | np.integer):
            raise TypeError(
                f"can't assign a {type_name(value)} to a minigrad.{self.dtype.tensor_type}Tensor: {value!r}. "
                "Make it a tensor first, as in tensor(...)."
            )
        value = from_array(dtypes.element(self.dtype, value))
    whole = indexing.is_whole(parts)
    if not needs_grad(self, value) or self._array.dtype.kind != "f":
        write_part(self, parts, indices, value)
        return
    target = self if whole else indexing.basic(self, parts)
    if indices is not None:
        value = _without_leading_ones(value)
        check_history(target)
        check_places(value)
        _warn_of_repeats(own_array(target))
        check_apart(own_array(target), value._array)
        _put_(target, indices, value)
    elif value.ndim == 0 and target.ndim:
        fill_(target, value)
    else:
        source = value if value.shape == target.shape else _without_leading_ones(value)
        if source.shape == target.shape:
            copy_(target, source)
        else:
            check_places(source)
            spread_(target, broadcast_to(source, target.shape))


def write_part(self: Tensor, parts: tuple[Any, ...], indices: tuple[Any, ...] | None, value: Tensor) -> None:
    """Write into a part of a tensor where no graph has to know of it."""
    whole = indexing.is_whole(parts)
    if value is self and indices is None and whole:
        check_mode(self)
        count_write(self)  # to write a tensor over itself changes nothing
        return
    memory = own_array(self)
    view = memory if whole else memory[parts]
    there = view.shape if indices is None else view[indices].shape
    source = value if value.shape == there and indices is None else _without_leading_ones(value)
    if indices is not None:
        _check_values(self, there, source)
    spread = source._array if source.shape == there else broadcast_to(source.detach(), there)._array
    if indices is not None:
        _warn_of_repeats(view)
        check_apart(view, source._array)
    if not memory.flags.writeable:
        view = writable(memory)[parts]  # a part of it may well be written to
    if indices is not None:
        begin_write(self, view)
        view[indices] = spread
        return
    if value.ndim:  # a single number is read before anything is written
        check_overlap(view, spread)
    if repeats(view):
        raise RuntimeError(OVERLAP)
    begin_write(self, view)
    view[...] = spread


def _warn_of_repeats(array: Any) -> None:
    """PyTorch's warning where a write through indices goes to elements that share places."""
    if repeats(array):
        warn(
            "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor",
        )


def _without_leading_ones(value: Tensor) -> Tensor:
    """The value without dimensions of size 1 in front, as in `x[0] = tensor([[1., 2.]])`."""
    count = next((place for place, size in enumerate(value.shape) if size != 1), value.ndim)
    return value.view(value.shape[count:]) if count else value


def _check_values(self: Tensor, there: tuple[int, ...], value: Tensor) -> None:
    """Raise if a value could not be written to places of shape `there`."""
    fits = size_mismatch("", there, value.shape) is None and np.broadcast_shapes(there, value.shape) == there
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
            f"shape {list(there)}"
        )
    if value.dtype is not self.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {self.dtype.tensor_type} for the "
            f"destination and {value.dtype.tensor_type} for the source."
        )


def _index_put(self: Tensor, indices: tuple[Any, ...], values: Tensor) -> Tensor:
    """What `indices` selects, replaced."""
    source = _without_leading_ones(values)
    _check_values(self, self._array[indices].shape, source)
    return indexing.index_put(self, source, indices)


def _put_through_repeats(self: Tensor, indices: tuple[Any, ...], values: Tensor) -> None:
    """Write to an expanded tensor, whose elements share places: only where the indices say, the rest follows."""
    memory = writable(own_array(self))
    begin_write(self, memory)
    memory[indices] = _without_leading_ones(values)._array


_put_ = in_place(_index_put, "index_put_", through_repeats=_put_through_repeats)
