"""Rows for cutting a tensor into pieces."""

from __future__ import annotations

import numpy as np
from op_table import MATRIX, Row

ROWS = [
    Row(
        "tensor_split(3)",
        lambda F, x: F.tensor_split(x, 3)[0],
        lambda x: np.array_split(x, 3)[0],
        [((4,),), ((5, 2),)],
        "SliceBackward0",
    ),
    Row(
        ".tensor_split(places)",
        lambda F, x: x.tensor_split((1, -1), dim=1)[1],
        lambda x: np.split(x, (1, -1), 1)[1],
        MATRIX,
        "SliceBackward0",
    ),
    Row(
        "tensor_split(): two of three",
        lambda F, x: (lambda a, b, c: a * c)(*x.tensor_split(3)),
        lambda x: x[:1] * x[2:],
        [((3,),)],
        "MulBackward0",
    ),
]
