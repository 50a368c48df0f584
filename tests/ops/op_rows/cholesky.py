"""Rows for the Cholesky factorization.

The functions are given x x' + 1, so that small changes stay symmetric and positive-definite.
"""

from __future__ import annotations

import numpy as np
from ops.op_rows.inverse import SQUARE, numpy_positive, positive, row, turned

ROWS = [
    row(
        "linalg.cholesky()",
        lambda F, x: F.linalg.cholesky(positive(F, x)),
        lambda x: np.linalg.cholesky(numpy_positive(x)),
        SQUARE,
        "LinalgCholeskyExBackward0",
        graph=False,
    ),
    row(
        "linalg.cholesky(upper)",
        lambda F, x: F.linalg.cholesky(positive(F, x), upper=True),
        lambda x: turned(np.linalg.cholesky(numpy_positive(x))),
        [((3, 3),), ((2, 2, 2),)],
        "LinalgCholeskyExBackward0",
        graph=False,
    ),
]
