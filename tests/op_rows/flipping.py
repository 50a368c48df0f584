"""Rows for elements in other places: roll."""

from __future__ import annotations

import numpy as np
from op_table import MATRIX, MATRIX_OR_EMPTY, UNARY, Row

ROWS = [
    Row("roll(1)", lambda F, x: F.roll(x, 1), lambda x: np.roll(x, 1), UNARY, "RollBackward0"),
    Row(".roll(-2, 0)", lambda F, x: x.roll(-2, 0), lambda x: np.roll(x, -2, 0), MATRIX_OR_EMPTY, "RollBackward0"),
    Row(
        "roll(dims)",
        lambda F, x: F.roll(x, (1, 4), (0, -1)),
        lambda x: np.roll(x, (1, 4), (0, -1)),
        MATRIX,
        "RollBackward0",
    ),
]
