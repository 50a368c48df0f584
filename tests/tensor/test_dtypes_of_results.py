"""The dtype of every result: numbers and 0-d tensors do not widen within a category (I04)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from helpers.side_by_side import Behaviours

behaviours = Behaviours()


KINDS = ("bool", "int32", "int64", "float32", "float64")
BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "+": lambda F, a, b: a + b,
    "-": lambda F, a, b: a - b,
    "*": lambda F, a, b: a * b,
    "/": lambda F, a, b: a / b,
    "**": lambda F, a, b: a**b,
    "<": lambda F, a, b: a < b,
    ">=": lambda F, a, b: a >= b,
    "==": lambda F, a, b: a == b,
    "where": lambda F, a, b: F.where(F.tensor([True, False]), a, b),
}


def operands(F: Any) -> dict[str, Any]:
    """What may stand on the right: tensors with dimensions and without, and Python's numbers, all of value 1."""
    vectors = {f"{kind} vector": F.ones(2, dtype=getattr(F, kind)) for kind in KINDS}
    points = {f"{kind} 0-d": F.ones((), dtype=getattr(F, kind)) for kind in KINDS}
    return vectors | points | {"True": True, "1": 1, "1.0": 1.0}


def dtype_or_error(compute: Callable[[], Any]) -> Any:
    try:
        return compute().dtype
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return type(error).__name__


def dtypes_of(F: Any, left: str, compute: Callable[[Any, Any, Any], Any]) -> dict[str, Any]:
    values = operands(F)
    one = values[left]
    others = {name: b for name, b in values.items() if isinstance(one, F.Tensor) or isinstance(b, F.Tensor)}
    return {name: dtype_or_error(lambda b=b: compute(F, one, b)) for name, b in others.items()}


for _symbol, _compute in BINARY.items():
    for _left in (*(f"{kind} {shape}" for shape in ("vector", "0-d") for kind in KINDS), "True", "1", "1.0"):
        _scenario = functools.partial(dtypes_of, left=_left, compute=_compute)
        behaviours(f"I04: {_left} {_symbol} each other operand")(_scenario)


behaviours.table(
    ("I04: the tables' errors: subtracting bools", lambda F: F.tensor([True]) - F.tensor([True]),
     RuntimeError, "Subtraction, the `-` operator, with two"),
    ("I04: a bool cannot be subtracted from True", lambda F: True - F.tensor([True]),
     RuntimeError, "Subtraction, the `-` operator, with two"),
)  # fmt: skip


@behaviours("I04: cat, stack, maximum and matmul of two dtypes")
def _(F):
    pairs = [(F.ones(2, dtype=getattr(F, a)), F.ones(2, dtype=getattr(F, b))) for a in KINDS for b in KINDS]
    joined = [(F.cat([a, b]).dtype, F.stack([a, b]).dtype, F.maximum(a, b).dtype) for a, b in pairs]
    return joined, [dtype_or_error(lambda a=a, b=b: a @ b) for a, b in pairs]


UNARY = (
    *("neg", "abs", "sign", "square", "clone", "relu", "logical_not"),
    *("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "reciprocal"),
)
REDUCTIONS = ("sum", "mean", "prod", "max", "argmax", "any", "all")


for _name in (*UNARY, *REDUCTIONS):

    @behaviours(f"I04: the dtype of {_name}()")
    def _(F, name=_name):
        return {kind: dtype_or_error(getattr(F.ones(2, dtype=getattr(F, kind)), name)) for kind in KINDS}


@behaviours("I04: the sum of bools counts")
def _(F):
    x = F.tensor([True, True, False])
    return x.sum(), x.int().sum().dtype, x.sum(dtype=F.float32), x.double().mean()


@behaviours("I04: ints divide to float32")
def _(F):
    return F.tensor([1, 2]) / 2, F.tensor(1) / F.tensor(4), 1 / F.tensor([2, 4])


@behaviours("I04: Python's numbers and the dtype that is made of them")
def _(F):
    return F.tensor(1.0).dtype, F.tensor(1).dtype, F.tensor(True).dtype, F.full((1,), 2).dtype, F.full((1,), 2.0).dtype


@behaviours("I04: in place, the dtype of the tensor stays, or the write is refused")
def _(F):
    def written(kind: str, other: Any, name: str) -> Any:
        tensor = F.ones(2, dtype=getattr(F, kind))
        if name == "[:] =":
            tensor[:] = other
            return tensor
        return getattr(tensor, name)(other)

    values = operands(F)
    return {
        f"{kind} {name} {other}": dtype_or_error(lambda kind=kind, name=name, value=value: written(kind, value, name))
        for kind in KINDS
        for name in ("add_", "sub_", "mul_", "div_", "copy_", "[:] =")
        for other, value in values.items()
    }


@behaviours(
    "I04: in place, a float does not fit into ints",
    error=RuntimeError,
    says="result type Float can't be cast to the desired output type Long",
)
def _(F):
    x = F.arange(3)
    x += 1.5


@behaviours(
    "I04: in place, an int does not fit into bools",
    error=RuntimeError,
    says="result type Long can't be cast to the desired output type Bool",
)
def _(F):
    F.tensor([True]).add_(1)


@behaviours("I04: the gradient has the dtype of its leaf")
def _(F):
    x, y = F.ones(2, requires_grad=True), F.ones(2, dtype=F.float64, requires_grad=True)
    (x * y * F.arange(2)).sum().backward()
    return x.grad, y.grad


test_as_in_torch = behaviours.test()
