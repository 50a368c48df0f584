"""Rows of the larger, the smaller and what lies between."""

from __future__ import annotations

import numpy as np
from op_forms import function_and_method
from op_table import BINARY, INTO, UNARY, Row, apart, both, normal

ROWS = [
    *both("maximum", np.maximum, "MaximumBackward0", shapes=BINARY),
    *both("minimum", np.minimum, "MinimumBackward0", shapes=BINARY),
    Row("clamp(-0.5, 1)", lambda F, x: F.clamp(x, -0.5, 1), lambda x: x.clip(-0.5, 1), UNARY, "ClampBackward1"),
    Row("clamp(min)", lambda F, x: x.clamp(min=0.2), lambda x: np.maximum(x, 0.2), UNARY, "ClampBackward1"),
    Row("clamp(max)", lambda F, x: x.clamp(max=0), lambda x: np.minimum(x, 0), UNARY, "ClampBackward1"),
    Row(
        "clamp(tensors)",
        lambda F, x, low, high: F.clamp(x, low, high),
        lambda x, low, high: np.minimum(np.maximum(x, low), high),
        [((), (), ()), ((2, 3), (2, 3), (2, 3)), ((2, 3), (3,), ()), ((0,), (1,), ())],
        "ClampBackward0",
        graph=False,
    ),
    Row(
        "clamp(min=tensor)",
        lambda F, x, low: x.clamp(min=low),
        np.maximum,
        [((), ()), ((2, 3), (2, 3)), ((0,), (0,))],
        "ClampBackward0",
    ),
    Row("clamp(max=tensor)", lambda F, x, y: x.clamp(max=y), np.minimum, BINARY, "ClampBackward0", graph=False),
    *function_and_method("clamp_min", np.maximum, "ClampMinBackward1", shapes=BINARY),
    *function_and_method("clamp_max", np.minimum, "ClampMaxBackward1", shapes=BINARY),
    Row(
        "clamp_min(x, 0.1)", lambda F, x: F.clamp_min(x, 0.1), lambda x: x.clip(0.1), UNARY, "ClampMinBackward0", apart
    ),
    Row(
        "clamp_max(x, 0.1)",
        lambda F, x: x.clamp_max(0.1),
        lambda x: x.clip(None, 0.1),
        UNARY,
        "ClampMaxBackward0",
        apart,
    ),
    *(
        Row(
            f"{name}(y)" if method else f"{name}()",
            lambda F, x, y, name=name, method=method: (
                getattr(x.clone(), name)(y) if method else getattr(F, name)(x.clone(), y)
            ),
            numpy,
            INTO,
            node,
            normal,
            graph=False,
        )
        for method in (True, False)
        for name, numpy, node in (
            ("clamp_min_", np.maximum, "ClampMinBackward1"),
            ("clamp_max_", np.minimum, "ClampMaxBackward1"),
            ("clamp_", np.maximum, "ClampBackward0"),
            ("clip_", np.maximum, "ClampBackward0"),
        )
    ),
    *function_and_method("clip", np.maximum, "ClampBackward0", normal, [((2, 3), (2, 3))]),
    Row("clamp_(-0.5, 1)", lambda F, x: x.clone().clamp_(-0.5, 1), lambda x: x.clip(-0.5, 1), UNARY, "ClampBackward1"),
]
