"""Rows for nn.functional.linear: rows of inputs times a weight of shape (out, in)."""

from __future__ import annotations

from typing import Any

from ops.op_table import Row


def linear(F: Any, *inputs: Any) -> Any:
    return F.nn.functional.linear(*inputs)


def numpy_linear(x: Any, weight: Any, bias: Any = 0) -> Any:
    return x @ weight.T + bias


ROWS = [
    Row(
        "linear(x, weight, bias)",
        linear,
        numpy_linear,
        [((2, 3), (4, 3), (4,)), ((2, 2, 3), (1, 3), (1,)), ((3,), (2, 3), (2,)), ((0, 3), (2, 3), (2,))],
    ),
    Row(
        "linear(x, weight)",
        linear,
        numpy_linear,
        [((2, 3), (4, 3)), ((2, 1, 3), (2, 3)), ((3,), (2, 3)), ((2, 0), (3, 0))],
    ),
]
