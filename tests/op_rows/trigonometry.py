"""Rows of angles and hyperbolas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from op_table import BINARY, UNARY, Row, Shapes, apart, both, normal, positive

FEW: list[Shapes] = [((),), ((2, 3),), ((0,),)]  # for other names of the same function
FEW_BINARY: list[Shapes] = [((2, 3), (3,)), ((), ())]


def inside(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers between -1 and 1, away from both."""
    return random.uniform(-0.9, 0.9, shape)


def above_one(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.uniform(1.2, 3, shape)


def function_and_method(
    name: str, numpy: Any, node: str | None, domain: Any = normal, shapes: Any = BINARY, **more: Any
) -> list[Row]:
    """`F.atan2(x, y)` of all shapes, `x.atan2(y)` of few."""
    function, method = both(name, numpy, node, domain, shapes, **more)
    return [function, replace(method, shapes=shapes[:2])]


def in_all_forms(
    name: str, numpy: Any, node: str, domain: Any = normal, shapes: Any = UNARY, derived: bool = True
) -> list[Row]:
    """`F.tan(x)`, and the sum of the other forms: `x.tan()`, and in place `F.tan_(x)` and `x.tan_()`.

    PyTorch has no derivative of some in-place forms (`derived`); here all have.
    """
    function, method = both(name, numpy, node, domain, shapes)
    if not derived:
        return [function, replace(method, shapes=FEW), in_place(name, numpy, domain, derived)]

    def other_forms(F: Any, x: Any) -> Any:
        return getattr(F, f"{name}_")(x.clone()) + getattr(x.clone(), f"{name}_")() + getattr(x, name)()

    return [
        function,
        Row(f"{name}_ + .{name}_ + .{name}", other_forms, lambda x: 3 * numpy(x), FEW, "AddBackward0", domain),
    ]


def in_place(name: str, numpy: Any, domain: Any = normal, derived: bool = True) -> Row:
    """The sum of `F.tan_(x)` and `x.tan_()`."""

    def both_written(F: Any, x: Any) -> Any:
        return getattr(F, f"{name}_")(x.clone()) + getattr(x.clone(), f"{name}_")()

    node = "AddBackward0" if derived else None
    return Row(f"{name}_ + .{name}_", both_written, lambda x: 2 * numpy(x), FEW, node, domain, derived)


def alias(name: str, numpy: Any, domain: Any = normal, derived: bool = True) -> list[Row]:
    """Another name of a function, in all forms."""

    def both_forms(F: Any, x: Any) -> Any:
        return getattr(F, name)(x) + getattr(x, name)()

    row = Row(f"{name} + .{name}", both_forms, lambda x: 2 * numpy(x), FEW, "AddBackward0", domain)
    return [row, in_place(name, numpy, domain, derived)]


def into(name: str, numpy: Any, node: str, domain: Any = normal) -> Row:
    """`x.atan2_(y)`, which has no form as a function."""
    return Row(f".{name}_(y)", lambda F, x, y: getattr(x.clone(), f"{name}_")(y), numpy, [((2, 3), (3,))], node, domain)


ROWS = [
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
