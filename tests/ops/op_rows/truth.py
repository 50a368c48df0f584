"""Rows of how many elements are true."""

from __future__ import annotations

import numpy as np
from ops.op_table import CUBE, MATRIX_OR_EMPTY, Row, both, whole

ROWS = [
    *both("all", np.all, None, whole, differentiable=False),
    *both("any", np.any, None, whole, differentiable=False),
    Row("all(0)", lambda F, x: F.all(x, 0), lambda x: x.all(0), MATRIX_OR_EMPTY, None, whole, False),
    Row(
        "any(-1, keepdim)",
        lambda F, x: x.any(-1, keepdim=True),
        lambda x: x.any(-1, keepdims=True),
        MATRIX_OR_EMPTY,
        None,
        whole,
        False,
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
