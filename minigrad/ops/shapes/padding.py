"""Padding: more elements around a tensor, constant ones, or the tensor's own mirrored, repeated or wrapped around.

After this module a reader knows that padding by a number and cutting off are each other's gradient, and that an element
which was shown again in the padding gets the sum of the gradients of all places where it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
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


def _source_indices(mode: str, size: int, before: int, after: int) -> Array:
    """For each place along a padded dimension, the index of the element, of `size`, that is shown there."""
    place = np.arange(-before, size + after)
    if mode == "reflect":  # the border itself is not repeated
        return np.where(place < 0, -place, np.where(place >= size, 2 * (size - 1) - place, place))
    if mode == "replicate":
        return np.clip(place, 0, size - 1)
    first, left = max(-before, 0), size + min(before, 0) + min(after, 0)
    return first + (place - first) % left  # circular: what is at the other end of what is left


def _pad_op(node: str) -> Any:
    """One op for each of PyTorch's nodes, by mode and number of dimensions."""

    @op(name=node, self=lambda F, g, self_shape, mode, pad: F.pad_with_own_backward(g, self_shape, mode, pad))
    def pad_with_own(self: Array, mode: str, pad: Pads) -> Array:
        """The array with its own elements around it: mirrored, repeated or wrapped around."""
        for dim, before, after in _by_dim(self.ndim, pad):
            self = np.take(self, _source_indices(mode, self.shape[dim], before, after), dim)
        return self

    return pad_with_own


@op(self=lambda F, g, mode, pad: F.pad_with_own(g, mode, pad))
def pad_with_own_backward(self: Array, shape: tuple[int, ...], mode: str, pad: Pads) -> Array:
    """Each element with all of its copies in the padding added to it."""
    for dim, before, after in _by_dim(self.ndim, pad):
        size = shape[dim]
        source = _source_indices(mode, size, before, after)
        inside = slice(max(before, 0), before + size + min(after, 0))
        out = np.zeros((*self.shape[:dim], size, *self.shape[dim + 1 :]), self.dtype)
        total, shown = np.moveaxis(out, dim, 0), np.moveaxis(self, dim, 0)
        total[source[inside]] = shown[inside]
        for place in [*range(max(before, 0)), *range(inside.stop, len(source))]:  # few beside those inside
            total[source[place]] += shown[place]
        self = out
    return self


_NODES = {
    "reflect": "ReflectionPad{}DBackward0",
    "replicate": "ReplicationPad{}DBackward0",
    "circular": "CircularPad{}DBackward0",
}
_PAD_OPS = {(mode, count): _pad_op(name.format(count)) for mode, name in _NODES.items() for count in (1, 2, 3)}


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """More elements around the tensor.

    Args:
        pad: how many before and after along the last dimension, then along the one before it, and so on; a negative
            number cuts off.
        mode: "constant" puts `value` there; "reflect" the elements mirrored at the border, which is not repeated;
            "replicate" the border again and again; "circular" what is at the other end. These three pad the last
            dimension of 2 or 3, the last two of 3 or 4, or the last three of 4 or 5.
        value: the number for "constant": 0 unless given.

    RuntimeError or NotImplementedError if there are more sizes than dimensions, or the mode cannot do it.
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
    if mode == "constant":
        for dim, before, after in _by_dim(input.ndim, pads):
            if input.shape[dim] + min(before, 0) + min(after, 0) < 0:
                raise RuntimeError(f"narrow(): length must be non-negative. More than dimension {dim} has is cut off.")
        return constant_pad(input, pads, in_dtype_of(value, input) if value else 0)
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    _check_own(input, pads, mode)
    made: Tensor = _PAD_OPS[mode, len(pads) // 2](input, mode, pads)
    return made


def _check_own(input: Tensor, pads: Pads, mode: str) -> None:
    """Raise if a tensor cannot be padded with its own elements in this mode."""
    count = len(pads) // 2
    if not pads or count > 3 or input.ndim not in (count + 1, count + 2):
        raise NotImplementedError(
            f"Padding size {len(pads)} is not supported for {input.ndim}D input tensor.\nSupported combinations for "
            "non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: "
            "padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode not in _NODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if input.dtype is dtypes.bool and mode != "circular":
        kernel = "reflection" if mode == "reflect" else "replication"
        raise NotImplementedError(f"\"{kernel}_pad{count}d\" not implemented for 'Bool': convert the tensor first")
    if 0 in input.shape[-count - 1 :]:
        raise RuntimeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    for dim, before, after in _by_dim(input.ndim, pads):
        size = input.shape[dim]
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {dim} of input {list(input.shape)}"
            )
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < 1:
            raise RuntimeError(f"pad(): nothing would be left of dimension {dim} of input {list(input.shape)}")
