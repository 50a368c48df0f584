"""How random words become random numbers: uniform, normal, yes or no, a permutation.

After this module a reader knows the classic recipes, each a few lines on numpy arrays: the low bits of a word as a
fraction, Box and Muller's two normal numbers of two uniform ones, the inverse of a distribution function applied to a
uniform number, the shuffle of Fisher and Yates. Each takes its words from the stream in PyTorch's order, so that the
same seed gives PyTorch's numbers. (On Intel's processors PyTorch draws `bernoulli_(number)` and `exponential_()` from
another stream, so that these differ there; here they are the same everywhere.)

All functions take the generator last and give fresh arrays; `count` is how many numbers to draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.random.generator import Generator, default_generator

Array = Any
_FRACTION = np.uint64(2**53 - 1)


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
        numbers = _scaled(numbers, float(high - low), float(low))
    numbers = numbers.astype(kind, copy=False)
    if (low, high) != (0, 1) or kind == np.float16:  # rounding may have reached the end, which is not included
        numbers[numbers == kind.type(high)] = low
    return numbers


def _scaled(numbers: Array, factor: float, shift: float) -> Array:
    """numbers * factor + shift, for float32 rounded once, as processors do it; in float64 that takes no care."""
    scaled = numbers.astype(np.float64)
    scaled *= factor
    scaled += shift
    return scaled.astype(numbers.dtype, copy=False)


def unit_doubles(count: int, generator: Generator) -> Array:
    """Uniform in [0, 1), in steps of 2**-53."""
    words = generator.long_words(count)
    words &= _FRACTION
    numbers = words.astype(np.float64)
    numbers *= 2.0**-53
    return numbers


def normal(count: int, kind: Any, mean: float, std: float, generator: Generator, in_a_row: bool = True) -> Array:
    """Normal numbers. From 16 on they are made in blocks, unless they are written to memory with gaps (not
    `in_a_row`); fewer are drawn as pairs of float64, and one may be kept for the next call.
    """
    if count >= 16 and in_a_row:
        return _normal_blocks(count, kind, mean, std, generator)
    return (normal_pairs(count, generator) * std + mean).astype(kind)


def _normal_blocks(count: int, kind: Any, mean: float, std: float, generator: Generator) -> Array:
    """Blocks of 16: the first 8 of 16 uniform numbers make radii, the others angles, of 8 points in the plane whose
    coordinates are normal. Where the blocks do not come out even, the last 16 numbers are drawn anew.
    """
    computed = np.dtype(np.float64) if kind == np.float64 else np.dtype(np.float32)
    whole = count // 16 * 16
    numbers = uniform(whole if kind == np.float16 else count, computed, 0, 1, generator)
    _box_muller(numbers[:whole].reshape(-1, 2, 8))
    if whole != count:
        numbers = np.resize(numbers, count)
        numbers[-16:] = uniform(16, computed, 0, 1, generator)
        _box_muller(numbers[-16:].reshape(1, 2, 8))
    if (mean, std) != (0, 1):
        numbers = _scaled(numbers, float(computed.type(std)), float(computed.type(mean)))
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


def normal_pairs(count: int, generator: Generator) -> Array:
    """Normal numbers of float64 with mean 0 and standard deviation 1, made in pairs by Box and Muller's recipe. Where
    the count is odd the generator keeps the second one of the last pair for the next call.
    """
    kept = [] if generator.spare_normal is None or not count else [generator.spare_normal]
    pairs = (count - len(kept) + 1) // 2
    uniforms = unit_doubles(2 * pairs, generator).reshape(pairs, 2)
    radius, angle = np.sqrt(-2 * np.log1p(-uniforms[:, 1])), 2 * math.pi * uniforms[:, 0]
    made = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
    if count:
        generator.spare_normal = float(made[-1]) if len(made) + len(kept) > count else None
    return np.concatenate([kept, made])[:count]


def in_memory_order(numbers: Array, array: Array) -> Array:
    """A row of numbers in the shape of an array, filled in the order of the array's memory, as PyTorch does. (Elements
    that share memory have none.)
    """
    if array.ndim < 2 or array.flags.c_contiguous or 0 in array.strides:
        return numbers.reshape(array.shape)
    order = sorted(range(array.ndim), key=lambda dim: -abs(array.strides[dim]))
    return numbers.reshape([array.shape[dim] for dim in order]).transpose(np.argsort(order))


def integers(count: int, low: int, high: int, generator: Generator) -> Array:
    """Whole numbers from low up to but without high, as int64: a word's remainder. (Small numbers come up a little
    more often, by at most a sixteenth.)
    """
    span = high - low
    if span == 2**64:
        return generator.long_words(count).view(np.int64)
    if span >= 2**28:
        words = generator.long_words(count)
        words %= np.uint64(span)
        return (words + np.uint64(low % 2**64)).view(np.int64)
    words = generator.words(count)
    words %= np.uint32(span)
    numbers = words.astype(np.int64)
    numbers += low
    return numbers


def integers_of(count: int, kind: Any, generator: Generator) -> Array:
    """Whole numbers over all that a dtype can hold from 0 on (for floating ones: as far as it holds all of them)."""
    if kind == np.bool_:
        return (generator.words(count) & np.uint32(1)).astype(kind)
    limit = 2 ** (np.finfo(kind).nmant + 1) + 1 if kind.kind == "f" else int(np.iinfo(kind).max) + 1
    if kind.itemsize == 8:
        return (generator.long_words(count) % np.uint64(limit)).astype(kind)
    return (generator.words(count) % np.uint32(limit)).astype(kind)


def exponential(count: int, rate: float, generator: Generator) -> Array:
    """Waiting times of float64 with mean 1 / rate: -log(1 - u) / rate."""
    numbers = unit_doubles(count, generator)
    np.negative(numbers, out=numbers)
    np.log1p(numbers, out=numbers)
    numbers *= -1.0 / rate
    return numbers


def geometric(count: int, p: float, generator: Generator) -> Array:
    """How many tries until one succeeds, each with probability p: ceil(log u / log(1 - p)), as float64."""
    return np.ceil(np.log(unit_doubles(count, generator)) / math.log1p(-p))


def cauchy(count: int, median: float, sigma: float, generator: Generator) -> Array:
    """Cauchy's distribution, float64: median + sigma tan(pi (u - 1/2))."""
    return median + sigma * np.tan(math.pi * (unit_doubles(count, generator) - 0.5))


_CHUNK = 2**14  # pairs of words that are drawn at a time: they stay in the processor's cache


def successes(count: int, p: float, generator: Generator) -> Array:
    """Which of `count` tries succeed, each with probability p: bools."""
    # u < p for u = word / 2**53 says that word < p * 2**53. Shifted up, the upper bits of the word drop out.
    limit = math.ceil(p * 2**53) << 11
    if limit >= 2**64:
        generator.long_words(count)
        return np.ones(count, np.bool_)
    bools = np.empty(count, np.bool_)
    for start in range(0, count, _CHUNK):
        part = bools[start : start + _CHUNK]
        words = generator.long_words(len(part))
        words <<= np.uint64(11)
        np.less(words, np.uint64(limit), out=part)
    return bools


def keep_mask(shape: tuple[int, ...], p: float, dtype: Any, generator: Generator | None = None) -> Array:
    """An array of ones, each with probability p, and zeros: what dropout multiplies with.

    The same numbers as `empty(shape).bernoulli_(p)`. `dtype` is numpy's, such as np.float32 or np.bool_.
    """
    generator = generator or default_generator
    with generator.lock:
        return successes(math.prod(shape), p, generator).reshape(shape).astype(dtype, copy=False)


def successes_by_element(probabilities: Array, generator: Generator) -> Array:
    """Which of the tries succeed, where each has its own probability: bools, of the shape of `probabilities`."""
    kind = np.dtype(np.float64) if probabilities.dtype == np.float64 else np.dtype(np.float32)
    return uniform(probabilities.size, kind, 0, 1, generator).reshape(probabilities.shape) < probabilities


def permutation(count: int, generator: Generator) -> Array:
    """The numbers 0 to count - 1 in random order, int64: the shuffle of R. Fisher and F. Yates (1938), in which step i
    swaps what is in place i with what is in a place of `target[i]`, drawn from i and those behind it.

    The steps depend on each other, and Python would be slow to take them one by one. So we ask for each place where
    its number came from. What step i fetches from its target was put there by the latest step before i that had the
    same target, k say, and is what was in place k at that time; that in turn was put there by the latest step whose
    target was k, and so on. These links are followed for all places at once, and twice as far each time.
    """
    places = np.arange(count)
    target = places.copy()
    target[:-1] += (generator.words(max(count - 1, 0)) % np.arange(count, 1, -1, dtype=np.uint32)).astype(np.int64)
    order = np.sort((target << 32) | places)  # by target, then by step
    step, target_of = order & 0xFFFFFFFF, order >> 32
    shared = target_of[1:] == target_of[:-1]
    before = np.full(count, -1)  # for each step, the latest one before it with the same target
    before[step[1:][shared]] = step[:-1][shared]
    last = np.append(~shared, True)[: len(step)]  # of its target
    came_from = places.copy()  # which step put there what is in place i when its turn comes; i itself: nobody did
    came_from[target_of[last]] = step[last]
    own = (came_from == places) & (before >= 0) & (target == places)  # a step that swaps nothing puts nothing there
    came_from[own] = before[own]
    while True:
        further = came_from[came_from]
        if np.array_equal(further, came_from):
            break
        came_from = further
    return np.where(before >= 0, came_from[before], target)


def categories(weights: Array, samples: int, replacement: bool, generator: Generator) -> Array:
    """For each row of weights, the numbers of the columns that were drawn: int64, of shape [rows, samples]."""
    rows = len(weights)
    if samples == 1 or not replacement:  # the column whose weight divided by a waiting time is largest comes first
        waiting = in_memory_order(exponential(weights.size, 1.0, generator).astype(weights.dtype), weights)
        first = weights / waiting
        return np.argsort(-first, axis=1, kind="stable")[:, :samples] if samples > 1 else first.argmax(1)[:, None]
    draws = unit_doubles(rows * samples, generator).reshape(rows, samples)
    totals = np.cumsum(weights, axis=1, dtype=weights.dtype)
    totals /= totals[:, -1:].copy()
    totals[:, -1] = 1
    return np.stack([np.searchsorted(row, draw) for row, draw in zip(totals, draws, strict=True)])


class UniformStream:
    """Uniform numbers in [0, 1), for recipes that do not know beforehand how many they need: drawn in blocks, of which
    what was not used is put back.
    """

    def __init__(self, generator: Generator, block: int) -> None:
        self.generator, self.block = generator, block
        self.state, self.used = generator.get_state(), 0
        self.numbers: Iterator[float] = iter(())

    def __call__(self) -> float:
        number = next(self.numbers, -1.0)
        if number < 0:  # the block is used up
            self.state, self.used = self.generator.get_state(), 0
            self.numbers = iter(unit_doubles(self.block, self.generator).tolist())
            number = next(self.numbers)
        self.used += 1
        return number

    def finish(self) -> None:
        self.generator.set_state(self.state)
        self.generator.long_words(self.used)


def poisson(rates: Array, generator: Generator) -> Array:
    """How many events there are where `rate` are expected: float64, one for each of the rates (of float64, flat)."""
    draw = UniformStream(generator, 64 + 2 * len(rates))
    numbers = np.array(
        [
            _poisson_by_rejection(rate, draw) if rate >= 10 else _poisson_by_products(rate, draw)
            for rate in rates.tolist()
        ],
        np.float64,
    )
    draw.finish()
    return numbers


def _poisson_by_products(rate: float, draw: UniformStream) -> int:
    """Events until the product of uniform numbers falls below exp(-rate) (D. Knuth, 1969)."""
    if rate == 0:
        return 0
    goal, product, events = math.exp(-rate), draw(), 0
    while product > goal:
        product *= draw()
        events += 1
    return events


def _poisson_by_rejection(rate: float, draw: UniformStream) -> int:
    """Transformed rejection with squeeze (W. Hörmann, 1993: "The transformed rejection method for generating Poisson
    random variables", algorithm PTRS; the constants are the paper's).
    """
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    scale, squeeze = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u = draw() - 0.5
        v = draw()
        edge = 0.5 - abs(u)
        if edge == 0:
            continue
        events = math.floor((2 * a / edge + b) * u + rate + 0.43)
        if edge >= 0.07 and v <= squeeze:
            return events
        if events < 0 or (edge < 0.013 and v > edge):
            continue
        height = math.log(v) + math.log(scale) - math.log(a / (edge * edge) + b) if v else -math.inf
        if height <= -rate + events * math.log(rate) - math.lgamma(events + 1):
            return events
