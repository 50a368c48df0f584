"""Padding: a number around a tensor. Padding and cutting off are each other's gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.places.checks import in_dtype_of
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
Pads = tuple[int, ...]  # (before, after) of the last dimension, then of the one before it, and so on; below 0 cuts off
METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def _by_dim(ndim: int, pad: Pads) -> list[tuple[int, int, int]]:
    """(dimension, before, after) for each that is padded."""
    return [(ndim - 1 - i // 2, pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]


@op(
    name="ConstantPadNdBackward0",
    self=lambda F, g, pad: F.constant_pad(g, tuple(-size for size in pad), 0.0),
)
def constant_pad(self: Array, pad: Pads, value: float) -> Array:
    """A number around the array; a negative size cuts off."""
    shape, source, target = list(self.shape), [slice(None)] * self.ndim, [slice(None)] * self.ndim
    for dim, before, after in _by_dim(self.ndim, pad):
        size = self.shape[dim]
        shape[dim] += before + after
        source[dim] = slice(max(-before, 0), size - max(-after, 0))
        target[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
    out = np.full(shape, value, self.dtype) if value else np.zeros(shape, self.dtype)
    out[tuple(target)] = self[tuple(source)]
    return out


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """More elements around the tensor.

    Args:
        pad: how many before and after along the last dimension, then along the one before it, and so on; a negative
            number cuts off.
        mode: "constant" is the only one here.
        value: the number to put there: 0 unless given.

    RuntimeError if there are more sizes than dimensions, NotImplementedError for another mode.
    """
    (input,) = tensor_operands("pad", input)
    for place, size in enumerate(pad, 1):
        if isinstance(size, bool) or not isinstance(size, int | np.integer):
            raise TypeError(
                f"pad(): argument 'pad' failed to unpack the object at pos {place} with error \"type must be tuple of "
                f'ints,but got {type(size).__name__}"'
            )
    pads = tuple(int(size) for size in pad)
    if len(pads) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: before and after, not {len(pads)} numbers")
    if len(pads) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pads)} and input of dimension {input.ndim}"
        )
    if mode != "constant":
        raise NotImplementedError(f"Unrecognised padding mode {mode}: minigrad pads with a constant only")
    for dim, before, after in _by_dim(input.ndim, pads):
        if input.shape[dim] + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError(f"narrow(): length must be non-negative. More than dimension {dim} has is cut off.")
    return constant_pad(input, pads, in_dtype_of(value, input) if value else 0)
