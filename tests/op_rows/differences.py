"""Rows of differences of neighbours and areas under curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import Row, both

ROWS_OF_THREE: list[Any] = [((2, 3),), ((3,),)]


def trapezoid(y: np.ndarray, x: Any = None, dx: float = 1, axis: int = -1) -> np.ndarray:
    return np.trapezoid(y, x, dx, axis).astype(y.dtype)


def areas(y: np.ndarray, gaps: Any, axis: int = -1) -> np.ndarray:
    size = y.shape[axis]
    heights = np.take(y, range(size - 1), axis) + np.take(y, range(1, size), axis)
    return np.cumsum(heights * gaps / 2, axis).astype(y.dtype)


ROWS = [
    *both("diff", np.diff, "SubBackward0", shapes=[((3,),), ((2, 3),), ((2, 1),)]),
    Row("diff(n=2, dim=0)", lambda F, x: F.diff(x, 2, dim=0), lambda x: np.diff(x, 2, 0), [((4, 2),)], "SubBackward0"),
    Row("diff(n=0)", lambda F, x: F.diff(x, n=0), lambda x: x, [((3,),), ((2, 0),)]),
    Row(
        "diff(prepend, append)",
        lambda F, x, y: F.diff(x, prepend=y, append=x),
        lambda x, y: np.diff(np.concatenate([y, x, x], -1)),
        [((3,), (2,)), ((2, 3), (2, 1))],
        "SubBackward0",
    ),
    *(
        Row(
            f"{name}(y)",
            lambda F, y, name=name: getattr(F, name)(y),
            trapezoid,
            ROWS_OF_THREE,
        )
        for name in ("trapezoid", "trapz")
    ),
    Row(
        "trapezoid(dx, dim)",
        lambda F, y: F.trapezoid(y, dx=0.5, dim=0),
        lambda y: trapezoid(y, None, 0.5, 0),
        ROWS_OF_THREE,
    ),
    Row(
        "trapezoid(y, x)",
        lambda F, y, x: F.trapezoid(y, x),
        trapezoid,
        [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (2, 3))],
    ),
    Row(
        "cumulative_trapezoid(y)",
        lambda F, y: F.cumulative_trapezoid(y),
        lambda y: areas(y, 1),
        ROWS_OF_THREE,
    ),
    Row(
        "cumulative_trapezoid(dx)",
        lambda F, y: F.cumulative_trapezoid(y, dx=3, dim=0),
        lambda y: areas(y, 3, 0),
        ROWS_OF_THREE,
    ),
    Row(
        "cumulative_trapezoid(y, x)",
        lambda F, y, x: F.cumulative_trapezoid(y, x),
        lambda y, x: areas(y, np.diff(x)),
        [((3,), (3,)), ((2, 3), (3,))],
    ),
]
