"""Rows of activations made of pieces of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from op_forms import FEW, function_and_method, functional, written
from op_table import Row, Shapes, apart, between, both, positive


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

ROWS = [
    *both("relu", lambda x: np.where(x > 0, x, 0), "ReluBackward0", apart),
    *written("relu_", lambda x: np.where(x > 0, x, 0), "ReluBackward0", apart),
    functional("relu(x)", lambda x: np.maximum(x, 0), "ReluBackward0"),
    functional("relu(x, inplace=True)", lambda x: np.maximum(x, 0), "ReluBackward0", shapes=FEW),
    functional("relu_(x)", lambda x: np.maximum(x, 0), "ReluBackward0", shapes=FEW),
    functional("leaky_relu(x)", leaky(0.01), "LeakyReluBackward0"),
    functional("leaky_relu(x, negative_slope=-0.5)", leaky(-0.5), "LeakyReluBackward0"),
    functional("leaky_relu(x, inplace=True)", leaky(0.01), "LeakyReluBackward1"),
    functional("leaky_relu_(x, negative_slope=0.2)", leaky(0.2), "LeakyReluBackward1", shapes=FEW),
    functional("hardtanh(x)", lambda x: x.clip(-1, 1), "HardtanhBackward0", between),
    functional(
        "hardtanh(x, min_val=-0.5, max_val=2, inplace=True)", lambda x: x.clip(-0.5, 2), "HardtanhBackward0", between
    ),
    functional("hardtanh_(x)", lambda x: x.clip(-1, 1), "HardtanhBackward0", between, FEW),
    functional("relu6(x)", lambda x: x.clip(0, 6), "HardtanhBackward0", between),
    functional("relu6(x, inplace=True)", lambda x: x.clip(0, 6), "HardtanhBackward0", between, FEW),
    functional("hardsigmoid(x)", lambda x: (x + 3).clip(0, 6) / 6, None, between, differentiable=False),
    functional(
        "hardsigmoid(x, inplace=True)", lambda x: (x + 3).clip(0, 6) / 6, None, between, FEW, differentiable=False
    ),
    functional("hardswish(x)", lambda x: x * (x + 3).clip(0, 6) / 6, "HardswishBackward0", between),
    functional("hardswish(x, inplace=True)", lambda x: x * (x + 3).clip(0, 6) / 6, "HardswishBackward0", between, FEW),
    functional("threshold(x, threshold=0.1, value=-7)", lambda x: np.where(x > 0.1, x, -7), "ThresholdBackward0"),
    functional(
        "threshold(x, threshold=0.1, value=2, inplace=True)", lambda x: np.where(x > 0.1, x, 2), "ThresholdBackward1"
    ),
    Row("threshold()", lambda F, x: F.threshold(x, 0.1, 2), lambda x: np.where(x > 0.1, x, 2), FEW, None, apart),
    Row(
        "threshold_()",
        lambda F, x: F.threshold_(x.clone(), 0.1, 2),
        lambda x: np.where(x > 0.1, x, 2),
        FEW,
        "ThresholdBackward1",
        apart,
    ),
    functional("softshrink(x)", lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0), "SoftshrinkBackward0"),
    functional("hardshrink(x, lambd=0.7)", lambda x: np.where(abs(x) > 0.7, x, 0), "HardshrinkBackward0"),
    *both("hardshrink", lambda x: np.where(abs(x) > 0.5, x, 0), "HardshrinkBackward0", apart, FEW),
    *function_and_method("prelu", prelu, "PreluKernelBackward0", (apart, positive), CHANNELS),
    functional("rrelu(x)", leaky((1 / 8 + 1 / 3) / 2), "RreluWithNoiseBackward0"),
    functional("rrelu(x, lower=0.1, upper=0.3, inplace=True)", leaky(0.2), "RreluWithNoiseBackward1", shapes=FEW),
    Row("rrelu(training)", in_training, leaky(0.25), FEW, "RreluWithNoiseBackward0", apart),
    Row("rrelu()", lambda F, x: F.rrelu(x), leaky((1 / 8 + 1 / 3) / 2), FEW, "RreluWithNoiseBackward0", apart),
    Row(
        "rrelu_()", lambda F, x: F.rrelu_(x.clone()), leaky((1 / 8 + 1 / 3) / 2), FEW, "RreluWithNoiseBackward1", apart
    ),
]
