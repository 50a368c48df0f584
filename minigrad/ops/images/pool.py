"""Pooling: windows of an image become one number each, their largest or their mean.

The gradient of a mean goes to all pixels of a window alike; that of a maximum to the one that was largest, the first in
reading order among equal ones.

Both are separable: the largest of a window's rows' largest is the largest of all, so 3x3 pixels take 2 + 2 comparisons
in place of 8. Backward makes the largest of each window's columns first and of these the largest of all: "first in
reading order" is then the first row that has the maximum, and in it the first column. So it walks back and finds the
same pixel as PyTorch. (Where windows do not overlap, it goes to the pixels at once.) Which pixel was the largest is
found again by comparing input and result, which is faster than to save indices: on a batch of 32x16 images of 28x28
pixels, forward and backward take 0.16 and 0.38 ms.

Pooling to a size that is asked for shares n pixels among m windows of nearly equal length: window i goes from i n / m,
rounded down, to (i + 1) n / m, rounded up, so that neighbours may overlap by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.op import op
from minigrad.ops.images.windows import Way, bordered, crop, pad, windows
from minigrad.ops.reductions.sums import mean
from minigrad.ops.shapes import views
from minigrad.public import checked
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array
Sizes = tuple[int, ...]
Steps = Any  # int | Sequence[int]


# ---------------------------------------------------------------- the pixels of windows


def _taps(image: Array, dims: Sizes, kernel: Sizes, places: Sizes, way: Way) -> Iterator[Array]:
    """What each element of the window sees along some dimensions of the image, at all its places: views, in reading
    order.
    """
    for tap in itertools.product(*[range(kernel[dim]) for dim in dims]):
        index = [slice(None)] * len(kernel)
        for dim, element in zip(dims, tap, strict=True):
            start = element * way.dilation[dim]
            index[dim] = slice(start, start + (places[dim] - 1) * way.stride[dim] + 1, way.stride[dim])
        yield image[(..., *index)]


def _reduced(image: Array, dim: int, kernel: Sizes, places: Sizes, way: Way, combine: Any) -> Array:
    """Windows along one dimension, combined (by np.maximum or np.add)."""
    first, *others = _taps(image, (dim,), kernel, places, way)
    if not others:
        return first.copy()
    out = combine(first, others[0])
    for tap in others[1:]:
        combine(out, tap, out=out)
    return out


def _largest(image: Array, kernel: Sizes, places: Sizes, way: Way, dims: Iterable[int]) -> list[Array]:
    """The padded image, then with the largest of each window's elements along one dimension after the other."""
    lowest = -math.inf if image.dtype.kind == "f" else np.iinfo(image.dtype).min
    stages = [pad(image, way.padding, lowest)]
    for dim in dims:
        stages.append(_reduced(stages[-1], dim, kernel, places, way, np.maximum))
    return stages


def _stages(image: Array, largest: Array, kernel: Sizes, way: Way) -> list[tuple[Sizes, Array, Array]]:
    """The steps in which windows became their largest: along which dimensions, of what, and what came of it."""
    places = largest.shape[-len(kernel) :]
    if all(reach <= step for reach, step in zip(way.reach(kernel), way.stride, strict=True)):
        return [(tuple(range(len(kernel))), pad(image, way.padding, -math.inf), largest)]
    dims = range(len(kernel))[::-1]  # columns, then rows
    levels = _largest(image, kernel, places, way, dims)
    return [((dim,), levels[-2 - dim], levels[-1 - dim]) for dim in dims]


def _winners(seen: Array, largest: Array, dims: Sizes, kernel: Sizes, places: Sizes, way: Way) -> Iterator[Array]:
    """For each element of the windows along some dimensions, where it is the first that is their largest."""
    undefined = bool(np.isnan(largest).any())
    free: Any = None
    count = math.prod(kernel[dim] for dim in dims)
    for number, tap in enumerate(_taps(seen, dims, kernel, places, way), 1):
        if number == count and free is not None:
            yield free  # nothing is left to compare with
            return
        won = tap == largest
        if undefined:
            won |= np.isnan(tap)
        if free is None:
            free = ~won
        else:
            won &= free
            free ^= won
        yield won


def _only(g: Array, where: Array, out: Array = None) -> Array:
    """`g` at some places and 0 elsewhere: its bits times 1 or 0. np.where takes 20 times as long, because it branches,
    and `g * where` would make nan of infinity.
    """
    bits = np.dtype(f"i{g.itemsize}")
    out = np.empty(g.shape, g.dtype) if out is None else out
    np.multiply(g.view(bits), where, dtype=bits, out=out.view(bits))
    return out


# ---------------------------------------------------------------- the largest


@op(
    name="MaxPool2DWithIndicesBackward0",
    self=lambda F, g, self, result, window, way: F.max_pool_input(g, self, result, window, way),
)
def max_pool(self: Array, window: Sizes, way: Way) -> Array:
    """The largest of each window: (..., *size) -> (..., *places)."""
    places = way.places(self.shape[-2:], window)
    return _largest(self, window, places, way, (0, 1))[-1]  # whole rows first, which are faster to read


@op(
    constants=("image", "largest"),
    self=lambda F, g, image, largest, window, way: F.max_pool_pick(g, image, largest, window, way),
)
def max_pool_input(self: Array, image: Array, largest: Array, window: Sizes, way: Way) -> Array:
    """The gradient of `max_pool`: what comes to a window goes to the pixel that was its largest."""
    g, places = np.ascontiguousarray(self), largest.shape[-len(window) :]
    for dims, seen, most in reversed(_stages(image, largest, window, way)):
        apart = all(way.reach(window)[dim] <= way.stride[dim] for dim in dims)  # if so assigned, else added
        full = apart and seen.size == most.size * math.prod(window[dim] for dim in dims)
        out = np.empty(seen.shape, g.dtype) if full else np.zeros(seen.shape, g.dtype)
        winners = _winners(seen, most, dims, window, places, way)
        for tap, won in zip(_taps(out, dims, window, places, way), winners, strict=True):
            if apart:
                _only(g, won, tap)
            else:
                tap += _only(g, won)
        g = out
    return np.ascontiguousarray(crop(g, way.padding, image.shape[-len(window) :]))


@op(
    constants=("image", "largest"),
    self=lambda F, g, image, largest, window, way: F.max_pool_input(g, image, largest, window, way),
)
def max_pool_pick(self: Array, image: Array, largest: Array, window: Sizes, way: Way) -> Array:
    """The elements that are where another image's windows have their largest: undoes `max_pool_input`."""
    picked, places = np.ascontiguousarray(pad(self, way.padding)), largest.shape[-len(window) :]
    for dims, seen, most in _stages(image, largest, window, way):
        out = np.zeros(most.shape, self.dtype)
        winners = _winners(seen, most, dims, window, places, way)
        for tap, won in zip(_taps(picked, dims, window, places, way), winners, strict=True):
            out += _only(tap, won)
        picked = out
    return picked


def largest_indices(image: Array, kernel: Sizes, way: Way) -> Array:
    """Where in its image, counted in reading order, each window's largest is. (As in PyTorch, nan is larger than
    anything, and the last nan counts.)
    """
    size, lead = image.shape[-len(kernel) :], image.shape[: -len(kernel)]
    numbers = np.arange(math.prod(size)).reshape(size)
    places = way.places(size, kernel)
    lowest = -math.inf if image.dtype.kind == "f" else np.iinfo(image.dtype).min
    seen = windows(pad(image, way.padding, lowest), kernel, places, way)
    where = windows(pad(numbers, way.padding, -1), kernel, places, way)
    best, found = np.full((*lead, *places), lowest, image.dtype), np.full((*lead, *places), -1)
    every = (slice(None),) * len(kernel)
    for tap in np.ndindex(*kernel):
        value, number = seen[..., *tap, *every], where[*tap]
        better = (value > best) | (value != value) | (found < 0)
        better &= number >= 0
        np.copyto(best, value, where=better)
        np.copyto(found, np.broadcast_to(number, found.shape), where=better)
    return found


# ---------------------------------------------------------------- the mean


@op(
    name="AvgPool2DBackward0",
    self=lambda F, g, self_shape, window, way, divisor: F.avg_pool_input(g, self_shape[-2:], window, way, divisor),
)
def avg_pool(self: Array, window: Sizes, way: Way, divisor: Any) -> Array:
    """The sum of each window over a divisor: (..., *size) -> (..., *places)."""
    out, places = pad(self, way.padding), way.places(self.shape[-2:], window)
    for dim in (1, 0):
        out = _reduced(out, dim, window, places, way, np.add)
    return _divided(out, divisor)


@op(self=lambda F, g, window, way, divisor: F.avg_pool(g, window, way, divisor))
def avg_pool_input(self: Array, size: Sizes, window: Sizes, way: Way, divisor: Any) -> Array:
    """The gradient of `avg_pool`: each pixel's share of all the windows that see it."""
    g, places, full = _divided(self, divisor), self.shape[-len(window) :], bordered(size, way.padding)
    for dim in range(len(window)):
        shape = list(g.shape)
        shape[dim - len(window)] = full[dim]
        out = np.zeros(shape, g.dtype)
        for tap in _taps(out, (dim,), window, places, way):
            tap += g
        g = out
    return np.ascontiguousarray(crop(g, way.padding, size))


def _divided(sums: Array, divisor: Any) -> Array:
    """Sums over a number, or over one for each place; of integers rounded towards 0, as PyTorch does it."""
    if sums.dtype.kind == "f":
        return sums / (divisor if isinstance(divisor, int) else divisor.astype(sums.dtype))
    return np.trunc(sums / divisor).astype(sums.dtype)


def window_counts(size: Sizes, kernel: Sizes, way: Way, padding: Sizes, include: bool) -> Any:
    """How many elements each window averages: an int if all do alike, else an array of shape *places."""
    counts: Any = np.ones((), np.int64)
    for n, k, step, (before, _), border, places in zip(
        size, kernel, way.stride, way.padding, padding, way.places(size, kernel), strict=True
    ):
        start = np.arange(places) * step - before
        end = np.minimum(start + k, n + border)  # a window that was added by ceil_mode may reach further
        inside = end - start if include else np.minimum(end, n) - np.maximum(start, 0)
        counts = counts[..., None] * inside
    return int(counts.flat[0]) if counts.size and (counts == counts.flat[0]).all() else counts


# ---------------------------------------------------------------- the mean of as many windows as are asked for


def _ends(old: int, new: int) -> Iterator[tuple[int, int]]:
    """Where each of `new` windows over `old` pixels begins and ends."""
    for i in range(new):
        yield i * old // new, -(-(i + 1) * old // new)


@op(
    name="AdaptiveAvgPool2DBackward0",
    self=lambda F, g, self_shape, places: F.adaptive_avg_pool_input(g, self_shape[-2:]),
)
def adaptive_avg_pool(self: Array, places: Sizes) -> Array:
    """Means of windows: (..., *size) -> (..., *places), one dimension after the other."""
    out = self
    for dim, count in enumerate(places, -2):
        parts = [
            np.add.reduce(_part(out, dim, start, end), axis=dim, keepdims=True) / (end - start)
            for start, end in _ends(out.shape[dim], count)
        ]
        out = np.concatenate(parts, dim) if parts else _part(out, dim, 0, 0).copy()
    return out


@op(self=lambda F, g, self_shape, size: F.adaptive_avg_pool(g, self_shape[-2:]))
def adaptive_avg_pool_input(self: Array, size: Sizes) -> Array:
    """The gradient of `adaptive_avg_pool`: each pixel's share of the windows that see it."""
    out = self
    for dim, count in enumerate(size, -2):
        sizes = list(out.shape)
        sizes[dim] = count
        g, out = out, np.zeros(sizes, self.dtype)
        for i, (start, end) in enumerate(_ends(count, g.shape[dim])):
            _part(out, dim, start, end)[...] += _part(g, dim, i, i + 1) / (end - start)
    return out


def _part(array: Array, dim: int, start: int, end: int) -> Array:
    """A slice along a dimension that is counted from the end."""
    return array[(..., slice(start, end), *(slice(None),) * (-dim - 1))]


# ---------------------------------------------------------------- what is asked for


def _per_dim(function: str, name: str, value: Any, dims: int) -> Sizes:
    """An option as one int per dimension of the image."""
    values = tuple(value) if isinstance(value, Sequence) else (value,)
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
        raise TypeError(f"{function}(): argument '{name}' must be tuple of ints, not {type_name(value)}: {value!r}")
    if len(values) not in (1, dims):
        omitted = "be omitted, " if name == "stride" else ""
        raise RuntimeError(
            f"{function}: {name} must either {'' if omitted else 'be '}{omitted}a single int, or a tuple of "
            f"{('one int', 'two ints')[dims - 1]}; got {value!r}"
        )
    return tuple(map(int, values * (dims if len(values) == 1 else 1)))


def _options(function: str, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Sizes, ...]:
    """The options of a pooling, each with one int per dimension; the stride is the kernel's size by default."""
    stride = kernel if stride is None or stride in ((), []) else stride
    given = {"kernel_size": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    return tuple([_per_dim(function, name, value, dims) for name, value in given.items()])


def _count_places(size: Sizes, options: Sequence[Sizes], ceil_mode: bool) -> Sizes:
    """How many windows there are; with `ceil_mode` also the last one that starts inside the image or before it."""
    places = []
    for n, k, step, border, spacing in zip(size, *options, strict=True):
        room = n + 2 * border - spacing * (k - 1) - 1
        count = (-(-room // step) if ceil_mode else room // step) + 1
        places.append(count - 1 if ceil_mode and (count - 1) * step >= n + border else count)
    return tuple(places)


def _checked_windows(input: Tensor, options: tuple[Sizes, ...], ceil_mode: bool) -> tuple[Sizes, Way]:
    """A pooling's kernel and way; RuntimeError for what does not fit."""
    kernel, steps, borders, spacings = options
    if 0 in steps:
        raise RuntimeError(f"stride should not be zero: it is {steps}; by default it is the kernel's size")
    for what, letter, (height, width) in (
        *(("kernel size", "k", kernel), ("stride", "d", steps), ("dilation", "dilation", spacings)),
    ):
        if min(height, width) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {letter}H: {height} {letter}W: {width}")
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
        before, after = ("x".join(map(str, (input.shape[-3], *sizes))) for sizes in (size, places))
        raise RuntimeError(
            f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small: the windows "
            "are larger than the image."
        )
    reached = zip(size, *options, places, strict=True)
    ends = [(count - 1) * step + spacing * (k - 1) + 1 - n - border for n, k, step, border, spacing, count in reached]
    return kernel, Way(steps, tuple(zip(borders, ends, strict=True)), spacings)


# ---------------------------------------------------------------- as the learner calls them


@checked
def max_pool1d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps = None,
    padding: Steps = 0,
    dilation: Steps = 1,
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
    if not 0 <= border <= kernel // 2:
        what = "non-negative" if border < 0 else "at most half of kernel size"
        more = "" if border < 0 else f" and kernel_size={kernel}"
        raise RuntimeError(f"max_pool1d() padding should be {what}, but got padding={border}{more}")
    places = _count_places(input.shape[-1:], options, ceil_mode)
    if places[0] <= 0:
        raise RuntimeError(
            f"max_pool1d() Invalid computed output size: {places[0]}: the window is longer than the input"
        )
    flat = ((1, kernel), (1, step), (0, border), (1, spacing), ceil_mode, return_indices)
    pooled = max_pool2d(views.unsqueeze(input, -2), *flat)
    return tuple(views.squeeze(part, -2) for part in pooled) if return_indices else views.squeeze(pooled, -2)


@checked
def max_pool2d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps = None,
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
    if input.ndim not in (3, 4):
        raise RuntimeError(f"non-empty 3D or 4D (batch mode) tensor expected for input: got shape {list(input.shape)}")
    options = _options("max_pool2d", 2, kernel_size, stride, padding, dilation)
    kernel, way = _checked_windows(input, options, ceil_mode)
    if input.dtype is dtypes.bool:
        raise NotImplementedError("\"max_pool2d\" not implemented for 'Bool': convert to a dtype of numbers")
    values = max_pool(input, kernel, way)
    return (values, from_array(largest_indices(input._array, kernel, way))) if return_indices else values


@checked
def avg_pool1d(
    input: Tensor,
    kernel_size: Steps,
    stride: Steps = None,
    padding: Steps = 0,
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
    kernel_size: Steps,
    stride: Steps = None,
    padding: Steps = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of images (N, C, H, W) or (C, H, W) -> (N, C, h, w).

    `stride` is the kernel's size unless given. Padding counts as zeros, or with `count_include_pad=False` not at all;
    `divisor_override` is what the sums are divided by instead of the count. RuntimeError for windows that do not fit.
    """
    options = _options("avg_pool2d", 2, kernel_size, stride, padding, 1)
    kernel, way = _checked_windows(input, options, ceil_mode)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero: divisor_override is what the sums are divided by")
    counts = window_counts(input.shape[-2:], kernel, way, options[2], count_include_pad)
    return avg_pool(input, kernel, way, divisor_override or counts)


@checked
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means of as many windows as make images of `output_size`, an int or (h, w): (N, C, H, W) -> (N, C, h, w).

    None in place of a number keeps that size. RuntimeError for sizes that do not fit.
    """
    goal = tuple(output_size) if isinstance(output_size, Sequence) else (output_size, output_size)
    if len(goal) != 2:
        raise RuntimeError(f"adaptive_avg_pool2d: output_size must be 2: got {output_size}")
    for value in goal:
        if value is not None and (not isinstance(value, int | np.integer) or isinstance(value, bool)):
            raise TypeError(
                f"adaptive_avg_pool2d(): argument 'output_size' must be tuple of ints, not {type_name(value)}"
            )
    places = tuple(old if new is None else int(new) for old, new in zip(input.shape[-2:], goal, strict=True))
    if min(places) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, places))}}}"
        )
    if places == (1, 1) and input.ndim in (3, 4):
        return mean(input, (-1, -2), True)
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
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
    return adaptive_avg_pool(input, places)
