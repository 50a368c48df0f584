"""Taking elements out by index.

After this module a reader knows why `x[0]` and `x[1:3]` share the memory of `x` while `x[[0, 2]]` is a copy, and that
the gradient of taking out is putting back: zeros everywhere else, and a sum where an element was taken more than once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import is_recording
from minigrad.autograd.saved import save
from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _basic(kind: str) -> Any:
    """Indexing by ints, slices, None and `...`: always a view. One op for each of the names that PyTorch has for it."""

    @op(name=kind, view=True, self=lambda F, g, self_shape, index: F.put(g, index, self_shape))
    def basic_index(self: Array, index: tuple[Any, ...]) -> Array:
        """The part of the tensor that ints, slices, None and `...` select."""
        return self[index]

    return basic_index


_KINDS = ("Alias", "Slice", "Unsqueeze", "Select")
alias_index, slice_index, unsqueeze_index, select_index = (_basic(f"{kind}Backward0") for kind in _KINDS)


@op(
    name="SelectBackward0",
    view=True,
    self=lambda F, g, self_shape, dim, index: F.put(g, (*[slice(None)] * dim, index, ...), self_shape),
)
def select_one(self: Array, dim: int, index: int) -> Array:
    """The part at one place along a dimension."""
    return self[(*[slice(None)] * dim, index, ...)]


@op(name="IndexBackward0", kept=("index",), self=lambda F, g, self_shape, index: F.put(g, index, self_shape))
def advanced_index(self: Array, index: tuple[Any, ...]) -> Array:
    """The elements that arrays of ints or bools select, as a copy."""
    return self[index]


@op(name="IndexPutBackward0", self=lambda F, g, index: F.advanced_index(g, index))
def put(self: Array, index: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input added at an index."""
    out = np.zeros(shape, self.dtype)
    if any(isinstance(part, np.ndarray) and part.dtype != np.bool_ for part in index):
        np.add.at(out, index, self)  # the same element may have been taken several times
    else:
        out[index] = self
    return out


@op(self=lambda F, g, index: F.without_index(g, index))
def without_index(self: Array, index: tuple[Any, ...]) -> Array:
    """The input with zeros at an index."""
    out = np.array(self)
    out[index] = 0
    return out


@op(
    name="IndexPutBackward0",
    kept=("index",),
    self=lambda F, g, index: F.without_index(g, index),
    values=lambda F, g, index, values_shape: F.sum_to(F.advanced_index(g, index), values_shape),
)
def index_put(self: Array, values: Array, index: tuple[Any, ...]) -> Array:
    """The input with other values at an index."""
    out = np.array(self)
    out[index] = values
    return out


@op(
    name="IndexPutBackward0",
    kept=("index",),
    self=lambda F, g: g,
    values=lambda F, g, index, values_shape: F.sum_to(F.advanced_index(g, index), values_shape),
)
def index_add(self: Array, values: Array, index: tuple[Any, ...]) -> Array:
    """The input with values added at an index, several times where it says so."""
    out = np.array(self)
    np.add.at(out, index, values)
    return out


def split_index(input: Tensor, index: Any, simplify: bool = False) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
    """An index in two steps: first the ints, slices, None and `...`, which give a view; then the arrays of ints or
    bools that take elements out of that view, None if there are none.

    IndexError, TypeError or ValueError if it makes no sense.
    """
    parts = index if isinstance(index, tuple) else (index,)
    view: list[Any] = []
    arrays: dict[int, np.ndarray[Any, Any]] = {}  # by their place among the parts of `view`
    for part in parts:
        if isinstance(part, Tensor | list | np.ndarray):
            array = _index_array(part)
            if isinstance(part, Tensor) and part.is_inference() and input._node is not None and is_recording():
                save(part)  # raises
            if array.ndim == 0 and array.dtype.kind != "b":
                view.append(int(array))
                continue
            arrays[len(view)] = array
            view += [slice(None)] * array.ndim if array.dtype.kind == "b" and array.ndim else []
            view += [slice(None)] if array.dtype.kind != "b" else []
            view += [None] if array.dtype.kind == "b" and not array.ndim else []
        elif isinstance(part, bool | np.bool_):
            arrays[len(view)] = np.asarray(part)
            view.append(None)
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
    _check_bounds(input, view, arrays, simplify or len(parts) > 1)
    if not any(part is Ellipsis for part in view):
        view.append(Ellipsis)  # so that a full set of ints still gives a view, not a bare number
    return tuple(view), _in_view(input, view, arrays) if arrays else None


def _index_array(part: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(part._array) if isinstance(part, Tensor) else np.asarray(part)
    if array.size == 0 and not isinstance(part, Tensor):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iub":
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
    if input.ndim == 0 and used:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim tensor to a number"
        )
    if len(used) > input.ndim:
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
    size = input.shape[dim]
    wrong = array[(array < -size) | (array >= size)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {size}")


def _in_view(input: Tensor, view: list[Any], arrays: dict[int, Any]) -> tuple[Any, ...]:
    """The arrays in their places in an index of the view."""
    shapes = [
        array.shape if array.dtype.kind != "b" else np.atleast_1d(array).nonzero()[0].shape for array in arrays.values()
    ]
    try:
        np.broadcast_shapes(*[array.shape for array in arrays.values() if array.dtype.kind != "b"])
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            f"{', '.join(str(list(shape)) for shape in shapes)}"
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
    (input,) = tensor_operands("index", input)
    parts, indices = split_index(input, index)
    if indices is None:
        return basic(input, parts)
    return advanced_index(input if is_whole(parts) else basic(input, parts), indices)


def is_whole(parts: tuple[Any, ...]) -> bool:
    """Whether an index selects the whole tensor as it is."""
    return all(part is Ellipsis or part == slice(None) for part in parts)


def basic(input: Tensor, parts: tuple[Any, ...]) -> Tensor:
    """`input[parts]` for ints, slices, None and `...`: a view."""
    if len(parts) == 2 and parts[1] is Ellipsis and isinstance(parts[0], int | np.integer):
        return select_one(input, 0, int(parts[0]))
    telling = [part for part in parts if part is not Ellipsis and part != slice(None)]
    last = telling[-1] if telling else slice(None) if len(parts) == 2 and parts[0] is not Ellipsis else Ellipsis
    if last is Ellipsis:
        return alias_index(input, parts)
    if last is None:
        return unsqueeze_index(input, parts)
    return slice_index(input, parts) if isinstance(last, slice) else select_index(input, parts)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` elements from `start` on along `dim`, as a view."""
    (input,) = tensor_operands("narrow", input)
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size, first = input.shape[dim], int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= first <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {first})")
    first += size if first < 0 else 0
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return slice_index(input, (*[slice(None)] * dim, slice(first, first + length), ...))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The part at `index` along `dim`, as a view without that dimension."""
    (input,) = tensor_operands("select", input)
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return select_one(input, dim, int(index))
