"""Rows for several tensors together."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from op_table import Row

PAIRS: list[Any] = [((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((2, 1, 2), (2, 1, 2))]
LOWER: list[Any] = [((),), ((3,),), ((2, 3),), ((2, 1, 2),), ((0,),)]


def blocks(*parts: np.ndarray) -> np.ndarray:
    matrices = [np.atleast_2d(part) for part in parts]
    out = np.zeros(np.sum([matrix.shape for matrix in matrices], 0), parts[0].dtype)
    corner = np.array([0, 0])
    for matrix in matrices:
        end = corner + matrix.shape
        out[corner[0] : end[0], corner[1] : end[1]] = matrix
        corner = end
    return out


JOINED = [
    *(
        Row(
            f"{name}()",
            lambda F, x, y, name=name: getattr(F, name)([x, y]),
            lambda x, y, name=name: getattr(np, name if name != "row_stack" else "vstack")([x, y]),
            PAIRS if name != "column_stack" else PAIRS[1:],
            "CatBackward0",
        )
        for name in ("hstack", "vstack", "dstack", "row_stack", "column_stack")
    ),
    Row(
        "column_stack(mixed)",
        lambda F, x, y: F.column_stack((x, y)),
        lambda x, y: np.column_stack((x, y)),
        [((2, 3), (2,))],
        "CatBackward0",
    ),
    *(
        Row(
            f"{name}()",
            lambda F, x, y, name=name: getattr(F, name)((x, y), dim=-1),
            lambda x, y: np.concatenate([x, y], -1),
            [((2,), (3,)), ((2, 1), (2, 2))],
            "CatBackward0",
        )
        for name in ("concat", "concatenate")
    ),
    Row(
        "block_diag()",
        lambda F, x, y, z: F.block_diag(x, y, z),
        blocks,
        [((2, 3), (2,), ()), ((0, 2), (1, 1), (3,))],
        "BlockDiagBackward0",
    ),
]

RAISED = [
    *(
        Row(
            f"{name}(x)",
            lambda F, x, name=name: getattr(F, name)(x * 1),
            lambda x, name=name: getattr(np, name)(x),
            LOWER,
        )
        for name in ("atleast_1d", "atleast_2d", "atleast_3d")
    ),
    Row(
        "atleast_2d(x, y)",
        lambda F, x, y: F.atleast_2d(x, y)[1],
        lambda x, y: np.atleast_2d(y),
        [((), (3,))],
        "UnsqueezeBackward0",
    ),
]

GRIDS = [
    *(
        Row(
            f"meshgrid({indexing})[{part}]",
            lambda F, x, y, part=part, indexing=indexing: F.meshgrid(x, y, indexing=indexing)[part],
            lambda x, y, part=part, indexing=indexing: np.meshgrid(x, y, indexing=indexing)[part],
            [((2,), (3,)), ((), (3,))],
            "ExpandBackward0",
        )
        for indexing in ("ij", "xy")
        for part in (0, 1)
    ),
    Row(
        "broadcast_tensors()",
        lambda F, x, y: (lambda a, b: a * b)(*F.broadcast_tensors(x, y)),
        lambda x, y: x * y,
        [((2, 1), (3,)), ((2, 3), (2, 3)), ((), (2,))],
        "MulBackward0",
    ),
    Row(
        "broadcast_shapes()",
        lambda F, x: x.expand(F.broadcast_shapes(tuple(x.shape), (2, 1, 1))),
        lambda x: np.broadcast_to(x, np.broadcast_shapes(x.shape, (2, 1, 1))),
        [((3,),), ((),)],
        "ExpandBackward0",
    ),
    Row(
        "cartesian_prod()",
        lambda F, x, y: F.cartesian_prod(x, y),
        lambda x, y: np.array(list(itertools.product(x, y)), x.dtype).reshape(-1, 2),
        [((2,), (3,)), ((1,), (2,))],
        "StackBackward0",
        graph=False,
    ),
    Row(
        "combinations()",
        lambda F, x: F.combinations(x),
        lambda x: np.array(list(itertools.combinations(x, 2)), x.dtype).reshape(-1, 2),
        [((4,),), ((1,),)],
    ),
    Row(
        "combinations(with_replacement)",
        lambda F, x: F.combinations(x, r=3, with_replacement=True),
        lambda x: np.array(list(itertools.combinations_with_replacement(x, 3)), x.dtype),
        [((3,),)],
    ),
]

ROWS = [*JOINED, *RAISED, *GRIDS]
