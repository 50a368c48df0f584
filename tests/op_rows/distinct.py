"""Rows of values that occur more than once."""

from __future__ import annotations

import numpy as np
from op_forms import FILLED, MATRICES
from op_table import UNARY, Row, apart, whole

ROWS = [
    Row(
        "mode()",
        lambda F, x: F.mode(x).values,
        lambda x: np.min(x, -1) if x.ndim else x,
        FILLED,
        "ModeBackward0",
        apart,
    ),
    Row(
        ".mode(dim)",
        lambda F, x: x.mode(0, True)[0],
        lambda x: np.min(x, 0, keepdims=True),
        MATRICES,
        "ModeBackward0",
        apart,
    ),
    Row("unique()", lambda F, x: F.unique(x), np.unique, UNARY, None, whole, False),
    Row(
        ".unique(dim)",
        lambda F, x: x.unique(dim=0),
        lambda x: np.unique(x, axis=0),
        [((5, 1),), ((4, 2),)],
        None,
        whole,
        False,
    ),
    *(
        Row(name, function, lambda x: x[np.append(True, x[1:] != x[:-1])], [((6,),), ((1,),)], None, whole, False)
        for name, function in (
            ("unique_consecutive()", lambda F, x: F.unique_consecutive(x)),
            (".unique_consecutive(dim)", lambda F, x: x.unique_consecutive(dim=0)),
        )
    ),
]
