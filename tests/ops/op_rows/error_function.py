"""Rows of the error function and its kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from ops.op_forms import in_all_forms
from ops.op_table import Shapes


def one_by_one(function: Any) -> Any:
    """A function of Python's `math`, on arrays."""
    return lambda x: np.vectorize(function, otypes=[float])(x).astype(x.dtype)


def wide(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers in all the ranges for which the error function has a formula."""
    return random.permutation(np.linspace(-5, 5.3, int(np.prod(shape)))).reshape(shape)


WIDE: list[Shapes] = [((),), ((9,),), ((2, 3),), ((0,),)]

ROWS = [
    *in_all_forms("erf", one_by_one(math.erf), "ErfBackward0", wide, WIDE),
]
