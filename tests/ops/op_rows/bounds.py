"""Rows of the larger, the smaller and what lies between."""

from __future__ import annotations

import numpy as np
from ops.op_table import BINARY, UNARY, Row, both

ROWS = [
    *both("maximum", np.maximum, "MaximumBackward0", shapes=BINARY),
    *both("minimum", np.minimum, "MinimumBackward0", shapes=BINARY),
    Row("clamp(-0.5, 1)", lambda F, x: F.clamp(x, -0.5, 1), lambda x: x.clip(-0.5, 1), UNARY, "ClampBackward1"),
    Row("clamp(min)", lambda F, x: x.clamp(min=0.2), lambda x: np.maximum(x, 0.2), UNARY, "ClampBackward1"),
    Row("clamp(max)", lambda F, x: x.clamp(max=0), lambda x: np.minimum(x, 0), UNARY, "ClampBackward1"),
    Row("clip(max)", lambda F, x: F.clip(x, max=0), lambda x: np.minimum(x, 0), UNARY, "ClampBackward1"),
    Row("clip_(min)", lambda F, x: x.clone().clip_(0.2), lambda x: np.maximum(x, 0.2), UNARY, "ClampBackward1"),
    Row("clamp_(-0.5, 1)", lambda F, x: x.clone().clamp_(-0.5, 1), lambda x: x.clip(-0.5, 1), UNARY, "ClampBackward1"),
]
