"""Rows for masks, and the indices of what is not zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_rows.scatter import both_and_in_place
from ops.op_table import UNARY, Row, Shapes, apart, both, whole

MASKED: list[Shapes] = [((3,),), ((2, 3),), ((2, 1, 3),), ((0, 3),)]


MASK = [True, False, True]


def beyond(F: Any, x: Any) -> Any:
    """A mask of more dimensions than the tensor."""
    return F.stack([x > 0, x < 1])


ROWS = [
    *both_and_in_place(
        "masked_fill",
        lambda F: (F.tensor(MASK), -2.5),
        lambda x: np.where(MASK, np.asarray(-2.5, x.dtype), x),
        "MaskedFillBackward0",
        MASKED,
    ),
    Row(
        "masked_fill(0-d tensor)",
        lambda F, x, y: x.masked_fill(F.tensor(MASK), y),
        lambda x, y: np.where(MASK, y, x),
        [((3,), ()), ((2, 3), ()), ((2, 1, 3), ())],
        "MaskedFillBackward1",
    ),
    Row(
        "masked_fill(larger mask)",
        lambda F, x: F.masked_fill(x, beyond(F, x), 1),
        lambda x: np.where(np.stack([x > 0, x < 1]), np.asarray(1, x.dtype), x),
        [((3,),), ((),), ((2, 3),)],
        "MaskedFillBackward0",
        apart,
    ),
    *both("nonzero", np.argwhere, None, whole, differentiable=False),
    Row(
        "nonzero(as_tuple)",
        lambda F, x: F.stack(x.nonzero(as_tuple=True)),
        lambda x: np.stack(np.atleast_1d(x).nonzero()),
        UNARY,
        None,
        whole,
        False,
    ),
]
