"""Rows of rounding."""

from __future__ import annotations

import numpy as np
from ops.op_forms import in_place
from ops.op_table import between, both

ROWS = [
    *both("floor", np.floor, "FloorBackward0", between),
    *both("ceil", np.ceil, "CeilBackward0", between),
    *both("trunc", np.trunc, "TruncBackward0", between),
    *both("round", np.rint, "RoundBackward0", between),
    *(in_place(name, numpy, between) for name, numpy in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc))),
    in_place("round", np.rint, between),
]
