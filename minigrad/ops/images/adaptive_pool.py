"""Pooling to a size that is asked for: n pixels are shared among m windows of nearly equal length.

Window i goes from i n / m, rounded down, to (i + 1) n / m, rounded up, so that neighbours may overlap by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.op import op, tensor_operands
from minigrad.ops.reductions.sums import mean
from minigrad.tensor import Tensor

Array = Any  # numpy array
Sizes = tuple[int, ...]


def _ends(old: int, new: int) -> Iterator[tuple[int, int]]:
    """Where each of `new` windows over `old` pixels begins and ends."""
    for i in range(new):
        yield i * old // new, -(-(i + 1) * old // new)


@op(
    name="AdaptiveAvgPool2DBackward0",
    self=lambda F, g, self_shape, places: F.adaptive_avg_pool_input(g, self_shape[-2:]),
)
def adaptive_avg_pool(self: Array, places: Sizes) -> Array:
    """Means of windows: (..., *size) -> (..., *places), one dimension after the other."""
    out = self
    for dim, count in enumerate(places, -2):
        parts = [
            np.add.reduce(_part(out, dim, start, end), axis=dim, keepdims=True) / (end - start)
            for start, end in _ends(out.shape[dim], count)
        ]
        out = np.concatenate(parts, dim) if parts else _part(out, dim, 0, 0).copy()
    return out


@op(self=lambda F, g, self_shape, size: F.adaptive_avg_pool(g, self_shape[-2:]))
def adaptive_avg_pool_input(self: Array, size: Sizes) -> Array:
    """The gradient of `adaptive_avg_pool`: each pixel's share of the windows that see it."""
    out = self
    for dim, count in enumerate(size, -2):
        sizes = list(out.shape)
        sizes[dim] = count
        g, out = out, np.zeros(sizes, self.dtype)
        for i, (start, end) in enumerate(_ends(count, g.shape[dim])):
            _part(out, dim, start, end)[...] += _part(g, dim, i, i + 1) / (end - start)
    return out


def _part(array: Array, dim: int, start: int, end: int) -> Array:
    """A slice along a dimension that is counted from the end."""
    return array[(..., slice(start, end), *(slice(None),) * (-dim - 1))]


# ---------------------------------------------------------------- as the learner calls it


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Means of as many windows as make images of `output_size`, an int or (h, w): (N, C, H, W) -> (N, C, h, w).

    None in place of a number keeps that size. RuntimeError for sizes that do not fit.
    """
    (input,) = tensor_operands("adaptive_avg_pool2d", input)
    goal = tuple(output_size) if isinstance(output_size, Sequence) else (output_size, output_size)
    if len(goal) != 2:
        raise RuntimeError(f"adaptive_avg_pool2d: output_size must be 2: got {output_size}")
    for value in goal:
        if value is not None and (not isinstance(value, int | np.integer) or isinstance(value, bool)):
            raise TypeError(
                f"adaptive_avg_pool2d(): argument 'output_size' must be tuple of ints, not {type_name(value)}"
            )
    places = tuple(old if new is None else int(new) for old, new in zip(input.shape[-2:], goal, strict=True))
    if min(places) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, places))}}}"
        )
    if places == (1, 1) and input.ndim in (3, 4):
        return mean(input, (-1, -2), True)
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    for dim in (-2, -1):
        if input.shape[dim] == 0:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {list(input.shape)} with dimension {input.ndim + dim} being empty"
            )
    if not input.dtype.is_floating_point:
        raise NotImplementedError(
            f"\"adaptive_avg_pool2d\" not implemented for '{input.dtype.tensor_type}': convert it first"
        )
    return adaptive_avg_pool(input, places)
