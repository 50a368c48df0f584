"""Rows for elements in other places: flip, roll, rot90."""

from __future__ import annotations

import numpy as np
from op_table import MATRIX, MATRIX_OR_EMPTY, UNARY, Row, both

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
    *(
        Row(
            f"rot90({k})",
            lambda F, x, k=k: F.rot90(x, k, (0, -1)),
            lambda x, k=k: np.rot90(x, k, (0, -1)),
            [((2, 3),), ((2, 1, 2),)],
            "Rot90Backward0",
        )
        for k in (0, 1, 2, -1)
    ),
    Row(".rot90()", lambda F, x: x.rot90(), np.rot90, MATRIX_OR_EMPTY, "Rot90Backward0"),
    *both("fliplr", np.fliplr, "FlipBackward0", shapes=MATRIX_OR_EMPTY),
    *both("flipud", np.flipud, "FlipBackward0", shapes=UNARY[1:]),
]
