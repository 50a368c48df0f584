"""What is written over a tensor whatever it held: fill_, zero_ and copy_.

They have a node although the result does not depend on the old elements: it says that these have no gradient any more,
and hands the gradient of what was written to where that came from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, size_mismatch
from minigrad.public import public
from minigrad.tensor import Tensor, from_array
from minigrad.writing import in_place

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


# ---------------------------------------------------------------- the methods


def _fill(self: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions: "
                "use copy_() for that."
            )
        return filled_by_tensor(self, value)
    if not isinstance(value, dtypes.NUMBERS):
        raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}: {value!r}")
    return filled(self, np.full(self.shape, dtypes.element(self.dtype, value)))


def _copied(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    if isinstance(src, dtypes.NUMBERS):
        src = from_array(self.dtype.numpy.type(src))
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}: {src!r}")
    mismatch = size_mismatch("copy_", self.shape, src.shape)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    if np.broadcast_shapes(self.shape, src.shape) != self.shape:
        raise RuntimeError(
            f"output with shape {list(self.shape)} doesn't match the broadcast shape "
            f"{list(np.broadcast_shapes(self.shape, src.shape))}"
        )
    return copied(self, src)


fill_ = public(in_place(_fill, "fill_", fills=True, spreads=True))
zero_ = public(in_place(lambda self: zeroed(self, np.zeros_like(self._array)), "zero_", fills=True))
copy_ = public(function=False)(in_place(_copied, "copy_"))
spread_ = in_place(_copied, "copy_", spreads=True)
