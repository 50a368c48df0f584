"""Rows for products of several matrices."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from op_table import Row


def quietly_chained(F: Any, *matrices: Any) -> Any:
    """chain_matmul without what it says of itself, which parity/ops/test_linalg.py reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return F.chain_matmul(*matrices)


ROWS = [
    Row(
        "linalg.multi_dot()",
        lambda F, *x: F.linalg.multi_dot(x),
        lambda *x: np.linalg.multi_dot(x),
        [((2, 3), (3, 2)), ((3, 1), (1, 4), (4, 2)), ((2, 3), (3, 1), (1, 2), (2, 3)), ((3,), (3, 2), (2,))],
        "ViewBackward0",
        graph=False,
    ),
    Row(
        "chain_matmul()",
        quietly_chained,
        lambda *x: np.linalg.multi_dot(x),
        [((2, 3), (3, 2)), ((3, 1), (1, 4), (4, 2))],
        "ViewBackward0",
        graph=False,
    ),
]
