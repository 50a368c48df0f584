"""Rows of angles and hyperbolas."""

from __future__ import annotations

import numpy as np
from op_forms import FEW_BINARY, alias, function_and_method, in_all_forms, inside, into, written
from op_table import BINARY, UNARY, Row, apart, both, normal, positive


def above_one(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.uniform(1.2, 3, shape)


ROWS = [
    *both("sin", np.sin, "SinBackward0"),
    *both("cos", np.cos, "CosBackward0"),
    *both("tanh", np.tanh, "TanhBackward0"),
    Row(
        "tanh(sin(x) * exp(x))",
        lambda F, x: F.tanh(F.sin(x) * F.exp(x)),
        lambda x: np.tanh(np.sin(x) * np.exp(x)),
        UNARY,
    ),
    *written("sin_", np.sin, "SinBackward0"),
    *written("cos_", np.cos, "CosBackward0"),
    *written("tanh_", np.tanh, "TanhBackward0"),
    *in_all_forms("tan", np.tan, "TanBackward0", inside),
    *in_all_forms("asin", np.arcsin, "AsinBackward0", inside),
    *in_all_forms("acos", np.arccos, "AcosBackward0", inside),
    *in_all_forms("atan", np.arctan, "AtanBackward0"),
    *in_all_forms("sinh", np.sinh, "SinhBackward0"),
    *in_all_forms("cosh", np.cosh, "CoshBackward0"),
    *in_all_forms("asinh", np.arcsinh, "AsinhBackward0", derived=False),
    *in_all_forms("acosh", np.arccosh, "AcoshBackward0", above_one, derived=False),
    *in_all_forms("atanh", np.arctanh, "AtanhBackward0", inside, derived=False),
    *in_all_forms("deg2rad", np.deg2rad, "Deg2RadBackward0"),
    *in_all_forms("rad2deg", np.rad2deg, "Rad2DegBackward0"),
    *in_all_forms("sinc", np.sinc, "SincBackward0", apart),
    *function_and_method("atan2", np.arctan2, "Atan2Backward0", (apart, apart), BINARY),
    *function_and_method("hypot", np.hypot, "HypotBackward0", (apart, apart), BINARY),
    into("atan2", np.arctan2, "Atan2Backward0", (apart, apart)),
    into("hypot", np.hypot, "HypotBackward0", (apart, positive)),
    *alias("arcsin", np.arcsin, inside),
    *alias("arccos", np.arccos, inside),
    *alias("arctan", np.arctan, normal),
    *alias("arcsinh", np.arcsinh, normal, derived=False),
    *alias("arccosh", np.arccosh, above_one, derived=False),
    *alias("arctanh", np.arctanh, inside, derived=False),
    *function_and_method("arctan2", np.arctan2, "Atan2Backward0", (apart, apart), FEW_BINARY),
    into("arctan2", np.arctan2, "Atan2Backward0", (apart, apart)),
]
