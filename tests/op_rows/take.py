"""Rows for elements counted as if in one row."""

from __future__ import annotations

import numpy as np
from op_table import CUBE, VECTOR, Row

from op_rows.scatter import both_and_in_place, on_copies

ROWS = [
    Row("take()", lambda F, x: F.take(x, F.tensor([[2, 0], [-1, 2]])), lambda x: x.ravel()[[[2, 0], [-1, 2]]], CUBE),
    Row(".take()", lambda F, x: x.take(F.tensor([2, 2])), lambda x: x.ravel()[[2, 2]], VECTOR, "TakeBackward0"),
    Row("take from 0d", lambda F, x: x.take(F.tensor(0)), lambda x: x, [((),)], "TakeBackward0"),
    *both_and_in_place(
        "put",
        lambda F, y: (F.tensor([[2, 0], [-1, 1]]), y),
        on_copies(lambda x, y: x.put([2, 0, -1, 1], y)),
        "PutBackward0",
        [((2, 3), (2, 2)), ((5,), (4,))],
    ),
    Row(
        "put(accumulate)",
        lambda F, x, y: x.put(F.tensor([2, 0, 2]), y, accumulate=True),
        on_copies(lambda x, y: np.add.at(x.reshape(-1), [2, 0, 2], y)),
        [((2, 3), (3,)), ((3,), (3,))],
        "PutBackward0",
    ),
]
