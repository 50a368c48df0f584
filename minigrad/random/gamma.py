"""Gamma and beta numbers, drawn by rejection.

After this module a reader knows how to draw from a distribution that nothing is known of but its density: propose a
number that is easily drawn, and take it with the probability that makes up for the difference. Here the proposal is the
cube of a normal number, which is so near that nineteen of twenty are taken.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.random.generator import Generator
from minigrad.random.recipes import UniformStream

Array = Any


def gamma(shapes: Array, generator: Generator) -> Array:
    """Gamma numbers of scale 1: float64, one for each of the `shapes` (of float64, flat, positive), at least the
    smallest number that float64 holds with all its digits.
    """
    draw = _Stream(generator, 64 + 4 * len(shapes))
    numbers = [max(_by_rejection(shape, draw), np.finfo(np.float64).tiny) for shape in shapes.tolist()]
    draw.finish()
    return np.array(numbers, np.float64)


def beta(first: Array, second: Array, generator: Generator) -> Array:
    """Beta numbers of float64: the share of one gamma number in the sum of two. Inside (0, 1) for the dtype of `first`,
    whose shape `second` has, too.
    """
    shapes = np.stack([first, second], -1).astype(np.float64)
    pairs = gamma(shapes.reshape(-1), generator).reshape(shapes.shape)
    shares = (pairs[..., 0] / pairs.sum(-1)).astype(first.dtype)
    return np.clip(shares, np.finfo(first.dtype).tiny, np.nextafter(first.dtype.type(1), first.dtype.type(0)))


class _Stream(UniformStream):
    """Uniform and normal numbers one by one. Normal ones are made in pairs, the second of which is kept for the next
    time, also for that of other functions.
    """

    def __init__(self, generator: Generator, block: int) -> None:
        super().__init__(generator, block)
        self.spare = generator.spare_normal

    def normal(self) -> float:
        if self.spare is not None:
            number, self.spare = self.spare, None
            return number
        angle, radius = 2 * math.pi * self(), math.sqrt(-2 * math.log1p(-self()))
        self.spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def finish(self) -> None:
        super().finish()
        self.generator.spare_normal = self.spare


def _by_rejection(shape: float, draw: _Stream) -> float:
    """G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000). Below 1, a number for
    shape + 1 is multiplied by the power 1 / shape of a uniform one.
    """
    if not shape > 0:
        return 0.0 if shape == 0 else math.nan
    scale = 1.0
    if shape < 1:
        scale, shape = (1 - draw()) ** (1 / shape), shape + 1
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = draw.normal()
        while (root := 1 + c * x) <= 0:
            x = draw.normal()
        v, u = root**3, 1 - draw()
        if u < 1 - 0.0331 * x**4 or math.log(u) < x * x / 2 + d * (1 - v + math.log(v)):
            return scale * d * v
