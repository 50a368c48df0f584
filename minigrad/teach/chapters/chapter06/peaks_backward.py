"""Exercise `peaks_backward`: the way back through a square and a max-pool, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd import grad
from minigrad.autograd.function import Function
from minigrad.creation.data import ones_like, tensor, zeros_like
from minigrad.nn.functional import max_pool1d
from minigrad.teach.chapters.chapter06.common import CHAPTER, slopes
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.tensor import Tensor


def peaks_backward(ctx: Any, grad_output: Tensor) -> Any:
    """The gradients of x, size and stride, for the largest squares in windows of x."""
    x, places = ctx.saved_tensors
    at_peaks = zeros_like(x).scatter_add_(-1, places, grad_output)
    return 2 * x * at_peaks, None, None


def _plug(backward: Callable[..., Any]) -> Callable[..., Any]:
    def forward(ctx: Any, x: Tensor, size: int, stride: int) -> Tensor:
        peaks, places = max_pool1d(x * x, size, stride, return_indices=True)
        ctx.save_for_backward(x, places)
        return peaks

    function: Any = type("Peaks", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})

    def run(x: Tensor, size: int, stride: int, weights: Tensor) -> Any:
        return grad(function.apply(x, size, stride), x, weights, allow_unused=True)[0]

    return run


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
    mistakes=(
        Mistake(
            "Where two windows have the same peak, one gradient has replaced the other. An element that is used twice "
            "gets the sum: scatter_add_ instead of scatter_.",
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
            "forward has three arguments after ctx, so backward returns three: the gradient of x, None, None.",
            when=raised("incorrect number of gradients"),
        ),
        Mistake(
            "There is one number for each window in grad_output, and one for each element in x: they do not fit yet. "
            "Put each number at its place in a tensor of x's shape first.",
            when=raised("must match the size"),
        ),
        Mistake(
            "Nothing is recorded while a backward runs, so there is no graph here to go back through. Compute the "
            "gradient from grad_output, x and places.",
            when=raised("does not require grad"),
        ),
    ),
)
