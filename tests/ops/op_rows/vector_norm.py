"""Rows of lengths of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_forms import FILLED, MATRICES_OR_COLUMN
from ops.op_table import Row, apart, both

INFINITY = float("inf")


def norm(x: np.ndarray, p: float, dim: Any = None, keepdim: bool = False) -> np.ndarray:
    sizes = np.abs(x)
    axis = tuple(range(x.ndim)) if dim is None else dim
    if p == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdim).astype(x.dtype)
    if np.isinf(p):
        return (np.max if p > 0 else np.min)(sizes, axis=axis, keepdims=keepdim)
    return np.sum(sizes**p, axis=axis, keepdims=keepdim) ** x.dtype.type(1 / p)


ROWS = [
    *both("norm", lambda x: norm(x, 2), "LinalgVectorNormBackward0", apart, FILLED),
    *(
        Row(
            f"norm(p={p})",
            lambda F, x, p=p: F.norm(x, p),
            lambda x, p=p: norm(x, p),
            [((),), ((3,),), ((2, 2),)],
            "LinalgVectorNormBackward0",
            apart,
        )
        for p in (0, 0.5, 1, 1.5, 2, 3, -1, INFINITY, -INFINITY)
    ),
    Row(
        "norm('fro')",
        lambda F, x: F.norm(x, "fro", dim=(0, 1)),
        lambda x: norm(x, 2),
        MATRICES_OR_COLUMN,
        "LinalgVectorNormBackward0",
    ),
    *(
        Row(
            f"norm(p={p}, dim)",
            lambda F, x, p=p: x.norm(p, dim=-1, keepdim=True),
            lambda x, p=p: norm(x, p, -1, True),
            [((2, 3),), ((0, 2),)],
            "LinalgVectorNormBackward0",
            apart,
        )
        for p in (1, 2, 3, INFINITY)
    ),
]
