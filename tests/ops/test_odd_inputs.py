"""Inputs that a program meets now and then: empty tensors, numbers alone, tensors as options, infinities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("two numbers: their sum, difference, product and quotients are tensors")
def _(F):
    pairs: list[tuple[Any, Any]] = [(1, 2), (1, 2.5), (True, 3), (-7, 2), (2.5, 0.5)]
    return [[F.add(a, b), F.add(a, b, alpha=2), F.mul(a, b), F.div(a, b), F.floor_divide(a, b)] for a, b in pairs] + [
        [F.sub(5, 2), F.sub(1, 2.5, alpha=2)]
    ]


@behaviours("a tensor with one number serves as alpha")
def _(F):
    x, y = F.tensor([1.0, 2.0], requires_grad=True), F.tensor([3.0, 5.0], requires_grad=True)
    rate = F.tensor(0.5)
    total = F.add(x, y, alpha=rate) + F.sub(x, y, alpha=rate)
    total.sum().backward()
    return total, x.grad, y.grad, F.zeros(2).add_(y.detach(), alpha=-rate)


@behaviours("equal numbers, the second of which may be remembered, keep their signs and kinds")
def _(F):
    x = F.tensor([1.0, -2.0], requires_grad=True)
    zeros = [x * number for number in (0.0, -0.0, 0, 0.0)]
    saved = [(x * number).grad_fn._saved_other for number in (2, 2.0, 2, True, 1, 1.0)]
    return [zero.reciprocal() for zero in zeros], [(other.dtype, other.item()) for other in saved]


@behaviours("an integer 0 divides nothing")
def _(F):
    nothing = F.zeros(2, 0, dtype=F.int64)
    return nothing // 0, nothing % 0


@behaviours("integers of two dtypes become floats before they are combined: 255 stays positive beside int8")
def _(F):
    few, byte = F.tensor([3, -2], dtype=F.int8), F.tensor(255, dtype=F.uint8)
    return few / byte, few / F.tensor([7], dtype=F.int64)


@behaviours("three dtypes meet by whether they have dimensions, whatever their order")
def _(F):
    few, byte = F.tensor([-2, 1, 2], dtype=F.int8), F.tensor([3], dtype=F.uint8)
    half = F.ones(3, dtype=F.float16)
    return F.cat([few, byte, few]), F.cat([byte, few, few]), F.cat([few, half, byte]), F.cat([half, byte, few])


@behaviours("small integers beside floats: gradients are computed with floats")
def _(F):
    x = F.tensor([0.5, 2.0], requires_grad=True)
    few, byte = F.tensor([100, 3], dtype=F.int8), F.tensor([200, 3], dtype=F.uint8)
    total = byte**x + few**x
    total.sum().backward()
    return total, x.grad


@behaviours("copy_ may be told not to wait")
def _(F):
    return F.zeros(2).copy_(F.ones(2), True), F.zeros(2).copy_(F.ones(2), non_blocking=True)


REFUSED: dict[str, tuple[type[Exception], str, Callable[[Any], Any]]] = {
    **{
        f"{name}({value!r}) with {alpha!r} for alpha": (
            TypeError,
            f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}",
            lambda F, name=name, value=value, alpha=alpha: getattr(F.ones(2), name)(
                F.ones(2) if value is None else value, alpha=alpha
            ),
        )
        for name in ("add", "add_", "sub_")
        for value in (None, 1)
        for alpha in (None, "half", [2])
    },
    "softmax without dim": (
        TypeError,
        "softmax() missing 1 required positional argument",
        lambda F: F.softmax(F.ones(2)),
    ),
    "x.softmax() without dim": (
        TypeError,
        "softmax() missing 1 required positional argument",
        lambda F: F.ones(2).softmax(),
    ),
    "x.log_softmax() without dim": (
        TypeError,
        "log_softmax() missing 1 required positional argument",
        lambda F: F.ones(2).log_softmax(),
    ),
    "relu_ of a number": (
        TypeError,
        "relu_(): argument 'input' (position 1) must be Tensor, not int",
        lambda F: F.relu_(3),
    ),
    "solve with a number": (
        TypeError,
        "linalg_solve(): argument 'B' (position 2) must be Tensor, not int",
        lambda F: F.linalg.solve(F.eye(2), 1),
    ),
}


def refused(text: str, error: type[Exception], says: str, call: Callable[[Any], Any]) -> None:
    @behaviours(text, error=error, says=says)
    def _(F):
        call(F)


for text, (error, says, call) in REFUSED.items():
    refused(text, error, says, call)


test_as_in_torch = behaviours.test()
