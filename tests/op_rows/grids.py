"""Rows for grids and choices of elements."""

from __future__ import annotations

import numpy as np
from op_table import Row

ROWS = [
    *(
        Row(
            f"meshgrid({indexing})[{part}]",
            lambda F, x, y, part=part, indexing=indexing: F.meshgrid(x, y, indexing=indexing)[part],
            lambda x, y, part=part, indexing=indexing: np.meshgrid(x, y, indexing=indexing)[part],
            [((2,), (3,)), ((), (3,))],
            "ExpandBackward0",
        )
        for indexing in ("ij", "xy")
        for part in (0, 1)
    ),
]
