"""Rows of sizes and signs."""

from __future__ import annotations

import numpy as np
from ops.op_forms import written
from ops.op_table import UNARY, Row, apart, both

ROWS = [
    Row("abs(x)", lambda F, x: abs(x), np.abs, UNARY, "AbsBackward0", apart),
    *both("abs", np.abs, "AbsBackward0", apart),
    *both("sign", np.sign, "SignBackward0", apart),
    *written("abs_", np.abs, "AbsBackward0", apart),
    *written("sign_", np.sign, "SignBackward0", apart, function=False),
]
