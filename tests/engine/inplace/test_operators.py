"""Functions of two tensors in place, `y.add_(z)` and `y += z`: operands, broadcasting, dtypes, gradients (D05, D07)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from engine.inplace.effects import (
    ALL_CASTS,
    LEAF,
    NO_ROOM,
    OVERWRITTEN,
    VIEW_OF_LEAF,
    gradients,
    graph,
    grid,
    mixed,
    number,
    second,
    state,
    tried,
)
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


# ---------------------------------------------------------------- functions of two


BINARY = ("add", "sub", "mul", "div", "pow")
OPERANDS: dict[str, Callable[[Any], Any]] = {
    "a tensor of the same shape": lambda F: F.tensor([[0.5, 2.0, 3.0], [1.0, -2.0, 2.0]], requires_grad=True),
    "a row that is repeated": lambda F: F.tensor([2.0, -1.0, 3.0], requires_grad=True),
    "a column that is repeated": lambda F: F.tensor([[2.0], [3.0]], requires_grad=True),
    "a 0-d tensor": number,
    "a plain tensor": lambda F: F.tensor([2.0, 1.0, 0.5]),
    "a number": lambda F: 2,
    "a float": lambda F: 1.5,
}


def operator_in_place(function: str, kind: str, operand: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: {function}_ with {kind} gives both their gradients")
    def _(F):
        x, other = grid(F), operand(F)
        y = x * 1
        returned = getattr(y, f"{function}_")(other)
        inputs = [t for t in (x, other) if isinstance(t, F.Tensor) and t.requires_grad]
        return returned is y, state(y), graph(y), gradients(F, y, *inputs), second(F, y, *inputs)


for function in BINARY:
    for kind, operand in OPERANDS.items():
        operator_in_place(function, kind, operand)


def operator_on_kinds_of_tensor(function: str) -> None:
    @behaviours(f"D07: {function}_ with an operand that needs grad takes a plain tensor into the graph")
    def _(F):
        w, y = number(F), F.tensor([1.0, 2.0, 3.0])
        getattr(y, f"{function}_")(w)
        return state(y), graph(y), gradients(F, y, w)

    @behaviours(f"D05: {function}_ with itself")
    def _(F):
        x = grid(F)
        y = x * 1
        getattr(y, f"{function}_")(y)
        of = {"mul": "Mul", "div": "Div", "pow": "Pow1"}.get(function, "no node: this one saves nothing")
        text = f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of {of}, is at version 1; expected version"
        return state(y), graph(y), tried(lambda: gradients(F, y, x), text)

    @behaviours(f"D05: {function}_ with a view of itself, whose old numbers are used")
    def _(F):
        y = F.tensor([[1.0, 2.0], [3.0, 4.0]])
        getattr(y, f"{function}_")(y.detach().clone().t())
        return state(y)

    @behaviours(f"D01: {function}_ on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        getattr(grid(F), f"{function}_")(2.0)

    @behaviours(f"D01: {function}_ on a view of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F):
        getattr(grid(F).t(), f"{function}_")(2.0)

    @behaviours(f"D01: {function}_ writes into a leaf under no_grad, also with an operand that needs grad")
    def _(F):
        x, w = grid(F), number(F)
        with F.no_grad():
            returned = getattr(x, f"{function}_")(w)
        return returned is x, state(x)

    @behaviours(
        f"D05: {function}_ with operands that would make the result larger is refused",
        error=RuntimeError,
        says="output with shape [2] doesn't match the broadcast shape [2, 2]",
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")(F.ones(2, 2))

    @behaviours(
        f"D05: {function}_ with operands that do not fit is refused",
        error=RuntimeError,
        says="The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")(F.ones(3))

    @behaviours(f"D05: a refused {function}_ has changed and counted nothing")
    def _(F):
        x = grid(F)
        y, whole = x * 1, F.tensor([1, 2])
        refused = [
            tried(lambda: getattr(y, f"{function}_")(F.ones(2)), "The size of tensor a"),
            tried(lambda: getattr(x, f"{function}_")(1.0), LEAF),
            tried(lambda: getattr(whole, f"{function}_")(1.5), *ALL_CASTS),
        ]
        return refused, state(x, y, whole), gradients(F, y, x)

    @behaviours(f"D05: {function}_ on a tensor that was expanded is refused", error=RuntimeError, says=NO_ROOM)
    def _(F):
        getattr(F.zeros(1).expand(3), f"{function}_")(1.0)

    @behaviours(f"D05: {function}_ wants an operand", error=TypeError, says=f"{function}_() ")
    def _(F):
        getattr(F.ones(2), f"{function}_")()

    @behaviours(
        f"D05: {function}_ wants a tensor or a number",
        error=TypeError,
        says=(f"{function}_() received an invalid combination" if function == "pow" else f"{function}_(): argument"),
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")("a")

    @behaviours(f"D05: {function}_ on empty and on 0-d tensors")
    def _(F):
        x, w = F.zeros(0, 3).requires_grad_(), number(F, 3.0)
        empty, single = x * 1, w * 1
        for y in (empty, single):
            getattr(y, f"{function}_")(2.0)
        return state(empty, single), gradients(F, empty, x), gradients(F, single, w)


for function in BINARY:
    operator_on_kinds_of_tensor(function)


def bits_in_place(symbol: str, function: str, write: Callable[[Any, Any], Any]) -> None:
    @behaviours(f"D05: {symbol} on integers and bools, with a tensor and a number")
    def _(F):
        return [
            [
                tried(lambda a=a, b=b: state(write(mixed(F, a), b)), *ALL_CASTS)
                for b in (mixed(F, "bool"), mixed(F, "int64"), mixed(F, "int32"), 3, True)
            ]
            for a in ("bool", "int32", "int64")
        ]

    @behaviours(
        f"D05: {symbol} is not for floats",
        error=NotImplementedError,
        says=f"\"{function}_cpu\" not implemented for 'Float'",
    )
    def _(F):
        write(F.ones(2), F.ones(2))


bits_in_place("&=", "bitwise_and", operator.iand)
bits_in_place("|=", "bitwise_or", operator.ior)
bits_in_place("^=", "bitwise_xor", operator.ixor)


# ---------------------------------------------------------------- augmented operators


AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "**=": operator.ipow,
}


def augmented(sign: str, write: Callable[[Any, Any], Any]) -> None:
    @behaviours(f"D05: y {sign} w keeps the tensor, and other names for it see the change")
    def _(F):
        x, w = grid(F), number(F)
        y = alias = x * 1
        y = write(y, w)
        return y is alias, state(y), graph(y), gradients(F, y, x, w)

    @behaviours(f"D01: x {sign} 2 on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        write(grid(F), 2)

    @behaviours(f"D05: y[0] {sign} w writes into the row, and then the row into y")
    def _(F):
        x, w = grid(F), number(F)
        y = x * 1
        y[0] = write(y[0], w)
        text = (
            f"{OVERWRITTEN}[torch.FloatTensor [3]], which is output 0 of AsStrided, is at version 2; expected version"
        )
        return state(y), graph(y), tried(lambda: gradients(F, y, x, w), text)

    @behaviours(f"D05: a number {sign} a tensor gives a new tensor")
    def _(F):
        x = grid(F)
        total = write(2.0, x)
        return state(total, x), graph(total), gradients(F, total, x)

    @behaviours(
        f"D05: y {sign} text is refused",
        error=TypeError,
        says=f"unsupported operand type(s) for {sign}: 'Tensor' and 'str'",
    )
    def _(F):
        write(F.ones(2), "a")


for sign, write in AUGMENTED.items():
    augmented(sign, write)


@behaviours("D05: y @= w makes a new tensor, since a product has a shape of its own")
def _(F):
    x, w = grid(F), F.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    y = before = x * 1
    y = operator.imatmul(y, w)
    return y is before, state(before, y), graph(y), gradients(F, y, x, w)


@behaviours("D05: &=, |= and ^= work in place")
def _(F):
    outcomes = []
    for write in (operator.iand, operator.ior, operator.ixor):
        for kind in ("bool", "int64"):
            y = alias = mixed(F, kind)
            y = write(y, mixed(F, "bool"))
            outcomes.append([y is alias, state(y)])
    return outcomes


@behaviours("D05: += in a function changes the caller's tensor")
def _(F):
    def shift(t):
        t += 1

    x = grid(F)
    y = x * 1
    shift(y)
    return state(y), gradients(F, y, x)


@behaviours("D05: y = y + 1 in a function does not change the caller's tensor")
def _(F):
    def shift(t):
        t = t + 1
        t.exp_()

    x = grid(F)
    y = x * 1
    shift(y)
    return state(y), gradients(F, y, x)


@behaviours("D05: add_ and sub_ take a factor for their operand, alpha")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    y.add_(w, alpha=3)
    y.sub_(w, alpha=0.5)
    with F.no_grad():
        x.add_(F.ones(2, 3), alpha=-0.1)
    return state(x, y), graph(y), gradients(F, y, x, w)


test_as_in_torch = behaviours.test()
