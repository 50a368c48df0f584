"""Patches of images, taken out and put back: unfold, fold.

After this module a reader knows the first half of a convolution: `unfold` makes a column of each patch that the kernel
would see ("im2col"), so that a matrix product does the rest. `fold` adds columns up where they came from. Each is the
other's gradient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.op import op, tensor_operands
from minigrad.ops.images.windows import Way, bordered, crop, pad, windows
from minigrad.tensor import Tensor

Array = Any  # numpy array
Sizes = tuple[int, ...]
Steps = int | Sequence[int]


@op(name="Im2ColBackward0", self=lambda F, g, self_shape, window, way: F.col2im(g, self_shape[-2:], window, way))
def im2col(self: Array, window: Sizes, way: Way) -> Array:
    """All patches of images (..., C, H, W) as columns: (..., C * kernel, places)."""
    *lead, channels, height, width = self.shape
    seen = windows(pad(self, way.padding), window, way.places((height, width), window), way)
    rows, columns = seen.shape[-2:]
    return seen.reshape(*lead, channels * math.prod(window), rows * columns)


@op(name="Col2ImBackward0", self=lambda F, g, window, way: F.im2col(g, window, way))
def col2im(self: Array, size: Sizes, window: Sizes, way: Way) -> Array:
    """Columns (..., C * kernel, places) added up where they came from: images (..., C, H, W)."""
    *lead, rows, _ = self.shape
    channels, places = rows // math.prod(window), way.places(size, window)
    columns = self.reshape(*lead, channels, *window, *places)
    padded = np.zeros((*lead, channels, *bordered(size, way.padding)), self.dtype)
    seen = windows(padded, window, places, way)
    for i, j in np.ndindex(*window):
        seen[..., i, j, :, :] += columns[..., i, j, :, :]
    return np.ascontiguousarray(crop(padded, way.padding, size))


def unfold(input: Tensor, kernel_size: Steps, dilation: Steps = 1, padding: Steps = 0, stride: Steps = 1) -> Tensor:
    """The patches that a kernel would see, as columns: (N, C, H, W) or (C, H, W) -> (N, C * kernel, places).

    `unfold(x, k)` multiplied by a matrix of weights is a convolution. RuntimeError for kernels that do not fit.
    """
    (input,) = tensor_operands("unfold", input)
    kernel, way = _sliding(kernel_size, dilation, padding, stride)
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    size = input.shape[-2:]
    places = way.places(size, kernel)
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_sizes(size)}, {_named(kernel, way)}, calculated shape of the array of "
            f"sliding blocks as {_sizes([max(p, 0) for p in places])}, but its components must be at least one."
        )
    if input.dtype.category == 1:
        raise NotImplementedError(
            f"\"im2col_out_cpu\" not implemented for '{input.dtype.tensor_type}': convert it with .float()"
        )
    return im2col(input, kernel, way)


def fold(
    input: Tensor,
    output_size: Steps,
    kernel_size: Steps,
    dilation: Steps = 1,
    padding: Steps = 0,
    stride: Steps = 1,
) -> Tensor:
    """Columns added up where `unfold` would have taken them: (N, C * kernel, places) -> (N, C, *output_size).

    Pixels that several patches have become the sum. RuntimeError for sizes that do not fit together.
    """
    (input,) = tensor_operands("fold", input)
    kernel, way = _sliding(kernel_size, dilation, padding, stride)
    size = _pair("output_size", output_size)
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    rows, columns = input.shape[-2:]
    if rows % math.prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={_sizes(kernel)}."
        )
    places = way.places(size, kernel)
    if math.prod(places) != columns or min(places) < 1:
        raise RuntimeError(
            f"Given output_size={_sizes(size)}, {_named(kernel, way)}, stride={_sizes(way.stride)}, expected size of "
            f"input's dimension 2 to match the calculated number of sliding blocks {places[0]} * {places[1]} = "
            f"{math.prod(places)}, but got input.size(2)={columns}."
        )
    if input.dtype.category == 1:
        raise NotImplementedError(
            f"\"col2im_out_cpu\" not implemented for '{input.dtype.tensor_type}': convert it with .float()"
        )
    return col2im(input, size, kernel, way)


def _sliding(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Sizes, Way]:
    kernel, spacing, border, step = (
        _pair(name, value)
        for name, value in (
            ("kernel_size", kernel_size), ("dilation", dilation), ("padding", padding), ("stride", stride)
        )
    )  # fmt: skip
    for what, name, (height, width) in (
        ("kernel size", "kernel", kernel), ("dilation", "dilation", spacing), ("stride", "stride", step)
    ):  # fmt: skip
        if min(height, width) <= 0:
            raise RuntimeError(
                f"{what} should be greater than zero, but got {name}_height: {height} {name}_width: {width}"
            )
    if min(border) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {border[0]} pad_width: {border[1]}")
    return kernel, Way(step, tuple((p, p) for p in border), spacing)


def _pair(name: str, value: Any) -> tuple[int, int]:
    values = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(values) == 1:
        values *= 2
    if len(values) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
        raise TypeError(f"argument '{name}' must be tuple of ints, not {type_name(values[0])}: {value!r}")
    return int(values[0]), int(values[1])


def _named(kernel: Sizes, way: Way) -> str:
    border = [before for before, _ in way.padding]
    return f"kernel_size={_sizes(kernel)}, dilation={_sizes(way.dilation)}, padding={_sizes(border)}"


def _sizes(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))})"


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
