"""Rows for dimensions in another order."""

from __future__ import annotations

import numpy as np
from op_table import CUBE, MATRIX, MATRIX_OR_EMPTY, Row, both

ROWS = [
    *both("adjoint", lambda x: np.swapaxes(x, -2, -1), "TransposeBackward0", shapes=[*MATRIX, *CUBE]),
    Row(".H", lambda F, x: x.H, np.transpose, MATRIX_OR_EMPTY, "TransposeBackward0"),
    Row(".mH", lambda F, x: x.mH, lambda x: np.swapaxes(x, -2, -1), [*MATRIX, *CUBE], "TransposeBackward0"),
]
