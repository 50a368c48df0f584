"""Rows for other shapes of the same memory."""

from __future__ import annotations

import numpy as np
from op_table import MATRIX, Row, both

ROWS = [
    *both("ravel", np.ravel, "ViewBackward0"),
    Row("ravel of a transposed matrix", lambda F, x: x.t().ravel(), lambda x: x.T.ravel(), MATRIX, "ViewBackward0"),
]
