"""One tensor cut into several: split, chunk, unbind.

The pieces are views of the whole, and the gradients of the pieces, joined again, are the gradient of the whole: with
zeros for a piece that nothing was computed from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.places.indexing import along
from minigrad.public import as_ints, public
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _with_zeros(F: Any, gradients: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """The gradients of the pieces, zeros for those that were not used."""
    used = next(gradient for gradient in gradients if gradient is not None)
    pairs = zip(gradients, shapes, strict=True)
    return [F.zeros(shape, used) if gradient is None else gradient for gradient, shape in pairs]


def _stacked(F: Any, g: Sequence[Any], self_shape: tuple[int, ...], dim: int) -> Any:
    dim = wrap_dim(dim, len(self_shape))
    return F.stack(*_with_zeros(F, g, [(*self_shape[:dim], *self_shape[dim + 1 :])] * len(g)), dim=dim)


def _joined(F: Any, g: Sequence[Any], self_shape: tuple[int, ...], sizes: Sequence[int], dim: int) -> Any:
    shapes = [(*self_shape[:dim], size, *self_shape[dim + 1 :]) for size in sizes]
    return F.cat(*_with_zeros(F, g, shapes), dim=dim)


@public
@op(view=True, several=True, self=_stacked)
def unbind(self: Array, dim: int = 0) -> list[Array]:
    """The parts of the tensor along `dim`, without it, as a tuple of views."""
    dim = wrap_dim(dim, self.ndim)
    if not self.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return [self[along(dim, i)] for i in range(self.shape[dim])]


def _split_op(node: str) -> Any:
    """One op for each of PyTorch's nodes: for pieces of one size, and of several."""

    @op(name=node, view=True, several=True, self=_joined)
    def split(self: Array, sizes: tuple[int, ...], dim: int) -> list[Array]:
        """Pieces of the sizes given along a dimension."""
        ends = np.cumsum(sizes).tolist()
        return [self[along(dim, slice(end - size, end))] for end, size in zip(ends, sizes, strict=True)]

    return split


split_evenly, split_with_sizes = _split_op("SplitBackward0"), _split_op("SplitWithSizesBackward0")


# ---------------------------------------------------------------- as the learner calls them


@public(method=False)
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the tensor's pieces along `dim`: all of one size (but maybe the last), or of the sizes given."""
    dim, total = _to_divide("split expects at least a 1-dimensional tensor", tensor, dim)
    if isinstance(split_size_or_sections, int | np.integer | Tensor):
        size = int(split_size_or_sections)
        if size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        if size == 0 and total:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
        whole, rest = divmod(total, size) if size else (0, 0)
        return split_evenly(tensor, (size,) * whole + ((rest,) if rest or not whole else ()), dim)
    sizes = as_ints("split_with_sizes", "split_sizes", 1, split_size_or_sections)
    if sum(sizes) != total or any(size < 0 for size in sizes):
        which = "have only non-negative entries"
        if not any(size < 0 for size in sizes):
            which = f"to sum exactly to {total} (input tensor's size at dimension {dim})"
        raise RuntimeError(f"split_with_sizes expects split_sizes {which}, but got split_sizes={list(sizes)}")
    return split_with_sizes(tensor, sizes, dim)


@public(name="split", function=False)
def split_method(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`x.split(split_size)`: the function `split`, whose second argument has another name as a method."""
    return split(self, split_size, dim)


@public(composed=True)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces along `dim`, as views: all of one size, but maybe the last."""
    dim, total = _to_divide("chunk expects at least a 1-dimensional tensor", input, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return split(input, -(-total // chunks), dim) if total else split_with_sizes(input, (0,) * chunks, dim)


def _to_divide(expected: str, input: Tensor, dim: int) -> tuple[int, int]:
    """A dimension counted from the front, and its size; RuntimeError if the tensor has none."""
    if not input.ndim:
        raise RuntimeError(expected)
    dim = wrap_dim(dim, input.ndim)
    return dim, input.shape[dim]
