"""Rows for attention."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any = 0.0) -> np.ndarray:
    scores = q @ np.swapaxes(k, -2, -1) / np.sqrt(q.shape[-1]) + mask
    powers = np.exp(scores)
    return (powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300) @ v).astype(q.dtype)


def lower(length: int, size: int) -> np.ndarray:
    return np.where(np.tri(length, size, dtype=bool), 0, -np.inf)


def seen(F: Any, q: Any, k: Any) -> Any:
    """A mask of bools in which the first query sees nothing."""
    mask = np.arange(q.shape[-2])[:, np.newaxis] > np.arange(k.shape[-2])
    return np.where(mask, 0, -np.inf) if F is None else F.tensor(mask)


def attend(F: Any, *inputs: Any, **options: Any) -> Any:
    """The function itself: in PyTorch by the formula, for its fast kernels have no second derivative."""
    if getattr(F, "__name__", "") != "torch":
        return F.nn.functional.scaled_dot_product_attention(*inputs, **options)
    with F.nn.attention.sdpa_kernel(F.nn.attention.SDPBackend.MATH):
        return F.nn.functional.scaled_dot_product_attention(*inputs, **options)


USUAL: list[Any] = [((2, 3), (4, 3), (4, 2)), ((2, 1, 2, 2),) * 3]

ROWS = [
    Row(
        "scaled_dot_product_attention()",
        lambda F, q, k, v: attend(F, q, k, v),
        attention,
        USUAL,
    ),
    Row(
        "scaled_dot_product_attention(is_causal)",
        lambda F, q, k, v: attend(F, q, k, v, is_causal=True),
        lambda q, k, v: attention(q, k, v, lower(q.shape[-2], k.shape[-2])),
        USUAL,
    ),
    Row(
        "scaled_dot_product_attention(mask of bools)",
        lambda F, q, k, v: attend(F, q, k, v, seen(F, q, k)),
        lambda q, k, v: attention(q, k, v, seen(None, q, k)),
        USUAL,
    ),
    Row(
        "scaled_dot_product_attention(mask of numbers)",
        lambda F, q, k, v, mask: attend(F, q, k, v, mask),
        attention,
        [((2, 3), (4, 3), (4, 2), (2, 4))],
    ),
]
