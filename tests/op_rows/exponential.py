"""Rows of exponentials and logarithms."""

from __future__ import annotations

import math

import numpy as np
from op_forms import function_and_method, in_all_forms, into, written
from op_table import BINARY, UNARY, Row, both, normal, positive


def between_0_and_1(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.uniform(0.05, 0.95, shape)


ROWS = [
    *both("exp", np.exp, "ExpBackward0"),
    *both("log", np.log, "LogBackward0", positive),
    *written("exp_", np.exp, "ExpBackward0"),
    *written("log_", np.log, "LogBackward0", positive),
    *in_all_forms("exp2", np.exp2, "Exp2Backward0"),
    *in_all_forms("expm1", np.expm1, "Expm1Backward0"),
    *in_all_forms("log2", np.log2, "Log2Backward0", positive),
    *in_all_forms("log10", np.log10, "Log10Backward0", positive),
    *in_all_forms("log1p", np.log1p, "Log1PBackward0", positive),
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
    Row(
        "xlogy_(y)",
        lambda F, x, y: F.xlogy_(x.clone(), y),
        lambda x, y: x * np.log(y),
        [((2,), (2,))],
        None,
        (normal, positive),
    ),
    Row("xlogy(x, 2)", lambda F, x: F.xlogy(x, 2), lambda x: x * math.log(2), UNARY, "XlogyBackward2"),
    Row("xlogy(2, x)", lambda F, x: F.xlogy(2, x), lambda x: 2 * np.log(x), UNARY, "XlogyBackward1", positive),
]
