"""Slopes without any calculus: finite differences, as evidence beside an answer.

Any derivative can be checked so: move one input a little to both sides, and divide the change of the result by the
distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation import tensor
from minigrad.tensor import Tensor

STEP = 0.001


def measured(label: str, function: Callable[..., float], values: Mapping[str, float], names: str) -> str:
    """The measurement in words, a line for each of the names (one letter each)."""
    lines = []
    for name in names:
        below, above = (function(**{**values, name: values[name] + step}) for step in (-STEP, STEP))
        found = (above - below) / (2 * STEP)
        lines.append(
            f"  {label}: {below:.6g} at {name} - {STEP}, {above:.6g} at {name} + {STEP}, so its slope is {found:.5g}"
        )
    return "\n".join(lines)


def slopes(function: Callable[[Tensor], Tensor], x: Tensor, step: float = STEP) -> Iterator[tuple[Any, Any]]:
    """For each element of x, its place, and how fast function(x) changes with it: a number, or an array of them."""
    start = x.detach().numpy().astype(np.float64)
    for place in np.ndindex(start.shape):
        moved = np.zeros_like(start)
        moved[place] = step
        with no_grad():
            above, below = (function(tensor(start + sign * moved)).numpy() for sign in (1, -1))
        yield place, (above - below) / (2 * step)


def measured_slopes(
    function: Callable[[Tensor], Tensor], x: Tensor, weights: Any = 1.0, name: str = "each element", step: float = STEP
) -> str:
    """How fast (weights * function(x)).sum() changes with each element of x, in words."""
    found = np.empty(tuple(x.shape))
    factors = weights.numpy() if isinstance(weights, Tensor) else weights
    for place, slope in slopes(function, x, step):
        found[place] = (slope * factors).sum()
    listed = np.array2string(found + 0.0, separator=", ", formatter={"float_kind": lambda value: f"{value:.4g}"})
    return f"  {name} moved by {step} to both sides: the slopes are {' '.join(listed.split())}"
