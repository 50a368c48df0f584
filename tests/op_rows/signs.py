"""Rows of sizes and signs."""

from __future__ import annotations

import numpy as np
from op_forms import FEW, asked, function_and_method, infinite, into, written
from op_table import BINARY, INTO, UNARY, Row, apart, both, whole


def at_zero(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.where(x == 0, values, x > 0).astype(x.dtype)


ROWS = [
    Row("abs(x)", lambda F, x: abs(x), np.abs, UNARY, "AbsBackward0", apart),
    *both("abs", np.abs, "AbsBackward0", apart),
    *both("sign", np.sign, "SignBackward0", apart),
    *written("abs_", np.abs, "AbsBackward0", apart),
    *written("sign_", np.sign, "SignBackward0", apart, function=False),
    *function_and_method("copysign", np.copysign, "CopysignBackward0", apart, BINARY),
    into("copysign", np.copysign, "CopysignBackward0", apart),
    Row(
        "copysign(x, -2)",
        lambda F, x: F.copysign(x, -2),
        lambda x: np.copysign(x, -2),
        UNARY,
        "CopysignBackward1",
        apart,
    ),
    *function_and_method("heaviside", at_zero, None, whole, BINARY, differentiable=False),
    Row(".heaviside_(y)", lambda F, x, y: x.detach().clone().heaviside_(y.detach()), at_zero, INTO, None, whole, False),
    Row("sgn()", lambda F, x: F.sgn(x) + x, lambda x: np.sign(x) + x, UNARY, "AddBackward0", apart),
    Row(".sgn()", lambda F, x: x.sgn() + x, lambda x: np.sign(x) + x, FEW, "AddBackward0", apart),
    Row(".sgn_()", lambda F, x: x.clone().sgn_() + x, lambda x: np.sign(x) + x, FEW, "AddBackward0", apart),
    *function_and_method("absolute", np.abs, "AbsBackward0", apart, FEW),
    Row(".absolute_()", lambda F, x: x.clone().absolute_(), np.abs, FEW, "AbsBackward0", apart),
    *asked("signbit", np.signbit, infinite),
]
