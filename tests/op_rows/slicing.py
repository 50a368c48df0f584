"""Rows for parts given by ints and slices."""

from __future__ import annotations

from op_table import MATRIX, Row

from op_rows.scatter import on_copies

ROWS = [
    Row("narrow_copy()", lambda F, x: F.narrow_copy(x, 1, 1, 2), lambda x: x[:, 1:3], MATRIX, "NarrowCopyBackward0"),
    Row(".narrow_copy()", lambda F, x: x.narrow_copy(0, 1, 2), lambda x: x[1:3], MATRIX, "NarrowCopyBackward0"),
    Row(
        "select_scatter()",
        lambda F, x, y: F.select_scatter(x, y, 0, -1),
        on_copies(lambda x, y: x.__setitem__(-1, y)),
        [((3,), ()), ((2, 3), (3,))],
        "SelectScatterBackward0",
    ),
    Row(
        ".select_scatter()",
        lambda F, x, y: x.select_scatter(y, dim=1, index=0),
        on_copies(lambda x, y: x.__setitem__((slice(None), 0), y)),
        [((2, 3), (2,))],
        "SelectScatterBackward0",
    ),
    Row(
        "slice_scatter()",
        lambda F, x, y: F.slice_scatter(x, y, 0, 1),
        on_copies(lambda x, y: x.__setitem__(slice(1, None), y)),
        [((3,), (2,)), ((2, 3), (1, 3))],
        "SliceScatterBackward0",
    ),
    Row(
        ".slice_scatter(step)",
        lambda F, x, y: x.slice_scatter(y, dim=-1, end=4, step=2),
        on_copies(lambda x, y: x.__setitem__((..., slice(None, None, 2)), y)),
        [((4,), (2,)), ((2, 3), (2, 2))],
        "SliceScatterBackward0",
    ),
]
