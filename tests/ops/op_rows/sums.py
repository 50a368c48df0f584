"""Rows of sums and means."""

from __future__ import annotations

import numpy as np
from ops.op_table import CUBE, MATRIX_OR_EMPTY, UNARY, Row, both

ROWS = [
    *both("sum", np.sum, "SumBackward0"),
    Row("sum(0)", lambda F, x: F.sum(x, 0), lambda x: x.sum(0), MATRIX_OR_EMPTY + CUBE, "SumBackward1"),
    Row("sum(-1)", lambda F, x: x.sum(-1), lambda x: x.sum(-1), MATRIX_OR_EMPTY + CUBE, "SumBackward1"),
    Row("sum(-1) of 0d", lambda F, x: x.sum(-1), lambda x: x, [((),)], "SumBackward1"),
    Row("sum((0, 2))", lambda F, x: x.sum((0, 2)), lambda x: x.sum((0, 2)), CUBE, "SumBackward1"),
    Row("sum([-1, 0])", lambda F, x: x.sum([-1, 0]), lambda x: x.sum((0, 2)), CUBE, "SumBackward1"),
    Row(
        "sum(1, keepdim)",
        lambda F, x: x.sum(1, keepdim=True),
        lambda x: x.sum(1, keepdims=True),
        MATRIX_OR_EMPTY + CUBE,
        "SumBackward1",
    ),
    Row("sum(dim=(), keepdim)", lambda F, x: x.sum((), True), lambda x: x.sum(keepdims=True), UNARY, "SumBackward1"),
    Row("sum(dtype)", lambda F, x: x.sum(dtype=F.float64), lambda x: x.sum(dtype="float64"), UNARY, "SumBackward0"),
    *both("mean", np.mean, "MeanBackward0", shapes=[((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row(
        "mean(0)",
        lambda F, x: F.mean(x, 0),
        lambda x: x.mean(0),
        [((2, 3),), ((1, 3),), ((2, 0),), *CUBE],
        "MeanBackward1",
    ),
    Row("mean((0, -1))", lambda F, x: x.mean((0, -1)), lambda x: x.mean((0, 2)), CUBE, "MeanBackward1"),
    Row(
        "mean(-1, keepdim)",
        lambda F, x: x.mean(-1, keepdim=True),
        lambda x: x.mean(-1, keepdims=True),
        CUBE,
        "MeanBackward1",
    ),
    Row("mean of 0d along -1", lambda F, x: x.mean(-1), lambda x: x, [((),)], "MeanBackward1"),
]
