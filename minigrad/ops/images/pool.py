"""Pooling as the learner calls it: max_pool, avg_pool, and from adaptive_pool.py those to a given size.

After this module a reader knows the options of a pooling and how they make the size of the result. How the windows
become numbers, and where their gradients go, is told in pool_windows.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad import dtypes
from minigrad.op import tensor_operands
from minigrad.ops.images.adaptive_pool import adaptive_avg_pool2d
from minigrad.ops.images.pool_windows import (
    avg_pool,
    check_sequence,
    checked_windows,
    count_places,
    largest_indices,
    max_pool,
    per_dim,
    squeezed,
    window_counts,
    window_options,
)
from minigrad.ops.shapes import views
from minigrad.tensor import Tensor, from_array

__all__ = ["adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d"]

Steps = int | Sequence[int]


def max_pool1d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None = None,
    padding: Steps = 0,
    dilation: Steps = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of sequences (N, C, L) or (C, L); with `return_indices` also where it is.

    `stride` is the kernel's size unless given. RuntimeError for windows that do not fit.
    """
    (input,) = tensor_operands("max_pool1d", input)
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    options = window_options(
        "max_pool1d", 1, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation
    )
    (kernel,), (step,), (border,), (spacing,) = options
    for name, value in (("kernel_size", kernel), ("stride", step), ("dilation", spacing)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if border < 0 or border > kernel // 2:
        what = "non-negative" if border < 0 else "at most half of kernel size"
        more = "" if border < 0 else f" and kernel_size={kernel}"
        raise RuntimeError(f"max_pool1d() padding should be {what}, but got padding={border}{more}")
    places = count_places(input.shape[-1:], options, ceil_mode)
    if places[0] <= 0:
        raise RuntimeError(
            f"max_pool1d() Invalid computed output size: {places[0]}: the window is longer than the input"
        )
    flat = ((1, kernel), (1, step), (0, border), (1, spacing), ceil_mode, return_indices)
    return squeezed(max_pool2d(views.unsqueeze(input, -2), *flat))


def max_pool2d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None = None,
    padding: Steps = 0,
    dilation: Steps = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of images (N, C, H, W) or (C, H, W) -> (N, C, h, w).

    `stride` is the kernel's size unless given; padding counts as lower than anything. With `ceil_mode` a last window
    may reach beyond the image. With `return_indices` the result is (values, indices), which count an image's pixels
    row by row. RuntimeError for windows that do not fit.
    """
    options = kernel_size, stride, padding, dilation, ceil_mode, return_indices
    return _max_pool("max_pool2d", max_pool, 2, input, *options)


def avg_pool1d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None = None,
    padding: Steps = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of sequences (N, C, L) or (C, L); the options are those of `avg_pool2d`."""
    (input,) = tensor_operands("avg_pool1d", input)
    check_sequence("avg_pool1d", input)
    (kernel,), (step,), (border,), _ = window_options(
        "avg_pool1d", 1, kernel_size=kernel_size, stride=stride, padding=padding, dilation=1
    )
    image = views.unsqueeze(input, -2)
    return views.squeeze(avg_pool2d(image, (1, kernel), (1, step), (0, border), ceil_mode, count_include_pad), -2)


def avg_pool2d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None = None,
    padding: Steps = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of images (N, C, H, W) or (C, H, W) -> (N, C, h, w).

    `stride` is the kernel's size unless given. Padding counts as zeros, or with `count_include_pad=False` not at all;
    `divisor_override` is what the sums are divided by instead of the count. RuntimeError for windows that do not fit.
    """
    options = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    return _avg_pool("avg_pool2d", avg_pool, 2, input, *options)


def _max_pool(
    function: str,
    pooling: Any,
    dims: int,
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None,
    padding: Steps,
    dilation: Steps,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    (input,) = tensor_operands(function, input)
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input: got shape "
            f"{list(input.shape)}"
        )
    kernel, way = checked_windows(function, dims, input, kernel_size, stride, padding, dilation, ceil_mode)
    if input.dtype is dtypes.bool:
        raise NotImplementedError(f"\"{function}\" not implemented for 'Bool': convert to a dtype of numbers")
    values = pooling(input, kernel, way)
    return (values, from_array(largest_indices(input._array, kernel, way))) if return_indices else values


def _avg_pool(
    function: str,
    pooling: Any,
    dims: int,
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None,
    padding: Steps,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    (input,) = tensor_operands(function, input)
    kernel, way = checked_windows(function, dims, input, kernel_size, stride, padding, 1, ceil_mode)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero: divisor_override is what the sums are divided by")
    divisor: Any = divisor_override
    if divisor is None:
        borders = per_dim(function, "padding", padding, dims)
        divisor = window_counts(input.shape[-dims:], kernel, way, borders, count_include_pad)
    pooled: Tensor = pooling(input, kernel, way, divisor)
    return pooled


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
