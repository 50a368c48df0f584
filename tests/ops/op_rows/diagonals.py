"""Rows for diagonals of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import MATRIX, MATRIX_OR_EMPTY, VECTOR, Row, both

SQUARES: list[Any] = [((3, 3),), ((2, 3),), ((3, 2),), ((2, 2, 3),), ((0, 3),)]


def embedded(x: np.ndarray, offset: int = 0) -> np.ndarray:
    """Each last dimension on the diagonal of a matrix."""
    size = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], size, size), x.dtype)
    for place in range(x.shape[-1]):
        out[..., place + max(-offset, 0), place + max(offset, 0)] = x[..., place]
    return out


ROWS = [
    *(
        row
        for name, function in (("tril", np.tril), ("triu", np.triu))
        for node in [f"{name.capitalize()}Backward0"]
        for row in (
            *both(name, function, node, shapes=SQUARES),
            Row(
                f"{name}(diagonal=-1)",
                lambda F, x, name=name: getattr(F, name)(x, diagonal=-1),
                lambda x, function=function: function(x, -1),
                SQUARES,
                node,
            ),
            Row(
                f".{name}_()",
                lambda F, x, name=name: getattr(x * 1, f"{name}_")(1),
                lambda x, function=function: function(x, 1),
                SQUARES[:2],
                node,
            ),
        )
    ),
    *both("diag", np.diag, "DiagEmbedBackward0", shapes=VECTOR),
    Row("diag(matrix)", lambda F, x: F.diag(x), np.diag, MATRIX_OR_EMPTY, "DiagonalBackward0_copy"),
    Row("diag(matrix, 1)", lambda F, x: x.diag(1), lambda x: np.diag(x, 1), MATRIX, "DiagonalBackward0_copy"),
]
