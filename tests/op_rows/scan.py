"""Rows for running totals, and for differences of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import UNARY, Row, apart, both, positive, whole

MATRICES: list[Any] = [((2, 3),), ((4, 2),), ((0, 3),), ((2, 0),)]
ROWS_OF_THREE: list[Any] = [((2, 3),), ((3,),)]


def along(accumulate: Any, dim: int) -> Any:
    """A numpy accumulation that leaves 0-d arrays as they are."""
    return lambda x: accumulate(x, axis=dim) if x.ndim else x


def trapezoid(y: np.ndarray, x: Any = None, dx: float = 1, axis: int = -1) -> np.ndarray:
    return np.trapezoid(y, x, dx, axis).astype(y.dtype)


def areas(y: np.ndarray, gaps: Any, axis: int = -1) -> np.ndarray:
    size = y.shape[axis]
    heights = np.take(y, range(size - 1), axis) + np.take(y, range(1, size), axis)
    return np.cumsum(heights * gaps / 2, axis).astype(y.dtype)


PRODUCTS = [
    Row("cumprod(0)", lambda F, x: F.cumprod(x, 0), along(np.cumprod, 0), UNARY, "CumprodBackward0", positive),
    Row(".cumprod(-1)", lambda F, x: x.cumprod(-1), along(np.cumprod, -1), UNARY, "CumprodBackward0", apart),
    Row(
        "cumprod(zeros)",
        lambda F, x: x.cumprod(0),
        along(np.cumprod, 0),
        [((5,),), ((4, 2),)],
        "CumprodBackward0",
        whole,
    ),
    Row(
        "cumprod(zeros, 1)",
        lambda F, x: x.cumprod(1),
        along(np.cumprod, 1),
        [((2, 3),), ((1, 1),)],
        "CumprodBackward0",
        whole,
    ),
    Row(
        ".cumprod_()",
        lambda F, x: (x * 1).cumprod_(0),
        along(np.cumprod, 0),
        [((3,),), ((),)],
        "CumprodBackward0",
        positive,
    ),
    Row(".cumsum_()", lambda F, x: (x * 1).cumsum_(0), along(np.cumsum, 0), [((3,),), ((),)], "CumsumBackward0"),
]

EXTREMES = [
    *(
        row
        for name, ufunc in (("cummax", np.maximum), ("cummin", np.minimum))
        for node in [f"{name.capitalize()}Backward0"]
        for row in (
            Row(
                f"{name}(0)",
                lambda F, x, name=name: getattr(F, name)(x, 0).values,
                along(ufunc.accumulate, 0),
                UNARY[:4],
                node,
                apart,
            ),
            Row(
                f".{name}(-1)",
                lambda F, x, name=name: getattr(x, name)(-1)[0],
                along(ufunc.accumulate, -1),
                MATRICES[:2],
                node,
                apart,
            ),
        )
    ),
]

LOGARITHMS = [
    Row(
        "logcumsumexp(0)",
        lambda F, x: F.logcumsumexp(x, 0),
        along(np.logaddexp.accumulate, 0),
        UNARY,
        "LogcumsumexpBackward0",
    ),
    Row(
        ".logcumsumexp(-1)",
        lambda F, x: x.logcumsumexp(-1),
        along(np.logaddexp.accumulate, -1),
        MATRICES,
        "LogcumsumexpBackward0",
    ),
    Row(
        "logcumsumexp of a wide range",
        lambda F, x: F.logcumsumexp(x * 5, 0),
        lambda x: np.logaddexp.accumulate(x * 5),
        [((5,),)],
        "LogcumsumexpBackward0",
        apart,
    ),
]

DIFFERENCES = [
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

ROWS = [*PRODUCTS, *EXTREMES, *LOGARITHMS, *DIFFERENCES]
