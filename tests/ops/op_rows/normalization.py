"""Rows for batch, layer, group, instance and rms norm, and for vectors brought to length 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row

IMAGES: list[Any] = [((4, 3), (3,), (3,)), ((2, 3, 2), (3,), (3,)), ((1, 2, 2, 2), (2,), (2,))]
NOTHING: list[Any] = [((0, 2, 3), (2,), (2,))]


def spread_one(x: np.ndarray, axes: tuple[int, ...], mean: Any = None, var: Any = None) -> np.ndarray:
    """x less its mean, over its standard deviation."""
    mean = x.mean(axes, keepdims=True) if mean is None else mean
    var = x.var(axes, keepdims=True) if var is None else var
    return ((x - mean) / np.sqrt(var + 1e-5)).astype(x.dtype)


def beside(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """One number per channel, in a shape that broadcasts."""
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


def batch(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    normal = spread_one(x, (0, *range(2, x.ndim))) if x.size else x
    return normal * beside(weight, x) + beside(bias, x)


def constants(F: Any, x: Any) -> list[Any]:
    """Running statistics: a mean and a variance for each channel."""
    count = x.shape[1]
    return [F.tensor(np.linspace(low, high, count), dtype=x.dtype) for low, high in ((-0.5, 0.5), (0.5, 1.5))]


def grouped(x: np.ndarray, groups: int) -> np.ndarray:
    return spread_one(x.reshape(x.shape[0], groups, -1), (2,)).reshape(x.shape) if x.size else x


ROWS = [
    Row(
        "batch_norm in training",
        lambda F, x, w, b: F.nn.functional.batch_norm(x, None, None, w, b, True),
        batch,
        IMAGES,
        "NativeBatchNormBackward0",
    ),
    Row(
        "batch_norm of nothing",
        lambda F, x, w, b: F.nn.functional.batch_norm(x, None, None, w, b, True),
        batch,
        NOTHING,
    ),
    Row(
        "batch_norm far from 0",
        lambda F, x: F.nn.functional.batch_norm(x * 0.1 + 0.5, None, None, training=True),
        lambda x: spread_one(x * 0.1 + 0.5, (0,)),
        [((4, 2),)],
        "NativeBatchNormBackward0",
    ),
    Row(
        "batch_norm in evaluation",
        lambda F, x, w, b: F.nn.functional.batch_norm(x, *constants(F, x), w, b),
        lambda x, w, b: (
            spread_one(
                x, (), beside(np.linspace(-0.5, 0.5, x.shape[1]), x), beside(np.linspace(0.5, 1.5, x.shape[1]), x)
            )
            * beside(w, x)
            + beside(b, x)
        ),
        IMAGES,
        "NativeBatchNormBackward0",
    ),
    Row(
        "layer_norm()",
        lambda F, x, w, b: F.nn.functional.layer_norm(x, w.shape, w, b),
        lambda x, w, b: spread_one(x, tuple(range(-w.ndim, 0))) * w + b,
        [((3, 4), (4,), (4,)), ((4,), (4,), (4,)), ((2, 2, 3), (2, 3), (2, 3)), ((0, 3), (3,), (3,))],
        "NativeLayerNormBackward0",
    ),
    Row(
        "layer_norm without weight",
        lambda F, x: F.nn.functional.layer_norm(x * 0.1 + 0.5, [3]),
        lambda x: spread_one(x * 0.1 + 0.5, (-1,)),
        [((2, 3),)],
        "NativeLayerNormBackward0",
    ),
    Row(
        "group_norm()",
        lambda F, x, w, b: F.nn.functional.group_norm(x, 2, w, b),
        lambda x, w, b: grouped(x, 2) * beside(w, x) + beside(b, x),
        [((2, 4, 3), (4,), (4,)), ((1, 4), (4,), (4,)), ((2, 2, 2, 2), (2,), (2,)), ((0, 2, 3), (2,), (2,))],
        "NativeGroupNormBackward0",
    ),
    Row(
        "group_norm far from 0",
        lambda F, x: F.nn.functional.group_norm(x * 0.1 + 0.5, 1),
        lambda x: grouped(x * 0.1 + 0.5, 1),
        [((2, 2, 2),)],
        "NativeGroupNormBackward0",
    ),
    Row(
        "rms_norm()",
        lambda F, x, w: F.nn.functional.rms_norm(x, w.shape, w, 0.1),
        lambda x, w: (x / np.sqrt((x * x).mean(tuple(range(-w.ndim, 0)), keepdims=True) + 0.1)).astype(x.dtype) * w,
        [((3, 4), (4,)), ((2, 2, 3), (2, 3))],
    ),
    Row(
        "rms_norm without weight",
        lambda F, x: F.nn.functional.rms_norm(x, [3]),
        lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True)),
        [((2, 3),)],
    ),
]
