"""Exercise `two_sides`: the slopes to the left and to the right of a point."""

import math
from typing import NamedTuple

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Difference, Exercise, Mistake, compare, draw_numbers, edited, pick, pick_some, raised, show

from .chapter07 import lost_in_float32, measured_case


def two_sides(f, x, eps):
    """The slope of f to the left of x, and to the right."""
    return (f(x) - f(x - eps)) / eps, (f(x + eps) - f(x)) / eps


FUNCTIONS = ("t ** 2", "t ** 3", "t.relu()", "t.abs()", "t - t.abs()", "t.sin() * t", "(t - 1).abs() + t / 2")
FUNCTIONS += ("t.floor()", "t")  # the last is no new number: it changes when t is written to


def _drawn(random):
    """At kinks, at jumps and elsewhere, with steps that are lost in float32."""
    for words in pick_some(random, FUNCTIONS, 4):
        x = pick(random, [0.0, 1.0, draw_numbers(random)])
        yield measured_case(words, x, pick(random, [0.5, 0.1, 0.001, 1e-6]))


def _values_around(outcome):
    f, x, eps = outcome.case.make()
    below, at, above = (f(x + side * eps).item() for side in (-1, 0, 1))
    return f"  f is {below:.9g} at x - eps, {at:.9g} at x and {above:.9g} at x + eps"


def _numbers(value, arguments):
    return show(_as_numbers(value))


def _as_numbers(value):
    """A pair as numbers, whether they are tensors or not."""
    if not isinstance(value, tuple | list):
        return value
    kind = list if isinstance(value, list) else tuple  # a tuple with names is a tuple, too
    return kind(one.item() if isinstance(one, mg.Tensor) and one.ndim == 0 else one for one in value)


def _compare_slopes(expected, got, outcome):
    """As numbers usually are, and small ones by their own size: they were not computed in float32."""
    right, mine = _as_numbers(expected), _as_numbers(got)
    yield compare(right, mine)
    for number, (one, other) in enumerate(zip(right, mine, strict=True), 1):
        if not math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-8):
            yield Difference(f"item {number} of 2", show(other), show(one))


# ---------------------------------------------------------------- wrong answers


def right_first(f, x, eps):
    """Right and left have changed places."""
    return (f(x + eps) - f(x)) / eps, (f(x) - f(x - eps)) / eps


def right_the_other_way(f, x, eps):
    """The slope to the right has the wrong sign. On the way from x to x + eps the change is f(x + eps) - f(x)."""
    return ((f(x) - f(x - eps)) / eps).item(), ((f(x) - f(x + eps)) / eps).item()


def without_brackets(f, x, eps):
    """Brackets are missing: / comes before -, so only one of the two values is divided."""
    return f(x) - f(x - eps) / eps, f(x + eps) - f(x) / eps


def at_the_neighbours(f, x, eps):
    """These are the slopes at x - eps and at x + eps. Asked for are those between x and each of the two."""
    left, right = (x - eps).requires_grad_(), (x + eps).requires_grad_()
    return mg.autograd.grad(f(left), left)[0], mg.autograd.grad(f(right), right)[0]


def half_a_step(f, x, eps):
    """The points are eps / 2 away. Asked for are the slopes between x and the points at a distance of eps."""
    return right_first(f, x, eps / 2)[::-1]


def one_slope(f, x, eps):
    """This is one number. The two slopes are asked for, in a tuple: left, right."""
    return (f(x + eps) - f(x - eps)) / (2 * eps)


def by_two_eps(f, x, eps):
    """Divided by 2 * eps. From x to each of its neighbours it is only eps."""
    return (f(x) - f(x - eps)) / (2 * eps), (f(x + eps) - f(x)) / (2 * eps)


def central_twice(f, x, eps):
    """Both are the central difference, which is the mean of the two. Asked for are the two, each by itself."""
    slope = (f(x + eps) - f(x - eps)) / (2 * eps)
    return slope, slope


def forgot_to_divide(f, x, eps):
    """These are changes of f. A slope is the change divided by eps."""
    return f(x) - f(x - eps), f(x + eps) - f(x)


def in_float32(f, x, eps):
    """f was called with float32. Of two numbers that agree in seven digits the difference is noise: keep x's float64,
    which mg.tensor(...) of Python's numbers does not, unless it is told dtype=mg.float64.
    """
    return two_sides(f, x.float(), eps)


# ---------------------------------------------------------------- tried as well


def sides_through_python(f, x, eps):
    here = x.item()
    below, at, above = (f(mg.tensor(here + side * eps)).item() for side in (-1, 0, 1))
    return (at - below) / eps, (above - at) / eps


def sides_moving_one_tensor(f, x, eps):
    moved = x.clone()
    at = f(moved)
    moved += eps
    right = (f(moved) - at) / eps
    moved -= 2 * eps
    return ((at - f(moved)) / eps).item(), right.item()


def sides_of_a_smooth_function(f, x, eps):
    slope = (f(x + eps) - f(x - eps)) / (2 * eps)
    bend = (f(x + eps) - f(x)) / eps - slope
    return slope, slope + bend


def sides_by_gradients(f, x, eps):
    left, right = (x - eps / 2).requires_grad_(), (x + eps / 2).requires_grad_()
    return tuple(grad(f(one), one)[0].item() for one in (left, right))


def sides_in_numpy(f, x, eps):
    values = np.array([f(x + step).item() for step in (-eps, 0.0, eps)])
    return tuple(np.diff(values) / eps)


class Sides(NamedTuple):
    """A tuple of two numbers, which have names as well."""

    left: float
    right: float


def sides_of_double_numbers(f, x, eps):
    below, at, above = (f(mg.tensor(x.item() + step, dtype=mg.float64)) for step in (-eps, 0, eps))
    return (at - below) / eps, (above - at) / eps


def sides_of_one_value(f, x, eps):
    here = f(x).item()
    return (here - f(x - eps).item()) / eps, (f(x + eps).item() - here) / eps


def sides_put_back(f, x, eps):
    old, values = x.item(), []
    for step in (-eps, 0.0, eps):
        x.fill_(old + step)
        values.append(f(x).item())
    x.fill_(old)
    return (values[1] - values[0]) / eps, (values[2] - values[1]) / eps


def sides_by_two_calls(f, x, eps):
    def between(left, right):
        return (f(right) - f(left)) / (right - left)

    return between(x - eps, x), between(x, x + eps)


EXERCISE = Exercise(
    title="a tuple of two numbers or tensors: the slopes of f between x - eps and x, and between x and x + eps",
    stars=1,
    minutes=5,
    reference=two_sides,
    cases=(
        measured_case("t ** 2", 3.0, 0.5),
        measured_case("t.relu()", 0.0, 0.25),
        measured_case("t.abs()", 0.0, 0.125),
        measured_case("t.abs()", -2.0, 0.5),
        measured_case("t - t.abs()", 0.0, 0.5),
        measured_case("t ** 3", 1.0, 0.5),
        measured_case("t", 1.0, 0.25),
        measured_case("t.sin() * t", 0.7, 1e-6),
        measured_case("1e-7 * t ** 2", 2.0, 0.5),
        measured_case("t.floor()", 0.0, 1e-6),
    ),
    drawn=_drawn,
    may_leave=("version",),  # x may be moved, and put back
    hints=(
        "A slope is the change of f divided by the distance, here between x and one of its neighbours.",
        "To the right: from f(x) to f(x + eps). To the left: from f(x - eps) to f(x), in this order.",
        "Return ((f(x) - f(x - eps)) / eps, and the same for the right side), in a tuple.",
    ),
    show=_numbers,
    evidence=_values_around,
    compare=_compare_slopes,
    mistakes=(
        right_first,
        Mistake(
            edited(two_sides, "(f(x) - f(x - eps))", "(f(x - eps) - f(x))"),
            words="The slope to the left has the wrong sign. On the way from x - eps to x one walks to the right: the "
            "change is f(x) - f(x - eps).",
        ),
        Mistake(
            edited(two_sides, "(f(x) - f(x - eps))", "(f(x + eps) - f(x))"),
            words="Both are the slope to the right. The first is asked for between x - eps and x.",
        ),
        Mistake(
            edited(two_sides, "(f(x + eps) - f(x))", "(f(x) - f(x - eps))"),
            words="Both are the slope to the left. The second is asked for between x and x + eps.",
        ),
        Mistake(
            edited(two_sides, "return", "x = x.item()\n    return"),
            words="f was called with a Python number. It takes a tensor: x - eps and x + eps are tensors, as x is.",
            when=raised("'float' object has no attribute 'relu'"),
        ),
        right_the_other_way,
        without_brackets,
        at_the_neighbours,
        half_a_step,
        Mistake(
            one_slope,
            when=lambda outcome: getattr(outcome.value, "ndim", None) == 0 or isinstance(outcome.value, float),
        ),
        by_two_eps,
        central_twice,
        forgot_to_divide,
        Mistake(
            lambda f, x, eps: two_sides(f, x, 1e-6),
            lambda f, x, eps: two_sides(f, x, 1e-5),
            lambda f, x, eps: two_sides(f, x, 1e-4),
            words="These are the slopes over another step than eps, such as 1e-6, or both were made equal. Over which "
            "distance is given: eps to each side.",
            near=True,
        ),
        Mistake(
            lambda f, x, eps: tuple(abs(side) for side in two_sides(f, x, eps)),
            words="The signs are lost: where f falls, its slope is negative.",
        ),
        Mistake(
            lambda f, x, eps: tuple(one_slope(f, x + side * 1.5 * eps, eps / 2) for side in (-1, 1)),
            words="These are the slopes one step further out, from x - 2 * eps to x - eps and from x + eps to x + 2 * "
            "eps. Each of the two asked for begins at x.",
        ),
        Mistake(
            lambda f, x, eps: tuple(round(side.item(), 6) for side in two_sides(f, x, eps)),
            lambda f, x, eps: tuple(round(side.item(), 3) for side in two_sides(f, x, eps)),
            words="The slopes were rounded, and of small ones nothing is left. Return them as they are.",
        ),
        Mistake(in_float32, when=lost_in_float32),
    ),
    right=(
        sides_in_numpy,
        lambda f, x, eps: Sides(*sides_in_numpy(f, x, eps)),
        lambda f, x, eps: tuple((f(x + step) - f(x)) / step for step in (-eps, eps)),
        sides_of_double_numbers,
        sides_of_one_value,
        sides_put_back,
        sides_by_two_calls,
    ),
    wrong={
        "over another step than eps, such as": [lambda f, x, eps: two_sides(f, x, max(eps, 1e-5))],
        "a tuple is asked for, and this is a list": [lambda f, x, eps: [*two_sides(f, x, eps)]],
        "f was called with float32": [sides_through_python],
        "f = lambda t: t,": [sides_moving_one_tensor],
        "first difference": [
            sides_of_a_smooth_function,
            sides_by_gradients,
            lambda f, x, eps: tuple(round(side.item(), 2) for side in two_sides(f, x, eps)),
            lambda f, x, eps: tuple(sorted(side.item() for side in two_sides(f, x, eps))),
        ],
    },
)
