"""Rows for sums of products over chosen dimensions."""

from __future__ import annotations

import numpy as np
from op_table import Row, both

from op_rows.matmul import PAIRS, VECTORS

ROWS = [
    *both("inner", np.inner, shapes=[((3,), (3,)), ((2, 3), (4, 3)), ((2, 2, 3), (3,)), ((), (2,)), ((2, 0), (0,))]),
    Row("tensordot()", lambda F, x, y: F.tensordot(x, y), np.tensordot, [((2, 3), (2, 3)), ((2, 2, 3), (2, 3, 2))]),
    Row("tensordot(1)", lambda F, x, y: F.tensordot(x, y, 1), lambda x, y: np.tensordot(x, y, 1), [((2, 3), (3, 2))]),
    Row("tensordot(0)", lambda F, x, y: F.tensordot(x, y, dims=0), lambda x, y: np.tensordot(x, y, 0), PAIRS),
    Row(
        "tensordot(lists)",
        lambda F, x, y: F.tensordot(x, y, dims=([0, -1], [1, 0])),
        lambda x, y: np.tensordot(x, y, ([0, -1], [1, 0])),
        [((2, 3, 1), (1, 2, 2)), ((2, 3), (3, 2))],
    ),
    Row(
        "tensordot with a size of 1",
        lambda F, x, y: F.tensordot(x, y, 1),
        lambda x, y: np.tensordot(x.sum(1, keepdims=True), y, 1),
        [((2, 3), (1, 2))],
    ),
    *both("kron", np.kron, "UnsafeViewBackward0", shapes=[((2, 3), (2, 1)), ((2,), (1, 2)), ((), (2,))], graph=False),
    Row("linalg.vecdot()", lambda F, x, y: F.linalg.vecdot(x, y), lambda x, y: (x * y).sum(-1), [((2, 3), (3,))]),
    Row("linalg.vecdot(dim)", lambda F, x, y: F.linalg.vecdot(x, y, dim=0), lambda x, y: (x * y).sum(0), VECTORS[:1]),
]
