"""Exercise `peaks_backward`: the way back through a square and a max-pool, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd import grad
from minigrad.autograd.function import Function
from minigrad.creation.data import ones_like, tensor, zeros_like
from minigrad.nn.functional import max_pool1d
from minigrad.teach.chapters.chapter06.common import CHAPTER, slopes
from minigrad.teach.comparing import Difference
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor


def peaks_backward(ctx: Any, grad_output: Tensor) -> Any:
    """The gradients of x, size and stride, for the largest squares in windows of x."""
    x, places = ctx.saved_tensors
    at_peaks = zeros_like(x).scatter_add_(-1, places, grad_output)
    return 2 * x * at_peaks, None, None


def _function(backward: Callable[..., Any]) -> Any:
    def forward(ctx: Any, x: Tensor, size: int, stride: int) -> Tensor:
        peaks, places = max_pool1d(x * x, size, stride, return_indices=True)
        ctx.save_for_backward(x, places)
        return peaks

    return type("Peaks", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _plug(backward: Callable[..., Any]) -> Callable[..., Any]:
    function = _function(backward)

    def run(x: Tensor, size: int, stride: int, weights: Tensor) -> Any:
        return grad(function.apply(x, size, stride), x, weights, allow_unused=True)[0]

    return run


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The walk as it should be, and in red what was answered."""
    x, size, stride, weights = outcome.case.make()
    y = _function(peaks_backward).apply(x, size, stride)
    return draw_wrong_node(y, {"x": x, "y": y}, x, f"✗ yours: {difference.yours} at {_place(difference)}", weights)


def _place(difference: Difference) -> str:
    return "x" + difference.where.removeprefix("the answer").replace("[", "(").replace("]", ")")


def _wrongly(rule: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[..., Any]:
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        x, places = ctx.saved_tensors
        return rule(x, places, grad_output), None, None

    return backward


def _added(x: Tensor, places: Tensor, gradient: Tensor) -> Tensor:
    return zeros_like(x).scatter_add_(-1, places, gradient)


def _case(rows: list[list[float]], size: int, stride: int, weights: list[list[float]]) -> Case:
    return Case(
        f"Peaks.apply(x, {size}, {stride}) at x = {rows}, grad_output = {weights}",
        lambda: (tensor(rows, requires_grad=True), size, stride, tensor(weights)),
    )


def _evidence(outcome: Outcome) -> str:
    x, size, stride, weights = outcome.arguments
    return slopes(lambda moved: max_pool1d(moved * moved, size, stride), x, weights)


PEAKS_BACKWARD = Exercise(
    name="peaks_backward",
    chapter=CHAPTER,
    title="the gradients of x, size and stride",
    stars=2,
    minutes=10,
    reference=peaks_backward,
    plug=_plug,
    cases=(
        _case([[1.0, -3.0, 2.0, 0.5, 1.0, 4.0]], 3, 3, [[1.0, 1.0]]),
        _case([[1.0, -3.0, 2.0, 0.5, 1.0, 4.0]], 3, 1, [[1.0, 1.0, 1.0, 1.0]]),
        _case([[0.5, 1.5, -2.0, 1.0], [3.0, -1.0, 0.0, -0.5]], 2, 1, [[1.0, 0.0, -2.0], [0.5, 3.0, 1.0]]),
    ),
    hints=(
        "Go back through the two operations in turn. First the max-pool: each number of grad_output belongs to one "
        "element of x. Which one?",
        "places says it. Begin with mg.zeros_like(x), and put each number of grad_output at its place. What if two "
        "windows have the same peak?",
        "zeros.scatter_add_(-1, places, grad_output) adds each number at its place along the last dimension. Then "
        "multiply by 2 * x, and return it with a None for size and one for stride.",
    ),
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(
            "Where two windows have the same peak, one gradient has replaced the other. An element that is used twice "
            "gets the sum: scatter_add_ instead of scatter_. (t[places] += ... writes each place once, too.)",
            _wrongly(lambda x, places, g: 2 * x * zeros_like(x).scatter_(-1, places, g)),
        ),
        Mistake(
            "These are the gradients of x * x, in their places. The slope of the square, 2 * x, is still to come.",
            _wrongly(_added),
        ),
        Mistake(
            "The slope of x * x is 2 * x; here the gradients were multiplied by x only.",
            _wrongly(lambda x, places, g: x * _added(x, places, g)),
        ),
        Mistake(
            "The factor 2 is there, and x is missing: the slope of x * x is 2 * x.",
            _wrongly(lambda x, places, g: 2 * _added(x, places, g)),
        ),
        Mistake(
            "This is multiplied by the square itself. Its slope is 2 * x.",
            _wrongly(lambda x, places, g: x * x * _added(x, places, g)),
        ),
        Mistake(
            "The sign of x has got lost. The square of a negative number falls when the number grows: 2 * x.",
            _wrongly(lambda x, places, g: 2 * x.abs() * _added(x, places, g)),
        ),
        Mistake(
            "Ones were put at the places of the peaks. It is grad_output that has to get there: what comes in is not "
            "always 1.",
            _wrongly(lambda x, places, g: 2 * x * _added(x, places, ones_like(g))),
        ),
        Mistake(
            "Every element of x got a gradient. Only peaks get one: others can change a little and no maximum moves.",
            when=lambda outcome: (
                isinstance(outcome.value, Tensor) and bool(outcome.value.detach().numpy()[0, :1].any())
            ),
        ),
        Mistake(
            "forward has three arguments after ctx, so backward returns three, in a tuple: the gradient of x, "
            "None, None.",
            when=raised("incorrect number of gradients"),
        ),
        Mistake(
            "There is one number for each window in grad_output, and one for each element in x: they do not fit yet. "
            "Put each number at its place in a tensor of x's shape first.",
            when=raised("must match the size"),
        ),
        Mistake(
            "This has one number for each window. The gradient of x has the shape of x: put each number at its place "
            "in zeros.",
            when=raised("invalid gradient"),
        ),
        Mistake(
            "places count along a row, which is the last dimension: scatter_add_(-1, places, ...).",
            when=raised("out of bounds for dimension 0"),
        ),
        Mistake(
            "size and stride are no tensors and get no gradient: None at their places.",
            when=raised("gradient different than None"),
        ),
        Mistake(
            "Nothing is recorded while a backward runs, so there is no graph here to go back through. Compute the "
            "gradient from grad_output, x and places.",
            when=raised("does not require grad"),
        ),
    ),
)
