"""Rows of the error function and its kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from op_forms import function_and_method, in_all_forms, inside
from op_table import UNARY, Row, Shapes


def one_by_one(function: Any) -> Any:
    """A function of Python's `math`, on arrays."""
    return lambda x: np.vectorize(function, otypes=[float])(x).astype(x.dtype)


def wide(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers in all the ranges for which the error function has a formula."""
    return random.permutation(np.linspace(-5, 5.3, int(np.prod(shape)))).reshape(shape)


@one_by_one
def inverse_erf(y: float) -> float:
    """The inverse of `math.erf` by bisection."""
    low, high = -2.0, 2.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return (low + high) / 2


def erf_of_the_inverse(F: Any, x: Any) -> Any:
    return F.erf(F.erfinv(x))


WIDE: list[Shapes] = [((),), ((9,),), ((2, 3),), ((0,),)]

ROWS = [
    *in_all_forms("erf", one_by_one(math.erf), "ErfBackward0", wide, WIDE),
    *in_all_forms("erfc", one_by_one(math.erfc), "ErfcBackward0", wide, WIDE),
    *function_and_method("erfinv", inverse_erf, "ErfinvBackward0", inside, UNARY),
    Row("erf(erfinv)", erf_of_the_inverse, lambda x: x, UNARY, "ErfBackward0", inside),
    Row(".erfinv_()", lambda F, x: F.erf(x.clone().erfinv_()), lambda x: x, UNARY[:2], "ErfBackward0", inside),
]
