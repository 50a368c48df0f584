"""What the exercises of chapter 06 share: its name, and slopes measured."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.evidence import STEP
from minigrad.tensor import Tensor

CHAPTER = "06_custom_functions"


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
