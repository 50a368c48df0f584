"""Rows for interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row

from minigrad.nn import functional
from minigrad.tensor import Tensor


def call(F: Any, name: str, x: Any, *arguments: Any, **options: Any) -> Any:
    """A function of nn.functional."""
    return getattr(functional if isinstance(x, Tensor) else F.nn.functional, name)(x, *arguments, **options)


def hat(distance: Any) -> Any:
    """How much a pixel counts at a distance: linear interpolation."""
    return np.maximum(0, 1 - abs(distance))


def resampled(x: Any, new: tuple[int, ...], kernel: Any, align: bool = False) -> Any:
    """Weighted sums of old pixels; those beyond the image are like those at its edge."""
    for dim, m in zip(range(-len(new), 0), new, strict=True):
        n = x.shape[dim]
        positions = np.arange(m) * (n - 1) / max(1, m - 1) if align else (np.arange(m) + 0.5) * n / m - 0.5
        weights = np.zeros((m, n))
        for pixel in range(-3, n + 3):
            weights[:, min(max(pixel, 0), n - 1)] += kernel(positions - pixel)
        x = np.moveaxis(np.tensordot(x, weights.astype(x.dtype), (dim, 1)), -1, dim)
    return x


def repeated(x: Any, new: tuple[int, ...]) -> Any:
    for dim, m in zip(range(-len(new), 0), new, strict=True):
        x = np.take(x, np.floor(np.arange(m) * x.shape[dim] / m).astype(int), axis=dim)
    return x


IMAGE = [((1, 2, 2, 3),), ((0, 1, 2, 3),)]


def _interpolate(mode: str, new: tuple[int, ...], node: str, numpy: Any, shapes: Any = IMAGE, **options: Any) -> Row:
    title = f"interpolate({', '.join([mode, str(new), *options])})"
    return Row(title, lambda F, x: call(F, "interpolate", x, new, mode=mode, **options), numpy, shapes, node)


ROWS = [
    _interpolate("nearest", (4, 2), "UpsampleNearest2DBackward0", lambda x: repeated(x, (4, 2)), IMAGE),
    _interpolate("bilinear", (4, 2), "UpsampleBilinear2DBackward0", lambda x: resampled(x, (4, 2), hat)),
    _interpolate(
        "bilinear", (4, 5), "UpsampleBilinear2DBackward0", lambda x: resampled(x, (4, 5), hat, True), align_corners=True
    ),
    Row(
        "interpolate(scale_factor)",
        lambda F, x: call(F, "interpolate", x, scale_factor=2, mode="bilinear"),
        lambda x: resampled(x, (2 * x.shape[-2], 2 * x.shape[-1]), hat),
        IMAGE,
        "UpsampleBilinear2DBackward0",
    ),
]
