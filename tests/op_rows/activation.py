"""Rows of the activations of networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from op_table import UNARY, Row, Shapes, apart, between, both, normal, positive

from op_rows.trigonometry import function_and_method

FEW: list[Shapes] = [((),), ((2, 3),), ((0,),)]


def functional(
    text: str, numpy: Callable[..., Any], node: str | None, domain: Any = apart, shapes: Any = UNARY, **more: Any
) -> Row:
    """A function of `nn.functional`, called as the text says: "elu(x, 0.5)" for example."""
    name, _, arguments = text.rstrip(")").partition("(x")
    options = eval(f"dict({arguments.lstrip(', ')})")

    def call(F: Any, x: Any) -> Any:
        x = x.clone() if name.endswith("_") or options.get("inplace") else x
        return getattr(F.nn.functional, name)(x, **options)

    return Row(f"functional.{text}", call, numpy, shapes, node, domain, **more)


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


def leaky(slope: float) -> Callable[..., Any]:
    return lambda x: np.where(x > 0, x, slope * x)


def prelu(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, x * weight.reshape((-1, *(1,) * (x.ndim - 2)) if weight.size > 1 else ()))


def in_training(F: Any, x: Any) -> Any:
    """With slopes from 0.25 to 0.25."""
    return F.nn.functional.rrelu(x, 0.25, 0.25, training=True)


CHANNELS: list[Shapes] = [
    *[
        ((2, 3), (3,)),
        ((2, 3), (1,)),
        ((2, 3), ()),
        ((2, 3, 2), (3,)),
        ((3,), (1,)),
        ((), (1,)),
        ((), ()),
        ((0, 3), (3,)),
    ]
]
HALVES: list[Shapes] = [((4,),), ((2, 6),), ((3, 1, 2),), ((0, 2),), ((2, 0),)]

ROWS = [
    functional("relu(x)", lambda x: np.maximum(x, 0), "ReluBackward0"),
    functional("relu(x, inplace=True)", lambda x: np.maximum(x, 0), "ReluBackward0", shapes=FEW),
    functional("relu_(x)", lambda x: np.maximum(x, 0), "ReluBackward0", shapes=FEW),
    functional("leaky_relu(x)", leaky(0.01), "LeakyReluBackward0"),
    functional("leaky_relu(x, negative_slope=-0.5)", leaky(-0.5), "LeakyReluBackward0"),
    functional("leaky_relu(x, inplace=True)", leaky(0.01), "LeakyReluBackward1"),
    functional("leaky_relu_(x, negative_slope=0.2)", leaky(0.2), "LeakyReluBackward1", shapes=FEW),
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
    functional("hardtanh(x)", lambda x: x.clip(-1, 1), "HardtanhBackward0", between),
    functional("hardtanh(x, min_val=-0.5, max_val=2, inplace=True)", lambda x: x.clip(-0.5, 2), "HardtanhBackward0",
               between),
    functional("hardtanh_(x)", lambda x: x.clip(-1, 1), "HardtanhBackward0", between, FEW),
    functional("relu6(x)", lambda x: x.clip(0, 6), "HardtanhBackward0", between),
    functional("relu6(x, inplace=True)", lambda x: x.clip(0, 6), "HardtanhBackward0", between, FEW),
    # PyTorch has no second derivative of it, and computes the first with a sixth in float32.
    functional("hardsigmoid(x)", lambda x: (x + 3).clip(0, 6) / 6, None, between, differentiable=False),
    functional("hardsigmoid(x, inplace=True)", lambda x: (x + 3).clip(0, 6) / 6, None, between, FEW,
               differentiable=False),
    functional("hardswish(x)", lambda x: x * (x + 3).clip(0, 6) / 6, "HardswishBackward0", between),
    functional("hardswish(x, inplace=True)", lambda x: x * (x + 3).clip(0, 6) / 6, "HardswishBackward0", between, FEW),
    functional("logsigmoid(x)", lambda x: -np.log1p(np.exp(-x)), "LogSigmoidBackward0", normal),
    functional("threshold(x, threshold=0.1, value=-7)", lambda x: np.where(x > 0.1, x, -7), "ThresholdBackward0"),
    functional(
        "threshold(x, threshold=0.1, value=2, inplace=True)", lambda x: np.where(x > 0.1, x, 2), "ThresholdBackward1"
    ),
    Row("threshold()", lambda F, x: F.threshold(x, 0.1, 2), lambda x: np.where(x > 0.1, x, 2), FEW, None, apart),
    Row("threshold_()", lambda F, x: F.threshold_(x.clone(), 0.1, 2), lambda x: np.where(x > 0.1, x, 2), FEW,
        "ThresholdBackward1", apart),
    functional("softshrink(x)", lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0), "SoftshrinkBackward0"),
    functional("hardshrink(x, lambd=0.7)", lambda x: np.where(abs(x) > 0.7, x, 0), "HardshrinkBackward0"),
    *both("hardshrink", lambda x: np.where(abs(x) > 0.5, x, 0), "HardshrinkBackward0", apart, FEW),
    functional("glu(x)", lambda x: glu(x, -1), "GluBackward0", normal, HALVES),
    functional("glu(x, dim=0)", lambda x: glu(x, 0), "GluBackward0", normal, [((2, 3),), ((4,),), ((0, 2),)]),
    *function_and_method("prelu", prelu, "PreluKernelBackward0", (apart, positive), CHANNELS),
    functional("rrelu(x)", leaky((1 / 8 + 1 / 3) / 2), "RreluWithNoiseBackward0"),
    functional("rrelu(x, lower=0.1, upper=0.3, inplace=True)", leaky(0.2), "RreluWithNoiseBackward1", shapes=FEW),
    Row("rrelu(training)", in_training, leaky(0.25), FEW, "RreluWithNoiseBackward0", apart),
    Row("rrelu()", lambda F, x: F.rrelu(x), leaky((1 / 8 + 1 / 3) / 2), FEW, "RreluWithNoiseBackward0", apart),
    Row("rrelu_()", lambda F, x: F.rrelu_(x.clone()), leaky((1 / 8 + 1 / 3) / 2), FEW, "RreluWithNoiseBackward1",
        apart),
]  # fmt: skip
