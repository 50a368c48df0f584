"""Rows of activations with an exponential in them."""

from __future__ import annotations

import math

import numpy as np
from ops.op_forms import functional, written
from ops.op_table import apart, both, normal


def erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf, otypes=[float])(x).astype(x.dtype)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return (1 + np.tanh(x / 2)) / 2


def elu(x: np.ndarray, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> np.ndarray:
    return scale * np.where(x > 0, x, alpha * (np.exp(x * input_scale) - 1))


def tanh_gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


ROWS = [
    *both("sigmoid", lambda x: (1 + np.tanh(x / 2)) / 2, "SigmoidBackward0"),
    *written("sigmoid_", lambda x: (1 + np.tanh(x / 2)) / 2, "SigmoidBackward0"),
    functional("elu(x)", elu, "EluBackward0"),
    functional("elu(x, alpha=0.3)", lambda x: elu(x, 0.3), "EluBackward0"),
    functional("gelu(x)", lambda x: x * (1 + erf(x * math.sqrt(0.5))) / 2, "GeluBackward0", normal),
    functional("gelu(x, approximate='tanh')", tanh_gelu, "GeluBackward0", normal),
    functional("silu(x)", lambda x: x * sigmoid(x), "SiluBackward0", normal),
    functional("softplus(x)", lambda x: np.log1p(np.exp(x)), "SoftplusBackward0", normal),
    functional(
        "softplus(x, beta=2, threshold=1.1)",
        lambda x: np.where(2 * x > 1.1, x, np.log1p(np.exp(2 * x)) / 2),
        "SoftplusBackward0",
        apart,
    ),
    functional("logsigmoid(x)", lambda x: -np.log1p(np.exp(-x)), "LogSigmoidBackward0", normal),
]
