"""Padding: a number around a tensor. Padding and cutting off are each other's gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, op, with_node_name
from minigrad.ops.places.indexing import advanced_index
from minigrad.public import Ints, with_checks
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


@with_checks
def pad(input: Tensor, pad: Ints, mode: str = "constant", value: Any = None) -> Tensor:
    """More elements around the tensor.

    Args:
        pad: how many before and after along the last dimension, then along the one before it, and so on; a negative
            number cuts off.
        mode: what to put there: "constant", a number; "reflect", what a mirror on the last element shows;
            "replicate", that element again; "circular", what is at the other end.
        value: that number: 0 unless given.

    RuntimeError for sizes that do not fit, NotImplementedError for another mode, or for other numbers of dimensions
    than 2 to 5, of which up to 3 are padded (but for "constant").
    """
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: before and after, not {len(pad)} numbers")
    if len(pad) > 2 * input.ndim:
        text = "Padding length should be less than or equal to two times the input dimension but got padding length"
        raise RuntimeError(f"{text} {len(pad)} and input of dimension {input.ndim}")
    if mode != "constant":
        if value:
            raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
        return _padded_by_itself(input, pad, mode)
    return constant_pad(input, pad, dtypes.element(input.dtype, float(value)) if value else 0)


_MODES: Any = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}  # as numpy calls them
_OPS = {  # by mode and number of dimensions; PyTorch pads circularly by writes, which is another graph
    mode: [with_node_name(advanced_index, f"{name}Pad{dims}DBackward0") for dims in (1, 2, 3)]
    for mode, name in (("reflect", "Reflection"), ("replicate", "Replication"))
}


def _padded_by_itself(input: Tensor, pad: Ints, mode: str) -> Tensor:
    """More of a tensor's own elements around it: along each dimension those with the numbers that numpy pads."""
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}: it is constant, reflect, replicate or circular")
    if not 2 <= len(pad) <= 6 or input.ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.")
    index: list[Any] = []
    for dim, before, after in zip(range(input.ndim)[::-1], pad[::2], pad[1::2], strict=False):
        size, wraps = input.shape[dim], mode == "circular"
        more, fewer = (max(before, 0), max(after, 0)), (max(-before, 0), max(-after, 0))
        if size + before + after < (not wraps):
            text = f"input (W: {size}) is too small. Calculated output W: {size + before + after}"
            raise RuntimeError("Negative padding value is resulting in an empty dimension" if wraps else text)
        if wraps and max(more) > size - sum(fewer):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if not size or (mode == "reflect" and max(more) >= size):
            text = "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding"
            raise RuntimeError(f"{text} ({before}, {after}) at dimension {dim} of input {list(input.shape)}")
        # Circular shows what is left; the others show what was cut off, too.
        shown = np.arange(size)[fewer[0] : size - fewer[1]] if wraps else np.arange(size)
        numbers = np.pad(shown, more, _MODES[mode])
        index.insert(0, numbers if wraps else numbers[fewer[0] : len(numbers) - fewer[1]])
    return _OPS.get(mode, [advanced_index] * 3)[len(index) - 1](input, (..., *np.ix_(*index)))
