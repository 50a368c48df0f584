"""Rows of exponentials and logarithms."""

from __future__ import annotations

import numpy as np
from ops.op_forms import in_all_forms, written
from ops.op_table import both, positive

ROWS = [
    *both("exp", np.exp, "ExpBackward0"),
    *both("log", np.log, "LogBackward0", positive),
    *written("exp_", np.exp, "ExpBackward0"),
    *written("log_", np.log, "LogBackward0", positive),
    *in_all_forms("expm1", np.expm1, "Expm1Backward0"),
    *in_all_forms("log2", np.log2, "Log2Backward0", positive),
    *in_all_forms("log10", np.log10, "Log10Backward0", positive),
    *in_all_forms("log1p", np.log1p, "Log1PBackward0", positive),
]
