"""Operations that arrange elements anew without changing them.

After this module a reader knows that reshaping, transposing and expanding copy nothing: they give a view, other eyes on
the same memory. Their gradients undo the arrangement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import arrays, op, tensor_operands, tensors
from minigrad.tensor import Size, Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(view=True, self=lambda F, g, self_shape: F.reshape(g, self_shape))
def view(self: Array, shape: tuple[int, ...]) -> Array:
    """The same memory under another shape."""
    out = self.reshape(shape)
    if not np.may_share_memory(out, self) and self.size:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous "
            "subspaces). Use .reshape(...) instead."
        )
    return out


@op(self=lambda F, g, self_shape: F.reshape(g, self_shape))
def unsafe_view(self: Array, shape: tuple[int, ...]) -> Array:
    """Another shape for memory that was copied for the purpose."""
    return self.reshape(shape)


@op(view=True, self=lambda F, g, dim0, dim1: F.transpose(g, dim0, dim1))
def transpose(self: Array, dim0: int, dim1: int) -> Array:
    """Two dimensions exchanged."""
    return np.swapaxes(self, dim0, dim1)


@op(name="TBackward0", view=True, self=lambda F, g: F.matrix_transpose(g))
def matrix_transpose(self: Array) -> Array:
    """Rows and columns exchanged."""
    return self.T


@op(view=True, self=lambda F, g, dims: F.permute(g, tuple(np.argsort(dims).tolist())))
def permute(self: Array, dims: tuple[int, ...]) -> Array:
    """The dimensions in another order."""
    return np.transpose(self, dims)


@op(view=True, self=lambda F, g, self_shape: F.sum_to(g, self_shape))
def expand(self: Array, shape: tuple[int, ...]) -> Array:
    """The same elements repeated along dimensions of size 1, in the same memory."""
    if math.prod(shape) == self.size:  # nothing is repeated, so the result may be written to
        return self.reshape(shape)
    return np.broadcast_to(self, shape)


@op(self=lambda F, g, self_shape: F.expand(g, self_shape))
def sum_to(self: Array, shape: tuple[int, ...]) -> Array:
    """Sum over the dimensions along which `shape` was repeated to make this one; undoes `expand` and broadcasting."""
    lead = self.ndim - len(shape)
    repeated = tuple(range(lead)) + tuple(
        lead + i for i, size in enumerate(shape) if size == 1 and self.shape[lead + i] != 1
    )
    return np.add.reduce(self, axis=repeated, keepdims=True).reshape(shape)[()]


@op(view=True, self=lambda F, g, dim: F.squeeze_one(g, (dim,)))
def unsqueeze(self: Array, dim: int) -> Array:
    """A dimension of size 1 put in at `dim`."""
    return np.expand_dims(self, dim)


def _squeezing(node: str) -> Any:
    """One op for each of the names that PyTorch has, by how the dimensions are given: not, as one, as several."""

    @op(name=node, view=True, self=lambda F, g, self_shape: F.reshape(g, self_shape))
    def squeeze_one(self: Array, dim: tuple[int, ...]) -> Array:
        """Dimensions of size 1 taken out."""
        return self.reshape(tuple([size for i, size in enumerate(self.shape) if i not in dim]))

    return squeeze_one


squeeze_all, squeeze_one, squeeze_several = (_squeezing(f"SqueezeBackward{number}") for number in range(3))


@op(
    tensors=lambda F, g, tensors_shape, dim: [
        F.basic_index(g, (slice(None),) * dim + (i, ...)) for i in range(len(tensors_shape))
    ]
)
def stack(*tensors: Array, dim: int) -> Array:
    """Tensors of one shape put side by side along a new dimension."""
    return np.ascontiguousarray(np.stack(tensors, axis=dim))  # numpy keeps the order of expanded parts


def cat_parts(F: Any, g: Any, shapes: tuple[tuple[int, ...], ...], dim: int) -> list[Any]:
    """Cut the gradient of a concatenation where the pieces met."""
    parts, start = [], 0
    for shape in shapes:
        parts.append(F.basic_index(g, (slice(None),) * dim + (slice(start, start + shape[dim]), ...)))
        start += shape[dim]
    return parts


@op(tensors=lambda F, g, tensors_shape, dim: cat_parts(F, g, tensors_shape, dim))
def cat(*tensors: Array, dim: int) -> Array:
    """Tensors put one after the other along a dimension that they have."""
    joined = np.concatenate(tensors, axis=dim)  # in Fortran's order if no part is in C's, expanded ones for example
    return joined if joined.flags.c_contiguous else np.ascontiguousarray(joined)


def gradients_joined(F: Any, gradients: Sequence[Any], shape: Sequence[int], sizes: Sequence[int], dim: int) -> Any:
    """Put the gradients of a tensor's pieces together again, with zeros for pieces that were not used."""
    known = next(gradient for gradient in gradients if gradient is not None)
    parts = []
    for gradient, size in zip(gradients, sizes, strict=True):
        parts.append(F.zeros((*shape[:dim], size, *shape[dim + 1 :]), known) if gradient is None else gradient)
    return F.cat(*parts, dim=dim)


def _splitting(node: str) -> Any:
    """One op for each of the names that PyTorch has: by one size, by several."""

    @op(
        name=node,
        view=True,
        several=True,
        self=lambda F, g, self_shape, sizes, dim: gradients_joined(F, g, self_shape, sizes, dim),
    )
    def split(self: Array, sizes: tuple[int, ...], dim: int) -> list[Array]:
        """Pieces of some sizes along a dimension."""
        ends = np.cumsum(sizes).tolist()
        lead = (slice(None),) * dim
        return [self[(*lead, slice(end - size, end))] for end, size in zip(ends, sizes, strict=True)]

    return split


split_evenly, split_by_sizes = _splitting("SplitBackward0"), _splitting("SplitWithSizesBackward0")


@op(view=True, several=True, self=lambda F, g, self_shape, dim: gradients_stacked(F, g, self_shape, dim))
def unbind(self: Array, dim: int) -> list[Array]:
    """The parts along a dimension, each without it."""
    return [self[(slice(None),) * dim + (i, ...)] for i in range(self.shape[dim])]


def gradients_stacked(F: Any, gradients: Sequence[Any], shape: Sequence[int], dim: int) -> Any:
    """Put the gradients of a tensor's parts side by side again, with zeros for parts that were not used."""
    known = next(gradient for gradient in gradients if gradient is not None)
    return F.stack(*[F.zeros(known.shape, known) if gradient is None else gradient for gradient in gradients], dim=dim)


@op(
    view=True,
    self=lambda F, g, self_shape, offset, dim1, dim2: F.diagonal_put(g, self_shape, offset, dim1, dim2),
)
def diagonal(self: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The diagonal of each matrix that two dimensions make, as the last dimension."""
    seen = np.diagonal(self, offset, dim1, dim2)
    seen.flags.writeable = self.flags.writeable  # numpy hands it out as read-only, as a precaution
    return seen


@op(self=lambda F, g, offset, dim1, dim2: F.diagonal(g, offset, dim1, dim2))
def diagonal_put(self: Array, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Array:
    """Zeros of a shape with the input on a diagonal."""
    out = np.zeros(shape, self.dtype)
    seen = np.diagonal(out, offset, dim1, dim2)
    seen.flags.writeable = True
    seen[...] = self
    return out


@op(self=lambda F, g, dims: F.flip(g, dims))
def flip(self: Array, dims: tuple[int, ...]) -> Array:
    """The elements in opposite order along some dimensions, as a copy."""
    return np.flip(self, dims).copy()


# ---------------------------------------------------------------- as the learner calls them

_view, _transpose, _permute, _expand, _unsqueeze = view, transpose, permute, expand, unsqueeze
_stack, _cat, _unbind, _diagonal, _flip = stack, cat, unbind, diagonal, flip


def sizes(function: str, values: Sequence[Any]) -> tuple[int, ...]:
    """A shape given as several ints or as one sequence; TypeError for anything else."""
    given: Any = (
        values[0] if len(values) == 1 and isinstance(values[0], Sequence) and not isinstance(values[0], str) else values
    )
    for value in given:
        if not isinstance(value, int | np.integer | Tensor) or isinstance(value, bool):
            raise TypeError(
                f"{function}(): argument 'size' (position 1) must be tuple of ints, not {type(value).__name__}: "
                f"{value!r}"
            )
    return tuple(int(value) for value in given)


def infer_shape(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Work out a -1 in a shape for `count` elements; RuntimeError if the shape does not fit."""
    known = 1
    for index, size in enumerate(shape):
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {index} of shape {list(shape)}")
        known *= size if size >= 0 else 1
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape and known == count == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous: write that size out"
        )
    if -1 in shape and known and count % known == 0:
        return tuple(count // known if size == -1 else size for size in shape)
    if -1 in shape or known != count:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return shape


def view(input: Tensor, *shape: Any) -> Tensor:  # type: ignore[no-redef]
    """The same memory under another shape; -1 stands for what is left.

    RuntimeError if that cannot be done without a copy.
    """
    return _view(input, infer_shape(sizes("view", shape), input.numel()))


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Another shape, as a view where that is possible, else as a copy; -1 stands for what is left."""
    (input,) = tensor_operands("reshape", input)
    target = infer_shape(sizes("reshape", shape), input.numel())
    array = input._array
    if array.flags.c_contiguous or np.may_share_memory(array.reshape(target), array):
        return _view(input, target)
    return unsafe_view(input.clone(), target)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim`, both included, made into one."""
    (input,) = tensor_operands("flatten", input)
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if input.ndim and start == end:
        return input
    merged = Size(input.shape[start : end + 1]).numel()
    return reshape(input, (*input.shape[:start], merged, *input.shape[end + 1 :]))


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:  # type: ignore[no-redef]
    """Two dimensions exchanged, as a view."""
    (input,) = tensor_operands("transpose", input)
    dim0, dim1 = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return _transpose(input, dim0, dim1) if input.ndim else view(input, ())


swapaxes = swapdims = transpose


def t(input: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, as a view; a vector as it is."""
    (input,) = tensor_operands("t", input)
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return matrix_transpose(input)


def permute(input: Tensor, *dims: Any) -> Tensor:  # type: ignore[no-redef]
    """The dimensions in the order `dims`, as a view."""
    (input,) = tensor_operands("permute", input)
    order = sizes("permute", dims)
    if len(order) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of "
            f"dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(order)}"
        )
    wrapped = tuple(wrap_dim(dim, input.ndim) for dim in order)
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permute(input, wrapped)


def expand(input: Tensor, *size: Any) -> Tensor:  # type: ignore[no-redef]
    """The elements repeated along dimensions of size 1 and along new ones in front, without a copy; -1 keeps a size."""
    (input,) = tensor_operands("expand", input)
    asked = sizes("expand", size)
    shape = list(input.shape)
    lead = len(asked) - len(shape)
    if lead < 0:
        raise RuntimeError(
            f"expand(minigrad.{input.dtype.tensor_type}Tensor{{{shape}}}, size={list(asked)}): the number of sizes "
            "provided "
            f"({len(asked)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    target = list(asked)
    for i, own in reversed(list(enumerate(shape))):  # as PyTorch: the last one is named first
        if target[lead + i] == -1:
            target[lead + i] = own
        elif own not in (1, target[lead + i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[lead + i]}) must match the existing size ({own}) at "
                "non-singleton dimension "
                f"{lead + i}.  Target sizes: {list(asked)}.  Tensor sizes: {shape}"
            )
    if any(n < 0 for n in target):
        raise RuntimeError(
            f"The expanded size of the tensor ({min(target)}) isn't allowed in a leading, non-existing dimension"
        )
    return _expand(input, tuple(target))


def unsqueeze(input: Tensor, dim: int) -> Tensor:  # type: ignore[no-redef]
    """A dimension of size 1 put in at `dim`, as a view."""
    (input,) = tensor_operands("unsqueeze", input)
    return _unsqueeze(input, wrap_dim(dim, input.ndim + 1))


def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Dimensions of size 1 taken out, all or only those in `dim`, as a view."""
    (input,) = tensor_operands("squeeze", input)
    asked = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = tuple(d for d in (wrap_dim(d, input.ndim) for d in asked) if input.ndim and input.shape[d] == 1)
    by_kind = squeeze_all if dim is None else squeeze_one if isinstance(dim, int) else squeeze_several
    return by_kind(input, dims)


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.shape)`."""
    input, other = tensor_operands("view_as", input, other)
    return view(input, other.shape)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.reshape(other.shape)`."""
    input, other = tensor_operands("reshape_as", input, other)
    return reshape(input, other.shape)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.shape)`."""
    input, other = tensor_operands("expand_as", input, other)
    return expand(input, other.shape)


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension made into several, as a view."""
    (input,) = tensor_operands("unflatten", input)
    dim = wrap_dim(dim, input.ndim)
    try:
        inferred = infer_shape(tuple(sizes), input.shape[dim])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
            f"({input.shape[dim]}) in the input tensor"
        ) from None
    return view(input, (*input.shape[:dim], *inferred, *input.shape[dim + 1 :]))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other positions, the rest kept in order, as a view."""
    (input,) = tensor_operands("movedim", input)
    sources = [wrap_dim(dim, input.ndim) for dim in ((source,) if isinstance(source, int) else source)]
    goals = [wrap_dim(dim, input.ndim) for dim in ((destination,) if isinstance(destination, int) else destination)]
    if len(sources) != len(goals):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({sources} dims) should contain the same number of "
            f"dims as destination ({goals} dims)"
        )
    if len(set(sources)) < len(sources) or len(set(goals)) < len(goals):
        raise RuntimeError(f"movedim: repeated dim in `source` or `destination` ({sources}, {goals})")
    order = [dim for dim in range(input.ndim) if dim not in sources]
    for goal, dim in sorted(zip(goals, sources, strict=True)):
        order.insert(goal, dim)
    return permute(input, order)


moveaxis = movedim


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:  # type: ignore[no-redef]
    """The diagonal of the matrices that two dimensions make, as a view; its elements become the last dimension.

    `offset`: how far above the main diagonal.
    """
    (input,) = tensor_operands("diagonal", input)
    first, second = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diagonal(input, int(offset), first, second)


def flip(input: Tensor, *dims: Any) -> Tensor:  # type: ignore[no-redef]
    """The elements in opposite order along the dimensions `dims`, as a copy."""
    (input,) = tensor_operands("flip", input)
    given = dims[0] if len(dims) == 1 and isinstance(dims[0], Sequence) else dims
    wrapped = tuple(wrap_dim(dim, input.ndim) for dim in given)
    if len(set(wrapped)) < len(wrapped):
        raise RuntimeError(f"dim {max(wrapped, key=wrapped.count)} appears multiple times in the list of dims")
    return _flip(input, wrapped)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:  # type: ignore[no-redef]
    """The parts of the tensor along `dim`, without it, as a tuple of views."""
    (input,) = tensor_operands("unbind", input)
    dim = wrap_dim(dim, input.ndim)
    if input.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return _unbind(input, dim)


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the tensor's pieces along `dim`: all of one size (but maybe the last), or of the sizes given."""
    (tensor,) = tensor_operands("split", tensor)
    if tensor.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, tensor.ndim)
    total = tensor.shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        if size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        if size == 0 and total:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
        count = max(1, -(-total // size)) if size else 1
        pieces = [size] * (count - 1) + [total - size * (count - 1)]
        return split_evenly(tensor, tuple(pieces), dim)
    pieces = [int(size) for size in split_size_or_sections]
    if any(size < 0 for size in pieces):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={pieces}"
        )
    if sum(pieces) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={pieces}"
        )
    return split_by_sizes(tensor, tuple(pieces), dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces along `dim`, as views: all of one size, but maybe the last."""
    (input,) = tensor_operands("chunk", input)
    if input.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = input.shape[wrap_dim(dim, input.ndim)]
    return split(input, max(1, -(-total // chunks)), dim)


def _sequence(function: str, tensors: Any) -> tuple[Tensor, ...]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    for index, item in enumerate(tensors):
        if not isinstance(item, Tensor):
            raise TypeError(
                f"expected Tensor as element {index} in argument 0, but got {type(item).__name__}: {item!r}"
            )
    return tuple(tensors)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:  # type: ignore[no-redef]
    """Tensors of one shape put side by side along a new dimension `dim`."""
    items = _sequence("stack", tensors)
    if not items:
        raise RuntimeError("stack expects a non-empty TensorList")
    for index, item in enumerate(items):
        if item.shape != items[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(items[0].shape)} at entry 0 and "
                f"{list(item.shape)} at entry {index}"
            )
    return _stack(*items, dim=wrap_dim(dim, items[0].ndim + 1))


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:  # type: ignore[no-redef]
    """Tensors put one after the other along `dim`; their other sizes must agree.

    (As in PyTorch, an empty tensor of one dimension fits beside any others.)
    """
    items = _sequence("cat", tensors)
    if not items:
        raise ValueError("minigrad.cat(): expected a non-empty list of Tensors")
    shapes = [item._array.shape for item in items]
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    for index, shape in enumerate(shapes):
        if not shape:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {index}) cannot be concatenated: use stack() for these"
            )
        if len(shape) != len(first) and shape != (0,):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    dim = wrap_dim(dim, len(first))
    for index, shape in enumerate(shapes):
        for d, (own, other) in enumerate(zip(first, shape, strict=False)):
            if d != dim and own != other and shape != (0,):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {own} but got size {other} "
                    f"for tensor number {index} in the list."
                )
    if (0,) in shapes and len(first) > 1:
        nothing = (*first[:dim], 0, *first[dim + 1 :])
        items = tuple(reshape(item, nothing) if item._array.shape == (0,) else item for item in items)
    return _cat(*items, dim=dim)


arrays.reshape, tensors.reshape = np.reshape, reshape
arrays.zeros = lambda shape, like: np.zeros(shape, like.dtype)
tensors.zeros = lambda shape, like: from_array(np.zeros(shape, like._array.dtype))
