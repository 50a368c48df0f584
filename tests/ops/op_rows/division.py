"""Rows of quotients and remainders."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_forms import into, written
from ops.op_table import BINARY, INTO, UNARY, Row, apart, both, normal


def augmented(F: Any, x: Any, y: Any) -> Any:
    z = x * 1
    z %= y
    return z * 1


def augmented_numpy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.remainder(x, y)


def floor_divided(F: Any, x: Any, y: Any) -> Any:
    z = x.detach() * 1
    z //= y.detach()
    return z


ROWS = [
    Row("x / y", lambda F, x, y: x / y, np.divide, BINARY, "DivBackward0", (normal, apart)),
    Row("x / 4", lambda F, x: x / 4, lambda x: np.divide(x, 4), UNARY, "DivBackward0"),
    Row("2 / x", lambda F, x: 2 / x, lambda x: np.divide(2, x), UNARY, "MulBackward0", apart),
    *both("div", np.divide, "DivBackward0", (normal, apart), BINARY),
    *both("reciprocal", lambda x: 1 / x, "ReciprocalBackward0", apart),
    Row("x // y", lambda F, x, y: x // y, np.floor_divide, BINARY, None, (normal, apart), False),
    Row("x // 0.3", lambda F, x: x // 0.3, lambda x: np.floor_divide(x, 0.3), UNARY, None, normal, False),
    Row("2 // x", lambda F, x: 2 // x, lambda x: np.floor_divide(2, x), UNARY, None, apart, False),
    *both("floor_divide", np.floor_divide, None, (normal, apart), BINARY, differentiable=False),
    Row("x % y", lambda F, x, y: x % y, np.remainder, BINARY, "RemainderBackward1", (normal, apart)),
    Row("x % -0.3", lambda F, x: x % -0.3, lambda x: np.remainder(x, -0.3), UNARY, "RemainderBackward0"),
    Row("2 % x", lambda F, x: 2 % x, lambda x: np.remainder(2, x), UNARY, None, apart, False),
    *both("remainder", np.remainder, "RemainderBackward1", (normal, apart), BINARY),
    Row("div_", lambda F, x, y: x.clone().div_(y), np.divide, INTO, "DivBackward0", (normal, apart)),
    *written("reciprocal_", lambda x: 1 / x, "ReciprocalBackward0", apart),
    into("remainder", np.remainder, "RemainderBackward1", (normal, apart)),
    Row("x %= y", augmented, augmented_numpy, INTO, "MulBackward0", (normal, apart)),
    Row("x //= y", floor_divided, np.floor_divide, INTO, None, (normal, apart), False),
    Row(
        ".floor_divide_(y)",
        lambda F, x, y: x.detach().clone().floor_divide_(y.detach()),
        np.floor_divide,
        INTO,
        None,
        (normal, apart),
        False,
    ),
]
