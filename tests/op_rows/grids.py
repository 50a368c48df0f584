"""Rows for grids and choices of elements."""

from __future__ import annotations

import itertools

import numpy as np
from op_table import Row

ROWS = [
    *(
        Row(
            f"meshgrid({indexing})[{part}]",
            lambda F, x, y, part=part, indexing=indexing: F.meshgrid(x, y, indexing=indexing)[part],
            lambda x, y, part=part, indexing=indexing: np.meshgrid(x, y, indexing=indexing)[part],
            [((2,), (3,)), ((), (3,))],
            "ExpandBackward0",
        )
        for indexing in ("ij", "xy")
        for part in (0, 1)
    ),
    Row(
        "cartesian_prod()",
        lambda F, x, y: F.cartesian_prod(x, y),
        lambda x, y: np.array(list(itertools.product(x, y)), x.dtype).reshape(-1, 2),
        [((2,), (3,)), ((1,), (2,))],
        "StackBackward0",
        graph=False,
    ),
    Row(
        "combinations()",
        lambda F, x: F.combinations(x),
        lambda x: np.array(list(itertools.combinations(x, 2)), x.dtype).reshape(-1, 2),
        [((4,),), ((1,),)],
    ),
    Row(
        "combinations(with_replacement)",
        lambda F, x: F.combinations(x, r=3, with_replacement=True),
        lambda x: np.array(list(itertools.combinations_with_replacement(x, 3)), x.dtype),
        [((3,),)],
    ),
]
