"""Rows for norms."""

from __future__ import annotations

import numpy as np
from ops.op_rows.inverse import row
from ops.op_table import MATRIX, Row, apart

ROWS = [
    *[
        row(
            f"linalg.norm({ord})",
            lambda F, x, ord=ord: F.linalg.norm(x, ord, dim=-1),
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
        "linalg.norm(keepdim)",
        lambda F, x: F.linalg.norm(x, keepdim=True),
        lambda x: np.sqrt((x * x).sum(keepdims=True)),
        [((3,),), ((2, 3),), ((),)],
        "LinalgVectorNormBackward0",
        domain=apart,
    ),
    row(
        "linalg.norm(fro)",
        lambda F, x: F.linalg.norm(x, "fro", (-2, -1)),
        np.linalg.norm,
        MATRIX,
        "LinalgVectorNormBackward0",
    ),
    row(
        "linalg.norm()",
        lambda F, x: F.linalg.norm(x),
        lambda x: np.sqrt((x * x).sum()),
        MATRIX,
        "LinalgVectorNormBackward0",
    ),
    Row(
        "functional.normalize(x)",
        lambda F, x: F.nn.functional.normalize(x),
        lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)),
        MATRIX,
        "DivBackward0",
        graph=False,  # a bound alone has a node of its own there
    ),
    Row(
        "functional.normalize(p=1, dim=0, eps=3.9)",
        lambda F, x: F.nn.functional.normalize(x, p=1, dim=0, eps=3.9),
        lambda x: x / np.maximum(np.abs(x).sum(0), 3.9),
        [((4,),), ((3, 4),)],
        "DivBackward0",
        apart,
        graph=False,
    ),
    row("linalg.norm(ord, dim)", lambda F, x: F.linalg.norm(x, 2, dim=1), lambda x: np.sqrt((x * x).sum(1)), MATRIX),
]
