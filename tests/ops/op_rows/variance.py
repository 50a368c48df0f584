"""Rows of variances and standard deviations."""

from __future__ import annotations

import numpy as np
from ops.op_table import CUBE, MATRIX, VECTOR, Row, apart, both

ROWS = [
    *both("var", lambda x: x.var(ddof=1), "VarBackward0", shapes=[((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row("var(0)", lambda F, x: F.var(x, 0), lambda x: x.var(0, ddof=1), MATRIX + CUBE, "VarBackward0"),
    Row(
        "var((0, -1), keepdim)",
        lambda F, x: x.var((0, -1), keepdim=True, correction=0),
        lambda x: x.var((0, 2), keepdims=True),
        CUBE,
        "VarBackward0",
    ),
    *both("std", lambda x: x.std(ddof=1), "StdBackward0", apart, [((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row("std(False)", lambda F, x: F.std(x, False), np.std, VECTOR + MATRIX, "StdBackward0", apart),
    Row(
        "std(1, keepdim)",
        lambda F, x: x.std(1, keepdim=True),
        lambda x: x.std(1, ddof=1, keepdims=True),
        MATRIX + CUBE,
        "StdBackward0",
        apart,
    ),
    Row("var_mean", lambda F, x: F.var_mean(x, 1)[0], lambda x: x.var(1, ddof=1), MATRIX + CUBE),
    Row("std_mean[1]", lambda F, x: F.std_mean(x, 0, keepdim=True)[1], lambda x: x.mean(0, keepdims=True), MATRIX),
]
