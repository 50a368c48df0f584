"""Rows of sums, differences, products, and operations of three tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_forms import FEW, FEW_BINARY, function_and_method, written
from op_table import BINARY, CHOICE, INTO, UNARY, Row, apart, both, normal


def lerp(x: np.ndarray, end: np.ndarray, weight: Any) -> np.ndarray:
    return x + (end - x) * weight


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
    *function_and_method("lerp", lerp, "LerpBackward1", shapes=CHOICE),
    Row("lerp(x, y, 0.3)", lambda F, x, y: F.lerp(x, y, 0.3), lambda x, y: lerp(x, y, 0.3), BINARY, "LerpBackward0"),
    Row(
        "x.lerp_(y, 0.7)", lambda F, x, y: x.clone().lerp_(y, 0.7), lambda x, y: lerp(x, y, 0.7), INTO, "LerpBackward0"
    ),
    *function_and_method("addcmul", lambda x, y, z: x + y * z, "AddcmulBackward0", shapes=CHOICE),
    *function_and_method("addcdiv", lambda x, y, z: x + y / z, "AddcdivBackward0", (normal, normal, apart), CHOICE),
    Row(
        "addcmul(value)",
        lambda F, x, y, z: F.addcmul(x, y, z, value=0.5),
        lambda x, y, z: x + y * z / 2,
        CHOICE[:2],
        "AddcmulBackward0",
    ),
    Row(
        "addcdiv(value)",
        lambda F, x, y, z: x.addcdiv(y, z, value=-2),
        lambda x, y, z: x - 2 * y / z,
        CHOICE[:2],
        "AddcdivBackward0",
        (normal, normal, apart),
    ),
    Row(
        ".addcmul_()",
        lambda F, x, y, z: x.clone().addcmul_(y, z, value=2),
        lambda x, y, z: x + 2 * y * z,
        [((2, 3), (3,), (2, 1))],
        "AddcmulBackward0",
    ),
    Row(
        ".addcdiv_()",
        lambda F, x, y, z: x.clone().addcdiv_(y, z),
        lambda x, y, z: x + y / z,
        [((2, 3), (3,), ())],
        "AddcdivBackward0",
        (normal, normal, apart),
    ),
    Row("rsub(x, y)", lambda F, x, y: F.rsub(x, y), lambda x, y: y - x, BINARY, "RsubBackward0"),
    Row(
        "rsub(x, y, alpha)", lambda F, x, y: F.rsub(x, y, alpha=3), lambda x, y: y - 3 * x, FEW_BINARY, "RsubBackward0"
    ),
    Row("rsub(x, 2)", lambda F, x: F.rsub(x, 2), lambda x: 2 - x, UNARY, "RsubBackward1"),
    Row("positive()", lambda F, x: F.positive(x * 2), lambda x: x * 2, FEW, "MulBackward0"),
    Row(".positive()", lambda F, x: (x * 2).positive(), lambda x: x * 2, FEW, "MulBackward0"),
]
