"""The exercise that asks for the gradient of a gradient: `slope_and_curvature`."""

import warnings

import minigrad as mg
from minigrad.autograd import functional, grad
from minigrad.teach import (
    STEP,
    Case,
    Difference,
    Exercise,
    Mistake,
    compare,
    draw_wrong_node,
    edited,
    raised,
    show,
    yours,
)

from .chapter04 import TRACE, is_grad_written


def slope_and_curvature(f, x):
    """The first and the second derivative of f at x."""
    (slope,) = grad(f(x), x, create_graph=True)
    (curvature,) = grad(slope, x)
    return slope, curvature


class Asked:
    """A function that remembers where it was asked."""

    def __init__(self, function):
        self.function, self.points = function, []

    def __call__(self, x):
        self.points.append(x.tolist() if isinstance(x, mg.Tensor) else x)
        return self.function(x)

    def elsewhere(self, x):
        """The points other than x."""
        return [point for point in self.points if point != x.tolist()]


def _at(words, f, x, dtype=mg.float32):
    shown = f"{x}, in double precision" if dtype is mg.float64 else x
    return Case(f"f(x) = {words}, x = {shown}", lambda: (Asked(f), mg.tensor(x, dtype=dtype, requires_grad=True)))


def _drawn(random):
    """A function with three numbers in it, at some x of either sign."""
    a, b, c = (random.integers(1, 7, 3) * random.choice([-0.25, 0.25], 3)).tolist()
    x = float(random.integers(1, 9) * random.choice([-0.25, 0.25]))
    functions = [
        (f"{a} * x ** 3 + {b} * x ** 2 + {c} * x", lambda x: a * x**3 + b * x**2 + c * x),
        (f"{a} * ({b} * x + {c}).sin()", lambda x: a * (b * x + c).sin()),
        (f"(x * {a}).exp() * ({b} - x)", lambda x: (x * a).exp() * (b - x)),
        (f"{a} / (1 + x ** 2) + {b} * x", lambda x: a / (1 + x**2) + b * x),
        (f"({a} * x).tanh() + {c} * x ** 4", lambda x: (a * x).tanh() + c * x**4),
    ]
    words, f = functions[random.integers(len(functions))]
    yield _at(words, f, [x] if random.integers(2) else x, mg.float64 if random.integers(2) else mg.float32)


def _compare_slopes(expected, got, outcome):
    yield compare(expected, got)
    f, x = outcome.arguments
    if is_grad_written(x):
        yield Difference("x.grad", "a tensor", "None, as before", WRITTEN)
    if points := f.elsewhere(x):
        note = "The numbers are near enough, but not by this means: ask for the slope at x, not for f beside it."
        yield Difference("where f was asked", f"{show(points[0])}, too", f"{show(x.tolist())} only", note)


WRITTEN = "The numbers are right, but x.grad was written, as backward() does. autograd.grad returns what it computes."


def _show_slopes(value, arguments):
    f, x = arguments
    asked = f", and f was asked beside x, at {show(f.elsewhere(x)[0])}" if f.elsewhere(x) else ""
    return show(value) + asked + (TRACE if is_grad_written(x) else "")


def _measured_twice(outcome):
    f, x = outcome.case.make()
    step = 20 * STEP  # a second difference loses more digits
    below, here, above = (f(x.detach().double() + move).item() for move in (-step, 0.0, step))
    slope, curvature = (above - below) / (2 * step), (above - 2 * here + below) / step**2
    return f"  f at x - {step}, x and x + {step}: slope {slope:.4g}, and the slope changes by {curvature:.4g} per unit"


def _draw_slopes(outcome, difference):
    """The graph of f(x), or that of the slope, if the second derivative is wrong."""
    f, x = outcome.case.make()
    y = f(x)
    if not difference.where.startswith("item 2"):
        words = yours(outcome.value[0]) if difference.where.startswith("item 1") else "✗ ask here, then again"
        return draw_wrong_node(y, {"x": x, "y": y}, x, words)
    (slope,) = grad(y, x, create_graph=True)
    return draw_wrong_node(slope, {"x": x, "slope": slope}, x, yours(outcome.value[1]))


def _is_pair(value):
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(item, mg.Tensor) and item.numel() == 1 for item in value)
    )


def _asked_f_of_slope(outcome):
    """Whether the second answer is the derivative of f(slope), by way of the slope."""
    f, x = outcome.case.make()
    (slope,) = grad(f(x), x, create_graph=True)
    (wrong,) = grad(f(slope), x)
    return _is_pair(outcome.value) and compare(wrong, outcome.value[1]) is None


def _is_added_up(outcome):
    """Whether the second answer is the curvature on top of the slope, as backward() adds it."""
    slope, curvature = slope_and_curvature(*outcome.case.make())
    return (
        is_grad_written(outcome.arguments[1])
        and _is_pair(outcome.value)
        and compare(slope + curvature, outcome.value[1]) is None
    )


def _is_written_besides(outcome):
    right = slope_and_curvature(*outcome.case.make())
    return is_grad_written(outcome.arguments[1]) and compare(right, outcome.value) is None


def _is_from_differences(outcome):
    """Whether f was asked beside x, for answers that are near the right ones."""
    f, x = outcome.arguments
    if not f.elsewhere(x) or not _is_pair(outcome.value):
        return False
    pairs = zip(slope_and_curvature(*outcome.case.make()), outcome.value, strict=True)
    return all(abs(wanted.item() - got.item()) < 0.1 * (abs(wanted.item()) + 1) for wanted, got in pairs)


# ---------------------------------------------------------------- wrong answers


def by_backward_twice(f, x):
    """backward() adds to x.grad, so the second derivative ends up on top of the first. autograd.grad returns each one
    by itself.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
    slope = x.grad
    slope.backward()
    return slope, x.grad


def with_retain_graph(f, x):
    (slope,) = grad(f(x), x, retain_graph=True)
    return slope, grad(slope, x)[0]


def asked_f_twice(f, x):
    """The first derivative is there twice. Put the second question to the first answer."""
    return grad(f(x), x)[0], grad(f(x), x)[0]


def value_and_slope(f, x):
    """These are f(x) and its slope. Asked for are the slope and, one step further, the slope of the slope."""
    y = f(x)
    return y, grad(y, x, create_graph=True)[0]


def curvature_alone(f, x):
    """Only one tensor was returned. Asked for are both, in a tuple: slope, curvature."""
    slope = grad(f(x), x, create_graph=True)[0]
    return grad(slope, x)[0]


def fine_differences(f, x):
    step, x = 1e-4, x.detach().double()
    above, here, below = f(x + step), f(x), f(x - step)
    return (above - below) / (2 * step), (above - 2 * here + below) / step**2


# ---------------------------------------------------------------- tried as well


def differences_in_double(f, x):
    x = x.detach().double()
    return (f(x + 1e-4) - f(x - 1e-4)) / 2e-4, (f(x + 1e-4) - 2 * f(x) + f(x - 1e-4)) / 1e-8


def slope_by_differences_of_slopes(f, x):
    def slope(at):
        at = at.detach().double().requires_grad_()
        return grad(f(at), at)[0]

    return slope(x), (slope(x.detach().double() + 1e-5) - slope(x.detach().double() - 1e-5)) / 2e-5


def slopes_with_x_grad_in_zeros(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    (curvature,) = grad(slope, x)
    x.grad = mg.zeros_like(x)
    return slope, curvature


def slopes_of_positive_ones(f, x):
    slope, curvature = slope_and_curvature(f, x)
    return slope, curvature * x.detach().sign() * x.detach().sign().abs() if x.item() > 0 else curvature.abs()


def slopes_without_dimensions(f, x):
    slope, curvature = slope_and_curvature(f, x)
    return slope.sum(), curvature.sum()


def slopes_by_the_library(f, x):
    return functional.jacobian(f, x).reshape(x.shape), functional.hessian(lambda x: f(x).sum(), x).reshape(x.shape)


def slopes_with_a_graph_each(f, x):
    slope = grad(f(x).sum(), x, create_graph=True)[0]
    return slope, grad(slope.sum(), x, create_graph=True)[0]


def slopes_of_x_times_one(f, x):
    here = x * 1
    (slope,) = grad(f(here), here, create_graph=True)
    return [slope.detach(), grad(slope, here)[0]]


def slopes_of_a_clone(f, x):
    leaf = x.detach().clone().requires_grad_()
    slope = grad(f(leaf), leaf, create_graph=True)[0]
    return slope.detach(), grad(slope, leaf)[0].double()


def slopes_in_a_list(f, x):
    y = f(x)
    (slope,) = grad([y], [x], create_graph=True)
    return [slope, *grad([slope], [x])]


EXERCISE = Exercise(
    title="a tuple of two tensors, the first and the second derivative of f at x; x.grad stays None",
    stars=2,
    minutes=8,
    reference=slope_and_curvature,
    cases=(
        _at("x ** 3", lambda x: x**3, 3.0),
        _at("x.sin()", lambda x: x.sin(), 0.5),
        _at("(2 * x).exp() - x ** 2", lambda x: (2 * x).exp() - x**2, 0.25),
        _at("x ** 3 - x", lambda x: x**3 - x, [-0.5]),
    ),
    drawn=_drawn,
    hints=(
        "The second derivative is the derivative of the first, so ask twice.",
        "The second question is put to the result of the first, and this needs a graph of its own: create_graph=True.",
        "slope = autograd.grad(f(x), x, create_graph=True)[0]; then autograd.grad(slope, x)[0].",
    ),
    compare=_compare_slopes,
    show=_show_slopes,
    evidence=_measured_twice,
    picture=_draw_slopes,
    mistakes=(
        Mistake(by_backward_twice, when=_is_added_up),
        Mistake(
            edited(by_backward_twice, "slope = x.grad", "slope, x.grad = x.grad, None"),
            words="The numbers are right, but backward() has written x.grad. autograd.grad returns each derivative, "
            "and writes nothing.",
            when=_is_written_besides,
        ),
        Mistake(
            edited(with_retain_graph, "x, retain_graph=True", "x"),
            with_retain_graph,
            words="The first derivative came without a graph, so it cannot be differentiated. retain_graph=True keeps "
            "the old graph; create_graph=True records a new one, of the backward pass.",
            when=raised("does not require grad"),
        ),
        Mistake(
            edited(curvature_alone, ")[0]\n    return grad(slope, x)[0]", ")\n    return slope, grad(slope, x)"),
            words="These are tuples of one tensor each: autograd.grad returns a tuple. Take item [0] of each.",
            when=lambda outcome: (
                isinstance(outcome.value, tuple | list) and any(isinstance(item, tuple) for item in outcome.value)
            ),
        ),
        asked_f_twice,
        value_and_slope,
        Mistake(curvature_alone, when=lambda outcome: isinstance(outcome.value, mg.Tensor)),
        Mistake(
            edited(slope_and_curvature, "slope, x", "f(slope), x"),
            words="The second question was put to f(slope). Ask the slope itself: autograd.grad(slope, x).",
            when=_asked_f_of_slope,
        ),
        Mistake(
            edited(fine_differences, "step, x = 1e-4, x.detach().double()", "step = 0.1"),
            fine_differences,
            words="These are finite differences, of f beside x: near, and not exact. autograd.grad gives the slope "
            "itself, and the slope of that.",
            when=_is_from_differences,
        ),
        Mistake(
            edited(curvature_alone, "x, create_graph=True", "x", "grad(slope, x)[0]", "slope, slope * slope"),
            words="This is the square of the slope. The second derivative is the slope of the slope.",
        ),
        Mistake(
            edited(curvature_alone, "grad(slope, x)[0]", "grad(slope, x, retain_graph=True)[0], slope"),
            words="The two have changed places: first the slope, then the curvature.",
        ),
    ),
    right=(slopes_by_the_library, slopes_with_a_graph_each, slopes_of_x_times_one, slopes_of_a_clone, slopes_in_a_list),
    wrong={
        "finite differences": [differences_in_double, slope_by_differences_of_slopes],
        "x.grad": [slopes_with_x_grad_in_zeros],
        "": [slopes_of_positive_ones],
        "The shape is []; it should be [1].": [slopes_without_dimensions],
        "The numbers are right, but this is a float": [
            edited(slopes_without_dimensions, "sum(), curvature.sum", "item(), curvature.item")
        ],
    },
)
