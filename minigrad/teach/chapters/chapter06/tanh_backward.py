"""Exercise `tanh_backward`: the backward of a Function that saved its output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd import grad
from minigrad.autograd.function import Function
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter06.common import CHAPTER, slopes
from minigrad.teach.comparing import Difference
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, yours
from minigrad.tensor import Tensor


def tanh_backward(ctx: Any, grad_output: Tensor) -> Any:
    """The gradient of x, from that of y = tanh(x); forward has saved y."""
    (y,) = ctx.saved_tensors
    return grad_output * (1 - y * y)


def _function(backward: Callable[..., Any]) -> Any:
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.tanh()
        ctx.save_for_backward(y)
        return y

    return type("Tanh", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _plug(backward: Callable[..., Any]) -> Callable[..., Any]:
    tanh = _function(backward)

    def run(x: Tensor, weights: Tensor) -> Any:
        return grad(tanh.apply(x), x, weights, allow_unused=True)[0]

    return run


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The walk as it should be, and in red what was answered."""
    x, weights = outcome.case.make()
    y = _function(tanh_backward).apply(x)
    return draw_wrong_node(y, {"x": x, "y": y}, x, yours(outcome.value), weights)


def _wrongly(rule: Callable[[Tensor, Tensor], Any]) -> Callable[..., Any]:
    return lambda ctx, grad_output: rule(grad_output, ctx.saved_tensors[0])


def _case(numbers: list[float], weights: list[float]) -> Case:
    return Case(
        f"y = Tanh.apply(x) at x = {numbers}, grad_output = {weights}",
        lambda: (tensor(numbers, requires_grad=True), tensor(weights)),
    )


TANH_BACKWARD = Exercise(
    name="tanh_backward",
    chapter=CHAPTER,
    title="the gradient of x, from grad_output and what forward saved",
    stars=1,
    minutes=5,
    reference=tanh_backward,
    plug=_plug,
    cases=(
        _case([0.5, -1.0, 2.0], [1.0, 1.0, 1.0]),
        _case([0.0, 0.3], [2.0, -3.0]),
        _case([1.5, -0.2, 0.7], [0.0, 0.5, 10.0]),
    ),
    hints=(
        "A node multiplies what comes in by the slope of its own operation. Which of the two does each argument bring?",
        "grad_output comes in. The slope is 1 - y * y, and y is what forward saved.",
        "(y,) = ctx.saved_tensors takes the one tensor out of the tuple; then return grad_output times the slope.",
    ),
    evidence=lambda outcome: slopes(lambda x: x.tanh(), *outcome.arguments),
    picture=_draw,
    mistakes=(
        Mistake(
            "This is the slope alone. What came in, grad_output, is not in it, so the chain rule is cut here.",
            _wrongly(lambda g, y: 1 - y * y),
        ),
        Mistake(
            "tanh was applied once more: what forward saved is y already, not x.",
            _wrongly(lambda g, y: g * (1 - y.tanh() ** 2)),
        ),
        Mistake(
            "grad_output was taken for x. It is the gradient that arrives at y, and the rule multiplies it.",
            _wrongly(lambda g, y: 1 - g.tanh() ** 2),
        ),
        Mistake("The slope is 1 minus the square of y, not 1 minus y.", _wrongly(lambda g, y: g * (1 - y))),
        Mistake("The slope is 1 minus the square of y, not 1 plus it.", _wrongly(lambda g, y: g * (1 + y * y))),
        Mistake(
            "The slope was added to grad_output. A node multiplies what comes in by its slope.",
            _wrongly(lambda g, y: g + (1 - y * y)),
        ),
        Mistake("This is grad_output times y. y is the result; its slope is 1 - y * y.", _wrongly(lambda g, y: g * y)),
        Mistake(
            "What came in goes on as it was: the slope of tanh, 1 - y * y, is missing. Nothing is recorded while a "
            "backward runs, so nobody multiplies by it if you do not.",
            _wrongly(lambda g, y: g),
        ),
        Mistake(
            "The gradient was summed up. It has one number for each element of x.",
            when=raised("invalid gradient", "got []"),
        ),
        Mistake(
            "ctx.saved_tensors is a tuple, also when one tensor was saved: (y,) = ctx.saved_tensors, or [0].",
            when=lambda outcome: isinstance(outcome.error, TypeError) and "tuple" in str(outcome.error),
        ),
        Mistake(
            "ctx has no attribute of this name. forward called ctx.save_for_backward(y), so y is in ctx.saved_tensors.",
            when=lambda outcome: isinstance(outcome.error, AttributeError) and "Backward" in str(outcome.error),
        ),
        Mistake(
            "A gradient has to be a tensor, with one number for each number of x: no .item(), no .numpy().",
            when=raised("expected Variable or None"),
        ),
    ),
)
