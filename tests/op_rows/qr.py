"""Rows for the QR factorization."""

from __future__ import annotations

import numpy as np

from op_rows.inverse import FULL, WIDE, row

ROWS = [
    row("linalg.qr().Q", lambda F, x: F.linalg.qr(x).Q, lambda x: np.linalg.qr(x)[0], FULL, "LinalgQrBackward0"),
    row("linalg.qr().R", lambda F, x: F.linalg.qr(x)[1], lambda x: np.linalg.qr(x)[1], FULL, "LinalgQrBackward0"),
    row(
        "linalg.qr(complete)",
        lambda F, x: F.linalg.qr(x, mode="complete")[0] @ F.linalg.qr(x, "complete")[1],
        lambda x: x,
        [((2, 2),), *WIDE],
    ),
    row(
        "linalg.qr(r)", lambda F, x: F.linalg.qr(x, "r")[1], lambda x: np.linalg.qr(x, "r"), FULL, differentiable=False
    ),
]
