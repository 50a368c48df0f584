"""Sizes and signs: abs, sign.

After this module a reader knows what is done at a kink: abs has a slope on either side of 0 and none at 0, where 0 is
taken, which lies between the two. That is one of its subgradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.operands import numbers_only

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, self: g * F.sign(self))
def abs(self: Array) -> Array:
    """The absolute value. At 0 its gradient is 0."""
    numbers_only("abs_cpu", self)
    return np.abs(self)


@op(self=lambda F, g: F.zeros(g.shape, g))
def sign(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element; 0 for nan."""
    return np.array(self) if self.dtype.kind == "b" else np.subtract(self > 0, self < 0, dtype=self.dtype)


# ---------------------------------------------------------------- as the learner calls them


absolute = abs

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "abs", "absolute", "sign",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("abs", "absolute", "sign")  # those that have such a form
OUT: tuple[str, ...] = ("abs", "absolute", "sign")  # those that take out=
