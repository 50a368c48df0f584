"""Padding: a number around a tensor. Padding and cutting off are each other's gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, op
from minigrad.public import Ints, checked
from minigrad.tensor import Tensor


@op(name="ConstantPadNdBackward0", self=lambda F, g, pad: F.constant_pad(g, tuple(-size for size in pad), 0.0))
def constant_pad(self: Array, pad: tuple[int, ...], value: float) -> Array:
    """A number around the array; a negative size cuts off."""
    shape, source, target = list(self.shape), [slice(None)] * self.ndim, [slice(None)] * self.ndim
    for dim, before, after in zip(range(self.ndim)[::-1], pad[::2], pad[1::2], strict=False):
        size = self.shape[dim]
        if size + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError(f"narrow(): length must be non-negative. More than dimension {dim} has is cut off.")
        shape[dim] += before + after
        source[dim] = slice(max(-before, 0), size - max(-after, 0))
        target[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
    out = np.full(shape, value, self.dtype) if value else np.zeros(shape, self.dtype)
    out[tuple(target)] = self[tuple(source)]
    return out


@checked
def pad(input: Tensor, pad: Ints, mode: str = "constant", value: Any = None) -> Tensor:
    """More elements around the tensor.

    Args:
        pad: how many before and after along the last dimension, then along the one before it, and so on; a negative
            number cuts off.
        mode: "constant" is the only one here.
        value: the number to put there: 0 unless given.

    RuntimeError if there are more sizes than dimensions, NotImplementedError for another mode.
    """
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: before and after, not {len(pad)} numbers")
    if len(pad) > 2 * input.ndim:
        text = "Padding length should be less than or equal to two times the input dimension but got padding length"
        raise RuntimeError(f"{text} {len(pad)} and input of dimension {input.ndim}")
    if mode != "constant":
        raise NotImplementedError(f"Unrecognised padding mode {mode}: minigrad pads with a constant only")
    return constant_pad(input, pad, dtypes.element(input.dtype, float(value)) if value else 0)
