"""Rows for inverses and systems of equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.op_table import Row, Shapes

SQUARE: list[Shapes] = [((3, 3),), ((2, 2, 2),), ((1, 1),), ((0, 0),), ((0, 2, 2),)]


SYSTEMS: list[Shapes] = [((2, 2), (2, 3)), ((2, 2, 2), (2, 2, 1)), ((2, 2), (2, 2, 1)), ((2, 1, 2, 2), (3, 2, 1))]


def invertible(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Square matrices that are far from singular; anything else as it comes."""
    square = len(shape) > 1 and shape[-1] == shape[-2]
    return random.uniform(-0.4, 0.4, shape) + (1.5 * np.eye(shape[-1]) if square else 0)


def turned(x: Any) -> Any:
    return np.swapaxes(x, -2, -1)


def positive(F: Any, x: Any) -> Any:
    return x @ x.mT + F.eye(x.shape[-1], dtype=x.dtype)


def numpy_positive(x: np.ndarray) -> np.ndarray:
    return x @ turned(x) + np.eye(x.shape[-1], dtype=x.dtype)


def row(
    name: str, function: Callable[..., Any], numpy: Callable[..., Any], shapes: Any, node: Any = None, **more: Any
) -> Row:
    return Row(name, function, numpy, shapes, node, **({"domain": invertible} | more))


ROWS = [
    row("linalg.inv()", lambda F, x: F.linalg.inv(x), np.linalg.inv, SQUARE, "LinalgInvExBackward0"),
    row(
        "linalg.solve()",
        lambda F, x, y: F.linalg.solve(x, y),
        np.linalg.solve,
        SYSTEMS,
        "LinalgSolveExBackward0",
        graph=False,
    ),
    row(
        "linalg.solve(vectors)",
        lambda F, x, y: F.linalg.solve(x, y),
        lambda x, y: np.linalg.solve(x, np.broadcast_to(y, x.shape[:-1])[..., None])[..., 0],
        [((2, 2), (2,)), ((3, 2, 2), (3, 2)), ((2, 2, 2), (2,)), ((0, 0), (0,))],
        "LinalgSolveExBackward0",
        graph=False,
    ),
]
