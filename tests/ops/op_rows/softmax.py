"""Rows for softmax, its logarithm, and logsumexp."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import UNARY, Row, apart

CUBES: list[Any] = [((2, 3, 4),), ((1, 5, 1),), ((3, 0, 2),), ((0, 3, 2),)]


def softmax(x: np.ndarray, dim: int) -> np.ndarray:
    if not x.size:
        return x
    powers = np.exp(x - np.max(x, axis=dim, keepdims=True)) if x.ndim else np.ones_like(x)
    return powers / np.sum(powers, axis=dim, keepdims=True) if x.ndim else powers


def log_sum(x: np.ndarray, dim: Any, keepdim: bool = False) -> np.ndarray:
    with np.errstate(divide="ignore"):  # of nothing it is -inf
        return np.log(np.sum(np.exp(x), axis=dim if x.ndim else None, keepdims=keepdim)).astype(x.dtype)


def nn(F: Any) -> Any:
    return F.nn.functional


ROWS = [
    *(
        Row(
            f"softmax({dim})", lambda F, x, dim=dim: F.softmax(x, dim), lambda x, dim=dim: softmax(x, dim), shapes, node
        )
        for dim, shapes, node in [
            (0, UNARY, "SoftmaxBackward0"),
            (-1, [*UNARY, *CUBES], "SoftmaxBackward0"),
            (1, CUBES, "SoftmaxBackward0"),
        ]
    ),
    Row(".softmax()", lambda F, x: x.softmax(-1), lambda x: softmax(x, -1), UNARY, "SoftmaxBackward0"),
    Row(
        "softmax of far rows",
        lambda F, x: F.softmax(x * 40, -1),
        lambda x: softmax(x * 40, -1),
        [((3, 4),)],
        "SoftmaxBackward0",
        apart,
    ),
    Row("F.softmax()", lambda F, x: nn(F).softmax(x, dim=1), lambda x: softmax(x, 1), CUBES[:2], "SoftmaxBackward0"),
    *(
        Row(
            f"log_softmax({dim})",
            lambda F, x, dim=dim: F.log_softmax(x, dim),
            lambda x, dim=dim: np.log(softmax(x, dim)),
            shapes,
            "LogSoftmaxBackward0",
        )
        for dim, shapes in [(0, UNARY), (-1, [*UNARY, *CUBES]), (1, CUBES)]
    ),
    Row(
        ".log_softmax()",
        lambda F, x: x.log_softmax(-1),
        lambda x: np.log(softmax(x, -1)),
        UNARY,
        "LogSoftmaxBackward0",
    ),
    *(
        Row(
            f"logsumexp({dim}, {keepdim})",
            lambda F, x, dim=dim, keepdim=keepdim: F.logsumexp(x, dim, keepdim),
            lambda x, dim=dim, keepdim=keepdim: log_sum(x, dim, keepdim),
            shapes,
            "LogsumexpBackward0",
        )
        for dim, keepdim, shapes in [
            (0, False, UNARY),
            (-1, True, UNARY),
            ((0, 2), False, CUBES[:3]),
            ((-1, 1), True, CUBES),
        ]
    ),
    Row(
        ".logsumexp()",
        lambda F, x: x.logsumexp(0),
        lambda x: log_sum(x, 0),
        [((3,),), ((2, 3),)],
        "LogsumexpBackward0",
    ),
]
