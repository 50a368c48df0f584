"""Rows for the cross product."""

from __future__ import annotations

import numpy as np
from op_table import Row

ROWS = [
    Row(
        "cross(dim)",
        lambda F, x, y: F.cross(x, y, dim=0),
        lambda x, y: np.cross(x, y, axis=0),
        [((3, 2), (3, 2)), ((3,), (3,)), ((3, 0), (3, 0))],
        "LinalgCrossBackward0",
    ),
    Row(
        ".cross(dim)",
        lambda F, x, y: x.cross(y, dim=-1),
        np.cross,
        [((2, 3), (1, 3)), ((2, 2, 3), (2, 2, 3))],
        "LinalgCrossBackward0",
    ),
    Row("linalg.cross()", lambda F, x, y: F.linalg.cross(x, y), np.cross, [((1, 3), (2, 3))], "LinalgCrossBackward0"),
]
