"""Rows of products of elements."""

from __future__ import annotations

import numpy as np
from ops.op_table import CUBE, MATRIX, MATRIX_OR_EMPTY, UNARY, VECTOR, Row, apart, both, whole

ROWS = [
    *both("prod", np.prod, "ProdBackward0", apart),
    Row("prod(0)", lambda F, x: F.prod(x, 0), lambda x: x.prod(0), MATRIX_OR_EMPTY + CUBE, "ProdBackward1", apart),
    Row(
        "prod(-1, keepdim)",
        lambda F, x: x.prod(-1, keepdim=True),
        lambda x: x.prod(-1, keepdims=True),
        MATRIX_OR_EMPTY + CUBE,
        "ProdBackward1",
        apart,
    ),
    Row("prod() with zeros", lambda F, x: x.prod(), np.prod, VECTOR + MATRIX, "ProdBackward0", whole),
    Row("prod(1) with zeros", lambda F, x: x.prod(1), lambda x: x.prod(1), MATRIX + CUBE, "ProdBackward1", whole),
    Row("prod(0) of 0d", lambda F, x: x.prod(0), lambda x: x, [((),)]),
    Row("prod(dtype)", lambda F, x: x.prod(dtype=F.float64), lambda x: x.prod(dtype="float64"), UNARY, "ProdBackward0"),
]
