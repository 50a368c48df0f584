"""Rows for norms."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import MATRIX, Row, apart

from op_rows.inverse import FULL, row


def norm_row(ord: Any) -> Row:
    def numpy_norm(x: np.ndarray) -> np.ndarray:
        return np.linalg.norm(x, ord, (-2, -1))

    return row(
        f"linalg.matrix_norm({ord})",
        lambda F, x: F.linalg.matrix_norm(x, ord),
        numpy_norm,
        FULL,
        domain=apart,
        differentiable=ord == "fro",
    )


ROWS = [
    *[
        row(
            f"linalg.vector_norm({ord})",
            lambda F, x, ord=ord: F.linalg.vector_norm(x, ord, dim=-1),
            lambda x, ord=ord: np.linalg.norm(x, ord, -1),
            [((3,),), ((2, 3),)],
            "LinalgVectorNormBackward0",
            domain=apart,
            differentiable=ord
            in (2, 3, 0.5, -1),  # torch gives zeros without memory for the second derivative of others
        )
        for ord in (0, 0.5, 1, 2, 3, -1, float("inf"), -float("inf"))
    ],
    row(
        "linalg.vector_norm() of all",
        lambda F, x: F.linalg.vector_norm(x, keepdim=True),
        lambda x: np.sqrt((x * x).sum(keepdims=True)),
        [((3,),), ((2, 3),), ((),)],
        "LinalgVectorNormBackward0",
        domain=apart,
    ),
    *[norm_row(ord) for ord in ("fro", 1, -1, float("inf"), -float("inf"))],
    row(
        "linalg.norm()",
        lambda F, x: F.linalg.norm(x),
        lambda x: np.sqrt((x * x).sum()),
        MATRIX,
        "LinalgVectorNormBackward0",
    ),
    row("linalg.norm(ord, dim)", lambda F, x: F.linalg.norm(x, 2, dim=1), lambda x: np.sqrt((x * x).sum(1)), MATRIX),
]
