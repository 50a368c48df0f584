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
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.op import Array, arrays, op, with_node_name
from minigrad.ops.declarations import floats_only, numbers_only
from minigrad.ops.images.mixing import Mix, gradient_of_means, mix, mix_of
from minigrad.ops.images.windows import Extents, Sliding, crop, extents_of, pad, taps, times
from minigrad.ops.reductions.sums import mean
from minigrad.ops.shapes import reshaping
from minigrad.public import Dims, as_ints, public, with_checks
from minigrad.tensor import Tensor, from_index

# ---------------------------------------------------------------- the largest


@op(
    name="MaxPool2DWithIndicesBackward0",
    self=lambda F, g, self, result, window, way: F.as_function_of(
        F.max_pool_input(g, self, result, window, way), self, True
    ),
)
def max_pool(self: Array, window: Extents, way: Sliding) -> Array:
    """The largest of each window: (..., *size) -> (..., *places). Whole rows first, which are faster to read."""
    lowest = -math.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    out = pad(self, way.padding, lowest)
    (high, wide), (down, right), (rows, columns) = window, way.stride, way.places(self.shape[-2:], window)
    along_columns = (high, 1), (rows, out.shape[-1]), way._replace(stride=(down, 1))
    along_rows = (1, wide), (rows, columns), way._replace(stride=(1, right))
    for line in (along_columns, along_rows):
        seen = list(taps(out, *line))
        out = np.maximum(seen[0], seen[-1])
        for tap in seen[1:-1]:
            np.maximum(out, tap, out=out)
    return out


def _winners(image: Array, largest: Array, window: Extents, way: Sliding) -> Iterator[Array]:
    """For each element of the windows, where it is their largest: the first of equal ones. As in PyTorch, nan is larger
    than anything, and the last nan counts.
    """
    places, free = largest.shape[-2:], np.ones(largest.shape, bool)
    seen = list(taps(pad(image, way.padding), window, places, way))
    inside = taps(pad(np.ones(image.shape[-2:], bool), way.padding), window, places, way)
    undefined = [np.isnan(tap) for tap in seen] if np.isnan(largest).any() else []
    for number, (tap, here) in enumerate(zip(seen[:-1], inside, strict=False)):
        won = tap == largest
        if not here.all():
            won &= here
        if undefined:
            won |= undefined[number] & ~np.any(undefined[number + 1 :], axis=0)
        won &= free
        free ^= won
        yield won
    yield free  # nothing is left to compare with


def _only(g: Array, where: Array, out: Array | None = None) -> Array:
    """`g` at some places and 0 elsewhere: its bits times 1 or 0. np.where takes 20 times as long, because it branches,
    and `g * where` would make nan of infinity.
    """
    bits = np.dtype(f"i{g.itemsize}")
    out = np.empty(g.shape, g.dtype) if out is None else out
    np.multiply(g.view(bits), where, dtype=bits, out=out.view(bits))
    return out


_at_winners = functools.partial(op, constants=("image", "largest"))


@_at_winners(self=lambda F, g, image, largest, window, way: F.max_pool_pick(g, image, largest, window, way))
def max_pool_input(self: Array, image: Array, largest: Array, window: Extents, way: Sliding) -> Array:
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


@_at_winners(self=lambda F, g, image, largest, window, way: F.max_pool_input(g, image, largest, window, way))
def max_pool_pick(self: Array, image: Array, largest: Array, window: Extents, way: Sliding) -> Array:
    """The elements that are where another image's windows have their largest: undoes `max_pool_input`."""
    seen = taps(pad(self, way.padding), window, largest.shape[-2:], way)
    out = np.empty(largest.shape, self.dtype)
    for tap, won in zip(seen, _winners(image, largest, window, way), strict=True):
        np.copyto(out, tap, where=won)
    return out


# ---------------------------------------------------------------- the mean

_avg_pool = with_node_name(mix, "AvgPool2DBackward0", self=gradient_of_means)
_adaptive_avg_pool = with_node_name(_avg_pool, "AdaptiveAvgPool2DBackward0")


@functools.lru_cache(maxsize=256)
def _sums(size: int, border: int, starts: tuple[int, ...], ends: tuple[int, ...]) -> Mix:
    """Along one dimension, of `size` pixels and a border those of each window added up."""
    pixels = np.arange(-border, size + border)
    return mix_of((np.array(starts)[:, None] <= pixels) & (pixels < np.array(ends)[:, None]), border)


def _means(mean_op: Callable[..., Tensor], input: Tensor, spans: list[tuple[Array, Array, Array]]) -> Tensor:
    """Sums of windows over how many pixels they count.

    `spans`: for each dimension the windows' starts and ends, and how many pixels each counts.
    """
    sums = [
        _sums(size, max(0, -min(starts, default=0)), tuple(starts.tolist()), tuple(ends.tolist()))
        for size, (starts, ends, _) in zip(input.shape[-2:], spans, strict=True)
    ]
    return mean_op(input, sums, np.multiply.outer(spans[0][2], spans[1][2]))


# ---------------------------------------------------------------- what is asked for


def _windows(
    function: str, input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Tensor, Extents, Extents, Sliding]:
    """The images, the size of the windows, how many there are, and their way. Sequences are images of one row.

    With `ceil_mode`, also the last window that starts inside the image or before it. RuntimeError, in PyTorch's words,
    for what does not fit.
    """
    dims, own_words = int(function[-2]), function == "max_pool1d"

    def refusal(line: str, image: str) -> RuntimeError:
        return RuntimeError(f"max_pool1d() {line}" if own_words else image)

    if function == "max_pool2d" and input.ndim not in (3, 4):
        raise RuntimeError(f"non-empty 3D or 4D (batch mode) tensor expected for input: got shape {list(input.shape)}")
    if function == "avg_pool1d" and input.ndim not in (2, 3):
        text = f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self'"
        raise RuntimeError(f"{text} (while checking arguments for avg_pool1d)")
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
        text = f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input"
        raise RuntimeError(f"{'max_pool1d: ' if own_words else ''}{text}, but got:{list(input.shape)}")
    options: list[Extents] = []
    given = {"kernel_size": kernel, "stride": kernel if stride in (None, ()) else stride, "padding": padding}
    for name, value in {**given, "dilation": dilation}.items():
        omitted, several = "omitted, " if name == "stride" else "", "one int" if dims == 1 else "two ints"
        text = f"{function}: {name} must either be {omitted}a single int, or a tuple of {several}; got {{}}"
        for_rows = (0 if name == "padding" else 1,) * (2 - dims)
        options.append((*for_rows, *extents_of(value, dims, text)))
    window, steps, borders, spacings = options
    if 0 in steps and not own_words:
        raise RuntimeError(f"stride should not be zero: it is {steps}; by default it is the kernel's size")
    sizes = {"kernel_size": ("k", window), "stride": ("d", steps), "dilation": ("dilation", spacings)}
    for name, (letter, (high, wide)) in sizes.items():
        if min(high, wide) <= 0:
            raise refusal(
                f"{name} must be greater than zero, but got {wide}",
                f"{name.replace('_', ' ')} should be greater than zero, but got {letter}H: {high} {letter}W: {wide}",
            )
    image = input if dims == 2 else reshaping.unsqueeze(input, -2)
    places, around = [], []
    for size, k, step, border, spacing in zip(image.shape[-2:], window, steps, borders, spacings, strict=True):
        reach = spacing * (k - 1) + 1
        if border < 0:
            raise refusal(
                f"padding must be non-negative, but got {border}", f"pad must be non-negative, but got pad: {border}"
            )
        if border > (k if own_words else reach) // 2:
            raise refusal(
                f"padding should be at most half of kernel size, but got padding={border} and kernel_size={k}",
                f"pad should be at most half of effective kernel size, but got pad={border}, kernel_size={k} and "
                f"dilation={spacing}",
            )
        room = size + 2 * border - reach
        count = (-(-room // step) if ceil_mode else room // step) + 1
        if ceil_mode and (count - 1) * step >= size + border:
            count -= 1
        places.append(count)
        around.append((border, (count - 1) * step + reach - size - border))
    if min(places) <= 0:
        before, after = (times((image.shape[-3], *pixels), "x") for pixels in (image.shape[-2:], places))
        raise refusal(
            f"Invalid computed output size: {places[1]}: the window is longer than the input",
            f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small: the windows "
            "are larger than the image.",
        )
    return image, window, tuple(places), Sliding(steps, tuple(around), spacings)


# ---------------------------------------------------------------- as the learner calls them


def _max_pooling(name: str) -> Any:
    """`max_pool1d` and `max_pool2d`."""

    def pooling(
        input: Tensor,
        kernel_size: Dims,
        stride: Dims = None,
        padding: Dims = 0,
        dilation: Dims = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """The largest of each window of sequences (max_pool1d: (N, C, L) or (C, L) -> (N, C, l)) or images (max_pool2d:
        (N, C, H, W) or (C, H, W) -> (N, C, h, w)).

        `stride` is the kernel's size unless given; padding counts as lower than anything. With `ceil_mode` a last
        window may reach beyond the image. With `return_indices` the result is (values, indices), which count an image's
        pixels row by row. RuntimeError for windows that do not fit.
        """
        image, window, _, way = _windows(name, input, kernel_size, stride, padding, dilation, ceil_mode)
        numbers_only("max_pool2d", image._array)
        results = [max_pool(image, window, way)]
        if return_indices:
            numbers = np.broadcast_to(np.arange(math.prod(image.shape[-2:])).reshape(image.shape[-2:]), image.shape)
            indices = arrays.max_pool_pick(numbers, image._array, results[0]._array, window, way)
            results.append(from_index(indices))
        if image is not input:
            results = [reshaping.squeeze(result, -2) for result in results]
        return tuple(results) if return_indices else results[0]

    return public(name=name, function=False, method=False, everywhere=True)(pooling)


def _mean_pooling(name: str) -> Any:
    """`avg_pool1d` and `avg_pool2d`."""

    def pooling(
        input: Tensor,
        kernel_size: Dims,
        stride: Dims = None,
        padding: Dims = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> Tensor:
        """The mean of each window of sequences (avg_pool1d: (N, C, L) or (C, L) -> (N, C, l)) or images (avg_pool2d:
        (N, C, H, W) or (C, H, W) -> (N, C, h, w)).

        `stride` is the kernel's size unless given. Padding counts as zeros, or with `count_include_pad=False` not at
        all. RuntimeError for windows that do not fit.
        """
        image, window, places, way = _windows(name, input, kernel_size, stride, padding, 1, ceil_mode)
        spans = []
        dims = zip(image.shape[-2:], window, places, way.stride, way.padding, strict=True)
        for size, k, count, step, (border, _) in dims:
            starts = np.arange(count) * step - border
            ends = np.minimum(starts + k, size + border)  # a window that was added by ceil_mode may reach further
            inside = np.minimum(ends, size) - np.maximum(starts, 0)
            spans.append((starts, ends, ends - starts if count_include_pad else inside))
        means = _means(_avg_pool, image, spans)
        return means if image is input else reshaping.squeeze(means, -2)

    return public(name=name, function=False, method=False, everywhere=True)(pooling)


max_pool1d, max_pool2d = _max_pooling("max_pool1d"), _max_pooling("max_pool2d")
avg_pool1d, avg_pool2d = _mean_pooling("avg_pool1d"), _mean_pooling("avg_pool2d")


@with_checks
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means of as many windows as make images of `output_size`, an int or (h, w): (N, C, H, W) -> (N, C, h, w).

    None in place of a number keeps that size. RuntimeError for sizes that do not fit.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    goal = tuple(output_size) if isinstance(output_size, Sequence) else (output_size, output_size)
    if len(goal) != 2:
        raise RuntimeError(f"adaptive_avg_pool2d: output_size must be 2: got {output_size}")
    kept = [old if new is None else new for old, new in zip(input.shape[-2:], goal, strict=True)]
    places = as_ints("adaptive_avg_pool2d", "output_size", 2, kept)
    if min(places) < 0:
        text = "elements of output_size must be greater than or equal to 0"
        raise RuntimeError(f"adaptive_avg_pool2d: {text} but received {{{times(places, ', ')}}}")
    if places == (1, 1):
        return mean(input, (-1, -2), True)
    if 0 in input.shape[-2:]:
        text = "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions"
        empty = input.ndim - 2 + input.shape[-2:].index(0)
        raise RuntimeError(f"{text}, but input has sizes {list(input.shape)} with dimension {empty} being empty")
    floats_only("adaptive_avg_pool2d", input._array)
    spans = []
    for size, count in zip(input.shape[-2:], places, strict=True):
        numbers = np.arange(count)
        starts, ends = numbers * size // count, -(-(numbers + 1) * size // count)
        spans.append((starts, ends, ends - starts))
    return _means(_adaptive_avg_pool, input, spans)


@with_checks
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Means of as many windows as make sequences of length `output_size`: (N, C, L) or (C, L) -> (N, C, l)."""
    length = output_size[0] if isinstance(output_size, Sequence) else output_size
    return reshaping.squeeze(adaptive_avg_pool2d(reshaping.unsqueeze(input, -2), (1, length)), -2)
