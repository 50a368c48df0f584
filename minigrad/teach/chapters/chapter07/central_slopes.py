"""Exercise `central_slopes`: the slope of a function for each element of its input, without rules."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.autograd.engine import grad
from minigrad.creation.factories import zeros_like
from minigrad.teach.chapters.chapter07.common import CHAPTER, in_float64
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


def central_slopes(f: Callable[[Tensor], Tensor], x: Tensor, eps: float) -> Tensor:
    """The slope of f with respect to each element of x, by central differences."""
    return _each_moved(x, lambda step: (f(x + step) - f(x - step)) / (2 * eps), eps)


def _each_moved(x: Tensor, slope: Callable[[Tensor], Tensor], eps: float) -> Tensor:
    slopes = zeros_like(x)
    for element in range(x.numel()):
        step = zeros_like(x)
        step.view(-1)[element] = eps
        slopes.view(-1)[element] = slope(step)
    return slopes


def _stays_moved(x: Tensor, f: Callable[[Tensor], Tensor], eps: float, left_at: float) -> Tensor:
    """Each element is left where it was moved to last."""
    moved, slopes = x.clone(), zeros_like(x)
    for element in range(x.numel()):
        value = moved.view(-1)[element].item()
        outputs = []
        for side in (-left_at, left_at):
            moved.view(-1)[element] = value + side * eps
            outputs.append(f(moved).item())
        slopes.view(-1)[element] = (outputs[1] - outputs[0]) / (2 * left_at * eps)
    return slopes


def _rows_moved(f: Callable[[Tensor], Tensor], x: Tensor, eps: float) -> Tensor:
    slopes = zeros_like(x)
    for row in range(len(x)):
        step = zeros_like(x)
        step[row] = eps
        slopes[row] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


def _by_engine(f: Callable[[Tensor], Tensor], x: Tensor, eps: float) -> Tensor:
    leaf = x.detach().clone().requires_grad_()
    return grad(f(leaf), [leaf])[0]


def _pairs(t: Tensor) -> Tensor:
    return (t[:, 0] * t[:, 1]).sum()


CENTRAL_SLOPES = Exercise(
    name="central_slopes",
    chapter=CHAPTER,
    title="a tensor in the shape of x with the slope of f for each element of x, by central differences",
    stars=2,
    minutes=10,
    reference=central_slopes,
    cases=(
        Case(
            "f = lambda t: (t ** 3).sum(), x = [1., 2.], eps = 0.5",
            lambda: (lambda t: (t**3).sum(), in_float64([1.0, 2.0]), 0.5),
        ),
        Case(
            "f = lambda t: t.prod(), x = [1., 2., 4.], eps = 0.25",
            lambda: (lambda t: t.prod(), in_float64([1.0, 2.0, 4.0]), 0.25),
        ),
        Case(
            "f = lambda t: (t[:, 0] * t[:, 1]).sum(), x = [[1., 2.], [3., 4.]], eps = 0.125",
            lambda: (_pairs, in_float64([[1.0, 2.0], [3.0, 4.0]]), 0.125),
        ),
    ),
    hints=(
        "How much does f(x) change when only the first element of x is moved by eps, to the right and to the left?",
        "A step is a tensor of zeros in the shape of x with one eps in it. Make one for each element.",
        "step.view(-1)[k] = eps writes to element k, in whatever shape. The slope is the difference of f(x + step) and "
        "f(x - step), divided by the distance between the two points.",
    ),
    evidence=lambda outcome: (
        "  with element 0 moved alone: f is "
        f"{outcome.arguments[0](_first_moved(outcome, -1)).item():.6g} at -eps and "
        f"{outcome.arguments[0](_first_moved(outcome, 1)).item():.6g} at +eps, {2 * outcome.arguments[2]:g} apart"
    ),
    mistakes=(
        Mistake(
            "One side only: f(x + step) - f(x). A central difference also steps to the other side, and is much "
            "nearer to the slope.",
            lambda f, x, eps: _each_moved(x, lambda step: (f(x + step) - f(x)) / eps, eps),
        ),
        Mistake(
            "Twice too much. The two points are 2 * eps apart, and this is what to divide by.",
            lambda f, x, eps: central_slopes(f, x, eps) * 2,
        ),
        Mistake(
            "... / 2 * eps divides by 2 and then multiplies by eps. Write / (2 * eps).",
            lambda f, x, eps: central_slopes(f, x, eps) * eps * eps,
        ),
        Mistake(
            "The sign is turned around: the slope is how much f grows on the way from x - step to x + step.",
            lambda f, x, eps: -central_slopes(f, x, eps),
        ),
        Mistake(
            "The points are 1 away from x, not eps. Put eps into the step.",
            lambda f, x, eps: central_slopes(f, x, 1.0) / eps,
        ),
        Mistake(
            "Whole rows were moved: a tensor of two dimensions has more elements than len(x) says. Go over x.numel() "
            "elements, with view(-1).",
            _rows_moved,
        ),
        Mistake(
            "This is one number. A slope is asked for for each element of x, in the shape of x.",
            when=lambda outcome: not isinstance(outcome.value, list | tuple) and getattr(outcome.value, "ndim", 0) == 0,
        ),
        Mistake(
            "All elements were moved at once. That measures the sum of all slopes; move one, and leave the others.",
            lambda f, x, eps: zeros_like(x) + (f(x + eps) - f(x - eps)) / (2 * eps),
        ),
        Mistake(
            "An element stays moved while the next one is measured. Put each back, or begin from x again.",
            lambda f, x, eps: _stays_moved(x, f, eps, 1.0),
        ),
        Mistake(
            "An element stays moved while the next one is measured, to the left. Put each back, or begin from x again.",
            lambda f, x, eps: _stays_moved(x, f, eps, -1.0),
        ),
        Mistake(
            "These are the gradients of backward. They are to be checked by something that does not know the rules: "
            "by values of f alone.",
            _by_engine,
        ),
        Mistake(
            "The slopes lie in one row. The gradient has the shape of x: make zeros_like(x), and fill it.",
            when=lambda outcome: (
                isinstance(outcome.value, Tensor)
                and outcome.value.shape == (outcome.arguments[1].numel(),)
                and outcome.arguments[1].ndim == 2
            ),
        ),
    ),
)


def _first_moved(outcome: Outcome, side: int) -> Tensor:
    _, x, eps = outcome.case.make()
    x.view(-1)[0] += side * eps
    return x
