"""Rows for embeddings, bags of them, and one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import MATRIX_OR_EMPTY, Row


def numbers(F: Any, *shape: int) -> Any:
    """Row numbers, some of them several times."""
    array = np.arange(int(np.prod(shape))).reshape(shape) * 2 % 3
    return array if F is None else F.tensor(array)


def taken(*shape: int) -> Any:
    return lambda w: w[numbers(None, *shape)]


TABLE: list[Any] = [((3, 4),), ((3, 1),)]

ROWS = [
    *(
        Row(
            f"embedding of {shape}",
            lambda F, w, shape=shape: F.nn.functional.embedding(numbers(F, *shape), w),
            taken(*shape),
            TABLE,
            "EmbeddingBackward0",
        )
        for shape in [(), (5,), (2, 3)]
    ),
    Row(
        "embedding of none",
        lambda F, w: F.nn.functional.embedding(numbers(F, 0), w),
        taken(0),
        TABLE,
        differentiable=False,
    ),
    Row(
        "embedding of many",  # enough to be sorted, in short runs and in long ones
        lambda F, w: F.nn.functional.embedding(numbers(F, 200), w)[::7],
        lambda w: w[numbers(None, 200)][::7],
        [((3, 4),)],
    ),
    Row(
        "embedding(padding_idx)",
        lambda F, w: F.nn.functional.embedding(numbers(F, 2, 3), w, padding_idx=-1) * 1,
        taken(2, 3),
        [((3, 4),)],
        differentiable=False,
    ),
    Row(
        "one_hot()",
        lambda F, x: F.nn.functional.one_hot((x > 0).long(), 3),
        lambda x: np.eye(3, dtype=np.int64)[(x > 0).astype(int)],
        MATRIX_OR_EMPTY,
        differentiable=False,
    ),
]
