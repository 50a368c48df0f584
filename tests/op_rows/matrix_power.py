"""Rows for powers of matrices."""

from __future__ import annotations

import numpy as np
from op_table import Row

ROWS = [
    *[
        Row(
            f"matrix_power({n})",
            lambda F, x, n=n: F.matrix_power(x, n) if n % 2 else x.matrix_power(n),
            lambda x, n=n: np.linalg.matrix_power(x, n),
            [((2, 2),), ((2, 2, 2),)],
            {1: "CloneBackward0"}.get(n),
            domain=lambda random, shape: 2 * np.eye(2) + 0.5 * random.standard_normal(shape),
        )
        for n in (1, 2, 3, 5, -1, -2)
    ],
    Row(
        "matrix_power(0)",
        lambda F, x: F.linalg.matrix_power(x, 0) * x,
        lambda x: np.eye(2, dtype=x.dtype) * x,
        [((2, 2),), ((2, 2, 2),)],
    ),
]
