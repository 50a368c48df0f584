"""Rows for sliding windows."""

from __future__ import annotations

import numpy as np
from op_table import Row

ROWS = [
    *[
        Row(
            f".unfold({dim}, {size}, {step})",
            lambda F, x, dim=dim, size=size, step=step: x.unfold(dim, size, step),
            lambda x, dim=dim, size=size, step=step: np.moveaxis(
                np.moveaxis(np.lib.stride_tricks.sliding_window_view(x, size, dim), dim % x.ndim, 0)[::step],
                0,
                dim % x.ndim,
            ),
            shapes,
            "UnfoldBackward0",
        )
        for dim, size, step, shapes in (
            (0, 2, 1, [((3,),), ((4, 2),), ((2, 0),)]),
            (1, 2, 2, [((2, 5),), ((2, 3, 2),)]),
            (-1, 3, 2, [((5,),), ((2, 3),), ((0, 4),)]),
        )
    ],
]
