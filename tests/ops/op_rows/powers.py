"""Rows of powers and roots."""

from __future__ import annotations

import numpy as np
from ops.op_forms import in_all_forms, written
from ops.op_table import BINARY, UNARY, Row, apart, both, normal, positive

ROWS = [
    Row("x ** 2", lambda F, x: x**2, np.square, UNARY, "PowBackward0"),
    Row("x ** 3", lambda F, x: x**3, lambda x: x * x * x, UNARY, "PowBackward0"),
    Row("x ** 1", lambda F, x: x**1, lambda x: x, UNARY, "PowBackward0"),
    Row("x ** 0", lambda F, x: x**0, np.ones_like, UNARY, "PowBackward0"),
    Row("x ** -2", lambda F, x: x**-2, lambda x: 1 / (x * x), UNARY, "PowBackward0", apart),
    Row("x ** 0.5", lambda F, x: x**0.5, np.sqrt, UNARY, "PowBackward0", positive),
    Row("x ** -1.5", lambda F, x: x**-1.5, lambda x: 1 / (x * np.sqrt(x)), UNARY, "PowBackward0", positive),
    Row("x ** y", lambda F, x, y: x**y, np.power, BINARY, "PowBackward1", (positive, normal)),
    Row("x ** x", lambda F, x: x**x, lambda x: np.exp(x * np.log(x)), UNARY, "PowBackward1", positive),
    Row("2 ** x", lambda F, x: 2**x, np.exp2, UNARY, "PowBackward2"),
    Row("0.5 ** x", lambda F, x: 0.5**x, lambda x: np.exp2(-x), UNARY, "PowBackward2"),
    Row("pow(x, 3)", lambda F, x: F.pow(x, 3), lambda x: x * x * x, UNARY, "PowBackward0"),
    Row("pow(3, x)", lambda F, x: F.pow(3, x), lambda x: np.power(3, x), UNARY, "PowBackward2"),
    *both("pow", np.power, "PowBackward1", (positive, normal), BINARY),
    *both("square", np.square, "PowBackward0"),
    *both("sqrt", np.sqrt, "SqrtBackward0", positive),
    Row("pow_", lambda F, x: x.clone().pow_(3), lambda x: x**3, UNARY, "PowBackward0"),
    *written("sqrt_", np.sqrt, "SqrtBackward0", positive),
    *written("square_", np.square, "PowBackward0"),
    *in_all_forms("rsqrt", lambda x: 1 / np.sqrt(x), "RsqrtBackward0", positive),
]
