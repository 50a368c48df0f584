"""Rows for pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from ops.op_table import Row, apart

from minigrad.ops.images import pool
from minigrad.tensor import Tensor


def call(F: Any, name: str, x: Any, *arguments: Any, **options: Any) -> Any:
    """A function of nn.functional."""
    return getattr(pool if isinstance(x, Tensor) else F.nn.functional, name)(x, *arguments, **options)


def windows(size: int, k: int, s: int, p: int, d: int, ceil: bool) -> list[list[int]]:
    """The pixels of each window along one dimension; with padding, these are numbers beyond the image."""
    count = (math.ceil if ceil else math.floor)((size + 2 * p - d * (k - 1) - 1) / s) + 1
    starts = [i * s - p for i in range(count)]
    return [[start + d * t for t in range(k)] for start in starts if not ceil or start < size]


def flat(patch: Any, dims: int) -> Any:
    return patch.reshape(*patch.shape[:-dims], math.prod(patch.shape[-dims:]))


def pooled(x: Any, dims: int, reduce: Any, k: int = 2, s: int = 2, p: int = 0, d: int = 1, ceil: bool = False) -> Any:
    """Window by window; `reduce(pixels inside the image, how many of the window's are inside the padded image)`."""
    size = x.shape[-dims:]
    along = [windows(n, k, s, p, d, ceil) for n in size]
    out = np.zeros((*x.shape[:-dims], *map(len, along)), x.dtype)
    for place in np.ndindex(*map(len, along)):
        seen = [along[dim][i] for dim, i in enumerate(place)]
        inside = [[i for i in pixels if 0 <= i < n] for pixels, n in zip(seen, size, strict=True)]
        padded = [[i for i in pixels if i < n + p] for pixels, n in zip(seen, size, strict=True)]
        patch = x[..., *np.ix_(*inside)]
        out[..., *place] = reduce(flat(patch, dims), math.prod(map(len, padded)))
    return out


def largest(pixels: Any, count: int) -> Any:
    return pixels.max(-1)


def with_padding(pixels: Any, count: int) -> Any:
    return pixels.sum(-1) / count


def without_padding(pixels: Any, count: int) -> Any:
    return pixels.mean(-1)


def adapted(x: Any, places: tuple[int, ...], reduce: Any) -> Any:
    size = x.shape[-len(places) :]
    out = np.zeros((*x.shape[: -len(places)], *places), x.dtype)
    for place in np.ndindex(*places):
        inside = [slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(place, size, places, strict=True)]
        out[..., *place] = reduce(flat(x[..., *inside], len(places)), 1)
    return out


SMALL = [((1, 2, 4, 4),), ((2, 1, 5, 3),), ((0, 1, 4, 4),)]
MAX2D, AVG2D = "MaxPool2DWithIndicesBackward0", "AvgPool2DBackward0"

PADDED = {"p": 1, "ceil": True}
SQUEEZED, LINES = "SqueezeBackward1", [((2, 2, 4),), ((2, 5),)]

# title, arguments, node, dims, reduction, numpy's options, shapes
_POOLS: list[tuple[Any, ...]] = [
    ("max_pool1d", (2,), SQUEEZED, 1, largest, {}, LINES),
    ("max_pool1d(3, 1, 1)", (3, 1, 1), SQUEEZED, 1, largest, {"k": 3, "s": 1, "p": 1}, LINES[:1]),
    ("max_pool2d", (2,), MAX2D, 2, largest, {}, [*SMALL, ((1, 4, 4),)]),
    ("max_pool2d(3, 2, 1)", (3, 2, 1), MAX2D, 2, largest, {"k": 3, "p": 1}, SMALL),
    ("max_pool2d(2, 1, 0, 2)", (2, 1, 0, 2), MAX2D, 2, largest, {"s": 1, "d": 2}, SMALL[:2]),
    ("max_pool2d(2, 3)", (2, 3), MAX2D, 2, largest, {"s": 3}, SMALL[:2]),
    ("max_pool2d(ceil_mode)", (2, 2, 1, 1, True), MAX2D, 2, largest, PADDED, SMALL[:2]),
    ("avg_pool1d", (2, 1, 1), SQUEEZED, 1, with_padding, {"s": 1, "p": 1}, LINES),
    ("avg_pool2d", (2,), AVG2D, 2, with_padding, {}, [*SMALL, ((1, 4, 4),)]),
    ("avg_pool2d(3, 2, 1)", (3, 2, 1), AVG2D, 2, with_padding, {"k": 3, "p": 1}, SMALL),
    ("avg_pool2d(ceil_mode)", (2, 2, 1, True), AVG2D, 2, with_padding, PADDED, SMALL),
    ("avg_pool2d(count_include_pad)", (2, 2, 1, True, False), AVG2D, 2, without_padding, PADDED, SMALL[:2]),
]
_ADAPTIVE: list[tuple[Any, ...]] = [
    ("adaptive_avg_pool2d", (2, 3), "AdaptiveAvgPool2DBackward0", without_padding, [((1, 2, 4, 4),), ((1, 3, 2),)]),
    ("adaptive_avg_pool1d", (3,), SQUEEZED, without_padding, [((1, 2, 4),), ((2, 3),)]),
]
TOP = ("max_pool1d", "max_pool2d", "avg_pool1d")


def _function(name: str, *given: Any) -> Any:
    return lambda F, x: getattr(F, name)(x, *given) if name in TOP else call(F, name, x, *given)


def _pool(title: str, given: Any, node: str, dims: int, reduce: Any, options: Any, shapes: Any) -> Row:
    function = _function(title.partition("(")[0], *given)
    return Row(title, function, lambda x: pooled(x, dims, reduce, **options), shapes, node, apart)


def _adaptive(name: str, goal: Any, node: str, reduce: Any, shapes: Any) -> Row:
    return Row(name, _function(name, goal), lambda x: adapted(x, goal, reduce), shapes, node, apart)


ROWS = [
    *(_pool(*row) for row in _POOLS),
    *(_adaptive(*row) for row in _ADAPTIVE),
    Row(
        "adaptive_avg_pool2d(1)",
        lambda F, x: call(F, "adaptive_avg_pool2d", x, 1),
        lambda x: x.mean((-1, -2), keepdims=True),
        [((2, 2, 2, 3),), ((2, 3, 2),)],
        "MeanBackward1",
    ),
]
