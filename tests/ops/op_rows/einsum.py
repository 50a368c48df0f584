"""Rows for einsum: numpy's own says what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row, Shapes


def row(equation: str, *shapes: Shapes) -> Row:
    def call(F: Any, *tensors: Any) -> Any:
        return F.einsum(equation, *tensors)

    def numpy(*arrays: Any) -> Any:
        return np.einsum(equation, *arrays).astype(arrays[0].dtype)

    return Row(f"einsum({equation})", call, numpy, shapes)


ROWS = [
    row("ij->ji", ((2, 3),), ((0, 2),)),
    row("ij->", ((2, 3),)),
    row("ij->j", ((2, 3),), ((2, 0),)),
    row("ii->i", ((3, 3),)),
    row("ii", ((3, 3),)),
    row("iijj->ij", ((2, 2, 3, 3),)),
    row("...d->...", ((2, 3),), ((3,),), ((2, 1, 2),)),
    row("b...d", ((2, 3, 4),)),
    row("i,i->", ((3,), (3,)), ((0,), (0,))),
    row("i,j->ij", ((2,), (3,))),
    row("ij,ij->ij", ((2, 3), (2, 3))),
    row("ij,jk", ((2, 3), (3, 2)), ((2, 0), (0, 3))),
    row("ij,j->i", ((2, 3), (3,))),
    row("ij,k->k", ((2, 3), (2,))),
    row("bij,bkj->bik", ((2, 2, 3), (2, 4, 3))),
    row("bhqd,bhkd->bhqk", ((2, 2, 3, 2), (2, 2, 1, 2))),
    row("...ij,...jk->...ik", ((2, 1, 2, 3), (2, 3, 2)), ((2, 3), (3, 2))),
    row("abcd,dc->ba", ((2, 3, 1, 2), (2, 1))),
    row("ij,jk,kl->il", ((2, 3), (3, 2), (2, 4))),
    row("i,j,i->j", ((2,), (3,), (2,))),
    row("ba , b", ((2, 3), (2,))),
    Row(
        "einsum of a list, with a size of 1",
        lambda F, x, y: F.einsum("ij,jk->ik", [x, y]),
        lambda x, y: np.einsum("ij,jk->ik", x.repeat(3, 1), y),
        [((2, 1), (3, 2))],
    ),
]
