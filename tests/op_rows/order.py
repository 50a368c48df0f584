"""Rows for sorting, ranks and distinct values."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import UNARY, Row, apart, normal, whole

FILLED: list[Any] = [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]
MATRICES: list[Any] = [((2, 3),), ((4, 2),)]
MATRICES_OR_EMPTY: list[Any] = [*MATRICES, ((0, 3),), ((2, 0),)]


def along(function: Any, dim: int) -> Any:
    """A function of an array and an axis that leaves 0-d arrays as they are."""
    return lambda x: function(x, dim) if x.ndim else x


def lower_median(x: np.ndarray, dim: Any = None, keepdim: bool = False) -> np.ndarray:
    return np.quantile(x, 0.5, axis=dim, method="lower", keepdims=keepdim).astype(x.dtype)


def quantile(x: np.ndarray, q: Any, dim: Any = None, **more: Any) -> np.ndarray:
    return np.asarray(np.quantile(x, q, axis=dim, **more)).astype(x.dtype)


SORTING = [
    Row("sort()", lambda F, x: F.sort(x).values, along(np.sort, -1), UNARY, "SortBackward0", apart),
    Row(".sort()", lambda F, x: x.sort(0).values, along(np.sort, 0), MATRICES_OR_EMPTY, "SortBackward0", apart),
    Row(
        "sort(descending)",
        lambda F, x: x.sort(dim=1, descending=True)[0],
        lambda x: -np.sort(-x, 1),
        MATRICES,
        "SortBackward0",
        apart,
    ),
    Row("sort(stable)", lambda F, x: F.sort(x, stable=True)[0], along(np.sort, -1), MATRICES, "SortBackward1", apart),
    *(
        Row(name, function, lambda x: np.argsort(x, 0, kind="stable"), MATRICES, None, whole, False)
        for name, function in (
            ("argsort()", lambda F, x: F.argsort(x, 0)),
            (".argsort()", lambda F, x: x.argsort(dim=0, stable=True)),
        )
    ),
    Row("msort()", lambda F, x: F.msort(x), along(np.sort, 0), FILLED, "SortBackward0", apart),
    Row(".msort()", lambda F, x: x.msort(), along(np.sort, 0), MATRICES, "SortBackward0", apart),
    Row(
        "topk()",
        lambda F, x: F.topk(x, 2).values,
        lambda x: -np.sort(-x, -1)[..., :2],
        MATRICES,
        "TopkBackward0",
        apart,
    ),
    Row(
        ".topk(smallest)",
        lambda F, x: x.topk(1, dim=0, largest=False).values,
        lambda x: np.sort(x, 0)[:1],
        MATRICES,
        "TopkBackward0",
        apart,
    ),
    Row("topk(all)", lambda F, x: x.topk(3)[0], lambda x: -np.sort(-x), [((3,),), ((2, 3),)], "TopkBackward0", apart),
    Row("topk(0-d)", lambda F, x: F.topk(x, 1)[0], lambda x: x, [((),)], "TopkBackward0"),
]

RANKS = [
    Row(
        "kthvalue()",
        lambda F, x: F.kthvalue(x, 2).values,
        lambda x: np.sort(x, -1)[..., 1],
        MATRICES,
        "KthvalueBackward0",
        apart,
    ),
    Row(
        ".kthvalue(keepdim)",
        lambda F, x: x.kthvalue(1, 0, keepdim=True)[0],
        lambda x: np.min(x, 0, keepdims=True) if x.ndim else x,
        [*MATRICES, ((),)],
        "KthvalueBackward0",
        apart,
    ),
    Row("median()", lambda F, x: F.median(x), lower_median, FILLED, "MedianBackward0", apart),
    Row(".median()", lambda F, x: x.median(), lower_median, FILLED, "MedianBackward0", apart),
    Row(
        "median(dim)", lambda F, x: x.median(1).values, lambda x: lower_median(x, 1), MATRICES, "MedianBackward1", apart
    ),
    Row(
        "median(dim, keepdim)",
        lambda F, x: F.median(x, 0, keepdim=True)[0],
        lambda x: lower_median(x, 0, True) if x.ndim else x,
        [*MATRICES, ((),)],
        "MedianBackward1",
        apart,
    ),
    Row("nanmedian()", lambda F, x: F.nanmedian(x), lower_median, FILLED, "NanmedianBackward0", apart),
    Row(".nanmedian()", lambda F, x: x.nanmedian(), lower_median, FILLED, "NanmedianBackward0", apart),
    Row(
        "nanmedian(dim)",
        lambda F, x: x.nanmedian(0)[0],
        lambda x: lower_median(x, 0),
        MATRICES,
        "NanmedianBackward1",
        apart,
    ),
    Row(
        "nanmedian(gaps)",
        lambda F, x: F.nanmedian(F.where(x > 1.5, float("nan"), x), 0)[0],
        lambda x: np.sort(x, 0)[0],
        [((3,),)],
        "NanmedianBackward1",
        lambda random, shape: np.array([0.5, 1.25, 2.5]),
    ),
    Row(
        "mode()",
        lambda F, x: F.mode(x).values,
        lambda x: np.min(x, -1) if x.ndim else x,
        FILLED,
        "ModeBackward0",
        apart,
    ),
    Row(
        ".mode(dim)",
        lambda F, x: x.mode(0, True)[0],
        lambda x: np.min(x, 0, keepdims=True),
        MATRICES,
        "ModeBackward0",
        apart,
    ),
    *(
        Row(
            f"{name}()",
            lambda F, x, name=name: getattr(F, name)(x, 0.3),
            lambda x: quantile(x, 0.3),
            FILLED,
            None,
            apart,
        )
        for name in ("quantile", "nanquantile")
    ),
    *(
        Row(
            f".{name}(dim)",
            lambda F, x, name=name: getattr(x, name)(0.6, 0, keepdim=True),
            lambda x: quantile(x, 0.6, 0, keepdims=True),
            MATRICES,
            None,
            apart,
        )
        for name in ("quantile", "nanquantile")
    ),
    Row(
        "quantile(several)",
        lambda F, x, q: F.quantile(x, q.sigmoid(), dim=1),
        lambda x, q: quantile(x, 1 / (1 + np.exp(-q)), 1),
        [((2, 3), (2,)), ((2, 3), ())],
        None,
        (apart, normal),
    ),
    *(
        Row(
            f"quantile({how})",
            lambda F, x, how=how: F.quantile(x, 0.3, dim=-1, interpolation=how),
            lambda x, how=how: quantile(x, 0.3, -1, method=how),
            MATRICES[:1],
            None,
            apart,
        )
        for how in ("lower", "higher", "midpoint", "nearest")
    ),
]

DISTINCT = [
    Row("unique()", lambda F, x: F.unique(x), np.unique, UNARY, None, whole, False),
    Row(
        ".unique(dim)",
        lambda F, x: x.unique(dim=0),
        lambda x: np.unique(x, axis=0),
        [((5, 1),), ((4, 2),)],
        None,
        whole,
        False,
    ),
    *(
        Row(name, function, lambda x: x[np.append(True, x[1:] != x[:-1])], [((6,),), ((1,),)], None, whole, False)
        for name, function in (
            ("unique_consecutive()", lambda F, x: F.unique_consecutive(x)),
            (".unique_consecutive(dim)", lambda F, x: x.unique_consecutive(dim=0)),
        )
    ),
]

ROWS = [*SORTING, *RANKS, *DISTINCT]
