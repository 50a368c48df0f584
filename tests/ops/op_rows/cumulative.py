"""Rows of running sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import CUBE, MATRIX, MATRIX_OR_EMPTY, VECTOR, Row, whole


def along(accumulate: Any, dim: int) -> Any:
    """A numpy accumulation that leaves 0-d arrays as they are."""
    return lambda x: accumulate(x, axis=dim) if x.ndim else x


ROWS = [
    Row("cumsum(0)", lambda F, x: F.cumsum(x, 0), lambda x: x.cumsum(0), MATRIX_OR_EMPTY + CUBE, "CumsumBackward0"),
    Row("cumsum(-1)", lambda F, x: x.cumsum(-1), lambda x: x.cumsum(-1), VECTOR + MATRIX + CUBE, "CumsumBackward0"),
    Row("cumsum(0) of 0d", lambda F, x: x.cumsum(0), lambda x: x, [((),)], "CumsumBackward0"),
    Row("cumprod(0)", lambda F, x: F.cumprod(x, 0), lambda x: x.cumprod(0), MATRIX_OR_EMPTY + CUBE),
    Row("cumprod(-1)", lambda F, x: x.cumprod(-1), lambda x: x.cumprod(-1), VECTOR + MATRIX),
    Row(
        "cumprod(1) with zeros",
        lambda F, x: x.cumprod(1),
        lambda x: x.cumprod(1),
        [((3, 5),), ((4, 4),)],
        None,
        whole,
    ),
    Row("cumprod(0) of 0d", lambda F, x: x.cumprod(0), lambda x: x, [((),)]),
    Row(".cumprod_()", lambda F, x: (x * 1).cumprod_(0), along(np.cumprod, 0), [((3,),), ((),)]),
    Row(".cumsum_()", lambda F, x: (x * 1).cumsum_(0), along(np.cumsum, 0), [((3,),), ((),)], "CumsumBackward0"),
]
