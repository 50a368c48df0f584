"""Tensors joined, and cut into pieces again: cat, stack; split, chunk, unbind.

Joining is one copy, along a dimension that is there (cat) or a new one (stack), and its gradient is cut where the
tensors met. The pieces of a tensor are views of it, and their gradients, joined again, are the gradient of the whole:
with zeros for a piece that nothing was computed from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from minigrad.op import Array, op, with_node_name
from minigrad.operands import check_places
from minigrad.ops.places.indexing import index_along
from minigrad.ops.shapes.reshaping import reshape
from minigrad.public import Tensors, as_ints, public
from minigrad.tensor import Tensor, wrap_dim

Shape = tuple[int, ...]


def _pieces(dim: int, sizes: Sequence[int]) -> list[tuple[Any, ...]]:
    """The indices of pieces of these sizes, one after the other along a dimension."""
    ends = accumulate(sizes)
    return [index_along(dim, slice(end - size, end)) for end, size in zip(ends, sizes, strict=True)]


@op(tensors=lambda F, g, dim: F.unbind(g, dim))
def stack(*tensors: Array, dim: int) -> Array:
    """Arrays of one shape side by side along a new dimension."""
    return np.ascontiguousarray(np.stack(tensors, axis=dim))  # numpy keeps the order of expanded parts


@op(
    tensors=lambda F, g, tensors_shape, dim: [
        F.basic_index(g, piece) for piece in _pieces(dim, [shape[dim] for shape in tensors_shape])
    ]
)
def cat(*tensors: Array, dim: int) -> Array:
    """Arrays one after the other along a dimension that they have."""
    joined = np.concatenate(tensors, axis=dim)  # in Fortran's order if no part is in C's, expanded ones for example
    return joined if joined.flags.c_contiguous else np.ascontiguousarray(joined)


def _with_zeros(F: Any, gradients: Sequence[Any], shapes: Sequence[Shape]) -> list[Any]:
    """The gradients of the pieces, zeros for those that were not used."""
    used = next(gradient for gradient in gradients if gradient is not None)
    pairs = zip(gradients, shapes, strict=True)
    return [F.zeros(shape, used) if gradient is None else gradient for gradient, shape in pairs]


def _stacked(F: Any, g: Sequence[Any], self_shape: Shape, dim: int) -> Any:
    dim = wrap_dim(dim, len(self_shape))
    return F.stack(*_with_zeros(F, g, [(*self_shape[:dim], *self_shape[dim + 1 :])] * len(g)), dim=dim)


def _joined(F: Any, g: Sequence[Any], self_shape: Shape, sizes: Sequence[int], dim: int) -> Any:
    shapes = [(*self_shape[:dim], size, *self_shape[dim + 1 :]) for size in sizes]
    return F.cat(*_with_zeros(F, g, shapes), dim=dim)


@public
@op(view=True, several=True, self=_stacked)
def unbind(self: Array, dim: int = 0) -> list[Array]:
    """The parts of the tensor along `dim`, without it, as a tuple of views."""
    dim = wrap_dim(dim, self.ndim)
    if not self.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return [self[index_along(dim, i)] for i in range(self.shape[dim])]


@op(view=True, several=True, self=_joined)
def split(self: Array, sizes: Shape, dim: int) -> list[Array]:
    """Pieces of the sizes given along a dimension."""
    return [self[piece] for piece in _pieces(dim, sizes)]


split_with_sizes = with_node_name(split, "SplitWithSizesBackward0")


# ---------------------------------------------------------------- as the learner calls them


@public(name="stack", method=False)
def stack_along(tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new dimension `dim`: two of (3,) give (2, 3).

    RuntimeError if there are none, or their shapes differ.
    """
    check_places(*tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for index, item in enumerate(tensors):
        if item.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                f"{list(item.shape)} at entry {index}"
            )
    return stack(*tensors, dim=wrap_dim(dim, tensors[0].ndim + 1))


@public(name="cat", aliases=("concat",), method=False)
def cat_along(tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors one after the other along `dim`: (2, 3) and (4, 3) give (6, 3). Their other sizes must agree.

    (As in PyTorch, an empty tensor of one dimension fits beside any others.) ValueError if there are none, RuntimeError
    if they do not fit.
    """
    check_places(*tensors)
    if not tensors:
        raise ValueError("minigrad.cat(): expected a non-empty list of Tensors")
    shapes = [item._array.shape for item in tensors]
    if () in shapes:
        where = f"at position {shapes.index(())}"
        raise RuntimeError(f"zero-dimensional tensor ({where}) cannot be concatenated: use stack() for these")
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    dim = wrap_dim(dim, len(first))
    for index, shape in enumerate(shapes):
        if shape == (0,):
            continue
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for d, (own, other) in enumerate(zip(first, shape, strict=True)):
            if d != dim and own != other:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {own} but got size {other} "
                    f"for tensor number {index} in the list."
                )
    if (0,) in shapes and len(first) > 1:
        nothing = (*first[:dim], 0, *first[dim + 1 :])
        tensors = [reshape(item, nothing) if item._array.shape == (0,) else item for item in tensors]
    return cat(*tensors, dim=dim)


@public(name="split", method=False)
def split_along(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the tensor's pieces along `dim`: all of one size (but maybe the last), or of the sizes given."""
    dim, total = _to_divide("split", tensor, dim)
    if isinstance(split_size_or_sections, int | np.integer | Tensor):
        size = int(split_size_or_sections)
        if size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        if size == 0 and total:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
        count, rest = divmod(total, size) if size else (0, 0)
        return split(tensor, (size,) * count + ((rest,) if rest or not count else ()), dim)
    sizes = as_ints("split_with_sizes", "split_sizes", 1, split_size_or_sections)
    text = f"but got split_sizes={list(sizes)}"
    if any(size < 0 for size in sizes):
        raise RuntimeError(f"split_with_sizes expects split_sizes have only non-negative entries, {text}")
    if sum(sizes) != total:
        whole = f"{total} (input tensor's size at dimension {dim})"
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {whole}, {text}")
    return split_with_sizes(tensor, sizes, dim)


@public(name="split", function=False)
def split_method(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`x.split(split_size)`: the function `split`, whose second argument has another name as a method."""
    return split_along(self, split_size, dim)


@public(composed=True)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces along `dim`, as views: all of one size, but maybe the last."""
    dim, total = _to_divide("chunk", input, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return split_along(input, -(-total // chunks), dim) if total else split_with_sizes(input, (0,) * chunks, dim)


def _to_divide(function: str, input: Tensor, dim: int) -> tuple[int, int]:
    """A dimension counted from the front, and its size; RuntimeError if the tensor has none."""
    if not input.ndim:
        raise RuntimeError(f"{function} expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, input.ndim)
    return dim, input.shape[dim]
