"""Rows of truth of two elements."""

from __future__ import annotations

import numpy as np
from ops.op_forms import function_and_method
from ops.op_table import BINARY, both, whole

ROWS = [
    *both("logical_not", np.logical_not, None, whole, differentiable=False),
    *function_and_method("logical_and", np.logical_and, None, whole, BINARY, differentiable=False),
    *function_and_method("logical_or", np.logical_or, None, whole, BINARY, differentiable=False),
    *function_and_method("logical_xor", np.logical_xor, None, whole, BINARY, differentiable=False),
]
