"""Exercise `gate_backward`: a backward with three mistakes, to be found with gradcheck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.engine import grad
from minigrad.autograd.function import Function
from minigrad.teach.chapters.chapter07.central_slopes import central_slopes
from minigrad.teach.chapters.chapter07.common import CHAPTER, in_float64
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, numbers
from minigrad.tensor import Tensor


def _forward(ctx: Any, x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    ctx.save_for_backward(x, w)
    return w * x.tanh() - b


def _function(backward: Callable[..., Any]) -> Any:
    return type("Gate", (Function,), {"forward": staticmethod(_forward), "backward": staticmethod(backward)})


def _plug(backward: Callable[..., Any]) -> Callable[..., Any]:
    """The gradients that a Function with this backward gives."""
    gate = _function(backward)

    def gradients(x: Tensor, w: Tensor, b: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        return tuple(grad(gate.apply(x, w, b), [x, w, b], weights))

    return gradients


def gate_backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, ...]:
    """The gradients of x, w and b."""
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


def _compare(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    for name, wanted, mine in zip("xwb", expected, got, strict=True):
        difference = compare(wanted, mine, f"the gradient of {name}")
        if difference is not None:
            return difference
    return None


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The walk as it should be, and in red the input whose gradient is wrong."""
    x, w, b, weights = outcome.case.make()
    y = _function(gate_backward).apply(x, w, b)
    name = difference.where.removeprefix("the gradient of ")[0]
    words = f"✗ yours: {numbers(outcome.value['xwb'.index(name)])}"
    return draw_wrong_node(y, {"x": x, "w": w, "b": b, "y": y}, name, words, weights)


def _gate_case(x: list[list[float]], w: list[float], b: list[float], weights: list[list[float]]) -> Case:
    words = f"x = {x}, w = {w}, b = {b}, grad_output = {weights}"
    return Case(words, lambda: (*[in_float64(part).requires_grad_() for part in (x, w, b)], in_float64(weights)))


def _gets(position: int, wrong: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> Callable[[Outcome], bool]:
    """Whether the gradient at a position is the one that a mistake gives, and not the right one as well."""

    def gets(outcome: Outcome) -> bool:
        if outcome.error is not None:
            return False
        right = _plug(gate_backward)(*outcome.case.make())[position]
        mine = outcome.value[position]
        return compare(right, mine) is not None and compare(wrong(*outcome.arguments).detach(), mine) is None

    return gets


def _measured(outcome: Outcome) -> str:
    x, w, b, weights = [part.detach() for part in outcome.arguments]
    found = {
        "x": central_slopes(lambda t: (weights * (w * t.tanh() - b)).sum(), x, 1e-5),
        "w": central_slopes(lambda t: (weights * (t * x.tanh() - b)).sum(), w, 1e-5),
        "b": central_slopes(lambda t: (weights * (w * x.tanh() - t)).sum(), b, 1e-5),
    }
    return "\n".join(
        f"  each element of {name} moved by 1e-05 to both sides: {show(_rounded(slopes))}"
        for name, slopes in found.items()
    )


def _rounded(slopes: Tensor) -> Tensor:
    return in_float64((slopes.numpy().round(5) + 0.0).tolist())


GATE_BACKWARD = Exercise(
    name="gate_backward",
    chapter=CHAPTER,
    title="the backward of y = w * x.tanh() - b: the gradients of x, w and b",
    stars=2,
    minutes=10,
    reference=gate_backward,
    plug=_plug,
    cases=(
        _gate_case([[0.5, -1.0], [0.25, 2.0]], [2.0, -3.0], [1.0, 0.0], [[1.0, 2.0], [0.5, -1.0]]),
        _gate_case(
            [[0.5, -1.0], [0.25, 2.0], [-0.75, 1.5]],
            [0.5, 1.5],
            [1.0, 0.0],
            [[1.0, -2.0], [3.0, 0.5], [0.25, 4.0]],
        ),
    ),
    hints=(
        "Run gradcheck on the Function with the three mistakes. It reports one mismatch at a time, for input 0 first.",
        "Input 0: what is the slope of tanh? Input 1: which number does the diagnosis give for the factor, and "
        "how many rows are there? Input 2: does y grow or fall when b grows?",
        "With t = x.tanh(): the slope of tanh is 1 - t * t. w and b take part in every row, so their gradients "
        "are sums over the rows, sum(0); that of b with a minus.",
    ),
    compare=_compare,
    evidence=_measured,
    picture=_draw,
    mistakes=(
        Mistake(
            "The gradient of x has the slope of tanh as 1 - t. It is 1 - t * t.",
            when=_gets(0, lambda x, w, b, g: g * w * (1 - x.tanh())),
        ),
        Mistake(
            "The gradient of x lacks the factor w: y grows w times as fast as tanh(x).",
            when=_gets(0, lambda x, w, b, g: g * (1 - x.tanh() ** 2)),
        ),
        Mistake(
            "The gradient of x lacks grad_output: what comes in is a factor of all that goes on.",
            when=_gets(0, lambda x, w, b, g: w * (1 - x.tanh() ** 2) + g * 0),
        ),
        Mistake(
            "The gradient of x lacks the slope of tanh, 1 - t * t.",
            when=_gets(0, lambda x, w, b, g: g * w),
        ),
        Mistake(
            "The gradient of w has x in it. w is multiplied by tanh(x), so the factor is t.",
            when=_gets(1, lambda x, w, b, g: (g * x).sum(0)),
        ),
        Mistake(
            "Summed along the wrong dimension, or over all: w has an element for each column, to which each row adds "
            "its part, sum(0).",
            when=lambda outcome: (
                _gets(1, lambda x, w, b, g: (g * x.tanh()).sum(1))(outcome)
                or raised("invalid gradient", "compatible with [2]")(outcome)
            ),
        ),
        Mistake(
            "The gradient of b is a mean over the rows. Each row adds its part: use sum(0).",
            when=_gets(2, lambda x, w, b, g: -g.mean(0)),
        ),
        Mistake(
            "The gradient of b lacks grad_output: -1 is the slope, and what comes in is its factor.",
            when=_gets(2, lambda x, w, b, g: g.sum(0) * 0 - 1),
        ),
        Mistake(
            "The gradient of w is a mean over the rows. Each row adds its part: use sum(0).",
            when=_gets(1, lambda x, w, b, g: (g * x.tanh()).mean(0)),
        ),
        Mistake(
            "The gradient of b has the wrong sign: y gets smaller when b grows.",
            when=_gets(2, lambda x, w, b, g: g.sum(0)),
        ),
        Mistake(
            "The gradients of w and b have changed places. They are returned in the order of forward's arguments.",
            when=_gets(2, lambda x, w, b, g: (g * x.tanh()).sum(0)),
        ),
        Mistake(
            "forward has three arguments after ctx, so backward returns three gradients, in a tuple (a list is none).",
            when=raised("incorrect number of gradients"),
        ),
    ),
)
