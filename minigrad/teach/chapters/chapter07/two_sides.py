"""Exercise `two_sides`: the slopes to the left and to the right of a point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.engine import grad
from minigrad.teach.chapters.chapter07.common import CHAPTER, in_float64
from minigrad.teach.comparing import compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


def two_sides(f: Callable[[Tensor], Tensor], x: Tensor, eps: float) -> tuple[Any, Any]:
    """The slope of f to the left of x, and to the right."""
    return (f(x) - f(x - eps)) / eps, (f(x + eps) - f(x)) / eps


def _slope_at(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    leaf = x.detach().requires_grad_()
    return grad(f(leaf), leaf)[0]


def _values_around(outcome: Outcome) -> str:
    f, x, eps = outcome.arguments
    below, at, above = (f(x + side * eps).item() for side in (-1, 0, 1))
    return f"  f is {below:.6g} at x - eps, {at:.6g} at x and {above:.6g} at x + eps"


def _numbers(value: Any, arguments: tuple[Any, ...]) -> str:
    """A pair as numbers, whether they are tensors or not, in a tuple or a list."""
    if isinstance(value, tuple | list):
        value = tuple([item.item() if isinstance(item, Tensor) and item.numel() == 1 else item for item in value])
    return show(value)


TWO_SIDES = Exercise(
    name="two_sides",
    chapter=CHAPTER,
    title="a tuple of two numbers: the slope of f between x - eps and x, and the one between x and x + eps",
    stars=1,
    minutes=5,
    reference=two_sides,
    cases=(
        Case("f = lambda t: t ** 2, x = 3., eps = 0.5", lambda: (lambda t: t**2, in_float64(3.0), 0.5)),
        Case("f = mg.relu, x = 0., eps = 0.25", lambda: (lambda t: t.relu(), in_float64(0.0), 0.25)),
        Case("f = mg.abs, x = 0., eps = 0.125", lambda: (lambda t: t.abs(), in_float64(0.0), 0.125)),
        Case("f = mg.abs, x = -2., eps = 0.5", lambda: (lambda t: t.abs(), in_float64(-2.0), 0.5)),
    ),
    hints=(
        "A slope is the change of f divided by the distance, here between x and one of its neighbours.",
        "To the right: from f(x) to f(x + eps). To the left: from f(x - eps) to f(x), in this order.",
        "Return ((f(x) - f(x - eps)) / eps, and the same for the right side), in a tuple.",
    ),
    show=_numbers,
    evidence=_values_around,
    compare=lambda expected, got, outcome: compare(tuple([float(item.item()) for item in expected]), got),
    mistakes=(
        Mistake("Right and left have changed places.", lambda f, x, eps: two_sides(f, x, eps)[::-1]),
        Mistake(
            "The slope to the left has the wrong sign. On the way from x - eps to x one walks to the right: the change "
            "is f(x) - f(x - eps).",
            lambda f, x, eps: ((f(x - eps) - f(x)) / eps, two_sides(f, x, eps)[1]),
        ),
        Mistake(
            "The slope to the right has the wrong sign. On the way from x to x + eps the change is f(x + eps) - f(x).",
            lambda f, x, eps: (two_sides(f, x, eps)[0], (f(x) - f(x + eps)) / eps),
        ),
        Mistake(
            "Brackets are missing: / comes before -, so only one of the two values is divided.",
            lambda f, x, eps: (f(x) - f(x - eps) / eps, f(x + eps) - f(x) / eps),
        ),
        Mistake(
            "These are the slopes at x - eps and at x + eps. Asked for are those between x and each of the two.",
            lambda f, x, eps: (_slope_at(f, x - eps), _slope_at(f, x + eps)),
        ),
        Mistake(
            "The points are eps / 2 away. Asked for are the slopes between x and the points at a distance of eps.",
            lambda f, x, eps: two_sides(f, x, eps / 2),
        ),
        Mistake(
            "This is one number. The two slopes are asked for, in a tuple: left, right.",
            when=lambda outcome: getattr(outcome.value, "ndim", None) == 0 or isinstance(outcome.value, float),
        ),
        Mistake(
            "Divided by 2 * eps. From x to each of its neighbours it is only eps.",
            lambda f, x, eps: tuple([slope / 2 for slope in two_sides(f, x, eps)]),
        ),
        Mistake(
            "Both are the central difference, which is the mean of the two. It is asked for them one by one.",
            lambda f, x, eps: ((f(x + eps) - f(x - eps)) / (2 * eps),) * 2,
        ),
        Mistake(
            "These are changes of f. A slope is the change divided by eps.",
            lambda f, x, eps: tuple([slope * eps for slope in two_sides(f, x, eps)]),
        ),
    ),
)
