"""Rows of activations with an exponential in them."""

from __future__ import annotations

import math

import numpy as np
from op_forms import FEW, functional, written
from op_table import Row, Shapes, apart, both, normal


def erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf, otypes=[float])(x).astype(x.dtype)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return (1 + np.tanh(x / 2)) / 2


def elu(x: np.ndarray, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> np.ndarray:
    return scale * np.where(x > 0, x, alpha * (np.exp(x * input_scale) - 1))


def selu(x: np.ndarray) -> np.ndarray:
    return elu(x, 1.6732632423543772, 1.0507009873554805)


def celu(x: np.ndarray) -> np.ndarray:
    return elu(x, 1.5, 1, 1 / 1.5)


def tanh_gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def glu(x: np.ndarray, dim: int) -> np.ndarray:
    content, gate = np.split(x, 2, dim)
    return content * sigmoid(gate)


HALVES: list[Shapes] = [((4,),), ((2, 6),), ((3, 1, 2),), ((0, 2),), ((2, 0),)]

ROWS = [
    *both("sigmoid", lambda x: (1 + np.tanh(x / 2)) / 2, "SigmoidBackward0"),
    *written("sigmoid_", lambda x: (1 + np.tanh(x / 2)) / 2, "SigmoidBackward0"),
    functional("elu(x)", elu, "EluBackward0"),
    functional("elu(x, alpha=0.3, inplace=True)", lambda x: elu(x, 0.3), "EluBackward1"),
    functional("elu_(x)", elu, "EluBackward1", shapes=FEW),
    functional("selu(x)", selu, "EluBackward0"),
    functional("selu(x, inplace=True)", selu, "EluBackward1"),
    functional("celu(x, alpha=1.5)", celu, "CeluBackward0"),
    functional("celu(x, alpha=1.5, inplace=True)", celu, "CeluBackward1"),
    Row("selu()", lambda F, x: F.selu(x), selu, FEW, "EluBackward0", apart),
    Row("selu_()", lambda F, x: F.selu_(x.clone()), selu, FEW, "EluBackward1", apart),
    Row("celu()", lambda F, x: F.celu(x, 1.5), celu, FEW, "CeluBackward0", apart),
    Row("celu_()", lambda F, x: F.celu_(x.clone(), 1.5), celu, FEW, "CeluBackward1", apart),
    functional("gelu(x)", lambda x: x * (1 + erf(x * math.sqrt(0.5))) / 2, "GeluBackward0", normal),
    functional("gelu(x, approximate='tanh')", tanh_gelu, "GeluBackward0", normal),
    functional("silu(x)", lambda x: x * sigmoid(x), "SiluBackward0", normal),
    functional("silu(x, inplace=True)", lambda x: x * sigmoid(x), "SiluBackward0", normal, FEW),
    functional("mish(x)", lambda x: x * np.tanh(np.log1p(np.exp(x))), "MishBackward0", normal),
    functional("mish(x, inplace=True)", lambda x: x * np.tanh(np.log1p(np.exp(x))), "MishBackward0", normal, FEW),
    functional("softplus(x)", lambda x: np.log1p(np.exp(x)), "SoftplusBackward0", normal),
    functional(
        "softplus(x, beta=2, threshold=1.1)",
        lambda x: np.where(2 * x > 1.1, x, np.log1p(np.exp(2 * x)) / 2),
        "SoftplusBackward0",
        apart,
    ),
    functional("softsign(x)", lambda x: x / (1 + abs(x)), "DivBackward0"),
    functional("tanhshrink(x)", lambda x: x - np.tanh(x), "SubBackward0", normal),
    functional("logsigmoid(x)", lambda x: -np.log1p(np.exp(-x)), "LogSigmoidBackward0", normal),
    functional("glu(x)", lambda x: glu(x, -1), "GluBackward0", normal, HALVES),
    functional("glu(x, dim=0)", lambda x: glu(x, 0), "GluBackward0", normal, [((2, 3),), ((4,),), ((0, 2),)]),
]
