"""Rows for copies of the elements."""

from __future__ import annotations

import numpy as np
from op_table import MATRIX_OR_EMPTY, UNARY, Row

ROWS = [
    Row(".repeat(2, 1)", lambda F, x: x.repeat(2, 1), lambda x: np.tile(x, (2, 1)), MATRIX_OR_EMPTY, "RepeatBackward0"),
    Row(
        ".repeat((2, 1, 3))",
        lambda F, x: x.repeat((2, 1, 3)),
        lambda x: np.tile(x, (2, 1, 3)),
        UNARY,
        "RepeatBackward0",
    ),
    Row(".repeat(0)", lambda F, x: x.repeat(0), lambda x: np.tile(x, 0), [((3,),), ((),)], "RepeatBackward0"),
]
