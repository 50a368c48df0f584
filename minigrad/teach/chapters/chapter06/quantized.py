"""Exercise `quantized`: rounding whose gradient goes straight through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd import grad
from minigrad.autograd.function import Function
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter06.common import CHAPTER, slopes
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor

WEIGHTS = (1.0, -2.0, 0.5)  # how much each element of the result counts


def _rounded(x: Tensor, step: float) -> Tensor:
    return (x / step).round() * step


def _function(back: Callable[[Tensor, float], Any], forward: Callable[[Tensor, float], Tensor] = _rounded) -> Any:
    """A function with this backward."""

    class Quantize(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, step: float) -> Tensor:
            ctx.step = step
            return forward(x, step)

        @staticmethod
        def backward(ctx: Any, grad_output: Tensor) -> Any:
            return back(grad_output, ctx.step), None

    return lambda x, step: Quantize.apply(x, step)


def quantized(x: Tensor, step: float) -> Tensor:
    """x rounded to multiples of step, with the gradient of x itself."""
    result: Tensor = _function(lambda g, step: g)(x, step)
    return result


def _observe(value: Any, arguments: tuple[Any, ...]) -> Any:
    """The numbers, and the gradient that they send to x."""
    if not isinstance(value, Tensor) or value.shape != arguments[0].shape:
        return value
    if not value.requires_grad:
        return value.detach(), None
    return value.detach(), grad(value, arguments[0], tensor(list(WEIGHTS)), allow_unused=True)[0]


def _compare(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if not isinstance(got, tuple) or len(got) != 2 or not isinstance(got[0], Tensor):
        return compare(expected[0], got)
    difference = compare(expected[0], got[0], "the numbers")
    if difference is not None:
        return difference
    if got[1] is None:
        note = "The numbers are right, but no way leads from them back to x."
        return Difference("the gradient of x", "None", show(expected[1]), note)
    return compare(expected[1], got[1], "the gradient of x")


def _show(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, tuple) or len(value) != 2 or not isinstance(value[0], Tensor):
        return show(value)
    return f"{show(value[0])}; for grad_output {list(WEIGHTS)} it sends {show(value[1])} to x"


def _case(numbers: list[float], step: float) -> Case:
    return Case(f"x = {numbers}, step = {step}", lambda: (tensor(numbers, requires_grad=True), step))


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The learner's graph, walked, and in red the result or x."""
    x, step = outcome.case.make()
    answer: Any = outcome.answer
    result = answer(x, step)
    weights = tensor(list(WEIGHTS)) if result.requires_grad else None
    if difference.where.startswith("the numbers"):
        return draw_wrong_node(result, {"x": x}, result, "✗ other numbers", weights, answer)
    if not result.requires_grad:
        return draw_wrong_node(result, {"x": x}, result, "✗ no way back to x", None, answer)
    return draw_wrong_node(result, {"x": x}, x, f"✗ expected {list(WEIGHTS)}", weights, answer)


def _evidence(outcome: Outcome) -> str:
    x, step = outcome.arguments
    measured = slopes(lambda moved: _rounded(moved, step), x, tensor(list(WEIGHTS)))
    return f"{measured}\n  that is the truth about rounding; asked for is what x itself would get, {list(WEIGHTS)}"


QUANTIZED = Exercise(
    name="quantized",
    chapter=CHAPTER,
    title="x rounded to multiples of step, whose gradient passes as if it were x",
    stars=2,
    minutes=8,
    reference=quantized,
    cases=(
        _case([0.3, 0.8, -1.1], 0.5),
        _case([0.3, 0.8, -1.1], 0.25),
        _case([7.0, 12.0, -3.0], 4.0),
    ),
    hints=(
        "The forward is (x / step).round() * step. What should a backward return that treats y as if it were x?",
        "It returns grad_output as it is, for x. And forward has one more argument: what is its gradient?",
        "class Quantize(mg.autograd.Function), with two static methods; backward returns grad_output, None. Then "
        "quantized returns Quantize.apply(x, step).",
    ),
    observe=_observe,
    compare=_compare,
    show=_show,
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(
            "The step was left out: this is x rounded to whole numbers.",
            _function(lambda g, step: g, lambda x, step: x.round()),
        ),
        Mistake(
            "This is the gradient of rounding itself, 0 everywhere. It needs a Function with a backward of your own, "
            "called by its apply.",
            _function(lambda g, step: g * 0),
        ),
        Mistake(
            "Rounded, but not multiplied by step any more: these are the numbers of the steps.",
            _function(lambda g, step: g, lambda x, step: (x / step).round()),
        ),
        Mistake(
            "This rounds down. round() goes to the nearest multiple.",
            _function(lambda g, step: g, lambda x, step: (x / step).floor() * step),
        ),
        Mistake(
            "What comes in is not in it: backward gave ones. It passes grad_output on, which is not always 1.",
            _function(lambda g, step: g * 0 + 1),
        ),
        Mistake(
            "backward rounds the gradient, too. Only the numbers are rounded; the gradient passes as it is.",
            _function(lambda g, step: _rounded(g, step)),
        ),
        Mistake(
            "The gradient was divided by step. The division belongs to the rounding, and the backward is to act as if "
            "there were none of it.",
            _function(lambda g, step: g / step),
        ),
        Mistake(
            "Quantize(...) makes an object and computes nothing. A Function is called by Quantize.apply(...).",
            when=lambda outcome: isinstance(outcome.value, Function),
        ),
        Mistake(
            "The history was cut, by detach(), no_grad() or a call of forward instead of apply, and nothing was put "
            "in its place.",
            when=lambda outcome: isinstance(outcome.value, tuple) and outcome.value[1:] == (None,),
        ),
        Mistake(
            "The gradient was multiplied by step. The multiplication belongs to the rounding, and the backward is to "
            "act as if there were none of it.",
            _function(lambda g, step: g * step),
        ),
        Mistake(
            "backward returns one gradient for each argument of forward after ctx. step is no tensor: return None for "
            "it.",
            when=raised("incorrect number of gradients"),
        ),
        Mistake(
            "step is no tensor and gets no gradient: None at its place.", when=raised("gradient different than None")
        ),
        Mistake(
            "save_for_backward is for tensors. A number is kept as an attribute, ctx.step = step; and do you need it?",
            when=raised("save_for_backward can only save variables"),
        ),
    ),
)
