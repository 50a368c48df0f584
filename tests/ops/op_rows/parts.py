"""Rows for parts along one dimension, chosen by a vector of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import CUBE, MATRIX, VECTOR, Row


def added(x: Any, y: Any) -> Any:
    out = x.copy()
    np.add.at(out, [2, 0, 2], y)
    return out


def with_parts(x: Any, y: Any, axis: int = 0) -> Any:
    out = np.moveaxis(x.copy(), axis, 0)
    out[[2, 0]] = y
    return np.moveaxis(out, 0, axis)


ROWS = [
    Row(
        "index_select(0)",
        lambda F, x: F.index_select(x, 0, F.tensor([2, 0, 2])),
        lambda x: x[[2, 0, 2]],
        VECTOR + MATRIX,
        "IndexSelectBackward0",
    ),
    Row(
        "x.index_select(-1)",
        lambda F, x: x.index_select(-1, F.tensor(1)),
        lambda x: x[..., 1:2],
        MATRIX + CUBE,
        "IndexSelectBackward0",
    ),
    Row(
        "index_add(0)",
        lambda F, x, y: F.index_add(x, 0, F.tensor([2, 0, 2]), y),
        added,
        [((3,), (3,)), ((3, 2), (3, 2)), ((4, 1, 2), (3, 1, 2))],
        "IndexAddBackward0",
    ),
    Row(
        "x.index_add_(0, alpha=3)",
        lambda F, x, y: x.clone().index_add_(0, F.tensor([2, 0, 2]), y, alpha=3),
        lambda x, y: added(x, 3 * y),
        [((3,), (3,)), ((3, 2), (3, 2))],
        "IndexAddBackward0",
        graph=False,  # 3 * y is a node of its own
    ),
    Row(
        "index_copy(0)",
        lambda F, x, y: F.index_copy(x, 0, F.tensor([2, 0]), y),
        with_parts,
        [((3,), (2,)), ((3, 2), (2, 2))],
        "IndexCopyBackward0",
    ),
    Row(
        "x.index_copy_(1)",
        lambda F, x, y: x.clone().index_copy_(1, F.tensor([2, 0]), y),
        lambda x, y: with_parts(x, y.T, 1),
        [((2, 3), (2, 2))],
        "IndexCopyBackward0",
    ),
    Row(
        "index_fill(0)",
        lambda F, x: F.index_fill(x, 0, F.tensor([2, 0]), 1.5),
        lambda x: with_parts(x, 1.5),
        VECTOR,
        "IndexFillBackward0",
    ),
    Row(
        "index_fill(-1), counted from the end",
        lambda F, x: F.index_fill(x, -1, F.tensor([-1, -3]), 1.5),
        lambda x: with_parts(x, 1.5, 1),
        [((2, 3),)],
        "IndexFillBackward0",
    ),
    Row(
        "x.index_fill_(1) of a tensor",
        lambda F, x, y: x.clone().index_fill_(1, F.tensor([2, 0]), y),
        lambda x, y: with_parts(x, y, 1),
        [((2, 3), ())],
        "IndexFillBackward1",
    ),
    Row(
        "repeat_interleave(2)",
        lambda F, x: F.repeat_interleave(x, 2),
        lambda x: x.repeat(2),
        VECTOR + MATRIX,
        "ViewBackward0",
    ),
    Row(
        "x.repeat_interleave(2, 1)",
        lambda F, x: x.repeat_interleave(2, dim=1),
        lambda x: x.repeat(2, 1),
        MATRIX,
        "ViewBackward0",
    ),
    Row(
        "x.repeat_interleave([1, 0, 2], 0)",
        lambda F, x: x.repeat_interleave(F.tensor([1, 0, 2]), 0),
        lambda x: x.repeat([1, 0, 2], 0),
        [((3,),), ((3, 2),)],
        "IndexSelectBackward0",
    ),
    Row(
        "repeat_interleave(counts)",
        lambda F, x: F.repeat_interleave((x * 3).abs().long()),
        lambda x: np.arange(x.size).repeat(np.abs(x * 3).astype(int)),
        VECTOR,
        differentiable=False,
    ),
]
