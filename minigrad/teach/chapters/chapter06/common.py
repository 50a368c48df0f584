"""What the exercises of chapter 06 share: a place for the learner's backward, and slopes measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Outcome
from minigrad.tensor import Tensor

CHAPTER = "06_custom_functions"


@dataclass(frozen=True)
class PluggedIn(Exercise):
    """An exercise that asks for a part of something: `plug` puts the answer into its place, and gives what is run on
    the cases.
    """

    plug: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda answer: answer

    def run(self, function: Callable[..., Any], case: Case) -> Outcome:
        return super().run(self.plug(function), case)


def raised(*parts: str) -> Callable[[Outcome], bool]:
    """Whether an error was raised whose text has all these parts."""
    return lambda outcome: outcome.error is not None and all(part in str(outcome.error) for part in parts)


def slopes(function: Callable[[Tensor], Tensor], x: Tensor, weights: Tensor, step: float = STEP) -> str:
    """How fast (weights * function(x)).sum() changes with each element of x, measured."""
    numbers = x.detach().numpy().astype(np.float64)
    found = np.empty_like(numbers)
    for place in np.ndindex(numbers.shape):
        moved = np.zeros_like(numbers)
        moved[place] = step
        with no_grad():
            above, below = (function(tensor(numbers + sign * moved)).numpy() for sign in (1, -1))
        found[place] = ((above - below) * weights.numpy()).sum() / (2 * step)
    listed = np.array2string(found + 0.0, separator=", ", formatter={"float_kind": lambda value: f"{value:.4g}"})
    return f"  each element moved by {step} to both sides: the slopes are {' '.join(listed.split())}"
