"""Rows of comparisons."""

from __future__ import annotations

import numpy as np
from ops.op_forms import question
from ops.op_table import BINARY, UNARY, Row, both, whole

ROWS = [
    question("x == y", lambda F, x, y: x == y, np.equal),
    question("x != y", lambda F, x, y: x != y, np.not_equal),
    question("x < y", lambda F, x, y: x < y, np.less),
    question("x <= y", lambda F, x, y: x <= y, np.less_equal),
    question("x > y", lambda F, x, y: x > y, np.greater),
    question("x >= y", lambda F, x, y: x >= y, np.greater_equal),
    question("1 > x", lambda F, x: x < 1, lambda x: x < 1, UNARY),
    question("x == 1", lambda F, x: x == 1, lambda x: x == 1, UNARY),
    *both("eq", np.equal, None, whole, BINARY, differentiable=False),
    *both("ne", np.not_equal, None, whole, BINARY, differentiable=False),
    *both("lt", np.less, None, whole, BINARY, differentiable=False),
    *both("le", np.less_equal, None, whole, BINARY, differentiable=False),
    *both("gt", np.greater, None, whole, BINARY, differentiable=False),
    *both("ge", np.greater_equal, None, whole, BINARY, differentiable=False),
    *(
        Row(
            name,
            lambda F, x, y, ask=ask: F.tensor([getattr(F, ask)(x, y), getattr(x, ask)(y), getattr(x, ask)(x)]),
            lambda x, y, numpy=numpy: np.array([numpy(x, y), numpy(x, y), True]),
            [((2, 3), (2, 3)), ((0,), (0,)), ((), ())],
            None,
            whole,
            False,
        )
        for name, ask, numpy in (("allclose", "allclose", np.allclose), ("equal", "equal", np.array_equal))
    ),
]
