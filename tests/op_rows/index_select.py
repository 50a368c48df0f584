"""Rows for whole slices at a vector of indices."""

from __future__ import annotations

from op_table import CUBE, MATRIX, VECTOR, Row

from op_rows.scatter import nowhere

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
]
