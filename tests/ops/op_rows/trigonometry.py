"""Rows of angles and hyperbolas."""

from __future__ import annotations

import numpy as np
from ops.op_forms import in_all_forms, inside, written
from ops.op_table import UNARY, Row, both

ROWS = [
    *both("sin", np.sin, "SinBackward0"),
    *both("cos", np.cos, "CosBackward0"),
    *both("tanh", np.tanh, "TanhBackward0"),
    Row(
        "tanh(sin(x) * exp(x))",
        lambda F, x: F.tanh(F.sin(x) * F.exp(x)),
        lambda x: np.tanh(np.sin(x) * np.exp(x)),
        UNARY,
    ),
    *written("sin_", np.sin, "SinBackward0"),
    *written("cos_", np.cos, "CosBackward0"),
    *written("tanh_", np.tanh, "TanhBackward0"),
    *in_all_forms("tan", np.tan, "TanBackward0", inside),
    *in_all_forms("asin", np.arcsin, "AsinBackward0", inside),
    *in_all_forms("acos", np.arccos, "AcosBackward0", inside),
    *in_all_forms("atan", np.arctan, "AtanBackward0"),
    *in_all_forms("sinh", np.sinh, "SinhBackward0"),
    *in_all_forms("cosh", np.cosh, "CoshBackward0"),
]
