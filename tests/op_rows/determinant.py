"""Rows for determinants."""

from __future__ import annotations

import numpy as np
from op_table import both

from op_rows.inverse import SQUARE, invertible, row

ROWS = [
    *both("det", np.linalg.det, "LinalgDetBackward0", shapes=SQUARE),
    row(
        "det of singular matrices",
        lambda F, x: F.linalg.det(F.outer(x, x)) + F.linalg.det(F.stack([x, 2 * x, x * x])),
        lambda x: np.zeros((), x.dtype),
        [((3,),)],
        differentiable=False,
    ),
    *[
        row(
            f"{name}slogdet",
            lambda F, x, f=f: f(F, x)[1],
            lambda x: np.linalg.slogdet(x)[1],
            SQUARE,
            "LinalgSlogdetBackward0",
        )
        for name, f in {
            "linalg.": lambda F, x: F.linalg.slogdet(x),
            "": lambda F, x: F.slogdet(x),
            ".": lambda F, x: x.slogdet(),
        }.items()
    ],
    row(
        "slogdet().sign",
        lambda F, x: F.slogdet(x).sign * x.sum((-2, -1)),
        lambda x: np.linalg.slogdet(x)[0] * x.sum((-2, -1)),
        SQUARE,
    ),
    *both("logdet", lambda x: np.log(np.linalg.det(x)), "WhereBackward0", invertible, SQUARE),
]
