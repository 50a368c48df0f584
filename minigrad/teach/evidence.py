"""Slopes without any calculus: finite differences, as evidence beside an answer.

After this module a reader can check any derivative: move one input a little to both sides, and divide the change of
the result by the distance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

STEP = 0.001


def measured(label: str, function: Callable[..., float], values: Mapping[str, float], names: str) -> str:
    """The measurement in words, a line for each of the names (one letter each)."""
    lines = []
    for name in names:
        above = function(**{**values, name: values[name] + STEP})
        below = function(**{**values, name: values[name] - STEP})
        found = (above - below) / (2 * STEP)
        lines.append(
            f"  {label}: {below:.6g} at {name} - {STEP}, {above:.6g} at {name} + {STEP}, so its slope is {found:.5g}"
        )
    return "\n".join(lines)
