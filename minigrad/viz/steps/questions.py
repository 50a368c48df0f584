"""What a learner can be asked to predict of a step: one number of what goes along an edge, or of a leaf's `.grad`.

Of an array it is the cell that is largest, so that the answer is rarely 0. Beside the right number stands what the
common wrong ones are made of: what arrived (a factor was left out) and what was there before (a sum).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

REAL = "fiu"  # numpy's kinds of numbers that can be typed
MOST_ELEMENTS = 16  # elements of an array of which anybody can be asked to find one


@dataclass(frozen=True)
class Question:
    """`value` goes along `edge` to `box`, or is in a leaf's `.grad` where `edge` is None; of an array, in the `cell`,
    such as "[0, 1]". `came` is what arrived at the node, `held` what was there before; None where there is no such
    number.
    """

    edge: str | None
    box: str
    cell: str
    value: float
    came: float | None
    held: float | None

    def to_json(self) -> dict[str, Any]:
        """What the page gets of it: NaN and infinity, for which JSON has no word, as texts."""
        return {
            name: str(part) if isinstance(part, float) and not math.isfinite(part) else part
            for name, part in asdict(self).items()
        }


def question(edge: str | None, box: str, array: Any, came: Any, held: Any) -> Question | None:
    """What to ask of an array that was sent; None where it holds no real number, or too many."""
    array = np.asarray(array)
    if not 0 < array.size <= MOST_ELEMENTS or array.dtype.kind not in REAL:
        return None
    place = np.unravel_index(int(np.argmax(np.abs(array))), array.shape)
    cell = f"[{', '.join(map(str, place))}]" if array.ndim and array.size > 1 else ""
    return Question(edge, box, cell, float(array[place]), _at(came, array, place), _at(held, array, place))


def _at(other: Any, array: Any, place: Any) -> float | None:
    """The number of another array that belongs to a place: that in the same place, or its only one."""
    if other is None:
        return None
    other = np.asarray(other)
    if other.dtype.kind not in REAL:
        return None
    if other.shape == array.shape:
        return float(other[place])
    return float(other.reshape(-1)[0]) if other.size == 1 else None
