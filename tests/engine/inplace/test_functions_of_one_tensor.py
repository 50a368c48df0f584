"""Functions of one tensor in place, `y.exp_()`: values, node, gradients, dtypes, and which names exist (D05)."""

from __future__ import annotations

from typing import Any

from engine.inplace.effects import (
    ALL_CASTS,
    LEAF,
    UNARY,
    VIEW_OF_LEAF,
    gradients,
    graph,
    mixed,
    second,
    state,
    tried,
)
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def function_in_place(function: str, values: list[list[float]]) -> None:
    def changed(F: Any) -> tuple[Any, Any]:
        x = F.tensor(values, requires_grad=True)
        y = x * 1
        getattr(y, f"{function}_")()
        return x, y

    @behaviours(f"D05: {function}_ makes a result the result of {function}")
    def _(F):
        x = F.tensor(values, requires_grad=True)
        y = x * 1
        returned = getattr(y, f"{function}_")()
        return returned is y, state(y), graph(y), gradients(F, y, x)

    @behaviours(f"D05: {function}_ can be differentiated twice")
    def _(F):
        x, y = changed(F)
        return second(F, y, x)

    @behaviours(f"D05: {function}_ through a view changes a part of the base")
    def _(F):
        x = F.tensor(values, requires_grad=True)
        y = x * 1
        part = y[:, 1]
        getattr(part, f"{function}_")()
        return state(y, part), graph(y), graph(part), gradients(F, y, x), gradients(F, part, x), second(F, y, x)

    @behaviours(f"D01: {function}_ on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        getattr(F.tensor(values, requires_grad=True), f"{function}_")()

    @behaviours(f"D01: {function}_ on a view of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F):
        getattr(F.tensor(values, requires_grad=True)[0], f"{function}_")()

    @behaviours(f"D01: {function}_ writes into a leaf under no_grad, and it stays a leaf")
    def _(F):
        x = F.tensor(values, requires_grad=True)
        with F.no_grad():
            returned = getattr(x, f"{function}_")()
        return returned is x, state(x)

    @behaviours(f"D04: {function}_ on a tensor that needs no grad only writes and counts")
    def _(F):
        x = F.tensor(values)
        return getattr(x, f"{function}_")() is x, state(x)

    @behaviours(f"I04: {function}_ keeps the dtype or refuses")
    def _(F):
        return [
            tried(lambda kind=kind: state(getattr(mixed(F, kind), f"{function}_")()), *ALL_CASTS, *NOT_FOR_BOOLS)
            for kind in ("bool", "int32", "int64", "float32", "float64")
        ]

    @behaviours(f"D05: there is a function F.{function}_ where PyTorch has one")
    def _(F):
        if not hasattr(F, f"{function}_"):
            return "there is none"
        y = F.tensor(values, requires_grad=True) * 1
        return getattr(F, f"{function}_")(y) is y, state(y)


NOT_FOR_BOOLS = (
    "Negation, the `-` operator, on a bool tensor is not supported.",
    "\"abs_cpu\" not implemented for 'Bool'",
    "Boolean inputs not supported for relu",
)


for function, values in UNARY.items():
    function_in_place(function, values)


@behaviours("D05: which functions in place can be called by name, and which only as methods")
def _(F):
    others = (
        "add",
        "sub",
        "mul",
        "div",
        "pow",
        "fill",
        "zero",
        "copy",
    )
    return {f"{name}_": [hasattr(F, f"{name}_"), hasattr(F.Tensor, f"{name}_")] for name in (*UNARY, *others)}


test_as_in_torch = behaviours.test()
