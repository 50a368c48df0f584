"""Rows for determinants."""

from __future__ import annotations

import numpy as np
from ops.op_rows.inverse import SQUARE, row
from ops.op_table import both

ROWS = [
    *both("det", np.linalg.det, "LinalgDetBackward0", shapes=SQUARE),
    row(
        "det of singular matrices",
        lambda F, x: F.linalg.det(F.outer(x, x)) + F.linalg.det(F.stack([x, 2 * x, x * x])),
        lambda x: np.zeros((), x.dtype),
        [((3,),)],
        differentiable=False,
    ),
]
