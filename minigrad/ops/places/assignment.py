"""What is written over a tensor or a part of it, whatever it held: `x[index] = value`, fill_, zero_ and copy_.

These have a node although the result does not depend on the old elements: it says that these have no gradient any more,
and hands the gradient of what was written to where that came from. An assignment is a write in place to the view that
`x[index]` is (minigrad/writing.py tells of these). Only lists and tensors of indices need more: what they select is no
view, so that there is an operation of its own, index_put_.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import count_write, short, type_name, warn
from minigrad.autograd.fitting import fit_gradient, sums_to
from minigrad.autograd.inplace import begin_write, check_history
from minigrad.autograd.modes import check_mode
from minigrad.memory import OVERLAP, check_apart, check_overlap, repeats, same_elements, writable
from minigrad.op import Array, op, with_node_name
from minigrad.operands import check_places
from minigrad.ops.places import indexing
from minigrad.ops.shapes.expanding import broadcast_to, check_expands
from minigrad.public import public
from minigrad.tensor import Tensor, from_array, own_array
from minigrad.writing import in_place, needs_grad


@op(name="FillBackward2", exact=True, self=lambda F, g: F.zeros(g.shape, g))
def overwritten(self: Array, values: Array) -> Array:
    """The values, an array, in the place of the input."""
    return values


zeroed = with_node_name(overwritten, "ZeroBackward0")


@op(name="FillBackward3", self=lambda F, g: F.zeros(g.shape, g), value=lambda F, g: F.sum_all(g))
def filled_by_tensor(self: Array, value: Array) -> Array:
    """One element, a 0-d tensor, everywhere in the place of the input."""
    return np.full_like(self, value.astype(self.dtype))


@op(
    name="CopyBackwards",
    exact=True,
    self=lambda F, g: F.zeros(g.shape, g),
    src=lambda F, g, src_shape, src_dtype: fit_gradient(g, src_shape, src_dtype),
)
def copied(self: Array, src: Array) -> Array:
    """The elements of `src`, broadcast with the input and in its dtype, in the place of the input's."""
    return np.broadcast_to(src, np.broadcast_shapes(self.shape, src.shape)).astype(self.dtype)


# ---------------------------------------------------------------- the methods


def _fill(self: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value.ndim:
            text = f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions"
            raise RuntimeError(f"{text}: use copy_() for that.")
        return filled_by_tensor(self, value)
    if not isinstance(value, dtypes.NUMBER_TYPES):
        got = f"got ({type_name(value)}), but expected a number or a 0-d tensor"
        raise TypeError(f"fill_() received an invalid combination of arguments - {got}")
    return overwritten(self, np.full(self.shape, dtypes.element(self.dtype, value, alone=self.numel() == 1)))


def _copy_from(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    if not isinstance(src, (Tensor, *dtypes.NUMBER_TYPES)):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}: {src!r}")
    return copied(self, _as_source(src))


def _write_copy(self: Tensor, src: Any, non_blocking: bool = False) -> None:
    write_part(self, (...,), None, _as_source(src))


def _as_source(src: Any) -> Tensor:
    """What is copied, a tensor or a number, as a tensor; a number in a dtype of its own, from which it is converted."""
    return src if isinstance(src, Tensor) else from_array(np.asarray(src))


fill_ = public(in_place(_fill, "fill_", shares=True))
zero_ = public(in_place(lambda self: zeroed(self, np.zeros_like(self._array)), "zero_", shares=True))
copy_ = public(function=False)(in_place(_copy_from, "copy_", writes=_write_copy))


# ---------------------------------------------------------------- x[index] = value


def set_item(self: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`: write into a part of the tensor."""
    if index is False:
        return  # nothing is selected: nothing is written or counted
    recorded = needs_grad(self, value) and self._array.dtype.kind == "f"
    parts, taken = indexing.read_index(self, None if index is True else index, recorded, written=True)
    if not isinstance(value, Tensor | int | float | np.integer):
        kind = f"minigrad.{self.dtype.tensor_type}Tensor"
        raise TypeError(f"can't assign a {type_name(value)} to a {kind}: try tensor({short(value)})")
    value = value if isinstance(value, Tensor) else from_array(dtypes.element(self.dtype, value, alone=True))
    if value.dtype is not self.dtype and value.numel() == 1:
        kinds = [part.dtype.kind for part in taken or () if isinstance(part, np.ndarray)]
        value = value.to(self.dtype) if kinds == ["b"] else value  # for a mask, as masked_fill_ does
    if not recorded:
        write_part(self, parts, taken, value)
        return
    target = self if indexing.is_whole(parts) else indexing.basic(self, parts)
    if taken is not None:
        value = _without_leading_ones(value)
        check_history(target)
        check_places(value)
        _check_memory(own_array(target), value)
        _put_(target, taken, value)
    elif value.ndim == 0 and target.ndim:
        fill_(target, value)
    else:
        source = value if value.shape == target.shape else _without_leading_ones(value)
        if source.shape != target.shape:
            check_places(source)
            source = broadcast_to(source, target.shape)
        copy_(target, source)


def write_part(self: Tensor, parts: tuple[Any, ...], taken: tuple[Any, ...] | None, value: Tensor) -> None:
    """Write into a part of a tensor where no graph has to know of it."""
    memory = own_array(self)
    view = memory if indexing.is_whole(parts) else memory[parts]
    if taken is not None:
        source = _without_leading_ones(value)
        _check_values(self, view[taken].shape, source)
        _check_memory(view, source)
    else:
        source = value if value.shape == view.shape else _without_leading_ones(value)
        check_expands(source, view.shape)
        if same_elements(view, source._array):  # to write it over itself changes nothing
            check_mode(self)
            count_write(self)
            return
    if not memory.flags.writeable:
        view = writable(memory)[parts]  # a part of it may well be written to
    if taken is None:
        values = np.broadcast_to(source._array, view.shape)
        if value.ndim:  # a single number is read before anything is written
            check_overlap(view, values)
        if repeats(view):
            raise RuntimeError(OVERLAP)
    begin_write(self, view)
    view[... if taken is None else taken] = source._array


def _without_leading_ones(value: Tensor) -> Tensor:
    """The value without dimensions of size 1 in front, as in `x[0] = tensor([[1., 2.]])`."""
    count = next((place for place, size in enumerate(value.shape) if size != 1), value.ndim)
    return value.view(value.shape[count:]) if count else value


def _check_memory(target: Array, value: Tensor) -> None:
    """What PyTorch says of elements that share places, before it writes to them through indices."""
    if repeats(target):
        warn(
            "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor"
        )
    check_apart(target, value._array)


def _check_values(self: Tensor, there: tuple[int, ...], value: Tensor) -> None:
    """Raise if a value could not be written to places of shape `there`."""
    if not sums_to(there, value.shape):
        text = f"value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of shape"
        raise RuntimeError(f"shape mismatch: {text} {list(there)}")
    if value.dtype is not self.dtype:
        kinds = f"{self.dtype.tensor_type} for the destination and {value.dtype.tensor_type} for the source"
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {kinds}.")


def _index_put(self: Tensor, taken: tuple[Any, ...], values: Tensor) -> Tensor:
    """What the arrays select, replaced."""
    _check_values(self, self._array[taken].shape, values)
    return indexing.index_put(self, values, taken)


def _put_values(self: Tensor, taken: tuple[Any, ...], values: Tensor) -> None:
    """Write only where the indices say. (In an expanded tensor elements share places, so that others follow.)"""
    memory = own_array(self) if own_array(self).flags.writeable else writable(self._array)
    begin_write(self, memory)
    memory[taken] = values._array


_put_ = in_place(_index_put, "index_put_", shares=True, writes=_put_values)
