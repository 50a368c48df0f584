"""Rows for amax, aminmax, var_mean, nansum, norm, dist and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import BINARY, UNARY, Row, apart, both, normal, positive, whole

FILLED: list[Any] = [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]
MATRICES: list[Any] = [((2, 3),), ((3, 1),)]
CUBE: list[Any] = [((2, 3, 2),)]
INFINITY = float("inf")


def with_gaps(F: Any, x: Any) -> Any:
    """A tensor with nan where it is negative."""
    return F.where(x < 0, float("nan"), x)


def gaps(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, np.nan, x).astype(x.dtype)


def norm(x: np.ndarray, p: float, dim: Any = None, keepdim: bool = False) -> np.ndarray:
    sizes = np.abs(x)
    axis = tuple(range(x.ndim)) if dim is None else dim
    if p == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdim).astype(x.dtype)
    if np.isinf(p):
        return (np.max if p > 0 else np.min)(sizes, axis=axis, keepdims=keepdim)
    return np.sum(sizes**p, axis=axis, keepdims=keepdim) ** x.dtype.type(1 / p)


EXTREMES = [
    *both("amax", np.max, "AmaxBackward0", apart, FILLED),
    *both("amin", np.min, "AminBackward0", apart, FILLED),
    Row("amax(ties)", lambda F, x: F.amax(x * 1, (0, 2)), lambda x: np.max(x, (0, 2)), CUBE, "AmaxBackward0", apart),
    Row("amax(dim)", lambda F, x: x.amax(1), lambda x: np.max(x, 1), MATRICES, "AmaxBackward0", apart),
    Row(
        "amin(dims, keepdim)",
        lambda F, x: F.amin(x, dim=(0, -1), keepdim=True),
        lambda x: np.min(x, (0, 2), keepdims=True),
        CUBE,
        "AminBackward0",
        apart,
    ),
    Row("amin(1) without rows", lambda F, x: x.amin(1), lambda x: np.min(x, 1), [((0, 3),)], "AminBackward0"),
    Row("aminmax().min", lambda F, x: F.aminmax(x).min, np.min, FILLED, "AminmaxBackward0", apart),
    Row(
        ".aminmax(dim)",
        lambda F, x: x.aminmax(dim=1, keepdim=True).max,
        lambda x: np.max(x, 1, keepdims=True),
        MATRICES,
        "AminmaxBackward0",
        apart,
    ),
    Row(
        "aminmax(): both",
        lambda F, x: sum(F.aminmax(x, dim=0)),
        lambda x: np.min(x, 0) + np.max(x, 0),
        MATRICES,
        "AddBackward0",
        apart,
    ),
]

SPREAD = [
    Row(
        "var_mean()[0]",
        lambda F, x: F.var_mean(x)[0],
        lambda x: np.var(x, ddof=1),
        [((3,),), ((2, 3),)],
        "VarMeanBackward0",
    ),
    Row("var_mean()[1]", lambda F, x: F.var_mean(x, correction=0)[1], np.mean, FILLED, "VarMeanBackward0"),
    Row(
        "var_mean(dims)",
        lambda F, x: sum(F.var_mean(x, (0, 2), keepdim=True)),
        lambda x: np.var(x, (0, 2), ddof=1, keepdims=True) + np.mean(x, (0, 2), keepdims=True),
        CUBE,
        "AddBackward0",
    ),
    Row(
        "std_mean()[0]",
        lambda F, x: F.std_mean(x)[0],
        lambda x: np.std(x, ddof=1),
        [((3,),), ((2, 3),)],
        "StdMeanBackward0",
    ),
    Row("std_mean()[1]", lambda F, x: F.std_mean(x, correction=0)[1], np.mean, FILLED, "StdMeanBackward0"),
    Row(
        "std_mean(dim)",
        lambda F, x: sum(F.std_mean(x, 1, correction=0)),
        lambda x: np.std(x, 1) + np.mean(x, 1),
        [((2, 3),)],
        "AddBackward0",
    ),
]

WITHOUT_NAN = [
    *both("nansum", np.sum, "NansumBackward0"),
    Row(
        "nansum(gaps)",
        lambda F, x: F.nansum(with_gaps(F, x)),
        lambda x: np.nansum(gaps(x)),
        UNARY,
        "NansumBackward0",
        apart,
    ),
    Row(
        "nansum(dim)",
        lambda F, x: with_gaps(F, x).nansum(1, True),
        lambda x: np.nansum(gaps(x), 1, keepdims=True),
        MATRICES,
        "NansumBackward0",
        apart,
    ),
    *both("nanmean", np.mean, "DivBackward0", shapes=FILLED),
    Row(
        "nanmean(dim)",
        lambda F, x: F.nanmean(with_gaps(F, x), 0, keepdim=True),
        lambda x: np.nanmean(gaps(x), 0, keepdims=True),
        [((2, 1),), ((4, 1),)],
        "DivBackward0",
        apart,
    ),
]

LENGTHS = [
    *both("norm", lambda x: norm(x, 2), "LinalgVectorNormBackward0", apart, FILLED),
    *(
        Row(
            f"norm(p={p})",
            lambda F, x, p=p: F.norm(x, p),
            lambda x, p=p: norm(x, p),
            [((),), ((3,),), ((2, 2),)],
            "LinalgVectorNormBackward0",
            apart,
        )
        for p in (0, 0.5, 1, 1.5, 2, 3, -1, INFINITY, -INFINITY)
    ),
    Row(
        "norm('fro')",
        lambda F, x: F.norm(x, "fro", dim=(0, 1)),
        lambda x: norm(x, 2),
        MATRICES,
        "LinalgVectorNormBackward0",
    ),
    *(
        Row(
            f"norm(p={p}, dim)",
            lambda F, x, p=p: x.norm(p, dim=-1, keepdim=True),
            lambda x, p=p: norm(x, p, -1, True),
            [((2, 3),), ((0, 2),)],
            "LinalgVectorNormBackward0",
            apart,
        )
        for p in (1, 2, 3, INFINITY)
    ),
    *both("dist", lambda x, y: norm(x - y, 2), "DistBackward0", (normal, normal), BINARY[:7]),
    *(
        Row(
            f"dist(p={p})",
            lambda F, x, y, p=p: F.dist(x, y, p),
            lambda x, y, p=p: norm(x - y, p),
            [((3,), (3,)), ((2, 3), (3,))],
            "DistBackward0",
            (normal, normal),
        )
        for p in (1, 3, INFINITY)
    ),
]

COUNTS = [
    *both("count_nonzero", lambda x: np.int64(np.count_nonzero(x)), None, whole, differentiable=False),
    Row(
        "count_nonzero(dim)",
        lambda F, x: F.count_nonzero(x, dim=1),
        lambda x: np.count_nonzero(x, 1),
        MATRICES,
        None,
        whole,
        False,
    ),
    *both(
        "histc",
        lambda x: np.histogram(x, 100)[0].astype(x.dtype),
        None,
        normal,
        [((3,),), ((2, 3),)],
        differentiable=False,
    ),
    Row(
        "histc(bins, min, max)",
        lambda F, x: F.histc(x, bins=4, min=-1, max=1),
        lambda x: np.histogram(x, 4, (-1, 1))[0].astype(x.dtype),
        UNARY,
        None,
        normal,
        False,
    ),
    *(
        Row(name, function, lambda x: np.bincount(x.astype(int)), [((5,),), ((0,),)], None, positive, False)
        for name, function in (
            ("bincount()", lambda F, x: F.bincount(x.long())),
            (".bincount()", lambda F, x: x.long().bincount()),
        )
    ),
    Row(
        "bincount(weights)",
        lambda F, x: F.bincount(F.tensor([0, 2, 2]), x),
        lambda x: np.array([x[0], 0, x[1] + x[2]], x.dtype),
        [((3,),)],
        None,
        normal,
        False,
    ),
]

ROWS = [*EXTREMES, *SPREAD, *WITHOUT_NAN, *LENGTHS, *COUNTS]
