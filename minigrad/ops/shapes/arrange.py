"""Repeating, rolling, mirroring and masking by place: repeat, roll, tril, diag, unfold; and splitting by places.

After this module a reader knows that whatever moves elements has a gradient that moves them back: what was rolled to
the right is rolled to the left, what was repeated is summed, what was left out gets zeros.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.views import storage_start
from minigrad.layout import contiguous, contiguous_copy
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.places.indexing import narrow, slice_index
from minigrad.ops.places.selection import index_select
from minigrad.ops.places.strides import storage_of
from minigrad.ops.reductions.sums import sum
from minigrad.ops.shapes.shape import expand, flatten, flip, reshape, sizes, transpose, unsqueeze
from minigrad.ops.shapes.shape import view as reshaped
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "repeat", "tile", "repeat_interleave", "roll", "rot90", "fliplr", "flipud", "tril", "triu", "diag", "diag_embed",
    "diagflat", "broadcast_to", "ravel", "tensor_split", "hsplit", "vsplit", "dsplit", "unfold", "sum_to_size",
    "narrow_copy", "adjoint",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("tril", "triu")  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("tril", "triu", "diag", "narrow_copy")  # those that take out=


def of_repeats(F: Any, g: Any, shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """The sums of the gradients of all the copies of each element."""
    own = (1,) * (len(repeats) - len(shape)) + shape
    apart = [size for pair in zip(repeats, own, strict=True) for size in pair]
    return F.reshape(F.sum_dims(F.reshape(g, tuple(apart)), tuple(range(0, 2 * len(own), 2)), False), shape)


@op(self=lambda F, g, self_shape, repeats: of_repeats(F, g, self_shape, repeats))
def repeat(self: Array, repeats: tuple[int, ...]) -> Array:
    """The whole array so many times along each dimension, as a copy."""
    return np.tile(self, repeats)


@op(self=lambda F, g, shifts, dims: F.roll(g, tuple(-shift for shift in shifts), dims))
def roll(self: Array, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    """The elements moved on along some dimensions; those that leave at the end come in at the start."""
    return np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0])


@op(self=lambda F, g, k, dims: F.rot90(g, -k, dims))
def rot90(self: Array, k: int, dims: tuple[int, int]) -> Array:
    """Turned k times by a right angle, from the first of two dimensions towards the second, as a copy."""
    return np.rot90(self, k, dims).copy()


@op(self=lambda F, g, diagonal: F.tril(g, diagonal))
def tril(self: Array, diagonal: int) -> Array:
    """What lies on a diagonal of each matrix or below; zeros above."""
    return np.tril(self, diagonal)


@op(self=lambda F, g, diagonal: F.triu(g, diagonal))
def triu(self: Array, diagonal: int) -> Array:
    """What lies on a diagonal of each matrix or above; zeros below."""
    return np.triu(self, diagonal)


@op(name="DiagonalBackward0_copy", self=lambda F, g, self_shape, offset: F.diagonal_put(g, self_shape, offset, 0, 1))
def diagonal_copy(self: Array, offset: int) -> Array:
    """The diagonal of a matrix, as a copy."""
    return np.diagonal(self, offset).copy()


@op(self=lambda F, g, offset, dim1, dim2: F.diagonal(g, offset, dim1, dim2))
def diag_embed(self: Array, offset: int, dim1: int, dim2: int) -> Array:
    """Matrices of zeros that two new dimensions make, with the last dimension of the input on their diagonals."""
    size = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for dim in sorted((dim1, dim2)):
        shape.insert(dim, size)
    return arrays.diagonal_put(self, tuple(shape), offset, dim1, dim2)


@op(name="NarrowCopyBackward0", self=lambda F, g, self_shape, index: F.put(g, index, self_shape))
def slice_copy(self: Array, index: tuple[Any, ...]) -> Array:
    """A part, as a copy."""
    return self[index].copy()


@op(
    name="UnfoldBackward0",
    view=True,
    self=lambda F, g, self_shape, dim, size, step: F.windows_added(g, self_shape, dim, size, step),
)
def sliding_windows(self: Array, dim: int, size: int, step: int) -> Array:
    """Windows of some size along a dimension, `step` apart, with their elements along a new last dimension."""
    if not self.ndim:
        return self.reshape(1)[:size]
    shape, strides = list(self.shape), list(self.strides)
    count = (shape[dim] - size) // step + 1
    row = storage_of(self)
    windows = np.ndarray(
        (*shape[:dim], count, *shape[dim + 1 :], size),
        self.dtype,
        row,
        storage_start(self) * self.itemsize if self.size else 0,
        (*strides[:dim], step * strides[dim], *strides[dim + 1 :], strides[dim]),
    )
    windows.flags.writeable = self.flags.writeable and (step >= size or count <= 1)  # else they share elements
    return windows


@op(self=lambda F, g, dim, size, step: F.sliding_windows(g, dim, size, step))
def windows_added(self: Array, shape: tuple[int, ...], dim: int, size: int, step: int) -> Array:
    """Zeros of a shape with windows added where they were taken from."""
    if not shape:
        return np.add.reduce(self)
    out = np.zeros(shape, self.dtype)
    lead, count = (slice(None),) * dim, self.shape[dim]
    for place in range(size if count else 0):
        out[(*lead, slice(place, place + (count - 1) * step + 1, step))] += self[..., place]
    return out


# ---------------------------------------------------------------- as the learner calls them

_repeat, _roll, _rot90, _tril, _triu, _diag_embed = repeat, roll, rot90, tril, triu, diag_embed


def _repeated(name: str, input: Tensor, repeats: tuple[int, ...]) -> Tensor:
    shape = [own * times for own, times in zip((1,) * (len(repeats) - input.ndim) + input.shape, repeats, strict=True)]
    if min(shape, default=0) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {shape}. {name}() wants numbers of times."
        )
    return _repeat(input, repeats)


def repeat(input: Tensor, *counts: Any, repeats: Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The whole tensor so many times along each dimension, as a copy; with more numbers than dimensions, along new ones
    in front. `x.repeat(2, 3)` and `x.repeat((2, 3))` are the same; `repeats` is the name of that.

    RuntimeError if there are fewer numbers than dimensions.
    """
    (input,) = tensor_operands("repeat", input)
    if not counts and repeats is None:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    times = sizes("repeat", counts if repeats is None else (repeats,))
    if len(times) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: got "
            f"{list(times)} for shape {list(input.shape)}"
        )
    return _repeated("repeat", input, times)


def tile(input: Tensor, *counts: Any, dims: Sequence[int] | None = None) -> Tensor:
    """`repeat`, where fewer numbers than dimensions count for the last dimensions. `dims` is their name."""
    (input,) = tensor_operands("tile", input)
    times = sizes("tile", counts if dims is None else (dims,))
    return _repeated("tile", input, (1,) * (input.ndim - len(times)) + times)


def repeat_interleave(
    input: Tensor, repeats: int | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element (or each part along `dim`) `repeats` times in a row, as a copy.

    Args:
        repeats: a number, or a vector of numbers, one for each. Without it the input is taken as `repeats`, and the
            result has each place so many times.
        dim: None to take the tensor as one row.
        output_size: how many there will be, which saves counting.
    """
    (input,) = tensor_operands("repeat_interleave", input)
    if repeats is None:
        return _places(input, None)
    if isinstance(repeats, bool) or not isinstance(repeats, int | Tensor):
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments: repeats must be an int or a tensor of "
            f"ints, not {type(repeats).__name__}"
        )
    along = flatten(input) if dim is None or not input.ndim else input
    dim = wrap_dim(0 if dim is None else dim, along.ndim)
    if isinstance(repeats, Tensor):
        return index_select(along, dim, _places(_one_for_each(repeats, along.shape[dim]), output_size))
    if repeats < 0:
        raise RuntimeError(f"Repeats must be non-negative, not {repeats}")
    shape = along.shape
    spread = expand(unsqueeze(along, dim + 1), (*shape[: dim + 1], repeats, *shape[dim + 1 :]))
    return reshaped(contiguous_copy(spread), (*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :]))


def _one_for_each(repeats: Tensor, size: int) -> Tensor:
    """A vector of numbers of times for so many parts."""
    if repeats.ndim > 1:
        raise RuntimeError(f"repeats must be 0-dim or 1-dim tensor, not {repeats.ndim}-dim")
    if repeats.numel() == 1:
        return expand(reshape(repeats, 1), size)
    if repeats.numel() != size:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.numel()} and input.size(0) = {size}"
        )
    return repeats


def _places(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each place in a vector of ints so many times as it says."""
    if repeats.ndim != 1:
        raise RuntimeError(f"repeat_interleave only accept 1D vector as repeat, not {repeats.ndim}D")
    if repeats.dtype.category != 1:
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{repeats.dtype.tensor_type}': repeats must be integers"
        )
    if np.any(repeats._array < 0):
        raise RuntimeError("repeats can not be negative")
    places = np.repeat(np.arange(repeats.numel()), repeats._array)
    if output_size is not None and output_size != places.size:
        raise RuntimeError(f"allocated size does not match required size: {output_size}, not {places.size}")
    return from_array(places)


def _ints(value: int | Sequence[int]) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:  # type: ignore[no-redef]
    """The elements moved on by `shifts` along `dims`; those that leave at the end come in at the start.

    Without `dims` they move on in the flattened tensor.
    """
    (input,) = tensor_operands("roll", input)
    steps, along = _ints(shifts), _ints(dims)
    if len(steps) != len(along) and (along or len(steps) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}")
    if along and not input.ndim:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    return _roll(input, steps, tuple(wrap_dim(dim, input.ndim) for dim in along))


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


def _triangle(op: Any, name: str, input: Tensor, diagonal: int) -> Tensor:
    (input,) = tensor_operands(name, input)
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, not {input.ndim}")
    result: Tensor = op(input, int(diagonal))
    return result


def tril(input: Tensor, diagonal: int = 0) -> Tensor:  # type: ignore[no-redef]
    """The lower triangle of each matrix: zeros above the diagonal that is `diagonal` above the main one."""
    return _triangle(_tril, "tril", input, diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:  # type: ignore[no-redef]
    """The upper triangle of each matrix: zeros below the diagonal that is `diagonal` above the main one."""
    return _triangle(_triu, "triu", input, diagonal)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, as a copy; or of a vector, the matrix that has it on its diagonal.

    `diagonal`: how far above the main diagonal.
    """
    (input,) = tensor_operands("diag", input)
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D: see diagonal() and diag_embed()")
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    return diagonal_copy(input, diagonal)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:  # type: ignore[no-redef]
    """Matrices that have the last dimension on their diagonals and zeros elsewhere, along two new dimensions.

    `offset`: how far above the main diagonal.
    """
    (input,) = tensor_operands("diag_embed", input)
    first, second = wrap_dim(dim1, input.ndim + 1), wrap_dim(dim2, input.ndim + 1)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diag_embed(input, offset, first, second)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix that has all elements, in a row, on its diagonal."""
    return diag_embed(ravel(input), offset)


def broadcast_to(input: Tensor, *sizes: Any, size: Sequence[int] | None = None) -> Tensor:
    """`input.expand(size)`: the elements repeated along dimensions of size 1 and along new ones in front."""
    return expand(input, *sizes) if size is None else expand(input, size)


def ravel(input: Tensor) -> Tensor:
    """All elements in a row: a view if they follow each other in memory, else a copy."""
    (input,) = tensor_operands("ravel", input)
    return reshaped(contiguous(input), -1)


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` elements along `dimension`, `step` apart, as a view; their elements are the last dimension."""
    (input,) = tensor_operands("unfold", input)
    dim = wrap_dim(dimension, input.ndim)
    there = input.shape[dim] if input.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > there:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {there} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return sliding_windows(input, dim, size, step)


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dimensions along which a tensor of shape `size` would be repeated to get this one."""
    (input,) = tensor_operands("sum_to_size", input)
    target = sizes("sum_to_size", size)
    lead = input.ndim - len(target)
    if lead < 0 or any(goal not in (1, own) for goal, own in zip(target, input.shape[lead:], strict=True)):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(input.shape)}}}.")
    if target == input.shape:
        return input
    repeated = [*range(lead), *(lead + i for i, goal in enumerate(target) if goal == 1 != input.shape[lead + i])]
    summed = sum(input, repeated, True) if repeated else input
    return reshaped(summed, target) if lead else summed


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`narrow` as a copy: the `length` elements from `start` on along `dim`."""
    (input,) = tensor_operands("narrow_copy", input)
    narrow(input.detach(), dim, start, length)  # raises if there are not so many
    dim = wrap_dim(dim, input.ndim)
    first = start if start >= 0 else start + input.shape[dim]
    return slice_copy(input, (*[slice(None)] * dim, slice(first, first + length), ...))


def adjoint(input: Tensor) -> Tensor:
    """Rows and columns of each matrix exchanged, as a view. (Of complex numbers it would be the conjugate, too.)"""
    return _adjoint(input, "adjoint()")


def _adjoint(input: Tensor, name: str) -> Tensor:
    (input,) = tensor_operands("adjoint", input)
    if not input.ndim:
        return _number_itself(input, name if name == "adjoint()" else f"Tensor.{name}")
    if input.ndim < 2:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


def _hermitian(input: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, as a view."""
    if not input.ndim:
        return _number_itself(input, "Tensor.H")
    if input.ndim != 2:
        more = " For batches of matrices, consider using tensor.mH" if input.ndim > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor.{more}")
    return transpose(input, 0, 1)


def _number_itself(input: Tensor, name: str) -> Tensor:
    warnings.warn(
        f"{name} is deprecated on 0-D tensors. Consider using x.conj(). A number has no rows to exchange.",
        UserWarning,
        stacklevel=frames_to_learner(),
    )
    return input


Tensor.H = property(_hermitian)  # type: ignore[attr-defined]
Tensor.mH = property(lambda self: _adjoint(self, "mH"))  # type: ignore[attr-defined]


# ---------------------------------------------------------------- split at places


def tensor_split(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    dim: int = 0,
    *,
    indices: Sequence[int] | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """Views of the tensor's pieces along `dim`: so many of (nearly) one size, or those between the places given.

    `indices`, `sections`: the same under names of their own.
    """
    (input,) = tensor_operands("tensor_split", input)
    given = next(value for value in (indices_or_sections, indices, sections) if value is not None)
    if not input.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = wrap_dim(dim, input.ndim)
    if isinstance(given, Tensor):
        given = _split_places(given)
    size = input.shape[dim]
    if isinstance(given, int):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        least, larger = divmod(size, given)
        ends = [least * count + min(count, larger) for count in range(1, given)]
    else:
        ends = list(given)
    lead = [slice(None)] * dim
    return tuple(
        slice_index(input, (*lead, slice(*slice(start, end).indices(size)), ...))
        for start, end in zip([0, *ends], [*ends, size], strict=True)
    )


def _split_places(given: Tensor) -> Any:
    """A tensor of places to split at, or a number of sections, as Python numbers."""
    if given.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but "
            f"got a tensor with {given.ndim} dims"
        )
    if given.dtype is not dtypes.int64:
        raise RuntimeError(
            f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {given.dtype.tensor_type}"
        )
    return given.tolist()


def _split_along(name: str, input: Tensor, given: Any, dim: int, least: int) -> tuple[Tensor, ...]:
    (input,) = tensor_operands(name, input)
    if input.ndim < least:
        raise RuntimeError(
            f"minigrad.{name} requires a tensor with at least {least} dimension, but got a tensor with {input.ndim} "
            "dimensions!"
        )
    if isinstance(given, int) and (given == 0 or input.shape[dim] % given):
        raise RuntimeError(
            f"minigrad.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{input.shape[dim]} is not divisible by the split_size {given}!"
        )
    return tensor_split(input, given, dim)


def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Views of pieces side by side: so many of one size, or those between the places given."""
    (input,) = tensor_operands("hsplit", input)
    return _split_along("hsplit", input, indices_or_sections, min(1, max(input.ndim - 1, 0)), 1)


def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Views of pieces one below the other: so many of one size, or those between the places given."""
    return _split_along("vsplit", input, indices_or_sections, 0, 2)


def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Views of pieces along the third dimension: so many of one size, or those between the places given."""
    return _split_along("dsplit", input, indices_or_sections, 2, 3)


# ---------------------------------------------------------------- triangles of indices


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Tensor:
    """The row numbers and the column numbers (shape (2, n)) of a matrix's elements on a diagonal or below."""
    return _triangle_indices("tril_indices", np.tril_indices, row, col, offset, dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Tensor:
    """The row numbers and the column numbers (shape (2, n)) of a matrix's elements on a diagonal or above."""
    return _triangle_indices("triu_indices", np.triu_indices, row, col, offset, dtype)


def _triangle_indices(name: str, find: Any, row: int, col: int, offset: int, dtype: Any) -> Tensor:
    kind = dtypes.int64 if dtype is None else dtypes.resolve(dtype, name)
    for what, count in (("row", row), ("col", col)):
        if count < 0:
            raise RuntimeError(f"{what} must be non-negative, got{count}")
    if kind.category != 1:
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.tensor_type}': indices are integers")
    return from_array(np.stack(find(row, offset, col)).astype(kind.numpy))
