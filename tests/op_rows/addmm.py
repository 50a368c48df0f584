"""Rows for products with something added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from op_table import Row, Shapes, both

ADDED: list[Shapes] = [((2, 4), (2, 3), (3, 4)), ((4,), (2, 3), (3, 4)), ((), (1, 2), (2, 1)), ((2, 2), (2, 0), (0, 2))]


def summed(name: str, numpy: Callable[..., Any], node: str, shapes: Any) -> list[Row]:
    """beta * x + alpha * product: as a function, a method, in place, and with factors."""
    full = [shapes[0]]
    return [
        *both(name, lambda x, a, b: x + numpy(a, b), node, shapes=shapes),
        Row(
            f"{name}(beta, alpha)",
            lambda F, x, a, b: getattr(F, name)(x, a, b, beta=2, alpha=-0.5),
            lambda x, a, b: 2 * x - numpy(a, b) / 2,
            shapes,
            node,
        ),
        Row(
            f"{name}(beta=0)",
            lambda F, x, a, b: getattr(x, name)(a, b, beta=0),
            lambda x, a, b: numpy(a, b),
            full,
            node,
        ),
        Row(
            f"{name}_",
            lambda F, x, a, b: getattr(x.clone(), name + "_")(a, b, alpha=3),
            lambda x, a, b: x + 3 * numpy(a, b),
            full,
            node,
        ),
    ]


ROWS = [
    *summed("addmm", np.matmul, "AddmmBackward0", ADDED),
]
