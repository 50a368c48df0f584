"""Rows for least squares, pseudo-inverses and ranks."""

from __future__ import annotations

import numpy as np
from op_table import both

from op_rows.inverse import FULL, TALL, distinct, invertible, numpy_positive, positive, row

ROWS = [
    row("linalg.pinv()", lambda F, x: F.linalg.pinv(x), np.linalg.pinv, FULL, domain=distinct),
    *both("pinverse", np.linalg.pinv, None, distinct, [((2, 2),), *TALL]),
    row(
        "linalg.pinv(hermitian)",
        lambda F, x: F.linalg.pinv(positive(F, x), hermitian=True),
        lambda x: np.linalg.inv(numpy_positive(x)),
        [((2, 2),), ((2, 2, 2),)],
    ),
    row(
        "linalg.lstsq()",
        lambda F, x, y: F.linalg.lstsq(x, y).solution,
        lambda x, y: np.linalg.pinv(x) @ y,
        [((3, 2), (3, 2)), ((2, 3), (2, 1)), ((2, 3, 2), (2, 3, 1))],
        domain=distinct,
    ),
    row(
        "linalg.lstsq(vectors)",
        lambda F, x, y: F.linalg.lstsq(x, y)[0],
        lambda x, y: (np.linalg.pinv(x) @ y[..., None])[..., 0],
        [((2, 3, 2), (2, 3))],
        domain=(distinct, invertible),
    ),
    row(
        "linalg.matrix_rank()",
        lambda F, x: F.linalg.matrix_rank(x),
        lambda x: np.asarray(np.linalg.matrix_rank(x)),
        FULL,
        domain=distinct,
        differentiable=False,
    ),
]
