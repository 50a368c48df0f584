"""Pooling: windows of an image become one number each, their largest or their mean.

The gradient of a mean goes to all pixels of a window alike; that of a maximum to the one that was largest, the first in
reading order among equal ones.

The largest of a window's rows' largest is the largest of all, so 3x3 pixels take 2 + 2 comparisons in place of 8. Which
pixel it was is found again in backward, by comparing input and result, which is faster than to save indices.

Pooling to a size that is asked for shares n pixels among m windows of nearly equal length: window i goes from i n / m,
rounded down, to (i + 1) n / m, rounded up, so that neighbours may overlap by one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import arrays, op
from minigrad.ops.images.mixing import Mix, mix_of, mixing
from minigrad.ops.images.windows import Way, crop, one_per_dim, pad, taps, times
from minigrad.ops.reductions.sums import mean
from minigrad.ops.shapes import views
from minigrad.public import Dims, as_ints, checked
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array
Sizes = tuple[int, ...]


# ---------------------------------------------------------------- the largest


@op(
    name="MaxPool2DWithIndicesBackward0",
    self=lambda F, g, self, result, window, way: F.max_pool_input(g, self, result, window, way),
)
def max_pool(self: Array, window: Sizes, way: Way) -> Array:
    """The largest of each window: (..., *size) -> (..., *places). Whole rows first, which are faster to read."""
    lowest = -math.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    out = pad(self, way.padding, lowest)
    (rows, columns), (high, wide), (down, right) = way.places(self.shape[-2:], window), window, way.stride
    for kernel, places, stride in (
        ((high, 1), (rows, out.shape[-1]), (down, 1)),
        ((1, wide), (rows, columns), (1, right)),
    ):
        seen = list(taps(out, kernel, places, way._replace(stride=stride)))
        out = np.maximum(seen[0], seen[-1])
        for tap in seen[1:-1]:
            np.maximum(out, tap, out=out)
    return out


def _winners(image: Array, largest: Array, window: Sizes, way: Way) -> Iterator[Array]:
    """For each element of the windows, where it is their largest: the first of equal ones. As in PyTorch, nan is larger
    than anything, and the last nan counts.
    """
    places, free = largest.shape[-2:], np.ones(largest.shape, bool)
    seen = list(taps(pad(image, way.padding), window, places, way))
    inside = taps(pad(np.ones(image.shape[-2:], bool), way.padding), window, places, way)
    undefined = [np.isnan(tap) for tap in seen] if np.isnan(largest).any() else []
    for number, (tap, here) in enumerate(zip(seen, inside, strict=True)):
        won = tap == largest
        if not here.all():
            won &= here
        if undefined:
            won |= undefined[number] & ~np.any(undefined[number + 1 :], axis=0)
        won &= free
        free ^= won
        yield won


def _only(g: Array, where: Array, out: Array | None = None) -> Array:
    """`g` at some places and 0 elsewhere: its bits times 1 or 0. np.where takes 20 times as long, because it branches,
    and `g * where` would make nan of infinity.
    """
    bits = np.dtype(f"i{g.itemsize}")
    out = np.empty(g.shape, g.dtype) if out is None else out
    np.multiply(g.view(bits), where, dtype=bits, out=out.view(bits))
    return out


@op(
    constants=("image", "largest"),
    self=lambda F, g, image, largest, window, way: F.max_pool_pick(g, image, largest, window, way),
)
def max_pool_input(self: Array, image: Array, largest: Array, window: Sizes, way: Way) -> Array:
    """The gradient of `max_pool`: what comes to a window goes to the pixel that was its largest."""
    g, places = np.ascontiguousarray(self), largest.shape[-2:]
    apart = all(reach <= step for reach, step in zip(way.reach(window), way.stride, strict=True))
    out = pad(np.zeros(image.shape, g.dtype), way.padding)
    for tap, won in zip(taps(out, window, places, way), _winners(image, largest, window, way), strict=True):
        if apart:
            _only(g, won, tap)
        else:
            tap += _only(g, won)
    return np.ascontiguousarray(crop(out, way.padding, image.shape[-2:]))


@op(
    constants=("image", "largest"),
    self=lambda F, g, image, largest, window, way: F.max_pool_input(g, image, largest, window, way),
)
def max_pool_pick(self: Array, image: Array, largest: Array, window: Sizes, way: Way) -> Array:
    """The elements that are where another image's windows have their largest: undoes `max_pool_input`."""
    seen = taps(pad(self, way.padding), window, largest.shape[-2:], way)
    out = np.empty(largest.shape, self.dtype)
    for tap, won in zip(seen, _winners(image, largest, window, way), strict=True):
        np.copyto(out, tap, where=won)
    return out


# ---------------------------------------------------------------- the mean

_avg_pool, _adaptive_avg_pool = mixing("AvgPool2DBackward0"), mixing("AdaptiveAvgPool2DBackward0")


@functools.lru_cache(maxsize=256)
def _windows(size: int, kernel: int, step: int, border: int, places: int, include: bool) -> tuple[Mix, Array]:
    """Along one dimension, the sums of windows, and how many pixels each counts, with its padding or without."""
    starts = np.arange(places) * step - border
    ends = np.minimum(starts + kernel, size + border)  # a window that was added by ceil_mode may reach further
    inside = np.minimum(ends, size) - np.maximum(starts, 0)
    return _sums(size, starts, ends, border), ends - starts if include else inside


@functools.lru_cache(maxsize=256)
def _even_windows(size: int, places: int) -> tuple[Mix, Array]:
    """The same for as many windows as are asked for."""
    numbers = np.arange(places)
    starts, ends = numbers * size // places, -(-(numbers + 1) * size // places)
    return _sums(size, starts, ends), ends - starts


def _sums(size: int, starts: Array, ends: Array, border: int = 0) -> Mix:
    """Of `size` pixels and a border those of each window, added up."""
    pixels = np.arange(-border, size + border)
    return mix_of((starts[:, None] <= pixels) & (pixels < ends[:, None]), border)


def _means(mix: Any, input: Tensor, sums: Sequence[tuple[Mix, Array]], divisor: int | None = None) -> Tensor:
    """Sums of windows over how many pixels they count, which is one number if all do alike, or over a divisor."""
    (down, heights), (right, widths) = sums
    counts = np.multiply.outer(heights, widths)
    alike = counts.size and (counts == counts.flat[0]).all()
    means: Tensor = mix(input, [down, right], 1, divisor or (int(counts.flat[0]) if alike else counts))
    return means


# ---------------------------------------------------------------- what is asked for


def _options(function: str, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Sizes, ...]:
    """The options of a pooling, each with one int per dimension; the stride is the kernel's size by default."""
    given = {"kernel_size": kernel, "stride": kernel if stride in (None, ()) else stride, "padding": padding}
    return tuple(
        one_per_dim(
            value,
            dims,
            f"{function}: {name} must either be {'omitted, ' * (name == 'stride')}a single int, or a tuple of "
            f"{('one int', 'two ints')[dims - 1]}; got {{}}",
        )
        for name, value in {**given, "dilation": dilation}.items()
    )


def _count_places(size: Sizes, options: Sequence[Sizes], ceil_mode: bool) -> Sizes:
    """How many windows there are; with `ceil_mode` also the last one that starts inside the image or before it."""
    places = []
    for n, k, step, border, spacing in zip(size, *options, strict=True):
        room = n + 2 * border - spacing * (k - 1) - 1
        count = (-(-room // step) if ceil_mode else room // step) + 1
        places.append(count - 1 if ceil_mode and (count - 1) * step >= n + border else count)
    return tuple(places)


def _checked_windows(input: Tensor, options: tuple[Sizes, ...], ceil_mode: bool) -> tuple[Sizes, Way]:
    """A pooling's places and way; RuntimeError for what does not fit."""
    kernel, steps, borders, spacings = options
    if 0 in steps:
        raise RuntimeError(f"stride should not be zero: it is {steps}; by default it is the kernel's size")
    for what, letter, (high, wide) in (
        *(("kernel size", "k", kernel), ("stride", "d", steps), ("dilation", "dilation", spacings)),
    ):
        if min(high, wide) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {letter}H: {high} {letter}W: {wide}")
    for k, border, spacing in zip(kernel, borders, spacings, strict=True):
        if border < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {border}")
        if border > ((k - 1) * spacing + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={border}, kernel_size={k} and "
                f"dilation={spacing}"
            )
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    size, places = input.shape[-2:], _count_places(input.shape[-2:], options, ceil_mode)
    if min(places) <= 0:
        before, after = (times((input.shape[-3], *sizes), "x") for sizes in (size, places))
        raise RuntimeError(
            f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small: the windows "
            "are larger than the image."
        )
    reached = zip(size, *options, places, strict=True)
    ends = [(count - 1) * step + spacing * (k - 1) + 1 - n - border for n, k, step, border, spacing, count in reached]
    return places, Way(steps, tuple(zip(borders, ends, strict=True)), spacings)


# ---------------------------------------------------------------- as the learner calls them


@checked
def max_pool1d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of sequences (N, C, L) or (C, L); with `return_indices` also where it is.

    `stride` is the kernel's size unless given. RuntimeError for windows that do not fit.
    """
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    options = _options("max_pool1d", 1, kernel_size, stride, padding, dilation)
    (kernel,), (step,), (border,), (spacing,) = options
    for name, value in (("kernel_size", kernel), ("stride", step), ("dilation", spacing)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if border < 0:
        raise RuntimeError(f"max_pool1d() padding should be non-negative, but got padding={border}")
    if border > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={border} and "
            f"kernel_size={kernel}"
        )
    (places,) = _count_places(input.shape[-1:], options, ceil_mode)
    if places <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {places}: the window is longer than the input")
    flat = ((1, kernel), (1, step), (0, border), (1, spacing), ceil_mode, return_indices)
    pooled = max_pool2d(views.unsqueeze(input, -2), *flat)
    return tuple(views.squeeze(part, -2) for part in pooled) if return_indices else views.squeeze(pooled, -2)


@checked
def max_pool2d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of images (N, C, H, W) or (C, H, W) -> (N, C, h, w).

    `stride` is the kernel's size unless given; padding counts as lower than anything. With `ceil_mode` a last window
    may reach beyond the image. With `return_indices` the result is (values, indices), which count an image's pixels
    row by row. RuntimeError for windows that do not fit.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(f"non-empty 3D or 4D (batch mode) tensor expected for input: got shape {list(input.shape)}")
    options = _options("max_pool2d", 2, kernel_size, stride, padding, dilation)
    _, way = _checked_windows(input, options, ceil_mode)
    if input.dtype is dtypes.bool:
        raise NotImplementedError("\"max_pool2d\" not implemented for 'Bool': convert to a dtype of numbers")
    values = max_pool(input, options[0], way)
    if not return_indices:
        return values
    pixels = np.arange(math.prod(input.shape[-2:])).reshape(input.shape[-2:])
    numbers = np.broadcast_to(pixels, input.shape)
    return values, from_array(arrays.max_pool_pick(numbers, input._array, values._array, options[0], way))


@checked
def avg_pool1d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = None,
    padding: Dims = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of sequences (N, C, L) or (C, L); the options are those of `avg_pool2d`."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for avg_pool1d)"
        )
    (kernel,), (step,), (border,), _ = _options("avg_pool1d", 1, kernel_size, stride, padding, 1)
    image = views.unsqueeze(input, -2)
    return views.squeeze(avg_pool2d(image, (1, kernel), (1, step), (0, border), ceil_mode, count_include_pad), -2)


@checked
def avg_pool2d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = None,
    padding: Dims = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of images (N, C, H, W) or (C, H, W) -> (N, C, h, w).

    `stride` is the kernel's size unless given. Padding counts as zeros, or with `count_include_pad=False` not at all;
    `divisor_override` is what the sums are divided by instead of the count. RuntimeError for windows that do not fit.
    """
    options = _options("avg_pool2d", 2, kernel_size, stride, padding, 1)
    places, _ = _checked_windows(input, options, ceil_mode)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero: divisor_override is what the sums are divided by")
    spans = zip(input.shape[-2:], *options[:3], places, strict=True)
    return _means(_avg_pool, input, [_windows(*span, count_include_pad) for span in spans], divisor_override)


@checked
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means of as many windows as make images of `output_size`, an int or (h, w): (N, C, H, W) -> (N, C, h, w).

    None in place of a number keeps that size. RuntimeError for sizes that do not fit.
    """
    goal = tuple(output_size) if isinstance(output_size, Sequence) else (output_size, output_size)
    if len(goal) != 2:
        raise RuntimeError(f"adaptive_avg_pool2d: output_size must be 2: got {output_size}")
    kept = [old if new is None else new for old, new in zip(input.shape[-2:], goal, strict=True)]
    places = as_ints("adaptive_avg_pool2d", "output_size", 2, kept)
    if min(places) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{times(places, ', ')}}}"
        )
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    if places == (1, 1):
        return mean(input, (-1, -2), True)
    for dim in (input.ndim - 2, input.ndim - 1):
        if input.shape[dim] == 0:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {list(input.shape)} with dimension {dim} being empty"
            )
    if not input.dtype.is_floating_point:
        raise NotImplementedError(
            f"\"adaptive_avg_pool2d\" not implemented for '{input.dtype.tensor_type}': convert it first"
        )
    spans = zip(input.shape[-2:], places, strict=True)
    return _means(_adaptive_avg_pool, input, [_even_windows(*span) for span in spans])
