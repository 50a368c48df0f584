"""Rows for einsum."""

from __future__ import annotations

import numpy as np
from op_table import Row, Shapes

from op_rows.matmul import PAIRS


def equation(text: str, *shapes: Shapes) -> Row:
    plain = text.replace(" ", "")
    return Row(f"einsum({text})", lambda F, *x: F.einsum(text, *x), lambda *x: np.einsum(plain, *x), list(shapes), None)


ROWS = [
    equation("ij,jk->ik", ((2, 3), (3, 4)), ((2, 0), (0, 2))),
    equation("ij,jk", ((2, 3), (3, 2))),
    equation("bij,bjk->bik", ((2, 2, 3), (2, 3, 2)), ((0, 2, 3), (0, 3, 2))),
    equation("bqhd,bkhd->bhqk", ((2, 2, 1, 3), (2, 3, 1, 3))),
    equation("... i j , ... j k -> ... i k", ((2, 1, 2, 3), (2, 3, 2)), ((2, 3), (3, 2))),
    equation("...,...->...", ((2, 3), (3,)), ((), (2,)), ((2, 1), (1, 3))),
    equation("i,j,k->kji", ((2,), (3,), (2,))),
    equation("ij,jk,kl,li->", ((2, 3), (3, 2), (2, 1), (1, 2))),
    equation("i,i", ((3,), (3,))),
    equation("ii", ((3, 3),), ((0, 0),)),
    equation("ii->i", ((3, 3),)),
    equation("iij,jkk->ki", ((2, 2, 3), (3, 2, 2))),
    equation("ijk->ki", ((2, 3, 2),)),
    equation("ba", ((2, 3),)),
    equation("...i->...", ((2, 3),), ((3,),)),
    equation("ij,k->j", ((2, 3), (2,))),
    equation("->", ((),)),
    Row(
        "einsum(sizes of 1 repeated)",
        lambda F, x, y: F.einsum("ij,jk->ik", x, y),
        lambda x, y: x.sum(1, keepdims=True) * y,
        [((2, 3), (1, 2))],
    ),
    Row("einsum(operands in a list)", lambda F, x, y: F.einsum("i,j", [x, y]), np.outer, PAIRS),
]
