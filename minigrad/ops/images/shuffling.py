"""Channels that become pixels, and the reverse: pixel_shuffle, pixel_unshuffle, channel_shuffle.

After this module a reader knows that all three only reorder elements, and that the gradient is the order before. Shi et
al., "Real-time single image and video super-resolution" (2016); Zhang et al., "ShuffleNet" (2018).
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.autograd.blame import type_name
from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor

Array = Any  # numpy array


@op(name="PixelShuffleBackward0", self=lambda F, g, upscale_factor: F.pixel_unshuffle(g, upscale_factor))
def pixel_shuffle(self: Array, upscale_factor: int) -> Array:
    """(..., C r^2, H, W) -> (..., C, H r, W r): r^2 channels become the r x r pixels of one."""
    *lead, channels, height, width = self.shape
    r = upscale_factor
    parts = self.reshape(-1, r, r, height, width) if self.size else self.reshape(0, r, r, height, width)
    return parts.transpose(0, 3, 1, 4, 2).reshape(*lead, channels // (r * r), height * r, width * r)


@op(name="PixelUnshuffleBackward0", self=lambda F, g, downscale_factor: F.pixel_shuffle(g, downscale_factor))
def pixel_unshuffle(self: Array, downscale_factor: int) -> Array:
    """(..., C, H r, W r) -> (..., C r^2, H, W): undoes `pixel_shuffle`."""
    *lead, channels, height, width = self.shape
    r = downscale_factor
    parts = self.reshape(math.prod(lead) * channels, height // r, r, width // r, r)
    return parts.transpose(0, 2, 4, 1, 3).reshape(*lead, channels * r * r, height // r, width // r)


@op(
    name="ChannelShuffleBackward0",
    self=lambda F, g, self_shape, groups: F.channel_shuffle(g, self_shape[1] // groups if self_shape[1] else 1),
)
def channel_shuffle(self: Array, groups: int) -> Array:
    """(N, C, *size): the first channel of each group, then the second of each, and so on."""
    count, channels, *size = self.shape
    parts = self.reshape(count, groups, channels // groups, *size)
    return parts.swapaxes(1, 2).reshape(self.shape)


_pixel_shuffle, _pixel_unshuffle, _channel_shuffle = pixel_shuffle, pixel_unshuffle, channel_shuffle


def _checked_factor(function: str, name: str, input: Any, factor: Any) -> Tensor:
    (input,) = tensor_operands(function, input)
    if not isinstance(factor, int) or isinstance(factor, bool):
        raise TypeError(f"{function}(): argument '{name}' (position 2) must be int, not {type_name(factor)}")
    if function != "channel_shuffle" and input.ndim < 3:
        raise RuntimeError(
            f"{function} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if function != "channel_shuffle" and factor <= 0:
        raise RuntimeError(f"{function} expects a positive {name}, but got {factor}")
    tensor: Tensor = input
    return tensor


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:  # type: ignore[no-redef]
    """(..., C r^2, H, W) -> (..., C, H r, W r) with r = `upscale_factor`: r^2 channels become r x r pixels of one."""
    input = _checked_factor("pixel_shuffle", "upscale_factor", input, upscale_factor)
    if input.shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={input.shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return _pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:  # type: ignore[no-redef]
    """(..., C, H r, W r) -> (..., C r^2, H, W) with r = `downscale_factor`: undoes `pixel_shuffle`."""
    input = _checked_factor("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for name, dim in (("height", -2), ("width", -1)):
        if input.shape[dim] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({dim})={input.shape[dim]} is not divisible by {downscale_factor}"
            )
    return _pixel_unshuffle(input, downscale_factor)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:  # type: ignore[no-redef]
    """(N, C, *size) with the channels dealt out anew: the first of each group, then the second of each, and so on."""
    input = _checked_factor("channel_shuffle", "groups", input, groups)
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if input.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and {groups} groups."
        )
    return _channel_shuffle(input, groups)


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
