"""Rows for where numbers fall among boundaries."""

from __future__ import annotations

import numpy as np
from op_table import UNARY, Row, whole

EDGES = [-1.0, 0.0, 0.5]

ROWS = [
    Row(
        "searchsorted()",
        lambda F, x: F.searchsorted(F.tensor(EDGES, dtype=x.dtype), x),
        lambda x: np.searchsorted(EDGES, x),
        UNARY,
        None,
        whole,
        False,
    ),
    Row(
        "searchsorted(right)",
        lambda F, x: F.searchsorted(F.tensor(EDGES, dtype=x.dtype), x, right=True),
        lambda x: np.searchsorted(EDGES, x, "right"),
        UNARY,
        None,
        whole,
        False,
    ),
    Row(
        "bucketize()",
        lambda F, x: F.bucketize(x, F.tensor(EDGES, dtype=x.dtype)),
        lambda x: np.searchsorted(EDGES, x),
        UNARY,
        None,
        whole,
        False,
    ),
]
