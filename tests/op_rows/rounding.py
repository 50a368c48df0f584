"""Rows of rounding."""

from __future__ import annotations

import numpy as np
from op_forms import in_place
from op_table import UNARY, Row, between, both

ROWS = [
    *both("floor", np.floor, "FloorBackward0", between),
    *both("ceil", np.ceil, "CeilBackward0", between),
    *both("trunc", np.trunc, "TruncBackward0", between),
    *both("round", np.rint, "RoundBackward0", between),
    Row(
        "round(decimals=1)",
        lambda F, x: F.round(x, decimals=1),
        lambda x: (np.rint(x * 10) / 10).astype(x.dtype),
        UNARY,
        "RoundBackward1",
    ),
    Row(
        "round(decimals=-1)",
        lambda F, x: (x * 10).round(decimals=-1),
        lambda x: np.rint(x) * 10,
        UNARY,
        "RoundBackward1",
        between,
    ),
    *(in_place(name, numpy, between) for name, numpy in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc))),
    in_place("round", np.rint, between),
]
