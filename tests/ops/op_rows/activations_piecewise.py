"""Rows of activations made of pieces of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.op_forms import FEW, functional, written
from ops.op_table import apart, both


def leaky(slope: float) -> Callable[..., Any]:
    return lambda x: np.where(x > 0, x, slope * x)


ROWS = [
    *both("relu", lambda x: np.where(x > 0, x, 0), "ReluBackward0", apart),
    *written("relu_", lambda x: np.where(x > 0, x, 0), "ReluBackward0", apart),
    functional("relu(x)", lambda x: np.maximum(x, 0), "ReluBackward0"),
    functional("relu(x, inplace=True)", lambda x: np.maximum(x, 0), "ReluBackward0", shapes=FEW),
    functional("leaky_relu(x)", leaky(0.01), "LeakyReluBackward0"),
    functional("leaky_relu(x, inplace=True)", leaky(0.01), "LeakyReluBackward1"),
    functional("leaky_relu(x, negative_slope=-0.5)", leaky(-0.5), "LeakyReluBackward0"),
]
