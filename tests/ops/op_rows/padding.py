"""Rows for padding."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import UNARY, Row

from minigrad.ops.shapes import padding
from minigrad.tensor import Tensor


def pad(F: Any, x: Any, *arguments: Any, **options: Any) -> Any:
    return (padding.pad if isinstance(x, Tensor) else F.nn.functional.pad)(x, *arguments, **options)


def sides(ndim: int, pads: tuple[int, ...]) -> list[tuple[int, int]]:
    """The same sizes in numpy's order: from the first dimension on."""
    pairs = [(pads[i], pads[i + 1]) for i in range(0, len(pads), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


ROWS = [
    Row(
        "pad((1, 2))",
        lambda F, x: pad(F, x, (1, 2)),
        lambda x: np.pad(x, sides(x.ndim, (1, 2))),
        UNARY[1:],
        "ConstantPadNdBackward0",
    ),
    Row("pad(())", lambda F, x: pad(F, x, ()), lambda x: x, UNARY, "ConstantPadNdBackward0"),
    Row(
        "pad(value)",
        lambda F, x: pad(F, x, (0, 1, 2, 0), "constant", 1.5),
        lambda x: np.pad(x, sides(x.ndim, (0, 1, 2, 0)), constant_values=1.5),
        [((2, 3),), ((2, 1, 2),), ((0, 2),)],
        "ConstantPadNdBackward0",
    ),
    Row(
        "pad((-1, 2))",
        lambda F, x: pad(F, x, (-1, 2)),
        lambda x: np.pad(x[..., 1:], sides(x.ndim, (0, 2))),
        [((3,),), ((2, 2),)],
        "ConstantPadNdBackward0",
    ),
    Row(
        "pad((-1, -1, 1, -1))",
        lambda F, x: pad(F, x, (-1, -1, 1, -1)),
        lambda x: np.pad(x[:-1, 1:-1], ((1, 0), (0, 0))),
        [((2, 3),)],
        "ConstantPadNdBackward0",
    ),
    *(
        Row(
            f"pad({pads}, {mode})",
            lambda F, x, pads=pads, mode=mode: pad(F, x, pads, mode=mode),
            lambda x, pads=pads, numpy=numpy: np.pad(x, sides(x.ndim, pads), numpy),
            shapes,
            node and f"{node}Pad{len(pads) // 2}DBackward0",
        )
        for mode, numpy, node in (
            *(("reflect", "reflect", "Reflection"), ("replicate", "edge", "Replication")),
            ("circular", "wrap", None),
        )
        for pads, shapes in (((1, 2), [((2, 3),), ((1, 2, 4),)]), ((2, 0, 1, 1), [((2, 3, 4),), ((1, 2, 2, 3),)]))
    ),
]
