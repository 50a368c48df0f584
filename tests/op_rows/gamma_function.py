"""Rows of the gamma function's logarithm and its derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from op_forms import function_and_method
from op_table import UNARY, Row


def one_by_one(function: Any) -> Any:
    """A function of a number, on arrays."""
    return lambda x: np.vectorize(function, otypes=[float])(x).astype(x.dtype)


@one_by_one
def digamma(x: float) -> float:
    """After a thousand steps of the recurrence the first terms of the series are exact."""
    return math.log(y := x + 1000) - 1 / (2 * y) - 1 / (12 * y * y) - math.fsum(1 / (x + k) for k in range(1000))


def of_all_ranges(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers from near 0 to where the series are used at once, and negative ones between the poles."""
    count = int(np.prod(shape))
    return random.permutation(np.resize([0.3, -0.4, 14.2, 2.5, -3.7, 7.1], count)).reshape(shape)


ROUGH = 1e-9  # PyTorch takes fewer terms of the series for the derivative of digamma than are exact

ROWS = [
    *function_and_method("lgamma", one_by_one(math.lgamma), "LgammaBackward0", of_all_ranges, UNARY, torch_error=ROUGH),
    *function_and_method("digamma", digamma, "DigammaBackward0", of_all_ranges, UNARY, torch_error=ROUGH),
    Row(
        ".lgamma_() and .digamma_()",
        lambda F, x: x.clone().lgamma_() + x.clone().digamma_(),
        lambda x: one_by_one(math.lgamma)(x) + digamma(x),
        UNARY[:2],
        "AddBackward0",
        of_all_ranges,
        torch_error=ROUGH,
    ),
]
