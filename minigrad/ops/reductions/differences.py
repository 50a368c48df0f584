"""Differences of neighbours, and areas under curves: diff, trapezoid, cumulative_trapezoid.

After this module a reader knows how a derivative and an integral look when a function is known at some points only.
These are compositions of other operations, which have the rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import tensor_operands
from minigrad.ops.places.overwrite import copied
from minigrad.ops.places.slicing import narrow, select
from minigrad.ops.pointwise.bits import bitwise_xor
from minigrad.ops.reductions.cumulative import cumsum
from minigrad.ops.shapes.joining import cat
from minigrad.ops.shapes.views import view as reshaped
from minigrad.tensor import Tensor, from_array, wrap_dim

METHODS: tuple[str, ...] = ("diff",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("diff",)  # those that take out=


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Each element less the one before it along `dim`, `n` times over; for bools, whether the two differ.

    `prepend`, `append`: tensors to put before and after the input first.
    """
    (input,) = tensor_operands("diff", input)
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = wrap_dim(dim, input.ndim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not n:
        return copied(from_array(np.empty_like(input._array)), input)
    pieces = [_beside(input, piece, dim) for piece in (prepend, input, append) if piece is not None]
    result = cat(pieces, dim) if len(pieces) > 1 else input
    times = min(n, result.shape[dim])
    if not times:
        return copied(from_array(np.empty_like(result._array)), result)
    for _ in range(times):
        size = max(result.shape[dim] - 1, 0)
        later, earlier = narrow(result, dim, min(1, size), size), narrow(result, dim, 0, size)
        result = bitwise_xor(later, earlier) if result.dtype is dtypes.bool else later - earlier
    return result


def _beside(input: Tensor, piece: Tensor, dim: int) -> Tensor:
    """A piece that is to stand before or after the input, if it fits."""
    if piece.ndim != input.ndim:
        raise RuntimeError(
            f"diff expects prepend or append to be the same dimension as input: {input.ndim}, not {piece.ndim}"
        )
    for d, (own, other) in enumerate(zip(input.shape, piece.shape, strict=True)):
        if d != dim and own != other:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({d}) = {own}, but got tensor.size({d}) = {other}"
            )
    return piece


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The area under a curve with heights `y` along `dim`, as a sum of trapezoids.

    The heights stand at `x`, or else `dx` apart: 1 unless given.
    """
    dim, widths = _widths("trapezoid", y, x, dx, dim)
    size = y.shape[dim]
    if not size:
        return from_array(np.zeros((*y.shape[:dim], *y.shape[dim + 1 :]), y.dtype.numpy))
    if isinstance(widths, Tensor):
        return ((narrow(y, dim, 0, size - 1) + narrow(y, dim, 1, size - 1)) * widths).sum(dim) / 2.0
    return (y.sum(dim) - (select(y, dim, 0) + select(y, dim, size - 1)) * 0.5) * widths


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The area under a curve with heights `y` along `dim` up to the second height, the third and so on."""
    dim, widths = _widths("cumulative_trapezoid", y, x, dx, dim)
    size = max(y.shape[dim] - 1, 0)
    heights = narrow(y, dim, 0, size) + narrow(y, dim, min(1, size), size)
    if isinstance(widths, Tensor):
        return cumsum(heights * widths, dim) / 2.0
    return cumsum(heights * (widths / 2.0), dim) if widths != 1 else cumsum(heights * 0.5, dim)


def _widths(name: str, y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> tuple[int, Any]:
    """A dimension counted from the front, and the distances between neighbours along it."""
    (y,) = tensor_operands(name, y)
    if not y.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, y.ndim)
    if y.dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    if x is None:
        return dim, 1 if dx is None else dx
    if dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: give either x or dx")
    along = 0 if x.ndim == 1 else dim - y.ndim + x.ndim
    if x.shape[along] != y.shape[dim]:
        raise RuntimeError(
            f"{name}: There must be one `x` value for each sample point: {y.shape[dim]}, not {x.shape[along]}"
        )
    gaps = narrow(x, along, 1, x.shape[along] - 1) - narrow(x, along, 0, x.shape[along] - 1)
    return dim, gaps if x.ndim > 1 else reshaped(gaps, (-1, *[1] * (y.ndim - 1 - dim)))
