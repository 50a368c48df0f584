"""Rows of powers, logarithms and the error function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from op_table import BINARY, UNARY, Row, Shapes, normal, positive

from op_rows.trigonometry import function_and_method, in_all_forms, inside, into


def one_by_one(function: Any) -> Any:
    """A function of Python's `math`, on arrays."""
    return lambda x: np.vectorize(function, otypes=[float])(x).astype(x.dtype)


def wide(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers in all the ranges for which the error function has a formula."""
    return random.permutation(np.linspace(-5, 5.3, int(np.prod(shape)))).reshape(shape)


def between_0_and_1(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.uniform(0.05, 0.95, shape)


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
    *in_all_forms("exp2", np.exp2, "Exp2Backward0"),
    *in_all_forms("expm1", np.expm1, "Expm1Backward0"),
    *in_all_forms("log2", np.log2, "Log2Backward0", positive),
    *in_all_forms("log10", np.log10, "Log10Backward0", positive),
    *in_all_forms("log1p", np.log1p, "Log1PBackward0", positive),
    *in_all_forms("rsqrt", lambda x: 1 / np.sqrt(x), "RsqrtBackward0", positive),
    *in_all_forms("erf", one_by_one(math.erf), "ErfBackward0", wide, WIDE),
    *in_all_forms("erfc", one_by_one(math.erfc), "ErfcBackward0", wide, WIDE),
    *function_and_method("erfinv", inverse_erf, "ErfinvBackward0", inside, UNARY),
    Row("erf(erfinv)", erf_of_the_inverse, lambda x: x, UNARY, "ErfBackward0", inside),
    Row(".erfinv_()", lambda F, x: F.erf(x.clone().erfinv_()), lambda x: x, UNARY[:2], "ErfBackward0", inside),
    *in_all_forms("logit", lambda x: np.log(x / (1 - x)), "LogitBackward0", between_0_and_1),
    Row(
        "logit(eps)",
        lambda F, x: F.logit(x, eps=0.2),
        lambda x: np.log(x.clip(0.2, 0.8) / (1 - x.clip(0.2, 0.8))),
        UNARY,
        "LogitBackward0",
        between_0_and_1,
    ),
    *function_and_method("logaddexp", np.logaddexp, "LogaddexpBackward0", shapes=BINARY),
    *function_and_method("logaddexp2", np.logaddexp2, "Logaddexp2Backward0", shapes=BINARY),
    *function_and_method("xlogy", lambda x, y: x * np.log(y), "XlogyBackward0", (normal, positive), BINARY),
    into("xlogy", lambda x, y: x * np.log(y), "XlogyBackward0", (normal, positive)),
    Row("xlogy_(y)", lambda F, x, y: F.xlogy_(x.clone(), y), lambda x, y: x * np.log(y), [((2,), (2,))], None,
        (normal, positive)),
    Row("xlogy(x, 2)", lambda F, x: F.xlogy(x, 2), lambda x: x * math.log(2), UNARY, "XlogyBackward2"),
    Row("xlogy(2, x)", lambda F, x: F.xlogy(2, x), lambda x: 2 * np.log(x), UNARY, "XlogyBackward1", positive),
    *function_and_method(
        "float_power",
        lambda x, y: np.power(x.astype(float), y.astype(float)),
        "PowBackward1",
        (positive, normal),
        BINARY,
        graph=False,
    ),
    Row("float_power(x, 2)", lambda F, x: F.float_power(x, 2), lambda x: x.astype(float) ** 2, UNARY, "PowBackward0",
        graph=False),
    Row("float_power(2, x)", lambda F, x: F.float_power(2, x), lambda x: np.exp2(x.astype(float)), UNARY,
        "PowBackward2", graph=False),
    Row("float_power_", lambda F, x: x.double().clone().float_power_(2), lambda x: x.astype(float) ** 2, UNARY[:3],
        "PowBackward0", graph=False),
]  # fmt: skip
