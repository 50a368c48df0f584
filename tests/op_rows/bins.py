"""Rows of boundaries and counts."""

from __future__ import annotations

import numpy as np
from op_table import UNARY, Row, both, normal, positive, whole

EDGES = [-1.0, 0.0, 0.5]

ROWS = [
    *both(
        "histc",
        lambda x: np.histogram(x, 100)[0].astype(x.dtype),
        None,
        normal,
        [((3,),), ((2, 3),)],
        differentiable=False,
    ),
    Row(
        "histc(bins, min, max)",
        lambda F, x: F.histc(x, bins=4, min=-1, max=1),
        lambda x: np.histogram(x, 4, (-1, 1))[0].astype(x.dtype),
        UNARY,
        None,
        normal,
        False,
    ),
    *(
        Row(name, function, lambda x: np.bincount(x.astype(int)), [((5,),), ((0,),)], None, positive, False)
        for name, function in (
            ("bincount()", lambda F, x: F.bincount(x.long())),
            (".bincount()", lambda F, x: x.long().bincount()),
        )
    ),
    Row(
        "bincount(weights)",
        lambda F, x: F.bincount(F.tensor([0, 2, 2]), x),
        lambda x: np.array([x[0], 0, x[1] + x[2]], x.dtype),
        [((3,),)],
        None,
        normal,
        False,
    ),
    Row(
        "searchsorted()",
        lambda F, x: F.searchsorted(F.tensor(EDGES, dtype=x.dtype), x),
        lambda x: np.searchsorted(EDGES, x),
        UNARY,
        None,
        whole,
        False,
    ),
    Row(
        "searchsorted(right)",
        lambda F, x: F.searchsorted(F.tensor(EDGES, dtype=x.dtype), x, right=True),
        lambda x: np.searchsorted(EDGES, x, "right"),
        UNARY,
        None,
        whole,
        False,
    ),
    Row(
        "bucketize()",
        lambda F, x: F.bucketize(x, F.tensor(EDGES, dtype=x.dtype)),
        lambda x: np.searchsorted(EDGES, x),
        UNARY,
        None,
        whole,
        False,
    ),
]
