"""Rows for whole slices at a vector of indices."""

from __future__ import annotations

import numpy as np
from op_table import CUBE, MATRIX, VECTOR, Row, Shapes

from op_rows.scatter import both_and_in_place, index, nowhere, on_copies

PARTS_OF: list[Shapes] = [((4,), (3,)), ((4, 2), (3, 2)), ((4, 2, 3), (3, 2, 3)), ((4, 0), (3, 0))]


ROWS = [
    Row(
        "index_select()",
        lambda F, x: F.index_select(x, 0, F.tensor([2, 0, 2])),
        lambda x: x[[2, 0, 2]],
        VECTOR + [((3, 2, 2),)],
    ),
    Row(
        ".index_select(1)",
        lambda F, x: x.index_select(1, F.tensor([2, 2, 0, 1])),
        lambda x: x[:, [2, 2, 0, 1]],
        MATRIX + CUBE,
        "IndexSelectBackward0",
    ),
    Row(
        ".index_select(0-d index)",
        lambda F, x: x.index_select(-1, F.tensor(1)),
        lambda x: x[..., [1]],
        VECTOR + MATRIX,
        "IndexSelectBackward0",
    ),
    Row("index_select of 0d", lambda F, x: x.index_select(0, F.tensor([0])), lambda x: x, [((),)]),
    Row("index_select nothing", lambda F, x: x.index_select(0, nowhere(F)), lambda x: x[:0], VECTOR + MATRIX),
    *both_and_in_place(
        "index_add",
        lambda F, y: (0, index(F), y),
        lambda x, y: on_copies(lambda a, b: np.add.at(a, [2, 0, 3], b))(x, y),
        "IndexAddBackward0",
        PARTS_OF,
    ),
    Row(
        "index_add(alpha), one place twice",
        lambda F, x, y: x.index_add(1, F.tensor([1, 1]), y, alpha=-2),
        on_copies(lambda x, y: np.subtract.at(x, (slice(None), [1, 1]), 2 * y)),
        [((3, 2), (3, 2)), ((2, 3, 2), (2, 2, 2))],
        "IndexAddBackward0",
    ),
]
