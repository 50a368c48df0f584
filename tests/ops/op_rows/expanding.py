"""Rows for repeating without a copy, and its opposite."""

from __future__ import annotations

import numpy as np
from ops.op_table import Row

ROWS = [
    Row(
        "broadcast_to()",
        lambda F, x: F.broadcast_to(x, (2, 2, 3)),
        lambda x: np.broadcast_to(x, (2, 2, 3)),
        [((),), ((3,),), ((2, 1),)],
        "ExpandBackward0",
    ),
    Row(
        ".broadcast_to()",
        lambda F, x: x.broadcast_to(2, 3),
        lambda x: np.broadcast_to(x, (2, 3)),
        [((3,),)],
        "ExpandBackward0",
    ),
]
