"""Rows for distances."""

from __future__ import annotations

import numpy as np
from op_table import Row


def distances(x: np.ndarray, y: np.ndarray, p: float = 2) -> np.ndarray:
    return np.linalg.norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


ROWS = [
    Row(
        "cdist()",
        lambda F, x, y: F.cdist(x, y),
        distances,
        [((2, 3), (4, 3)), ((2, 1, 2, 3), (3, 2, 3)), ((0, 2), (2, 2))],
        differentiable=False,
    ),
    Row(
        "cdist(by a product)",
        lambda F, x, y: F.cdist(x, y, compute_mode="use_mm_for_euclid_dist"),
        distances,
        [((2, 3), (3, 3)), ((2, 2, 2), (2, 1, 2))],
    ),
    Row(
        "cdist(p=1)",
        lambda F, x, y: F.cdist(x, y, p=1),
        lambda x, y: distances(x, y, 1),
        [((2, 3), (4, 3))],
        differentiable=False,
    ),
]
