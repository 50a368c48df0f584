"""Rows for copies of the elements."""

from __future__ import annotations

import numpy as np
from op_table import MATRIX, MATRIX_OR_EMPTY, UNARY, Row

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
    Row("tile()", lambda F, x: F.tile(x, (2,)), lambda x: np.tile(x, 2), UNARY, "RepeatBackward0"),
    Row(".tile()", lambda F, x: x.tile(2, 3, 1), lambda x: np.tile(x, (2, 3, 1)), MATRIX, "RepeatBackward0"),
    Row(
        "repeat_interleave(2)",
        lambda F, x: F.repeat_interleave(x, 2),
        lambda x: np.repeat(x, 2),
        [((3,),), ((2, 3),), ((),), ((0,),)],
        "ViewBackward0",
    ),
    Row(
        ".repeat_interleave(3, dim)",
        lambda F, x: x.repeat_interleave(3, dim=-1),
        lambda x: np.repeat(x, 3, -1),
        MATRIX,
        "ViewBackward0",
    ),
    Row(
        "repeat_interleave(tensor, dim)",
        lambda F, x: F.repeat_interleave(x, F.tensor([2, 0, 3]), 1),
        lambda x: np.repeat(x, [2, 0, 3], 1),
        [((2, 3),), ((1, 3),)],
        "IndexSelectBackward0",
    ),
]
