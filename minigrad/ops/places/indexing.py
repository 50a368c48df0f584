"""`x[index]` with lists and tensors of indices or masks: a copy; and index_put, which writes there.

`x[[0, 2]]` is a copy while `x[0]` is a view (slicing.py): no steps of one length lead through elements that stand
anywhere. The gradient of taking out is putting back: zeros everywhere else, and a sum
where an element was taken more than once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import is_recording
from minigrad.autograd.saved import save
from minigrad.op import check_places, op
from minigrad.ops.places.gather import check_bounds
from minigrad.ops.places.slicing import basic
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
_ARRAYS = (Tensor, list, tuple, np.ndarray, bool, np.bool_)  # and what becomes an array of indices, or a mask
_PARTS = (Tensor, np.ndarray, list, tuple, slice, type(...))  # of an index, which stand between its commas


@op(name="IndexBackward0", kept=("index",), self=lambda F, g, self_shape, index: F.index_backward(g, index, self_shape))
def advanced_index(self: Array, index: tuple[Any, ...]) -> Array:
    """The elements that arrays of ints or bools select, as a copy."""
    return self[index]


@op(name="IndexPutBackward0", self=lambda F, g, index: F.advanced_index(g, index))
def index_backward(self: Array, index: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of the input added at an index: the gradient of taking them out there."""
    out = np.zeros(shape, self.dtype)
    if any(isinstance(part, np.ndarray) and part.dtype != np.bool_ for part in index):
        np.add.at(out, index, self)  # the same element may have been taken several times
    else:
        out[index] = self
    return out


@op(self=lambda F, g, index: F.zero_at(g, index))
def zero_at(self: Array, index: tuple[Any, ...]) -> Array:
    """The input with zeros at an index."""
    out = np.array(self)
    out[index] = 0
    return out


@op(
    name="IndexPutBackward0",
    kept=("index",),
    self=lambda F, g, index: F.zero_at(g, index),
    values=lambda F, g, index, values_shape: F.sum_to(F.advanced_index(g, index), values_shape),
)
def index_put(self: Array, values: Array, index: tuple[Any, ...]) -> Array:
    """The input with other values at an index."""
    out = np.array(self)
    out[index] = values
    return out


# ---------------------------------------------------------------- x[index]


def split_index(input: Tensor, index: Any, written: bool = False) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
    """An index in two steps: first the ints, slices, None and `...`, which give a view; then the arrays of ints or
    bools that take elements out of that view, None if there are none.

    `written`: it is for a write. IndexError, TypeError or ValueError if it makes no sense.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if isinstance(index, list) and any(not isinstance(part, bool | int | np.generic) for part in index):
        raise IndexError(
            f"a list as an index holds ints or bools only: use x[tuple(seq)] or x[tensor(seq)], not {index}"
        )
    view: list[Any] = []
    arrays: dict[int, np.ndarray[Any, Any]] = {}  # by their place among the parts of `view`
    for part in parts:
        if isinstance(part, _ARRAYS):
            array = _index_array(part)
            if isinstance(part, Tensor) and part.is_inference() and input._node is not None and is_recording():
                save(part)  # raises
            if array.ndim == 0 and array.dtype.kind != "b":
                view.append(int(array))
                continue
            arrays[len(view)] = array
            if array.dtype.kind != "b":
                view.append(slice(None))
            else:  # a mask stands for as many dimensions as it has; one without any, for a new one of size 1
                view += [slice(None)] * array.ndim or [None]
        elif part is None or part is Ellipsis or isinstance(part, int | np.integer):
            view.append(part)
        elif isinstance(part, slice):
            view.append(_checked_slice(part))
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                f"(got {type(part).__name__})"
            )
    if sum(part is Ellipsis for part in view) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if arrays and not written:
        check_places(input)
    _check_bounds(input, view, arrays, written or len(parts) > 1)
    if not any(part is Ellipsis for part in view):
        view.append(Ellipsis)  # so that a full set of ints still gives a view, not a bare number
    return tuple(view), _in_view(input, view, arrays) if arrays else None


def _index_array(part: Any) -> np.ndarray[Any, Any]:
    """A list or tensor of indices, or a mask, as an array of ints or bools. (PyTorch also takes bytes, as a mask.)"""
    array = np.asarray(part._array) if isinstance(part, Tensor) else np.asarray(part)
    if array.size == 0 and not isinstance(part, Tensor):
        array = array.astype(np.int64)
    if array.dtype.kind not in "ib":
        raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors; got {array.dtype} {part!r}")
    return array


def _checked_slice(part: slice) -> slice:
    if part.step == 0:
        raise ValueError("slice step cannot be zero")
    if part.step is not None and part.step < 0:
        raise ValueError("step must be greater than zero")
    return slice(*(None if bound is None else int(bound) for bound in (part.start, part.stop, part.step)))


def _check_bounds(input: Tensor, parts: list[Any], arrays: dict[int, Any], simplify: bool) -> None:
    """Raise if an index reaches beyond the tensor. `simplify`: write slices that take all as `:`."""
    used = [part for part in parts if part is not None and part is not Ellipsis]
    if len(used) > input.ndim:
        if not input.ndim and len(parts) == 1 and not arrays:
            if isinstance(used[0], slice):
                raise IndexError("slice() cannot be applied to a 0-dim tensor.")
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}")
    dim = 0
    for place, part in enumerate(parts):
        if part is Ellipsis:
            dim = input.ndim - len([later for later in parts[place + 1 :] if later is not None])
            continue
        if place in arrays:
            _check_array(input, arrays[place], dim, place)
        if part is not None:
            if isinstance(part, int | np.integer) and not -input.shape[dim] <= part < input.shape[dim]:
                raise IndexError(f"index {part} is out of bounds for dimension {dim} with size {input.shape[dim]}")
            if simplify and isinstance(part, slice) and _takes_all(part, input.shape[dim]):
                parts[place] = slice(None)
            dim += 1


def _takes_all(part: slice, size: int) -> bool:
    """Whether a slice is written as one that takes a whole dimension (`-3:` is not, whatever the size)."""
    return not part.start and (part.stop is None or part.stop >= size) and part.step in (None, 1)


def _check_array(input: Tensor, array: Any, dim: int, place: int) -> None:
    if array.dtype.kind == "b":
        if array.ndim and array.shape != input.shape[dim : dim + array.ndim]:
            raise IndexError(
                f"The shape of the mask {list(array.shape)} at index {place} does not match the shape of the indexed "
                f"tensor {list(input.shape)} at index {dim}"
            )
        return
    check_bounds(array, input.shape[dim], dim, -input.shape[dim], IndexError)


def _in_view(input: Tensor, view: list[Any], arrays: dict[int, Any]) -> tuple[Any, ...]:
    """The arrays in their places in an index of the view."""
    try:
        np.broadcast_shapes(*[array.shape for array in arrays.values() if array.dtype.kind != "b"])
    except ValueError:
        counts = [array.nonzero()[0] if array.dtype.kind == "b" and array.ndim else array for array in arrays.values()]
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            f"{', '.join(str(list(array.shape)) for array in counts)}"
        ) from None
    indices: list[Any] = []
    skip = 0
    for place, part in enumerate(view):
        array = arrays.get(place)
        if array is not None:
            indices.append(np.atleast_1d(array) if array.ndim == 0 else array)
            skip = max(array.ndim, 1) if array.dtype.kind == "b" else 1
        if skip:  # a mask of several dimensions stands for as many
            skip -= 1
        elif part is Ellipsis:
            indices.append(Ellipsis)
        elif part is None or isinstance(part, slice):
            indices.append(slice(None))
    return tuple(indices)


def index(input: Tensor, index: Any) -> Tensor:
    """`input[index]`: a view for ints, slices, None and `...`; a copy for lists and tensors of ints or bools."""
    parts, indices = split_index(input, index)
    if indices is None:
        return basic(input, parts)
    return advanced_index(input if is_whole(parts) else basic(input, parts), indices)


def is_whole(parts: tuple[Any, ...]) -> bool:
    """Whether an index selects the whole tensor as it is."""
    return all(part is Ellipsis or part == slice(None) for part in parts)
