"""Rows for several tensors made into one."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row

PAIRS: list[Any] = [((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((2, 1, 2), (2, 1, 2))]


LOWER: list[Any] = [((),), ((3,),), ((2, 3),), ((2, 1, 2),), ((0,),)]


def blocks(*parts: np.ndarray) -> np.ndarray:
    matrices = [np.atleast_2d(part) for part in parts]
    out = np.zeros(np.sum([matrix.shape for matrix in matrices], 0), parts[0].dtype)
    corner = np.array([0, 0])
    for matrix in matrices:
        end = corner + matrix.shape
        out[corner[0] : end[0], corner[1] : end[1]] = matrix
        corner = end
    return out


ROWS = [
    *(
        Row(
            f"{name}()",
            lambda F, x, y, name=name: getattr(F, name)((x, y), dim=-1),
            lambda x, y: np.concatenate([x, y], -1),
            [((2,), (3,)), ((2, 1), (2, 2))],
            "CatBackward0",
        )
        for name in ("concat",)
    ),
]
