"""Rows for products of vectors and matrices."""

from __future__ import annotations

import numpy as np
from ops.op_table import Row, Shapes, both

BATCHES: list[Shapes] = [((2, 2, 3), (2, 3, 2)), ((1, 1, 2), (1, 2, 3)), ((0, 2, 3), (0, 3, 2)), ((2, 2, 0), (2, 0, 3))]


VECTORS: list[Shapes] = [((3,), (3,)), ((1,), (1,)), ((0,), (0,))]


PAIRS: list[Shapes] = [((2,), (3,)), ((1,), (2,)), ((0,), (2,))]


ROWS = [
    *both("bmm", np.matmul, "BmmBackward0", shapes=BATCHES),
    *both("dot", np.dot, "DotBackward0", shapes=VECTORS),
    *both("vdot", np.dot, shapes=VECTORS),
    *both("mv", np.dot, "MvBackward0", shapes=[((2, 3), (3,)), ((1, 1), (1,)), ((2, 0), (0,))]),
    *both("outer", np.outer, "MulBackward0", shapes=PAIRS),
    Row(
        "batch @ matrix as one product",
        lambda F, x, y: x @ y,
        np.matmul,
        [((2, 2, 3), (3, 2)), ((2, 0, 1, 2), (2, 2))],
        "UnsafeViewBackward0",
    ),
    Row(
        "batch @ vector as one product",
        lambda F, x, y: x @ y,
        np.matmul,
        [((2, 2, 3), (3,)), ((2, 1, 0, 3), (3,))],
        "UnsafeViewBackward0",
    ),
    Row("linalg.matmul()", lambda F, x, y: F.linalg.matmul(x, y), np.matmul, [((2, 3), (3, 2))], "MmBackward0"),
]
