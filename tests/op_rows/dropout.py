"""Rows for dropout. That the masks are PyTorch's is in parity/nn/test_losses: here both get the same one."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import Row

import minigrad

MAPS: list[Any] = [((2, 3, 2),), ((1, 4, 1),)]


def seeded(name: str, **options: Any) -> Any:
    def call(F: Any, x: Any) -> Any:
        minigrad.manual_seed(3)
        if getattr(F, "__name__", "") != "torch":
            return getattr(F.nn.functional, name)(x, training=True, **options)
        shape = tuple(x.shape) if name == "dropout" else first_two(tuple(x.shape))
        p = options.get("p", 0.5)
        kept = minigrad.empty(shape).bernoulli_(1 - p).numpy()
        return x * F.tensor(kept / (1 - p) if p < 1 else kept * 0, dtype=x.dtype)

    return call


def masked(shape_of_mask: Any, p: float) -> Any:
    """The mask that PyTorch's own recipe gives for the seed."""

    def call(x: np.ndarray) -> np.ndarray:
        minigrad.manual_seed(3)
        kept = minigrad.empty(shape_of_mask(x.shape)).bernoulli_(1 - p).numpy()
        return (x * kept / (1 - p)).astype(x.dtype)

    return call


def first_two(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:2], *[1] * (len(shape) - 2))


ROWS = [
    *(
        Row(
            f"dropout({p})",
            seeded("dropout", p=p),
            masked(lambda shape: shape, p) if p < 1 else lambda x: x * 0,
            [((),), ((2, 3),), ((3, 20),)],
            "MulBackward0",
        )
        for p in (0.2, 0.5, 1.0)
    ),
    Row("dropout1d()", seeded("dropout1d"), masked(first_two, 0.5), MAPS, "MulBackward0"),
    Row(
        "dropout2d()",
        seeded("dropout2d"),
        masked(first_two, 0.5),
        [((2, 3, 2, 1),)],
        "MulBackward0",
    ),
    Row(
        "dropout3d()",
        seeded("dropout3d"),
        masked(first_two, 0.5),
        [((2, 3, 2, 1, 1),)],
        "MulBackward0",
    ),
]
