"""The forms in which an op is called, as rows: function, method, in place, another name.

Most ops have all of these forms. Here a line of the table says so, instead of one row for each form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from ops.op_table import BINARY, UNARY, Row, Shapes, apart, both, normal, whole

FEW: list[Shapes] = [((),), ((2, 3),), ((0,),)]  # for other names of the same function
FEW_BINARY: list[Shapes] = [((2, 3), (3,)), ((), ())]
FILLED: list[Shapes] = [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]  # with elements to choose from
MATRICES: list[Shapes] = [((2, 3),), ((4, 2),)]
MATRICES_OR_COLUMN: list[Shapes] = [((2, 3),), ((3, 1),)]
SMALL_CUBE: list[Shapes] = [((2, 3, 2),)]


def is_recorded(function: Callable[..., Any]) -> bool:
    """Whether a function is an op that leaves nodes in the graph: one with rules."""
    return "write" in function.__globals__ and function.__globals__["write"]().node_type is not None


def inside(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers between -1 and 1, away from both."""
    return random.uniform(-0.9, 0.9, shape)


def function_and_method(
    name: str, numpy: Any, node: str | None, domain: Any = normal, shapes: Any = BINARY, **more: Any
) -> list[Row]:
    """`F.maximum(x, y)` of all shapes, `x.maximum(y)` of few."""
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


def into(name: str, numpy: Any, node: str, domain: Any = normal) -> Row:
    """`x.remainder_(y)`, which has no form as a function."""
    return Row(f".{name}_(y)", lambda F, x, y: getattr(x.clone(), f"{name}_")(y), numpy, [((2, 3), (3,))], node, domain)


def written(
    name: str, numpy: Callable[..., Any], node: str, domain: Any = normal, function: bool = True, **more: Any
) -> list[Row]:
    """`x.name()` and, where there is one, `F.name(x)`, which write into a copy of x."""
    rows = [Row(f".{name}()", lambda F, x: getattr(x.clone(), name)(), numpy, UNARY, node, domain, **more)]
    if function:
        rows.append(Row(f"{name}()", lambda F, x: getattr(F, name)(x.clone()), numpy, UNARY, node, domain, **more))
    return rows


def question(name: str, function: Callable[..., Any], numpy: Callable[..., Any], shapes: list[Shapes] = BINARY) -> Row:
    """What is answered with bools, on numbers of which many are equal."""
    return Row(name, function, numpy, shapes, None, whole, False)


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
