"""What is written over a tensor whatever it held: the ops of fill_, zero_ and copy_.

After this module a reader knows why these have a node although the result does not depend on the old elements: it says
that these have no gradient any more, and hands the gradient of what was written to where that came from. (The in-place
methods that call these ops are in writing.py.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def overwriting(node: str) -> Any:
    """One op for each of the names that PyTorch has for it."""

    @op(name=node, self=lambda F, g: F.zeros(g.shape, g))
    def overwritten(self: Array, values: Array) -> Array:
        """The values, an array, in the place of the input."""
        return values

    return overwritten


filled, zeroed = overwriting("FillBackward2"), overwriting("ZeroBackward0")


@op(name="FillBackward3", self=lambda F, g: F.zeros(g.shape, g), value=lambda F, g: F.sum_all(g))
def filled_by_tensor(self: Array, value: Array) -> Array:
    """One element, a 0-d tensor, everywhere in the place of the input."""
    return np.full_like(self, value)


@op(
    name="CopyBackwards",
    self=lambda F, g: F.zeros(g.shape, g),
    src=lambda F, g, src_shape, src_dtype: F.cast(F.sum_to(g, src_shape), src_dtype),
)
def copied(self: Array, src: Array) -> Array:
    """The elements of `src`, broadcast to the input's shape and in its dtype, in the place of the input's."""
    return np.broadcast_to(src, self.shape).astype(self.dtype)
