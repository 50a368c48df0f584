"""How far to go along a direction: a line search for the strong Wolfe conditions.

After this module a reader knows what makes a step good enough: the loss falls by at least a small share of what the
slope promised, and the slope has become much flatter. The search first goes on until it has passed such a place, then
closes in on it, guessing each time at the minimum of the cubic polynomial through the two ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any


class Point(NamedTuple):
    """A length, and what is found there: the loss, the gradient, and the slope along the direction."""

    length: Any
    loss: float
    gradient: Array
    slope: Any


def strong_wolfe(
    objective: Callable[[Any], tuple[float, Array]],
    length: Any,
    direction: Array,
    loss: float,
    gradient: Array,
    slope: Any,
    *,
    max_evaluations: int,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
) -> tuple[float, Array, Any, int]:
    """Search along a direction (Nocedal and Wright 2006, Numerical Optimization, algorithms 3.5 and 3.6).

    Args:
        objective: gives loss and gradient at a length along the direction.
        length: the step length to try first.
        loss, gradient, slope: those at length 0; the slope is the gradient along the direction.
        c1, c2: the constants of the two conditions (equations 3.7).
        tolerance_change: stop when the two ends are so close that no parameter moves further than this.
        max_evaluations: how often the objective may be evaluated after the first time.

    Returns loss, gradient, length, and how often the objective was evaluated.
    """

    def at(length: Any) -> Point:
        loss, gradient = objective(length)
        return Point(length, loss, gradient, gradient.dot(direction))

    def decreases_too_little(point: Point) -> bool:
        return bool(point.loss > loss + c1 * point.length * slope)

    def is_flat_enough(point: Point) -> bool:
        return bool(abs(point.slope) <= -c2 * slope)

    start = Point(0, loss, gradient, slope)
    previous, point, extra = start, at(length), 0
    while extra < max_evaluations:
        if decreases_too_little(point) or (extra > 1 and point.loss >= previous.loss):
            break
        if is_flat_enough(point):
            return point.loss, point.gradient, point.length, extra + 1
        if point.slope >= 0:
            break
        farther = point.length + 0.01 * (point.length - previous.length), point.length * 10
        previous, point = point, at(cubic_minimum(previous, point, farther))
        extra += 1
    else:
        previous = start
    ends, stuck, size = [previous, point], False, np.abs(direction).max()
    while extra < max_evaluations:
        ends.sort(key=lambda end: end.loss)  # the lower end first; of equal ones the earlier
        low, high = sorted(end.length for end in ends)
        if (high - low) * size < tolerance_change:
            break
        length = cubic_minimum(ends[0], ends[1])
        margin = 0.1 * (high - low)
        if min(high - length, length - low) < margin:  # too near an end: tolerated once
            if stuck or not low < length < high:
                length = high - margin if abs(length - high) < abs(length - low) else low + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        point = at(length)
        extra += 1
        if decreases_too_little(point) or point.loss >= ends[0].loss:
            ends[1] = point
            continue
        if is_flat_enough(point):
            return point.loss, point.gradient, point.length, extra + 1
        if point.slope * (ends[1].length - ends[0].length) >= 0:
            ends[1] = ends[0]
        ends[0] = point
    best = min(ends, key=lambda end: end.loss)
    return best.loss, best.gradient, best.length, extra + 1


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic polynomial with the losses and slopes of two points has its minimum, within bounds (by default
    between the points); the middle if it has none (Nocedal and Wright 2006, equation 3.59).
    """
    low, high = bounds or sorted((a.length, b.length))
    first, second = (a, b) if a.length <= b.length else (b, a)
    d1 = first.slope + second.slope - 3 * (first.loss - second.loss) / (first.length - second.length)
    square = d1**2 - first.slope * second.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = square**0.5
    width = second.length - first.length
    place = second.length - width * ((second.slope + d2 - d1) / (second.slope - first.slope + 2 * d2))
    return min(max(place, low), high)
