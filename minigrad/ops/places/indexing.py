"""`x[index]`, and parts along one dimension: select, narrow.

`x[0]` and `x[1:3]` are views: an int or a slice only changes where a view starts and how far it steps. `x[[0, 2]]`,
with a list or a tensor of indices or a mask, is a copy, since no steps of one length lead through elements that stand
anywhere. An index may hold both: then the copy is made of what the view shows. The gradient of taking out is putting
back: zeros everywhere else, and a sum where an element was taken more than once.

`read_index` is the one reader of an index, for `x[index]` as for `x[index] = value` (assignment.py).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name, warn
from minigrad.autograd.saved import save
from minigrad.op import Array, arrays, op, tensors, with_node_name
from minigrad.operands import check_places
from minigrad.ops.places.elements import check_bounds, dim_of_index, fill_value, scatter_add
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.public import Number, Operand, public
from minigrad.tensor import Tensor, from_array, from_index, wrap_dim
from minigrad.writing import needs_grad

Parts = tuple[Any, ...]  # of an index: what stands between its commas
_NO_NUMBERS = (Tensor, np.ndarray, Sequence, slice, type(None), type(...))


def index_along(dim: int, part: Any) -> Parts:
    """The index that takes a part (an int, a slice or an array of ints) along one dimension."""
    return (*(slice(None),) * dim, part, ...)


def _put_into_zeros(F: Any, g: Any, self_shape: tuple[int, ...], index: Parts) -> Any:
    """The gradient of taking out."""
    return F.index_backward(g, index, self_shape)


def _add_to_zeros(F: Any, g: Any, self_shape: tuple[int, ...], index: Parts) -> Any:
    """The same of parts along one dimension."""
    return F.index_add(g, index, self_shape)


@op(name="SliceBackward0", view=True, self=_put_into_zeros)
def basic_index(self: Array, index: Parts) -> Array:
    """The part that ints, slices, None and `...` select: always a view."""
    return self[index]


@op(
    name="SelectBackward0",
    view=True,
    self=lambda F, g, self_shape, dim, index: F.index_backward(g, index_along(dim, index), self_shape),
)
def select_one(self: Array, dim: int, index: int) -> Array:
    """The part at one index along a dimension."""
    return self[index_along(dim, index)]


@op(name="IndexBackward0", exact=True, kept=("index",), self=_put_into_zeros)
def advanced_index(self: Array, index: Parts) -> Array:
    """The elements that arrays of ints or bools select, as a copy."""
    return np.asarray(self[index], order="C")  # numpy would put the dimension of an index behind a `:` first in memory


@op(name="SliceBackwardBackward0", exact=True, self=lambda F, g, index: F.advanced_index(g, index))
def index_backward(self: Array, index: Parts, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of the input added at an index: the gradient of taking them out there."""
    out = np.zeros(shape, self.dtype)
    if any(isinstance(part, np.ndarray) and part.dtype != np.bool_ for part in index):
        np.add.at(out, index, self)  # the same element may have been taken several times
    else:
        out[index] = self
    return out


# PyTorch names the node of an index by the kind of its last part, and that of its gradient by that of its first.
_BASIC = {
    slice: basic_index,
    int: with_node_name(basic_index, "SelectBackward0"),
    type(None): with_node_name(basic_index, "UnsqueezeBackward0"),
    type(...): with_node_name(basic_index, "AliasBackward0", self=lambda F, g: g),
}
_BACKWARD = {
    slice: index_backward,
    int: with_node_name(index_backward, "SelectBackwardBackward0"),
    type(None): with_node_name(index_backward, "SqueezeBackward1"),
    np.ndarray: with_node_name(index_backward, "IndexPutImplBackward0"),
}
tensors.index_backward = lambda g, index, shape: _BACKWARD[_kind(index)](g, index, shape)


def _kind(parts: Iterable[Any]) -> type:
    """The class of the first part of an index that is neither `:` nor `...`; of `...` where there is none."""
    return type(next((part for part in parts if isinstance(part, np.ndarray) or part not in (..., slice(None))), ...))


@op(
    name="IndexPutBackward0",
    exact=True,
    kept=("index",),
    self=lambda F, g, index: F.index_put(g, F.zeros((), g), index),
    values=lambda F, g, index, values_shape: unbroadcast(F, F.advanced_index(g, index), values_shape),
)
def index_put(self: Array, values: Array, index: Parts) -> Array:
    """The input with other values at an index."""
    out = np.array(self)
    out[index] = values
    return out


# What is written to, added to and taken from parts along one dimension has nodes of its own.
_copied_to = with_node_name(index_put, "IndexCopyBackward0")
_filled = with_node_name(index_put, "IndexFillBackward0", values=None)
_filled_by_tensor = with_node_name(index_put, "IndexFillBackward1")
_added = with_node_name(scatter_add, "IndexAddBackward0")
_selected = with_node_name(advanced_index, "IndexSelectBackward0", self=_add_to_zeros)
arrays.index_add, tensors.index_add = arrays.index_backward, with_node_name(index_backward, "IndexAddBackward0")


# ---------------------------------------------------------------- what an index says


def read_index(input: Tensor, index: Any, recorded: bool, written: bool = False) -> tuple[Parts, Parts | None]:
    """An index in two steps: first the ints, slices, None and `...`, which give a view; then the arrays of ints or
    bools that take elements out of that view, None if there are none.

    `recorded`: a node will keep the arrays. `written`: it is for a write. IndexError, TypeError or ValueError if the
    index makes no sense.
    """
    parts = [_read_part(part, recorded) for part in _parts(index)]
    shape = input._array.shape
    counts = [_dim_count(part) for part in parts]
    left_out = len(shape) - sum(counts)
    if left_out < 0:
        raise _too_many(parts, len(shape))
    view: list[Any] = []
    taken: list[Any] = []  # from the view: arrays, and `:` for its other dimensions
    dim = 0
    for part, count in zip(parts, counts, strict=True):
        size = shape[dim] if dim < len(shape) else 0  # nothing is left for what follows two `...`
        if isinstance(part, np.ndarray):
            view += [slice(None)] * count or [None]  # a mask without dimensions stands for a new one of size 1
            taken.append(part if part.ndim else part.reshape(1))
        elif isinstance(part, int):
            if not -size <= part < size:
                raise IndexError(f"index {part} is out of bounds for dimension {dim} with size {size}")
            view.append(part)
        elif part is not Ellipsis or Ellipsis not in view:
            view.append(_read_slice(part, size, written or len(parts) > 1) if isinstance(part, slice) else part)
            taken += [slice(None)] * (left_out if part is Ellipsis else 1)
        dim += left_out if part is Ellipsis else count
    if Ellipsis not in view:
        view.append(Ellipsis)  # so that a full set of ints still gives a view, not a bare number
    if not [part for part in parts if isinstance(part, np.ndarray)]:
        return tuple(view), None
    if not written:
        check_places(input)
    _check_arrays(taken, input._array[tuple(view)].shape)
    return tuple(view), tuple(taken)


def _parts(index: Any) -> Sequence[Any]:
    """What stands between the commas of an index. As in PyTorch, a short list with more in it than numbers counts as a
    tuple.
    """
    if isinstance(index, tuple):
        return index
    if _is_sequence(index) and len(index) < 32 and any(isinstance(part, _NO_NUMBERS) for part in index):
        warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch "
            "2.9; use x[tuple(seq)] instead of x[seq], or x[tensor(seq)] if these are numbers of rows."
        )
        return tuple(index)
    return (index,)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _read_part(part: Any, recorded: bool) -> Any:
    """A part of an index as an int, a slice, None or `...`, or as an array of ints or bools."""
    if part.__class__ is int or part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, Tensor):
        array = np.asarray(part._array)
        if array.dtype.kind == "f" or (array.ndim and array.dtype.kind == "i" and array.itemsize < 4):
            raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors, not {part.dtype}")
        if recorded and array.ndim:
            save(part)  # raises if that must not be
            array = array.copy()  # so that it makes no difference what is written to the tensor later
    elif isinstance(part, (bool, np.ndarray, np.bool_)) or _is_sequence(part):
        array = np.asarray(part)
        if array.dtype.kind not in "biuf" or isinstance(part, np.bool_):
            raise _no_index(part)
        if array.dtype not in (np.bool_, np.uint8):
            array = array.astype(np.int64)
    else:
        try:
            return operator.index(part)
        except TypeError:
            raise _no_index(part) from None
    if array.dtype == np.uint8:
        if array.ndim:
            warn("indexing with dtype minigrad.uint8 is now deprecated, please use a dtype minigrad.bool instead.")
        array = array.astype(np.bool_)
    return array if array.ndim or array.dtype.kind == "b" else int(array)


def _no_index(part: Any) -> Exception:
    if isinstance(part, str | bytes):
        return TypeError(f"new(): invalid data type '{type_name(part)}': {part!r} is no index")
    text = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices"
    return IndexError(f"{text} (got {type_name(part)})")


def _dim_count(part: Any) -> int:
    """How many dimensions a part of an index stands for: a mask for as many as it has."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def _too_many(parts: list[Any], ndim: int) -> IndexError:
    if ndim or len(parts) > 1 or isinstance(parts[0], np.ndarray):
        return IndexError(f"too many indices for tensor of dimension {ndim}")
    if isinstance(parts[0], slice):
        return IndexError("slice() cannot be applied to a 0-dim tensor.")
    return IndexError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
        "0-dim tensor to a number"
    )


def _read_slice(part: slice, size: int, shorten: bool) -> slice:
    """A slice with ints in it; `shorten`: as `:` if it is written as one that takes all (`-3:` is not, whatever the
    size).
    """
    start, stop, step = part.indices(size)  # raises where that makes no sense
    if step < 0:
        raise ValueError("step must be greater than zero")
    takes_all = not part.start and (part.stop is None or operator.index(part.stop) >= size) and step == 1
    return slice(None) if takes_all and shorten else slice(start, stop, step)


def _check_arrays(taken: list[Any], shape: tuple[int, ...]) -> None:
    """IndexError unless the arrays fit into a view of this shape, and with each other."""
    shapes: list[tuple[int, ...]] = []  # a mask counts as the places where it is true, for each of its dimensions
    dim = 0
    for part in taken:
        if isinstance(part, np.ndarray) and part.dtype.kind == "b":
            for place, size in enumerate(part.shape):
                if size != shape[dim + place]:
                    mask, tensor = f"{list(part.shape)} at index {place}", f"{list(shape)} at index {dim + place}"
                    text = f"The shape of the mask {mask} does not match the shape of the indexed tensor {tensor}"
                    raise IndexError(text)
            shapes += [(int(np.count_nonzero(part)),)] * part.ndim
        elif isinstance(part, np.ndarray):
            check_bounds(part, shape[dim], dim, -shape[dim], IndexError)
            shapes.append(part.shape)
        dim += _dim_count(part)
    if len(shapes) == 1:
        return  # the usual case
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        text = "shape mismatch: indexing tensors could not be broadcast together with shapes"
        raise IndexError(f"{text} {', '.join(str(list(shape)) for shape in shapes)}") from None


def is_whole(parts: Parts) -> bool:
    """Whether an index selects the whole tensor as it is."""
    return all(part is Ellipsis or part == slice(None) for part in parts)


# ---------------------------------------------------------------- as the learner calls them


def index(input: Tensor, index: Any) -> Tensor:
    """`input[index]`: a view for ints, slices, None and `...`; a copy for lists and tensors of ints or bools."""
    parts, taken = read_index(input, index, needs_grad(input))
    if taken is None:
        return basic(input, parts)
    return advanced_index(input if is_whole(parts) else basic(input, parts), taken)


def basic(input: Tensor, parts: Parts) -> Tensor:
    """`input[parts]` for ints, slices, None and `...`: a view, whose node PyTorch names after the last part."""
    if len(parts) == 2 and parts[1] is Ellipsis and isinstance(parts[0], int):
        return select_one(input, 0, parts[0])
    return _BASIC[_kind(reversed(parts))](input, parts)


@public(composed=True)
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` elements from `start` on along `dim`, as a view. RuntimeError or IndexError if there are fewer."""
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return basic_index(input, index_along(dim, slice(start, start + length)))


@public
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The part at `index` along `dim`, as a view without that dimension. IndexError if there is none."""
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if not -size <= index < size:
        where = f"for tensor of size {list(input.shape)} at dimension {dim}"
        raise IndexError(f"select(): index {index} out of range {where}")
    return select_one(input, dim, index)


def _parts_at(function: str, expected: str, input: Tensor, dim: int, index: Tensor, fills: bool = False) -> Parts:
    """The index of the parts along `dim` whose numbers are in a vector. `expected` begins PyTorch's words for one of
    another dtype; what `fills` parts may count them from the end.
    """
    if index.dtype is not dtypes.int64 and (index.dtype is not dtypes.int32 or "int32" not in expected):
        error = IndexError if fills else RuntimeError
        raise error(f"{function}(): {expected}, but got {index.dtype.tensor_type}")
    if index.ndim > 1:
        raise IndexError(f"{function}(): Index is supposed to be a vector, not of {index.ndim} dimensions")
    dim = wrap_dim(dim, input.ndim)
    check_bounds(index._array, input.shape[dim], dim, -input.shape[dim] if fills else 0, IndexError)
    return index_along(dim, index._array.reshape(-1).copy())


def _check_source(function: str, error: type[Exception], input: Tensor, dim: int, count: int, source: Tensor) -> None:
    """Raise unless `source` is of the input's dtype and shape, with `count` parts along `dim`."""
    if source.dtype is not input.dtype:
        kinds = f"(self) {input.dtype.tensor_type} and (source) {source.dtype.tensor_type}"
        raise RuntimeError(f"{function}(): self and source expected to have the same dtype, but got {kinds}")
    if source.ndim == input.ndim and source.shape[dim] != count:
        text = f"Number of indices ({count}) should be equal to source.size(dim): ({source.shape[dim]}), for dim: {dim}"
        raise error(f"{function}(): {text}")
    if source.shape != (*input.shape[:dim], count, *input.shape[dim:][1:]):
        text = "source tensor shape must match self tensor shape, excluding the specified dimension. Got"
        raise RuntimeError(f"{text} self.shape = {list(input.shape)} source.shape = {list(source.shape)}")


@public
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The parts along `dim` at the numbers in `index`, a vector, as a copy."""
    return _selected(input, _parts_at("index_select", "Expected dtype int32 or int64 for index", input, dim, index))


@public(in_place="method")
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """A copy of the input to which alpha * `source` is added at the parts along `dim` with the numbers in `index`."""
    dim = wrap_dim(dim, input.ndim)
    _check_source("index_add_", RuntimeError, input, dim, index.numel(), source)
    places = index.reshape(-1, *(1,) * (input.ndim - dim - 1)).expand(source.shape)
    source = source if alpha == 1 else source * alpha
    return _added(input, source, places, dim_of_index("index_add_", input, dim, places, source))


@public(in_place="method")
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of the input in which `source` is in the place of the parts along `dim` with the numbers in `index`."""
    _check_source("index_copy_", IndexError, input, wrap_dim(dim, input.ndim), index.numel(), source)
    return _copied_to(input, source, _parts_at("index_copy_", "Expected a long tensor for index", input, dim, index))


@public(in_place="method")
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """A copy of the input with one number in all parts along `dim` that have the numbers in `index`; negative ones
    count from the end.
    """
    parts = _parts_at("index_fill_", "Expected dtype int64 for index", input, dim, index, fills=True)
    value = fill_value("index_fill_", input, value)
    return (_filled_by_tensor if isinstance(value, Tensor) else _filled)(input, value, parts)


@public
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None) -> Tensor:
    """Each part along `dim` so many times, one after the other; without `dim`, each element.

    `repeats`: an int, or a tensor with a number for each part. Alone it gives the numbers of the parts.
    """
    if repeats is None:
        input, repeats = from_index(np.arange(input.numel())), input
    if dim is None:
        input, dim = input.flatten(), 0
    dim = wrap_dim(dim, input.ndim)
    if not isinstance(repeats, Tensor):
        if repeats < 0:
            raise RuntimeError(f"Repeats must be non-negative: {repeats} is not")
        several = input.unsqueeze(dim + 1).expand(*input.shape[: dim + 1], repeats, *input.shape[dim + 1 :])
        return several.clone().flatten(dim, dim + 1)
    counts = repeats._array.astype(np.intp, copy=False)  # in a browser Python counts in 32 bits
    if counts.size not in (1, input.shape[dim]):
        text = f"got repeats.size(0) = {counts.size} and input.size({dim}) = {input.shape[dim]}"
        raise RuntimeError(f"repeats must have the same size as input along dim, but {text}")
    return index_select(input, dim, from_array(np.arange(input.shape[dim]).repeat(counts)))
