"""Rows for singular values and vectors.

Singular vectors have no sign of their own, so what is compared of them does not depend on it.
"""

from __future__ import annotations

import numpy as np

from op_rows.inverse import FULL, distinct, row

ROWS = [
    *[
        row(
            f"linalg.svd()[{part}]",
            lambda F, x, part=part: F.linalg.svd(x, full_matrices=False)[part] ** 2,
            lambda x, part=part: np.linalg.svd(x, full_matrices=False)[part] ** 2,
            FULL,
            domain=distinct,
        )
        for part in range(3)
    ],
    row(
        "linalg.svd(full)",
        lambda F, x: F.linalg.svd(x).U[..., :1] ** 2 * F.linalg.svd(x).S[..., None, :1],
        lambda x: np.linalg.svd(x)[0][..., :1] ** 2 * np.linalg.svd(x)[1][..., None, :1],
        FULL,
        domain=distinct,
    ),
    row(
        "linalg.svdvals()",
        lambda F, x: F.linalg.svdvals(x),
        lambda x: np.linalg.svd(x)[1],
        FULL,
        "LinalgSvdBackward0",
        domain=distinct,
    ),
    row(
        "svd()",
        lambda F, x: (F.svd(x)[0] * F.svd(x)[1].sin()[..., None, :]) @ x.svd().V.mT,
        lambda x: (lambda u, s, vh: (u * np.sin(s)[..., None, :]) @ vh)(*np.linalg.svd(x, full_matrices=False)),
        FULL,
        domain=distinct,
    ),
]
