"""Exercise `recomputed`: a Function that keeps nothing but its input, and runs its function again on the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd import grad
from minigrad.autograd.function import Function
from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad
from minigrad.creation.data import tensor
from minigrad.ops.pointwise.trigonometry import sin
from minigrad.teach.chapters.chapter06.common import CHAPTER, slopes
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, numbers
from minigrad.tensor import Tensor


class Counted:
    """A function that notes each of its calls, and whether it was recorded. It also holds the leaf to look at."""

    def __init__(self, function: Callable[[Tensor], Tensor], leaf: Tensor) -> None:
        self.function, self.leaf = function, leaf
        self.calls: list[str] = []

    def __call__(self, x: Tensor) -> Tensor:
        self.calls.append("recorded" if is_grad_enabled() and x.requires_grad else "unrecorded")
        return self.function(x)

    def __repr__(self) -> str:
        return "f"


def _function(back: Callable[..., Any], keep: Callable[[Tensor], Any] = lambda x: x) -> Callable[..., Any]:
    """`recomputed` with this backward: `back(f, x, grad_output)`, and forward keeps `keep(x)`."""

    class Recompute(Function):
        @staticmethod
        def forward(ctx: Any, f: Any, x: Tensor) -> Tensor:
            ctx.f = f
            ctx.save_for_backward(keep(x))
            result: Tensor = f(x)
            return result

        @staticmethod
        def backward(ctx: Any, grad_output: Tensor) -> Any:
            (x,) = ctx.saved_tensors
            return None, back(ctx.f, x, grad_output)

    return lambda f, x: Recompute.apply(f, x)


def _isolated(f: Callable[[Tensor], Tensor], x: Tensor, grad_output: Tensor) -> Any:
    with enable_grad():
        inner_x = x.detach().requires_grad_()
        inner_y = f(inner_x)
    return grad(inner_y, inner_x, grad_output)[0]


def recomputed(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """f(x), computed again on the way back instead of being remembered."""
    result: Tensor = _function(_isolated)(f, x)
    return result


def _of_the_sum(f: Callable[[Tensor], Tensor], x: Tensor, grad_output: Tensor) -> Any:
    return _isolated(f, x, tensor(1.0).expand(grad_output.shape))


def _observe(value: Any, arguments: tuple[Any, ...]) -> Any:
    """The numbers, the gradient that arrived at the leaf, and the calls of f before and in the backward."""
    f = arguments[0]
    if not isinstance(value, Tensor) or tuple(value.shape) != (3,):
        return value
    forward_calls = tuple(f.calls)
    if value.requires_grad:
        value.backward(tensor([1.0, -2.0, 0.5]))
    return value.detach(), f.leaf._grad, forward_calls, tuple(f.calls[len(forward_calls) :])


def _is_observed(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 4 and isinstance(value[2], tuple)


def _compare(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if not _is_observed(got):
        return compare(expected[0], got)
    difference = compare(expected[0], got[0], "the numbers")
    if difference is not None:
        return difference
    if got[1] is None:
        return Difference("the gradient of the leaf", "None", show(expected[1]), "No gradient has arrived there.")
    difference = compare(expected[1], got[1], "the gradient of the leaf")
    if difference is not None:
        return difference
    for when, wanted, mine in zip(("before backward", "in backward"), expected[2:], got[2:], strict=True):
        if wanted != mine:
            note = "The numbers are right, but f has to run twice: once unrecorded, and once recorded in backward."
            return Difference(f"calls of f {when}", _calls(mine), _calls(wanted), note)
    return None


def _calls(calls: tuple[str, ...]) -> str:
    return ", ".join(calls) or "none"


def _show(value: Any, arguments: tuple[Any, ...]) -> str:
    if not _is_observed(value):
        return show(value)
    arrived = "None" if value[1] is None else show(value[1])
    return (
        f"{show(value[0])}; gradient of the leaf {arrived}; calls of f: {_calls(value[2])}; in backward: "
        f"{_calls(value[3])}"
    )


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The learner's graph, walked, and in red the leaf, or the result if it is not as asked for."""
    f, x = outcome.case.make()
    answer: Any = outcome.answer
    result = answer(f, x)
    names = {"x": x} if x.is_leaf else {"w": f.leaf, "x": x}
    arriving = tensor([1.0, -2.0, 0.5]) if result.requires_grad else None
    if difference.where.startswith("the gradient") and result.requires_grad:
        (right,) = grad(recomputed(*(made := outcome.case.make())), made[0].leaf, arriving)
        return draw_wrong_node(result, names, f.leaf, f"✗ expected {numbers(right)}", arriving, answer)
    words = "✗ other numbers" if difference.where.startswith("the numbers") else "✗ not as asked for"
    return draw_wrong_node(result, names, result, words if result.requires_grad else "✗ no way back", arriving, answer)


def _arrived_twice(outcome: Outcome) -> bool:
    f, x = outcome.arguments
    if not x.is_leaf or not _is_observed(outcome.value) or outcome.value[1] is None:
        return False
    once = _isolated(f.function, x, tensor([1.0, -2.0, 0.5]))
    return compare(once * 2, outcome.value[1]) is None


def _case(words: str, function: Callable[[Any], Any], numbers: list[float], outside: bool = False) -> Case:
    def make() -> tuple[Any, ...]:
        leaf = tensor(numbers, requires_grad=True)
        return Counted(function, leaf), leaf * 2 if outside else leaf

    where = f"2 * w, with the leaf w = {numbers}" if outside else f"the leaf {numbers}"
    return Case(f"f(x) = {words}, x is {where}, grad_output = [1.0, -2.0, 0.5]", make)


def _evidence(outcome: Outcome) -> str:
    f, x = outcome.arguments
    times = 1 if x.is_leaf else 2
    with no_grad():
        return slopes(lambda w: f.function(w * times), f.leaf, tensor([1.0, -2.0, 0.5]))


RECOMPUTED = Exercise(
    name="recomputed",
    chapter=CHAPTER,
    title="f(x) as one node that keeps x only and runs f again in backward",
    stars=3,
    minutes=12,
    reference=recomputed,
    cases=(
        _case("sin(x) * x", lambda x: sin(x) * x, [0.5, -1.0, 2.0]),
        _case("tanh(x * x)", lambda x: (x * x).tanh(), [0.5, 1.0, -0.3]),
        _case("sin(x) * x", lambda x: sin(x) * x, [0.5, -1.0, 2.0], outside=True),
    ),
    hints=(
        "forward is short: keep f and x, and return f(x), which nothing records. The small graph is made in backward.",
        "In backward: under enable_grad, make a leaf of x's numbers that requires a gradient, and call f with it.",
        "with mg.enable_grad(): inner_x = x.detach().requires_grad_(); inner_y = f(inner_x). Then "
        "mg.autograd.grad(inner_y, inner_x, grad_output) gives the gradient in a tuple. f is the first argument of "
        "forward, so return None, gradient.",
    ),
    observe=_observe,
    compare=_compare,
    show=_show,
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(
            "The gradient has arrived twice. The small graph ended in the x of the big one, and its own walk wrote "
            "there, before your backward returned the same again. Begin it with x.detach().requires_grad_().",
            when=_arrived_twice,
        ),
        Mistake(
            "grad_output was left out: this is the gradient of the sum of f(x). Hand it to the inner walk.",
            _function(_of_the_sum),
        ),
        Mistake(
            "This is grad_output times f(x). It has to be multiplied by the slopes of f, which the small graph gives.",
            _function(lambda f, x, g: g * f(x)),
        ),
        Mistake(
            "What came in goes on as it was, without the slopes of f: run f again, recorded, and walk back through it.",
            _function(lambda f, x, g: g),
        ),
        Mistake(
            "grad_output is in it twice: the inner walk began with it, and its result was multiplied by it once more.",
            _function(lambda f, x, g: _isolated(f, x, g) * g),
        ),
        Mistake(
            "autograd.grad returns a tuple, even for one input. Take its item [0].",
            when=raised("expected Variable or None (got tuple)"),
        ),
        Mistake(
            "f(x) was computed without a history, and nothing was put in its place: it is the apply of a Function that "
            "gives it one.",
            when=lambda outcome: _is_observed(outcome.value) and outcome.value[1] is None,
        ),
        Mistake(
            "f ran more than once in backward. Once is enough: keep its result, and walk back through that.",
            when=lambda outcome: _is_observed(outcome.value) and len(outcome.value[3]) > 1,
        ),
        Mistake(
            "f ran recorded in forward: its whole graph was kept until backward. Call it unrecorded there, and again "
            "in backward.",
            when=lambda outcome: _is_observed(outcome.value) and "recorded" in outcome.value[2],
        ),
        Mistake(
            "The small graph is not there: either nothing was recorded, since backward runs with recording off until "
            "you say enable_grad(), or its input does not require a gradient after detach().",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        Mistake(
            "f(x) has several elements, and the inner walk was not told how much each counts: pass it grad_output.",
            when=raised("implicitly created"),
        ),
        Mistake(
            "One gradient for each argument of forward, in their order: if f is the first, None comes first.",
            when=lambda outcome: (
                raised("gradient different than None")(outcome) or raised("incorrect number of gradients")(outcome)
            ),
        ),
        Mistake(
            "save_for_backward is for tensors. Keep f as an attribute: ctx.f = f.",
            when=raised("save_for_backward can only save variables"),
        ),
    ),
)
