"""Rows of sums, differences and products."""

from __future__ import annotations

import numpy as np
from ops.op_forms import written
from ops.op_table import BINARY, INTO, UNARY, Row, both

ROWS = [
    Row("x + y", lambda F, x, y: x + y, np.add, BINARY, "AddBackward0"),
    Row("x + 2", lambda F, x: x + 2, lambda x: np.add(x, 2), UNARY, "AddBackward0"),
    Row("2.5 + x", lambda F, x: 2.5 + x, lambda x: np.add(2.5, x), UNARY, "AddBackward0"),
    Row("x + True", lambda F, x: x + True, lambda x: np.add(x, 1), UNARY, "AddBackward0"),
    Row("x + x", lambda F, x: x + x, lambda x: 2 * x, UNARY, "AddBackward0"),
    *both("add", np.add, "AddBackward0", shapes=BINARY),
    Row("x - y", lambda F, x, y: x - y, np.subtract, BINARY, "SubBackward0"),
    Row("x - 2", lambda F, x: x - 2, lambda x: np.subtract(x, 2), UNARY, "SubBackward0"),
    Row("2 - x", lambda F, x: 2 - x, lambda x: np.subtract(2, x), UNARY, "RsubBackward1"),
    *both("sub", np.subtract, "SubBackward0", shapes=BINARY),
    Row("add(alpha)", lambda F, x, y: F.add(x, y, alpha=3), lambda x, y: x + 3 * y, BINARY, "AddBackward0"),
    Row("sub(alpha)", lambda F, x, y: x.sub(y, alpha=-2), lambda x, y: x + 2 * y, BINARY, "SubBackward0"),
    Row("x * y", lambda F, x, y: x * y, np.multiply, BINARY, "MulBackward0"),
    Row("x * 3", lambda F, x: x * 3, lambda x: np.multiply(x, 3), UNARY, "MulBackward0"),
    Row("0.5 * x", lambda F, x: 0.5 * x, lambda x: np.multiply(0.5, x), UNARY, "MulBackward0"),
    Row("x * x", lambda F, x: x * x, np.square, UNARY, "MulBackward0"),
    *both("mul", np.multiply, "MulBackward0", shapes=BINARY),
    Row("-x", lambda F, x: -x, np.negative, UNARY, "NegBackward0"),
    *both("neg", np.negative, "NegBackward0"),
    Row("+x", lambda F, x: +(x * 2), lambda x: x * 2, UNARY, "MulBackward0"),
    Row("add_", lambda F, x, y: x.clone().add_(y), np.add, INTO, "AddBackward0"),
    Row("sub_", lambda F, x, y: x.clone().sub_(y), np.subtract, INTO, "SubBackward0"),
    Row("mul_", lambda F, x, y: x.clone().mul_(y), np.multiply, INTO, "MulBackward0"),
    *written("neg_", np.negative, "NegBackward0"),
]
