"""Rows for one index for each element to be read."""

from __future__ import annotations

import numpy as np
from ops.op_rows.scatter import COLUMNS, TAKEN, grid, nowhere
from ops.op_table import CUBE, MATRIX, VECTOR, Row

ALONG = [((3, 4),), ((3, 3),), ((4, 3),)]


ROWS = [
    Row(
        "gather()", lambda F, x: F.gather(x, 0, F.tensor(TAKEN)), lambda x: x[grid(TAKEN, 0)], ALONG, "GatherBackward0"
    ),
    Row(
        ".gather(-1)",
        lambda F, x: x.gather(-1, F.tensor(COLUMNS)),
        lambda x: x[grid(COLUMNS, 1)],
        [((3, 4),), ((4, 4),)],
        "GatherBackward0",
    ),
    Row(
        "gather in the middle",
        lambda F, x: x.gather(1, F.tensor([[[2, 0], [1, 1]]])),
        lambda x: x[grid([[[2, 0], [1, 1]]], 1)],
        CUBE,
        "GatherBackward0",
    ),
    Row("gather from a vector", lambda F, x: x.gather(0, F.tensor([1, 1, 0])), lambda x: x[[1, 1, 0]], VECTOR),
    Row("gather of 0d", lambda F, x: x.gather(0, F.tensor([0, 0])), lambda x: np.stack([x, x]), [((),)]),
    Row("gather to 0d", lambda F, x: x.gather(0, F.tensor(1)), lambda x: x[1], VECTOR, "GatherBackward0"),
    Row("gather nothing", lambda F, x: x.gather(0, nowhere(F)), lambda x: x.ravel()[:0], VECTOR + MATRIX),
]
