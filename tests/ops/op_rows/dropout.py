"""Rows for dropout. That the masks are PyTorch's is in nn/test_losses.py: here both get the same one."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row

import minigrad


def seeded(p: float) -> Any:
    def call(F: Any, x: Any) -> Any:
        minigrad.manual_seed(3)
        if getattr(F, "__name__", "") != "torch":
            return F.nn.functional.dropout(x, p, training=True)
        kept = minigrad.empty(tuple(x.shape)).bernoulli_(1 - p).numpy()
        return x * F.tensor(kept / (1 - p) if p < 1 else kept * 0, dtype=x.dtype)

    return call


def masked(p: float) -> Any:
    """The mask that PyTorch's own recipe gives for the seed."""

    def call(x: np.ndarray) -> np.ndarray:
        minigrad.manual_seed(3)
        kept = minigrad.empty(x.shape).bernoulli_(1 - p).numpy()
        return (x * kept / (1 - p)).astype(x.dtype)

    return call


ROWS = [
    *(
        Row(
            f"dropout({p})",
            seeded(p),
            masked(p) if p < 1 else lambda x: x * 0,
            [((),), ((2, 3),), ((3, 20),)],
            "MulBackward0",
        )
        for p in (0.2, 0.5, 1.0)
    ),
]
