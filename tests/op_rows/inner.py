"""Rows for inner products."""

from __future__ import annotations

import numpy as np
from op_table import both

ROWS = [
    *both("inner", np.inner, shapes=[((3,), (3,)), ((2, 3), (4, 3)), ((2, 2, 3), (3,)), ((), (2,)), ((2, 0), (0,))]),
]
