"""Rows for interpolation, patches and shuffled channels."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import Row

from minigrad.nn import functional
from minigrad.tensor import Tensor


def call(F: Any, name: str, x: Any, *arguments: Any, **options: Any) -> Any:
    """A function of nn.functional."""
    return getattr(functional if isinstance(x, Tensor) else F.nn.functional, name)(x, *arguments, **options)


def hat(distance: Any) -> Any:
    """How much a pixel counts at a distance: linear interpolation."""
    return np.maximum(0, 1 - abs(distance))


def cubic(distance: Any, a: float = -0.75) -> Any:
    """The same for cubic interpolation, by Keys' formula."""
    d = abs(distance)
    near, far = (a + 2) * d**3 - (a + 3) * d**2 + 1, a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


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


def repeated(x: Any, new: tuple[int, ...], offset: float = 0) -> Any:
    for dim, m in zip(range(-len(new), 0), new, strict=True):
        x = np.take(x, np.floor((np.arange(m) + offset) * x.shape[dim] / m).astype(int), axis=dim)
    return x


def patches(x: Any, k: int, s: int = 1, p: int = 0, d: int = 1) -> Any:
    x = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(p, p)] * 2)
    rows, columns = ((n - d * (k - 1) - 1) // s + 1 for n in x.shape[-2:])
    out = [
        x[..., c, i * d : i * d + (rows - 1) * s + 1 : s, j * d : j * d + (columns - 1) * s + 1 : s]
        for c in range(x.shape[-3])
        for i in range(k)
        for j in range(k)
    ]
    return np.stack(out, -3).reshape(*x.shape[:-3], len(out), rows * columns)


def put_back(x: Any) -> Any:
    """Columns of 2x2 patches, one pixel apart, added up to images of 3x3."""
    out = np.zeros((*x.shape[:-2], x.shape[-2] // 4, 3, 3), x.dtype)
    columns = x.reshape(*x.shape[:-2], x.shape[-2] // 4, 2, 2, 2, 2)
    for i, j in np.ndindex(2, 2):
        out[..., i : i + 2, j : j + 2] += columns[..., i, j, :, :]
    return out


def shuffled(x: Any) -> Any:
    """Four channels as the 2x2 pixels of one."""
    *lead, channels, height, width = x.shape
    out = np.zeros((*lead, channels // 4, 2 * height, 2 * width), x.dtype)
    for number in range(4):
        out[..., number // 2 :: 2, number % 2 :: 2] = x[..., number::4, :, :]
    return out


IMAGE = [((1, 2, 2, 3),), ((0, 1, 2, 3),)]


def _interpolate(mode: str, new: tuple[int, ...], node: str, numpy: Any, shapes: Any = IMAGE, **options: Any) -> Row:
    title = f"interpolate({', '.join([mode, str(new), *options])})"
    return Row(title, lambda F, x: call(F, "interpolate", x, new, mode=mode, **options), numpy, shapes, node)


ROWS = [
    _interpolate("nearest", (5,), "UpsampleNearest1DBackward0", lambda x: repeated(x, (5,)), [((1, 2, 3),)]),
    _interpolate("nearest", (4, 2), "UpsampleNearest2DBackward0", lambda x: repeated(x, (4, 2)), IMAGE),
    _interpolate(
        "nearest", (2, 1, 3), "UpsampleNearest3DBackward0", lambda x: repeated(x, (2, 1, 3)), [((1, 1, 1, 2, 2),)]
    ),
    _interpolate(
        "nearest-exact", (5,), "UpsampleNearestExact1DBackward0", lambda x: repeated(x, (5,), 0.5), [((1, 2, 3),)]
    ),
    _interpolate("nearest-exact", (4, 2), "UpsampleNearestExact2DBackward0", lambda x: repeated(x, (4, 2), 0.5), IMAGE),
    _interpolate(
        "nearest-exact",
        (2, 1, 3),
        "UpsampleNearestExact3DBackward0",
        lambda x: repeated(x, (2, 1, 3), 0.5),
        [((1, 1, 1, 2, 2),)],
    ),
    _interpolate("linear", (5,), "UpsampleLinear1DBackward0", lambda x: resampled(x, (5,), hat), [((1, 2, 3),)]),
    _interpolate("bilinear", (4, 2), "UpsampleBilinear2DBackward0", lambda x: resampled(x, (4, 2), hat)),
    _interpolate(
        "bilinear", (4, 5), "UpsampleBilinear2DBackward0", lambda x: resampled(x, (4, 5), hat, True), align_corners=True
    ),
    _interpolate(
        "trilinear",
        (2, 3, 1),
        "UpsampleTrilinear3DBackward0",
        lambda x: resampled(x, (2, 3, 1), hat),
        [((1, 1, 1, 2, 2),)],
    ),
    _interpolate("bicubic", (4, 2), "UpsampleBicubic2DBackward0", lambda x: resampled(x, (4, 2), cubic)),
    _interpolate("area", (1, 3), "AdaptiveAvgPool2DBackward0", lambda x: x.mean(-2, keepdims=True)),
    Row(
        "interpolate(scale_factor)",
        lambda F, x: call(F, "interpolate", x, scale_factor=2, mode="bilinear"),
        lambda x: resampled(x, (2 * x.shape[-2], 2 * x.shape[-1]), hat),
        IMAGE,
        "UpsampleBilinear2DBackward0",
    ),
    Row(
        "unfold",
        lambda F, x: call(F, "unfold", x, 2),
        lambda x: patches(x, 2),
        [*IMAGE, ((2, 3, 2),)],
        "Im2ColBackward0",
    ),
    Row(
        "unfold(2, 2, 1, 2)",
        lambda F, x: call(F, "unfold", x, 2, 2, 1, 2),
        lambda x: patches(x, 2, 2, 1, 2),
        [((1, 2, 4, 3),)],
        "Im2ColBackward0",
    ),
    Row(
        "fold",
        lambda F, x: call(F, "fold", x, 3, 2),
        put_back,
        [((2, 4, 4),), ((8, 4),), ((0, 4, 4),)],
        "Col2ImBackward0",
    ),
    Row(
        "pixel_shuffle",
        lambda F, x: F.pixel_shuffle(x, 2),
        shuffled,
        [((1, 4, 2, 1),), ((2, 4, 1, 2),), ((8, 1, 2),)],
        "PixelShuffleBackward0",
    ),
    Row(
        "pixel_unshuffle",
        lambda F, x: F.pixel_unshuffle(x, 2),
        lambda x: np.stack([x[..., i::2, j::2] for i in (0, 1) for j in (0, 1)], -3).reshape(
            *x.shape[:-3], 4 * x.shape[-3], x.shape[-2] // 2, x.shape[-1] // 2
        ),
        [((1, 2, 2, 4),), ((1, 4, 2),)],
        "PixelUnshuffleBackward0",
    ),
    Row(
        "channel_shuffle",
        lambda F, x: F.channel_shuffle(x, 2),
        lambda x: x[:, [c // 2 + c % 2 * (x.shape[1] // 2) for c in range(x.shape[1])]],
        [((1, 4, 2, 1),), ((2, 6, 2),), ((0, 2, 1),)],
        "ChannelShuffleBackward0",
    ),
]
