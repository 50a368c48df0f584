"""Rows for copies of the elements."""

from __future__ import annotations

import numpy as np
from ops.op_table import MATRIX_OR_EMPTY, UNARY, Row

ROWS = [
    Row(".repeat(2, 1)", lambda F, x: x.repeat(2, 1), lambda x: np.tile(x, (2, 1)), MATRIX_OR_EMPTY, "RepeatBackward0"),
    Row(
        ".repeat((2, 1, 3))",
        lambda F, x: x.repeat((2, 1, 3)),
        lambda x: np.tile(x, (2, 1, 3)),
        UNARY,
        "RepeatBackward0",
    ),
    Row("tile((2,))", lambda F, x: F.tile(x, (2,)), lambda x: np.tile(x, 2), UNARY, "RepeatBackward0"),
    Row("x.tile(2, 1, 3)", lambda F, x: x.tile(2, 1, 3), lambda x: np.tile(x, (2, 1, 3)), UNARY, "RepeatBackward0"),
    Row(".repeat(0)", lambda F, x: x.repeat(0), lambda x: np.tile(x, 0), [((3,),), ((),)], "RepeatBackward0"),
    *(
        Row(
            f"meshgrid({indexing})[{place}]",
            lambda F, x, y, indexing=indexing, place=place: F.meshgrid(x, y, indexing=indexing)[place],
            lambda x, y, indexing=indexing, place=place: np.meshgrid(x, y, indexing=indexing)[place].reshape(
                (y.size, x.size) if indexing == "xy" else (x.size, y.size)
            ),
            [((2,), (3,)), ((1,), ()), ((0,), (2,))],
        )
        for indexing in ("ij", "xy")
        for place in (0, 1)
    ),
    Row(
        "meshgrid of a list",
        lambda F, x, y: F.meshgrid([x, y, x], indexing="xy")[2],
        lambda x, y: np.meshgrid(x, y, x)[2],
        [((2,), (3,))],
    ),
]
