"""Rows of the largest and the smallest."""

from __future__ import annotations

import numpy as np
from ops.op_table import BINARY, CUBE, MATRIX, Row, apart, both, normal


def lower_median(x: np.ndarray) -> np.ndarray:
    return np.sort(x, None)[(x.size - 1) // 2]


ROWS = [
    Row("max(x, y)", lambda F, x, y: F.max(x, y), np.maximum, BINARY, "MaximumBackward0"),
    Row("x.min(y)", lambda F, x, y: x.min(y), np.minimum, BINARY, "MinimumBackward0"),
    *both("max", np.max, "MaxBackward1", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    *both("min", np.min, "MinBackward1", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row(
        "min(0)",
        lambda F, x: F.min(x, 0).values,
        lambda x: x.min(0),
        [((3,),), ((2, 0),), *MATRIX, *CUBE],
        "MinBackward0",
        apart,
    ),
    Row(
        "min(-1, keepdim)",
        lambda F, x: x.min(-1, keepdim=True)[0],
        lambda x: x.min(-1, keepdims=True),
        [((3,),), ((0, 2),), *MATRIX],
        "MinBackward0",
        apart,
    ),
    Row("min(1).indices", lambda F, x: x.min(1).indices, lambda x: x.argmin(1), CUBE, None, apart, False),
    *both("argmin", np.argmin, None, apart, [((),), ((3,),), ((2, 3),)], differentiable=False),
    Row(
        "argmin(0, keepdim)",
        lambda F, x: F.argmin(x, 0, True),
        lambda x: x.argmin(0, keepdims=True),
        MATRIX,
        None,
        apart,
        False,
    ),
    Row(
        "max(0)",
        lambda F, x: F.max(x, 0).values,
        lambda x: x.max(0),
        [((3,),), ((2, 0),), *MATRIX, *CUBE],
        "MaxBackward0",
        apart,
    ),
    Row(
        "max(-1)",
        lambda F, x: x.max(-1)[0],
        lambda x: x.max(-1),
        [((3,),), ((0, 2),), *MATRIX, *CUBE],
        "MaxBackward0",
        apart,
    ),
    Row(
        "max(1, keepdim)",
        lambda F, x: x.max(1, keepdim=True)[0],
        lambda x: x.max(1, keepdims=True),
        MATRIX,
        "MaxBackward0",
        apart,
    ),
    Row("max(1).indices", lambda F, x: x.max(1).indices, lambda x: x.argmax(1), CUBE, None, apart, False),
    Row(
        "max(1, keepdim)[1]",
        lambda F, x: x.max(1, True)[1],
        lambda x: x.argmax(1, keepdims=True),
        MATRIX,
        None,
        apart,
        False,
    ),
    *both("argmax", np.argmax, None, apart, [((),), ((3,),), ((2, 3),)], differentiable=False),
    Row("argmax(-1)", lambda F, x: x.argmax(-1), lambda x: x.argmax(-1), MATRIX, None, apart, False),
    Row(
        "argmax(0, keepdim)",
        lambda F, x: F.argmax(x, 0, True),
        lambda x: x.argmax(0, keepdims=True),
        MATRIX,
        None,
        apart,
        False,
    ),
    *both("amax", np.max, "AmaxBackward0", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    *both("amin", np.min, "AminBackward0", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row("amax(0)", lambda F, x: F.amax(x, 0), lambda x: x.max(0), [((2, 0),), *MATRIX], "AmaxBackward0", apart),
    Row(
        "amin((0, -1), keepdim)",
        lambda F, x: x.amin((0, -1), keepdim=True),
        lambda x: x.min((0, 2), keepdims=True),
        CUBE,
        "AminBackward0",
        apart,
    ),
    *both("median", lower_median, "MedianBackward0", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row(
        "median(0)",
        lambda F, x: F.median(x, 0).values,
        lambda x: np.apply_along_axis(lower_median, 0, x),
        [((3,),), *MATRIX, *CUBE],
        "MedianBackward1",
        apart,
    ),
    Row(
        "median(-1, keepdim)",
        lambda F, x: x.median(-1, keepdim=True)[0],
        lambda x: np.apply_along_axis(lower_median, -1, x)[..., None],
        MATRIX,
        "MedianBackward1",
        apart,
    ),
    Row(
        "median(1).indices",
        lambda F, x: x.median(1).indices,
        lambda x: np.argsort(x, 1)[:, 1],
        [((3, 4),), ((3, 3),)],
        None,
        apart,
        False,
    ),
    Row(
        "max(other=)",
        lambda F, x, y: F.max(x, other=y),
        np.maximum,
        BINARY[:3],
        "MaximumBackward0",
        (normal, normal),
    ),
    Row(
        ".min(other)",
        lambda F, x, y: x.min(y),
        np.minimum,
        BINARY[:3],
        "MinimumBackward0",
        (normal, normal),
    ),
]
