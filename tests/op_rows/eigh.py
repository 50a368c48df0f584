"""Rows for eigenvalues and eigenvectors of symmetric matrices.

The functions are given x + x', so that small changes stay symmetric. Eigenvectors have no sign of their own, so what is
compared of them does not depend on it.
"""

from __future__ import annotations

import numpy as np

from op_rows.inverse import distinct, row, turned

ROWS = [
    row(
        "linalg.eigh().eigenvalues",
        lambda F, x: F.linalg.eigh(x + x.mT).eigenvalues,
        lambda x: np.linalg.eigvalsh(x + turned(x)),
        [((3, 3),), ((2, 2, 2),), ((0, 0),)],
        "LinalgEighBackward0",
        domain=distinct,
        graph=False,
    ),
    row(
        "linalg.eigh().eigenvectors",
        lambda F, x: F.linalg.eigh(x + x.mT, UPLO="U")[1] ** 2,
        lambda x: np.linalg.eigh(x + turned(x))[1] ** 2,
        [((3, 3),), ((2, 2, 2),)],
        domain=distinct,
    ),
    row(
        "linalg.eigvalsh()",
        lambda F, x: F.linalg.eigvalsh(x + x.mT),
        lambda x: np.linalg.eigvalsh(x + turned(x)),
        [((3, 3),), ((2, 2, 2),)],
        "LinalgEighBackward0",
        domain=distinct,
        graph=False,
    ),
]
