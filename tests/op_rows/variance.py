"""Rows of variances and standard deviations."""

from __future__ import annotations

import numpy as np
from op_forms import FILLED, SMALL_CUBE
from op_table import CUBE, MATRIX, VECTOR, Row, apart, both

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
    Row(
        "var_mean()[0]",
        lambda F, x: F.var_mean(x)[0],
        lambda x: np.var(x, ddof=1),
        [((3,),), ((2, 3),)],
        "VarMeanBackward0",
    ),
    Row("var_mean()[1]", lambda F, x: F.var_mean(x, correction=0)[1], np.mean, FILLED, "VarMeanBackward0"),
    Row(
        "var_mean(dims)",
        lambda F, x: sum(F.var_mean(x, (0, 2), keepdim=True)),
        lambda x: np.var(x, (0, 2), ddof=1, keepdims=True) + np.mean(x, (0, 2), keepdims=True),
        SMALL_CUBE,
        "AddBackward0",
    ),
    Row(
        "std_mean()[0]",
        lambda F, x: F.std_mean(x)[0],
        lambda x: np.std(x, ddof=1),
        [((3,),), ((2, 3),)],
        "StdMeanBackward0",
    ),
    Row("std_mean()[1]", lambda F, x: F.std_mean(x, correction=0)[1], np.mean, FILLED, "StdMeanBackward0"),
    Row(
        "std_mean(dim)",
        lambda F, x: sum(F.std_mean(x, 1, correction=0)),
        lambda x: np.std(x, 1) + np.mean(x, 1),
        [((2, 3),)],
        "AddBackward0",
    ),
]
