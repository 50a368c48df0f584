"""Rows of comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from op_forms import FEW_BINARY, answer_in_place, function_and_method, question
from op_table import BINARY, INTO, UNARY, Row, both, whole


def compared_in_place(name: str, numpy: Callable[..., Any]) -> list[Row]:
    """The answer in the place of x: it has no gradient, but a node that says so."""

    def write(F: Any, x: Any, other: Any) -> Any:
        return getattr(x.clone(), name)(other)

    def answer(x: np.ndarray, other: Any) -> np.ndarray:
        return numpy(x, other).astype(x.dtype)

    node = f"{name[:2].capitalize()}Backward"
    return [
        Row(f"{name}(y)", write, answer, INTO, node + "1"),
        Row(f"{name}(y) of equals", write, answer, INTO, None, whole, False),
        Row(f"{name}(0)", lambda F, x: write(F, x, 0), lambda x: answer(x, 0), UNARY, node + "0"),
    ]


def renamed(name: str, numpy: Any) -> list[Row]:
    """Another name of a comparison, and its in-place form."""
    return [*both(name, numpy, None, whole, FEW_BINARY, differentiable=False), answer_in_place(f"{name}_", numpy)]


ROWS = [
    question("x == y", lambda F, x, y: x == y, np.equal),
    question("x != y", lambda F, x, y: x != y, np.not_equal),
    question("x < y", lambda F, x, y: x < y, np.less),
    question("x <= y", lambda F, x, y: x <= y, np.less_equal),
    question("x > y", lambda F, x, y: x > y, np.greater),
    question("x >= y", lambda F, x, y: x >= y, np.greater_equal),
    question("1 > x", lambda F, x: x < 1, lambda x: x < 1, UNARY),
    question("x == 1", lambda F, x: x == 1, lambda x: x == 1, UNARY),
    *both("eq", np.equal, None, whole, BINARY, differentiable=False),
    *both("ne", np.not_equal, None, whole, BINARY, differentiable=False),
    *both("lt", np.less, None, whole, BINARY, differentiable=False),
    *both("le", np.less_equal, None, whole, BINARY, differentiable=False),
    *both("gt", np.greater, None, whole, BINARY, differentiable=False),
    *both("ge", np.greater_equal, None, whole, BINARY, differentiable=False),
    *compared_in_place("eq_", np.equal),
    *compared_in_place("ne_", np.not_equal),
    *compared_in_place("lt_", np.less),
    *compared_in_place("le_", np.less_equal),
    *compared_in_place("gt_", np.greater),
    *compared_in_place("ge_", np.greater_equal),
    *renamed("greater", np.greater),
    *renamed("greater_equal", np.greater_equal),
    *renamed("less", np.less),
    *renamed("less_equal", np.less_equal),
    *renamed("not_equal", np.not_equal),
    *function_and_method("isclose", np.isclose, None, whole, BINARY, differentiable=False),
    Row(
        "isin",
        lambda F, x, y: F.isin(x, y),
        np.isin,
        [((2, 3), (3,)), ((), (2,)), ((2,), ()), ((0,), (2,)), ((2,), (0,))],
        None,
        whole,
        False,
    ),
    *(
        Row(
            name,
            lambda F, x, y, ask=ask: F.tensor([getattr(F, ask)(x, y), getattr(x, ask)(y), getattr(x, ask)(x)]),
            lambda x, y, numpy=numpy: np.array([numpy(x, y), numpy(x, y), True]),
            [((2, 3), (2, 3)), ((0,), (0,)), ((), ())],
            None,
            whole,
            False,
        )
        for name, ask, numpy in (("allclose", "allclose", np.allclose), ("equal", "equal", np.array_equal))
    ),
]
