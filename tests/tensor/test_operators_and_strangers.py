"""Operators with what is neither a tensor nor a number: its own reflected operator is asked, if it has one."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

OPERATORS = {
    "+": (operator.add, "__radd__"),
    "-": (operator.sub, "__rsub__"),
    "*": (operator.mul, "__rmul__"),
    "/": (operator.truediv, "__rtruediv__"),
    "** or pow()": (operator.pow, "__rpow__"),
    "@": (operator.matmul, "__rmatmul__"),
    "//": (operator.floordiv, "__rfloordiv__"),
    "%": (operator.mod, "__rmod__"),
    "&": (operator.and_, "__rand__"),
    "|": (operator.or_, "__ror__"),
    "^": (operator.xor, "__rxor__"),
    "<<": (operator.lshift, "__rlshift__"),
    ">>": (operator.rshift, "__rrshift__"),
}
IN_PLACE = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "** or pow()": operator.ipow,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
    "<<": operator.ilshift,
    ">>": operator.irshift,
}
COMPARISONS = {
    "<": (operator.lt, "__gt__"),
    "<=": (operator.le, "__ge__"),
    ">": (operator.gt, "__lt__"),
    ">=": (operator.ge, "__le__"),
    "==": (operator.eq, "__eq__"),
    "!=": (operator.ne, "__ne__"),
}


class Plain:
    """Something that no operator knows."""


def stranger(method: str) -> Any:
    """Something with one operator for tensors."""

    def answer(self: Any, other: Any) -> str:
        return f"{method} of {type(other).__name__}"

    return type("Stranger", (), {method: answer})()


def asked(symbol: str, apply: Callable[[Any, Any], Any], method: str) -> None:
    @behaviours(f"x {symbol} other asks {method} of other")
    def _(F):
        return [apply(F.ones(2, dtype=dtype), stranger(method)) for dtype in (F.float32, F.int64)]


for symbol, (apply, method) in {**OPERATORS, **COMPARISONS}.items():
    asked(symbol, apply, method)
for symbol, apply in IN_PLACE.items():
    asked(f"{symbol.removesuffix(' or pow()')}=", apply, OPERATORS[symbol][1])


def refused(symbol: str, apply: Callable[[Any, Any], Any], method: str) -> None:
    text = f"unsupported operand type(s) for {symbol}: "

    @behaviours(
        f"x {symbol} other is an error where other does not know either", error=TypeError, says=f"{text}'Tensor' and"
    )
    def _(F):
        apply(F.ones(2), Plain())

    @behaviours(
        f"other {symbol} x is an error where other does not know either", error=TypeError, says=f"{text}'Plain' and"
    )
    def _(F):
        apply(Plain(), F.ones(2))


for symbol, (apply, method) in OPERATORS.items():
    refused(symbol, apply, method)


def refused_in_place(sign: str, apply: Callable[[Any, Any], Any]) -> None:
    @behaviours(
        f"x {sign} other is an error where other does not know either",
        error=TypeError,
        says=f"unsupported operand type(s) for {sign}: 'Tensor' and 'Plain'",
    )
    def _(F):
        apply(F.ones(2), Plain())


for symbol, apply in IN_PLACE.items():
    refused_in_place(f"{symbol.removesuffix(' or pow()')}=", apply)


def without_order(symbol: str, apply: Callable[[Any, Any], Any]) -> None:
    text = f"'{symbol}' not supported between instances of"

    @behaviours(
        f"x {symbol} other is an error where other has no order", error=TypeError, says=f"{text} 'Tensor' and 'Plain'"
    )
    def _(F):
        apply(F.ones(2), Plain())

    @behaviours(
        f"other {symbol} x is an error where other has no order", error=TypeError, says=f"{text} 'Plain' and 'Tensor'"
    )
    def _(F):
        apply(Plain(), F.ones(2))


for symbol in ("<", "<=", ">", ">="):
    without_order(symbol, COMPARISONS[symbol][0])


@behaviours("x == other is False, and x != other is True, where other does not know either")
def _(F):
    return F.ones(2) == Plain(), F.ones(2) != Plain(), Plain() == F.ones(2), F.ones(2) == "1", F.ones(2) != [1, 1]


behaviours.table(
    ("a list times a tensor of one int is the list, so many times",
     lambda F: (F.tensor(2) * [1, 3], [1, 3] * F.tensor(2))),
    ("a list times a tensor of floats is an error", lambda F: F.ones(2) * [1, 3],
     TypeError, "only integer tensors of a single element can be converted to an index"),
)  # fmt: skip


test_as_in_torch = behaviours.test()


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_functions_and_methods_refuse_what_has_an_operator_of_its_own(name: str) -> None:
    other = stranger({"div": "__rtruediv__"}.get(name, f"__r{name}__"))
    x = minigrad.ones(2)
    for call in (getattr(x, name), lambda value: getattr(minigrad, name)(x, value)):
        with pytest.raises(
            TypeError, match=rf"^{name}\(\): argument 'other' .* must be Tensor, not .*Make it one first"
        ):
            call(other)
