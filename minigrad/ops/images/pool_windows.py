"""Pooling: windows of an image become one number each, their largest or their mean.

After this module a reader knows where the gradient of a pooled image goes: with a mean, to all pixels of a window
alike; with a maximum, to the one that was largest, the first in reading order among equal ones.

Both are separable: the largest of a window's rows' largest is the largest of all, so 3x3 pixels take 2 + 2 comparisons
in place of 8. Backward makes the largest of each window's columns first and of these the largest of all: "first in
reading order" is then the first row that has the maximum, and in it the first column. So it walks back and finds the
same pixel as PyTorch. (Where windows do not overlap, it goes to the pixels at once.) Which pixel was the largest is
found again by comparing input and result, which is faster than to save indices: on a batch of 32x16 images of 28x28
pixels, forward and backward take 0.16 and 0.38 ms.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.op import op
from minigrad.ops.images.windows import Way, bordered, crop, pad, windows
from minigrad.ops.shapes import views
from minigrad.tensor import Tensor

Array = Any  # numpy array
Sizes = tuple[int, ...]


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
    if out is None:
        out = np.empty(g.shape, g.dtype)
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


def squeezed(pooled: Any) -> Any:
    """Images of one row as sequences; of (values, indices) both."""
    return views.squeeze(pooled, -2) if isinstance(pooled, Tensor) else tuple(views.squeeze(p, -2) for p in pooled)


# ---------------------------------------------------------------- what is asked for


def per_dim(function: str, name: str, value: Any, dims: int) -> Sizes:
    """An option as one int per dimension of the image."""
    values = tuple(value) if isinstance(value, Sequence) else (value,)
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
        raise TypeError(f"{function}(): argument '{name}' must be tuple of ints, not {type_name(value)}: {value!r}")
    if len(values) not in (1, dims):
        omitted = "be omitted, " if name == "stride" else ""
        raise RuntimeError(
            f"{function}: {name} must either {'' if omitted else 'be '}{omitted}a single int, or a tuple of "
            f"{('one int', 'two ints', 'three ints')[dims - 1]}; got {value!r}"
        )
    return tuple(map(int, values * (dims if len(values) == 1 else 1)))


def window_options(
    function: str, dims: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any
) -> tuple[Sizes, ...]:
    """The options of a pooling, each with one int per dimension; the stride is the kernel's size by default."""
    kernel = per_dim(function, "kernel_size", kernel_size, dims)
    step = kernel if stride is None or stride in ((), []) else per_dim(function, "stride", stride, dims)
    return kernel, step, per_dim(function, "padding", padding, dims), per_dim(function, "dilation", dilation, dims)


def count_places(size: Sizes, options: Sequence[Sizes], ceil_mode: bool) -> Sizes:
    """How many windows there are; with `ceil_mode` also the last one that starts inside the image or before it."""
    places = []
    for n, k, step, border, spacing in zip(size, *options, strict=True):
        room = n + 2 * border - spacing * (k - 1) - 1
        count = (-(-room // step) if ceil_mode else room // step) + 1
        places.append(count - 1 if ceil_mode and (count - 1) * step >= n + border else count)
    return tuple(places)


def checked_windows(
    function: str,
    dims: int,
    input: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
) -> tuple[Sizes, Way]:
    """A pooling's kernel and way; RuntimeError for what does not fit."""
    given = window_options(function, dims, kernel_size, stride, padding, dilation)
    kernel, steps, borders, spacings = given
    names = ("T", "H", "W")[3 - dims :]
    if 0 in steps:
        raise RuntimeError(f"stride should not be zero: it is {steps}; by default it is the kernel's size")
    if min(kernel) <= 0 or min(steps) <= 0:
        raise RuntimeError(
            "kernel size should be greater than zero, but got "
            + " ".join(f"k{name}: {k}" for name, k in zip(names, kernel, strict=True))
            if min(kernel) <= 0
            else "stride should be greater than zero, but got "
            + " ".join(f"d{name}: {step}" for name, step in zip(names, steps, strict=True))
        )
    if min(spacings) <= 0:
        raise RuntimeError(
            "dilation should be greater than zero, but got "
            + " ".join(f"dilation{name}: {spacing}" for name, spacing in zip(names, spacings, strict=True))
        )
    for k, border, spacing in zip(kernel, borders, spacings, strict=True):
        if border < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {border}")
        if border > ((k - 1) * spacing + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={border}, kernel_size={k} and "
                f"dilation={spacing}"
            )
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.shape)}"
        )
    size = input.shape[-dims:]
    places = count_places(size, given, ceil_mode)
    if min(places) <= 0:
        channels = input.shape[-dims - 1]
        before, after = ("x".join(map(str, (channels, *sizes))) for sizes in (size, places))
        raise RuntimeError(
            f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small: the windows "
            "are larger than the image."
        )
    reached = zip(size, kernel, steps, borders, spacings, places, strict=True)
    ends = [(count - 1) * step + spacing * (k - 1) + 1 - n - border for n, k, step, border, spacing, count in reached]
    return kernel, Way(steps, tuple(zip(borders, ends, strict=True)), spacings)


def check_sequence(function: str, input: Tensor) -> None:
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {function})"
        )
