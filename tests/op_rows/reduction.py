"""Rows for arguments of reductions beyond those in the first table."""

from __future__ import annotations

import numpy as np
from op_table import BINARY, CUBE, Row, normal, whole

ROWS = [
    Row(
        "max(other=)",
        lambda F, x, y: F.max(x, other=y),
        np.maximum,
        BINARY[:3],
        "MaximumBackward0",
        (normal, normal),
    ),
    Row(
        ".min(other)",
        lambda F, x, y: x.min(y),
        np.minimum,
        BINARY[:3],
        "MinimumBackward0",
        (normal, normal),
    ),
    Row("all(dims)", lambda F, x: F.all(x, (0, -1)), lambda x: np.all(x, (0, -1)), CUBE, None, whole, False),
    Row(
        ".any(dims, keepdim)",
        lambda F, x: x.any([1], True),
        lambda x: np.any(x, 1, keepdims=True),
        CUBE,
        None,
        whole,
        False,
    ),
    Row("any(no dims)", lambda F, x: F.any(x, ()), lambda x: x != 0, CUBE, None, whole, False),
]
