"""Rows for diagonals of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import MATRIX, MATRIX_OR_EMPTY, VECTOR, Row, both, normal

from op_rows.inverse import row
from op_rows.scatter import on_copies

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
            Row(
                f"{name}_indices()",
                lambda F, x, name=name: getattr(F, f"{name}_indices")(*x.shape, 1),
                lambda x, name=name: np.array(getattr(np, f"{name}_indices")(x.shape[0], 1, x.shape[1])),
                [((2, 3),), ((3, 2),), ((0, 2),)],
                None,
                normal,
                False,
            ),
        )
    ),
    *both("diag", np.diag, "DiagEmbedBackward0", shapes=VECTOR),
    Row("diag(matrix)", lambda F, x: F.diag(x), np.diag, MATRIX_OR_EMPTY, "DiagonalBackward0_copy"),
    Row("diag(matrix, 1)", lambda F, x: x.diag(1), lambda x: np.diag(x, 1), MATRIX, "DiagonalBackward0_copy"),
    *both("diag_embed", embedded, "DiagEmbedBackward0", shapes=[((3,),), ((2, 3),), ((0,),), ((2, 0),)]),
    Row(
        "diag_embed(dims)",
        lambda F, x: F.diag_embed(x, 1, 0, 2),
        lambda x: np.moveaxis(embedded(x, 1), (-2, -1), (0, 2)),
        [((2, 3),)],
        "DiagEmbedBackward0",
    ),
    Row(
        "diag_embed(dims the other way round)",
        lambda F, x: F.diag_embed(x, offset=-1, dim1=-1, dim2=0),
        lambda x: np.moveaxis(embedded(x, -1), (-2, -1), (-1, 0)),
        [((2, 3),)],
        "DiagEmbedBackward0",
    ),
    *both("diagflat", np.diagflat, "DiagEmbedBackward0", shapes=[((),), ((3,),), ((2, 2),)]),
    Row("diagflat(-1)", lambda F, x: F.diagflat(x, -1), lambda x: np.diagflat(x, -1), VECTOR, "DiagEmbedBackward0"),
    Row(
        "diagonal_scatter()",
        lambda F, x, y: F.diagonal_scatter(x, y),
        on_copies(lambda x, y: x.__setitem__((range(len(y)), range(len(y))), y)),
        [((3, 3), (3,)), ((2, 4), (2,))],
        "DiagonalScatterBackward0",
    ),
    Row(
        ".diagonal_scatter(offset)",
        lambda F, x, y: x.diagonal_scatter(y, offset=1, dim1=0, dim2=-1),
        on_copies(lambda x, y: x.__setitem__(([0, 1], slice(None), [1, 2]), y.T)),
        [((3, 2, 3), (2, 2)), ((2, 1, 3), (1, 2))],
        "DiagonalScatterBackward0",
    ),
    Row(
        ".fill_diagonal_()",
        lambda F, x: (x * 1).fill_diagonal_(2.5),
        on_copies(lambda x: np.fill_diagonal(x, 2.5)),
        [((3, 3),), ((2, 3),), ((3, 2),), ((3, 3, 3),), ((0, 2),)],
        graph=False,
    ),
    Row(
        ".fill_diagonal_(wrap)",
        lambda F, x: (x * 1).fill_diagonal_(2.5, wrap=True),
        on_copies(lambda x: np.fill_diagonal(x, 2.5, wrap=True)),
        [((7, 2),), ((2, 7),), ((5, 1),)],
        graph=False,
    ),
    *both("trace", np.trace, "TraceBackward0", shapes=[*MATRIX, ((0, 2),), ((1, 1),)]),
    row(
        "linalg.diagonal()",
        lambda F, x: F.linalg.diagonal(x),
        lambda x: np.diagonal(x, 0, -2, -1),
        [((2, 3),), ((2, 3, 3),)],
        "DiagonalBackward0",
    ),
]
