"""How random words become random numbers: uniform, normal, whole, yes or no, a permutation.

Each is a classic recipe of a few lines on numpy arrays: the low bits of a word as a fraction, Box and Muller's two
normal numbers of two uniform ones, the shuffle of Fisher and Yates. Each takes its words from the stream in PyTorch's
order, so that the same seed gives PyTorch's numbers. (On Intel's processors PyTorch draws `bernoulli_(number)` from
another stream, so that these differ there; here they are the same everywhere.)

All functions take the generator last and give fresh arrays; `count` is how many numbers to draw.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.random.generator import Generator, default_generator

Array = Any


def uniform(count: int, kind: Any, low: float, high: float, generator: Generator) -> Array:
    """Uniform in [low, high), of numpy dtype `kind`: 53 random bits for float64, else 24."""
    if kind == np.float64:
        numbers = unit_doubles(count, generator)
    else:
        words = generator.words(count)
        words &= np.uint32(0xFFFFFF)
        numbers = words.astype(np.float32)
        numbers *= np.float32(2**-24)
    if (low, high) != (0, 1):
        low, high = numbers.dtype.type(low), numbers.dtype.type(high)
        numbers = _scale_and_shift(numbers, float(high - low), float(low))
    numbers = numbers.astype(kind, copy=False)
    if (low, high) != (0, 1) or kind == np.float16:  # rounding may have reached the end, which is not included
        numbers[numbers == kind.type(high)] = low
    return numbers


def unit_doubles(count: int, generator: Generator) -> Array:
    """Uniform in [0, 1), in steps of 2**-53."""
    words = generator.words(count, np.uint64)
    words &= np.uint64(2**53 - 1)
    numbers = words.astype(np.float64)
    numbers *= 2.0**-53
    return numbers


def _scale_and_shift(numbers: Array, factor: float, shift: float) -> Array:
    """numbers * factor + shift, for float32 rounded once, as processors do it; in float64 that takes no care."""
    scaled = numbers.astype(np.float64)
    scaled *= factor
    scaled += shift
    return scaled.astype(numbers.dtype, copy=False)


def normal(count: int, kind: Any, mean: float, std: float, generator: Generator, in_a_row: bool = True) -> Array:
    """Normal numbers. From 16 on they are made in blocks, unless they are written to memory with gaps (not
    `in_a_row`); fewer are drawn as pairs of float64, and one may be kept for the next call.
    """
    if count < 16 or not in_a_row:
        return (_normal_pairs(count, generator) * std + mean).astype(kind)
    # In each block of 16 the first 8 uniform numbers make radii, the others angles, of 8 points in the plane whose
    # coordinates are normal. Where the blocks do not come out even, the last 16 numbers are drawn anew.
    computed = np.dtype(np.float64) if kind == np.float64 else np.dtype(np.float32)
    whole = count // 16 * 16
    numbers = uniform(whole if kind == np.float16 else count, computed, 0, 1, generator)
    _box_muller(numbers[:whole].reshape(-1, 2, 8))
    if whole != count:
        numbers = np.resize(numbers, count)
        numbers[-16:] = uniform(16, computed, 0, 1, generator)
        _box_muller(numbers[-16:].reshape(1, 2, 8))
    if (mean, std) != (0, 1):
        numbers = _scale_and_shift(numbers, float(computed.type(std)), float(computed.type(mean)))
    return numbers.astype(kind, copy=False)


def _box_muller(blocks: Array) -> None:
    """Make normal numbers of uniform ones, in place: sqrt(-2 log u) cos(2 pi v) and the same with sin (G. Box and M.
    Muller, 1958).
    """
    number = blocks.dtype.type
    radius = np.subtract(number(1), blocks[:, 0])  # in (0, 1]: its logarithm is finite
    np.log(radius, out=radius)
    radius *= number(-2)
    np.sqrt(radius, out=radius)
    angle = blocks[:, 1] * number(2 * math.pi)
    np.multiply(radius, np.cos(angle), out=blocks[:, 0])
    np.multiply(radius, np.sin(angle), out=blocks[:, 1])


def _normal_pairs(count: int, generator: Generator) -> Array:
    """Normal numbers of float64 with mean 0 and standard deviation 1, made in pairs by Box and Muller's recipe. Where
    the count is odd the generator keeps the second one of the last pair for the next call.
    """
    with generator.lock:
        kept = [] if generator.spare_normal is None or not count else [generator.spare_normal]
        pairs = (count - len(kept) + 1) // 2
        uniforms = unit_doubles(2 * pairs, generator).reshape(pairs, 2)
        radius, angle = np.sqrt(-2 * np.log1p(-uniforms[:, 1])), 2 * math.pi * uniforms[:, 0]
        made = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
        if count:
            generator.spare_normal = float(made[-1]) if len(made) + len(kept) > count else None
        return np.concatenate([kept, made])[:count]


def integers(count: int, low: int, high: int, generator: Generator) -> Array:
    """Whole numbers from low up to but without high, as int64: a word's remainder. (Small numbers come up a little
    more often, by at most a sixteenth.)
    """
    kind = np.uint64 if high - low >= 2**28 else np.uint32
    words = generator.words(count, kind)
    words %= kind(high - low)
    return (words.astype(np.uint64) + np.uint64(low % 2**64)).view(np.int64)


def keep_mask(shape: tuple[int, ...], p: float, dtype: Any, generator: Generator | None = None) -> Array:
    """An array of ones, each with probability p, and zeros: what dropout multiplies with.

    The same numbers as `empty(shape).bernoulli_(p)`. `dtype` is numpy's, such as np.float32 or np.bool_.
    """
    numbers = unit_doubles(math.prod(shape), generator or default_generator)
    return (numbers < p).reshape(shape).astype(dtype, copy=False)


def permutation(count: int, generator: Generator) -> Array:
    """The numbers 0 to count - 1 in random order, int64: the shuffle of R. Fisher and F. Yates (1938), in which step i
    swaps what is in place i with what is in a place of `target[i]`, drawn from i and those behind it.
    """
    places = list(range(count))
    steps = np.arange(count - 1)
    targets = steps + generator.words(max(count - 1, 0)) % (count - steps)
    for i, target in enumerate(targets.tolist()):
        places[i], places[target] = places[target], places[i]
    return np.array(places, np.int64)


def categories(weights: Array, samples: int, replacement: bool, generator: Generator) -> Array:
    """For each row of weights, the numbers of the columns that were drawn: int64, (..., samples)."""
    if samples == 1 or not replacement:  # the column whose weight divided by a waiting time is largest comes first
        waiting = in_memory_order(-np.log1p(-unit_doubles(weights.size, generator)), weights).astype(weights.dtype)
        return np.ascontiguousarray(np.argsort(-weights / waiting, axis=-1, kind="stable")[..., :samples], np.int64)
    rows = np.cumsum(weights, axis=-1, dtype=weights.dtype).reshape(-1, weights.shape[-1])
    draws = unit_doubles(len(rows) * samples, generator).reshape(len(rows), samples)
    found = [np.searchsorted(row[:-1] / row[-1], draw) for row, draw in zip(rows, draws, strict=True)]
    return np.array(found, np.int64).reshape(*weights.shape[:-1], samples)


def in_memory_order(numbers: Array, array: Array) -> Array:
    """A row of numbers in the shape of an array, filled in the order of the array's memory, as PyTorch does. (Elements
    that share memory have none.)
    """
    if array.ndim < 2 or array.flags.c_contiguous or 0 in array.strides:
        return numbers.reshape(array.shape)
    order = sorted(range(array.ndim), key=lambda dim: -abs(array.strides[dim]))
    return numbers.reshape([array.shape[dim] for dim in order]).transpose(np.argsort(order))
