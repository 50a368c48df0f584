"""Rows of order."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_forms import MATRICES
from ops.op_table import UNARY, Row, apart, whole

MATRICES_OR_EMPTY: list[Any] = [*MATRICES, ((0, 3),), ((2, 0),)]


def along(function: Any, dim: int) -> Any:
    """A function of an array and an axis that leaves 0-d arrays as they are."""
    return lambda x: function(x, dim) if x.ndim else x


ROWS = [
    Row("sort()", lambda F, x: F.sort(x).values, along(np.sort, -1), UNARY, "SortBackward0", apart),
    Row(".sort()", lambda F, x: x.sort(0).values, along(np.sort, 0), MATRICES_OR_EMPTY, "SortBackward0", apart),
    Row(
        "sort(descending)",
        lambda F, x: x.sort(dim=1, descending=True)[0],
        lambda x: -np.sort(-x, 1),
        MATRICES,
        "SortBackward0",
        apart,
    ),
    Row("sort(stable)", lambda F, x: F.sort(x, stable=True)[0], along(np.sort, -1), MATRICES, "SortBackward1", apart),
    *(
        Row(name, function, lambda x: np.argsort(x, 0, kind="stable"), MATRICES, None, whole, False)
        for name, function in (
            ("argsort()", lambda F, x: F.argsort(x, 0)),
            (".argsort()", lambda F, x: x.argsort(dim=0, stable=True)),
        )
    ),
    Row(
        "topk()",
        lambda F, x: F.topk(x, 2).values,
        lambda x: -np.sort(-x, -1)[..., :2],
        MATRICES,
        "TopkBackward0",
        apart,
    ),
    Row(
        ".topk(smallest)",
        lambda F, x: x.topk(1, dim=0, largest=False).values,
        lambda x: np.sort(x, 0)[:1],
        MATRICES,
        "TopkBackward0",
        apart,
    ),
    Row("topk(all)", lambda F, x: x.topk(3)[0], lambda x: -np.sort(-x), [((3,),), ((2, 3),)], "TopkBackward0", apart),
    Row("topk(0-d)", lambda F, x: F.topk(x, 1)[0], lambda x: x, [((),)], "TopkBackward0"),
]
