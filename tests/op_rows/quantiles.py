"""Rows of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_forms import FILLED, MATRICES
from op_table import Row, apart, normal


def lower_median(x: np.ndarray, dim: Any = None, keepdim: bool = False) -> np.ndarray:
    return np.quantile(x, 0.5, axis=dim, method="lower", keepdims=keepdim).astype(x.dtype)


def quantile(x: np.ndarray, q: Any, dim: Any = None, **more: Any) -> np.ndarray:
    return np.asarray(np.quantile(x, q, axis=dim, **more)).astype(x.dtype)


ROWS = [
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
