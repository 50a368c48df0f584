"""Rows for how often numbers occur."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row, whole


def counted(name: str, call: Any, numpy: Any) -> Row:
    return Row(name, call, numpy, [((6,),), ((3, 4),)], None, whole, False)


ROWS = [
    counted("unique()", lambda F, x: F.unique(x.detach()), np.unique),
    counted("x.unique(dim=0)", lambda F, x: x.detach().unique(dim=0), lambda x: np.unique(x, axis=0)),
    counted(
        "unique() and where",
        lambda F, x: F.unique(x.detach(), return_inverse=True)[1],
        lambda x: np.unique(x, return_inverse=True)[1].reshape(x.shape),
    ),
    counted(
        "x.unique() and how often",
        lambda F, x: x.detach().unique(True, False, True)[1],
        lambda x: np.unique(x, return_counts=True)[1],
    ),
    counted(
        "unique(dim=-1) and both",
        lambda F, x: F.unique(x.detach(), return_inverse=True, return_counts=True, dim=-1)[1],
        lambda x: np.unique(x, return_inverse=True, axis=-1)[1].reshape(-1),
    ),
]
