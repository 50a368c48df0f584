"""The exercise that asks for the gradient of a gradient: `slope_and_curvature`."""

import math
import warnings

import minigrad as mg
from minigrad.autograd import functional, grad
from minigrad.teach import STEP, Exercise, Mistake, cases, compare, draw_wrong_node, edited, show, yours
from minigrad.teach.draws import draw_numbers, flip, formula, pick
from minigrad.teach.observing import Noted, observer, raised, right_but, saw

from .chapter04 import gradients_held


def slope_and_curvature(f, x):
    """The first and the second derivative of f at x."""
    (slope,) = grad(f(x), x, create_graph=True)
    (curvature,) = grad(slope, x)
    return slope, curvature


@cases(
    "f(x) = {words}{of_w}, x = {x}",
    of_w=", where w is a leaf that holds {of_w}",
    dtype=", in double precision",
    earlier="; before, w.grad and x.grad are {earlier}",
)
def _at(words, x, dtype=mg.float32, of_w=0.0, earlier=None):
    """A function of x, in which there may be a leaf, w, as well."""
    w = mg.tensor(of_w, requires_grad=True)
    f = Noted(words, lambda x: formula(words, "x, w")(x, w), note=_point)
    f.leaf = w
    x = mg.tensor(x, dtype=dtype, requires_grad=True)
    for leaf in (w, x):
        leaf.grad = None if earlier is None else mg.full_like(leaf.detach(), earlier)
    return f, x


def _point(given):
    """Where f is asked: the one number of a tensor, and of what kind that is."""
    if isinstance(given, mg.Tensor) and given.numel() == 1:
        return given.item(), (given.shape, given.dtype)
    return given, None


FUNCTIONS = (
    "{a} * x ** 3 + {b} * x ** 2 + {c} * x",
    "{a} * ({b} * x + {c}).sin()",
    "(x * {a}).exp() * ({b} - x)",
    "{a} / (1 + x ** 2) + {b} * x",
    "({a} * x).tanh() + {c} * x ** 4",
)


def _drawn(random):
    """A function with three numbers in it, at some x of either sign."""
    a, b, c, x = draw_numbers(random, 4, unit=0.25, most=1.5, zero=False)
    words = pick(random, FUNCTIONS).format(a=a, b=b, c=c)
    yield _at(words, [x] if flip(random) else x, pick(random, [mg.float32, mg.float64]))


BESIDE, OTHERS = "where f was asked", "the .grad of w, a leaf in f"


@observer
def _watching(answer, f, x):
    before = gradients_held([x, f.leaf])
    slopes = answer(f, x)
    x_kept, w_kept = (compare(*both) is None for both in zip(before, gradients_held([x, f.leaf]), strict=True))
    elsewhere = [point for point, _ in f.calls if not _is_at(point, x.item())]
    return {
        "the answer": slopes,
        "x.grad": "as before" if x_kept else "written" if x._grad is not None else "cleared",
        OTHERS: "as before" if w_kept else "written",
        BESIDE: f"beside x, at {show(elsewhere[0])}" if elsewhere else "at x only",
    }


def _is_at(point, x):
    """Whether f was asked at x, as far as float32 goes."""
    return isinstance(point, int | float) and math.isclose(point, x, rel_tol=1e-6)


def _asked_at_a_new_tensor(outcome):
    """Whether f was asked at the number of x, in a tensor of another shape or dtype."""
    f, x = outcome.arguments
    others = [point for point, kind in f.calls if kind is not None and kind != (x.shape, x.dtype)]
    found = outcome.seen.get("the answer")
    is_right = _is_pair(found) and all(
        _is_at(got.item(), wanted.item()) for got, wanted in zip(found, outcome.right["the answer"], strict=True)
    )
    return is_right and bool(others) and all(_is_at(point, x.item()) for point in others)


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
    found = outcome.seen["the answer"]
    if not difference.where.startswith("item 2"):
        words = yours(found[0]) if difference.where.startswith("item 1") else "✗ ask here, then again"
        return draw_wrong_node(y, {"x": x, "y": y}, x, words)
    (slope,) = grad(y, x, create_graph=True)
    return draw_wrong_node(slope, {"x": x, "slope": slope}, x, yours(found[1]))


def _is_pair(value):
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(item, mg.Tensor) and item.numel() == 1 for item in value)
    )


def _is_from_differences(outcome):
    """Whether f was asked beside x, for answers that are near the right ones."""
    found, right = outcome.seen.get("the answer"), outcome.right["the answer"]
    if not _is_pair(found) or not outcome.seen[BESIDE].startswith("beside"):
        return False
    pairs = zip(right, found, strict=True)
    return all(abs(wanted.item() - got.item()) < 0.1 * (abs(wanted.item()) + 1) for wanted, got in pairs)


# ---------------------------------------------------------------- wrong answers


def by_backward_twice(f, x):
    """The second derivative is on top of the first, as where backward() adds to x.grad. autograd.grad returns each one
    by itself.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
    slope = x.grad
    slope.backward()
    return slope, x.grad


def asked_f_twice(f, x):
    """The first derivative is there twice. Put the second question to the first answer, and return what it gives."""
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
    return slope.detach(), grad(slope, here)[0]


def slopes_of_a_clone(f, x):
    leaf = x.detach().clone().requires_grad_()
    slope = grad(f(leaf), leaf, create_graph=True)[0]
    return slope.detach(), grad(slope, leaf)[0].double()


def slopes_at_a_new_number(f, x):
    point = mg.tensor(x.item(), requires_grad=True)
    (slope,) = grad(f(point), point, create_graph=True)
    (curvature,) = grad(slope, point)
    return slope, curvature


def slopes_by_a_backward_that_is_cleared(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    (curvature,) = grad(slope, x)
    return slope, curvature


def slopes_asked_in_lists(f, x):
    y = f(x)
    (slope,) = grad([y], [x], create_graph=True)
    return slope, *grad([slope], [x])


EXERCISE = Exercise(
    title="a tuple of two tensors, the first and the second derivative of f at x; x.grad stays None",
    stars=2,
    minutes=8,
    reference=slope_and_curvature,
    cases=(
        _at("x ** 3", 3.0),
        _at("x.sin()", 0.5),
        _at("(2 * x).exp() - x ** 2", 0.25),
        _at("x.sin() * x", 0.3, mg.float64),
        _at("x ** 3 - x", [-0.5]),
        _at("w * x ** 3", 1.5, of_w=2.0),
        _at("x ** 3", 2.0, earlier=7.0),
    ),
    drawn=_drawn,
    hints=(
        "The second derivative is the derivative of the first, so ask twice.",
        "The second question is put to the result of the first, and this needs a graph of its own: create_graph=True.",
        "slope = autograd.grad(f(x), x, create_graph=True)[0]; then autograd.grad(slope, x)[0].",
    ),
    plug=_watching,
    notes={
        "x.grad": "The numbers are right, but x.grad was written, or cleared, as around a backward(). autograd.grad "
        "returns what it computes, and leaves x.grad as it is.",
        OTHERS: "The numbers are right, but backward() goes on to every leaf, and has written there, too. "
        "autograd.grad writes nothing.",
        BESIDE: "The numbers are near enough, but not by this means: ask for the slope at x, not for f beside it.",
    },
    evidence=_measured_twice,
    picture=_draw_slopes,
    mistakes=(
        Mistake(
            by_backward_twice,
            edited(by_backward_twice, "slope = x.grad", "slope = x.grad.clone()"),
            near=True,
        ),
        Mistake(
            edited(by_backward_twice, "slope = x.grad", "slope, x.grad = x.grad, None"),
            words="The numbers are right, but x.grad was written, as by backward(). autograd.grad returns each "
            "derivative, and writes nothing.",
            when=right_but("x.grad", lambda mine, right: mine == "written"),
        ),
        Mistake(
            edited(slope_and_curvature, ", create_graph=True", ""),
            edited(slope_and_curvature, "create_graph", "retain_graph"),
            words="What has no graph cannot be differentiated. The first derivative has one only with "
            "create_graph=True, which records it (retain_graph=True keeps the old one); f(x) has none of a detached x.",
            when=raised("element 0 of tensors does not require grad"),
        ),
        Mistake(
            edited(curvature_alone, ")[0]\n    return grad(slope, x)[0]", ")\n    return slope, grad(slope, x)"),
            words="A tuple is in what you return: autograd.grad returns one, even for one input. Take its item [0].",
            when=saw(
                "the answer",
                lambda mine, _: isinstance(mine, tuple | list) and any(isinstance(one, tuple) for one in mine),
            ),
        ),
        asked_f_twice,
        value_and_slope,
        Mistake(curvature_alone, when=saw("the answer", lambda mine, _: isinstance(mine, mg.Tensor))),
        Mistake(
            edited(slope_and_curvature, "slope, x", "f(slope), x"),
            words="The second question was put to f(slope). Ask the slope itself: autograd.grad(slope, x).",
            near=True,
        ),
        Mistake(
            slopes_at_a_new_number,
            edited(slopes_at_a_new_number, "item()", "tolist()"),
            words="f was asked at a new tensor, which has another dtype or shape than x, as one that is made of "
            "x.item() or converted has. Ask at x.",
            when=_asked_at_a_new_tensor,
        ),
        Mistake(
            edited(fine_differences, "step, x = 1e-4, x.detach().double()", "step = 0.1"),
            fine_differences,
            words="f was asked beside x, as for finite differences, which are near and not exact. autograd.grad gives "
            "the slope itself, and the slope of that.",
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
    right=(
        slopes_by_the_library,
        slopes_with_a_graph_each,
        slopes_of_x_times_one,
        slopes_of_a_clone,
        slopes_asked_in_lists,
    ),
    wrong={
        "backward() goes on to every leaf": [slopes_by_a_backward_that_is_cleared],
        "finite differences": [
            edited(fine_differences, "f(x - step)\n", "f(x - 1e-4)\n"),
            slope_by_differences_of_slopes,
        ],
        "x.grad": [
            slopes_with_x_grad_in_zeros,
            edited(slope_and_curvature, "(slope,)", "x.grad = None\n    (slope,)"),
        ],
        "a tuple is asked for, and this is a list": [lambda f, x: [*slope_and_curvature(f, x)]],
        "": [slopes_of_positive_ones],
        "f(x) has none of a detached x": [edited(slope_and_curvature, "(f(x)", "(f(x.detach())")],
        "likely None of the mistakes": [
            edited(slopes_of_a_clone, "detach().clone()", "detach().double()", "return slope", "return 2 * slope")
        ],
        "The shape is []; it should be [1].": [slopes_without_dimensions],
        "The numbers are right, but this is a float": [
            edited(slopes_without_dimensions, "sum(), curvature.sum", "item(), curvature.item")
        ],
    },
)
