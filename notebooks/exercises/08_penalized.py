"""Exercise `penalized`: a loss with a penalty on its slope, through which backward() reaches the weights."""

import warnings
from typing import Any, NamedTuple

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, raised, show, slopes

from .chapter08 import drawn_numbers, in_float64

CONSTANT = (
    "The loss is right, but to backward() the penalty is a constant. The slope came without a graph: ask for it with "
    "create_graph=True; or the graph was cut off, by item(), detach() or no_grad()."
)
FUNCTIONS = {
    "((w * x) ** 2).sum()": lambda w, x: ((w * x) ** 2).sum(),
    "(w * x).tanh().sum()": lambda w, x: (w * x).tanh().sum(),
    "(w * x).sum()": lambda w, x: (w * x).sum(),
    "((w * x).sum() - 1) ** 2": lambda w, x: ((w * x).sum() - 1) ** 2,
    "(w.exp() * x ** 3).mean()": lambda w, x: (w.exp() * x**3).mean(),
}


def penalized(loss_of, w, x, strength):
    """loss_of(w, x) plus strength times the sum of the squares of its slopes for x."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * (slope**2).sum()


WRITTEN = "The loss is right, but w.grad was written, as backward() does. autograd.grad returns what it computes."


def _case(words, w, x, strength, earlier=False):
    def make():
        leaf = in_float64(w).requires_grad_()
        leaf.grad = mg.ones_like(leaf) if earlier else None
        return FUNCTIONS[words], leaf, in_float64(x), strength

    told = ", w.grad = 1 from before" if earlier else ""
    return Case(f"loss_of(w, x) = {words}, w = {w}, x = {x}, strength = {strength}{told}", make)


def _drawn(random):
    """A row of weights for a batch of rows, or weights and data of one shape; a strength below 1, above it, and 0."""
    for words in random.choice([*FUNCTIONS], 2, replace=False):
        columns = random.integers(1, 4)
        shape = [(columns,), (2, columns), (1, columns)][random.integers(3)]
        strength = float(random.choice([0.0, 0.25, 0.5, 3.0]))
        earlier = bool(random.integers(2))
        yield _case(words, drawn_numbers(random, columns), drawn_numbers(random, shape), strength, earlier)


class Reached(NamedTuple):
    """A loss, and what backward() would send from it to w; None if nothing would come there."""

    loss: Any
    gradient: Any


def _with_gradient(value, arguments):
    """The loss, and what backward() would send from it to w."""
    if not isinstance(value, mg.Tensor):
        return value
    if not value.requires_grad:
        return Reached(value, None)
    return Reached(value, grad(value.sum(), arguments[1], allow_unused=True)[0])


def _compare(expected, got, outcome):
    if not isinstance(got, Reached):
        return compare(expected[0], got)
    if difference := compare(expected[0], got[0], "the loss"):
        return difference
    if got[1] is None:
        told = "The loss is right, but it has no graph that leads to w, so backward() cannot train it."
        return Difference("the gradient of w", "None", show(expected[1]), told)
    difference = compare(expected[1], got[1], "the gradient of w")
    if difference is None and _is_written(outcome):
        return Difference("w.grad", "a tensor", "None, as before", WRITTEN)
    return difference


def _show(value, arguments):
    if not isinstance(value, Reached):
        return show(value)
    before = "" if arguments[1].grad is None else f"; and w.grad is {show(arguments[1].grad)}"
    return f"{show(value[0])}; its gradient of w is {'None' if value[1] is None else show(value[1])}{before}"


def _evidence(outcome):
    loss_of, w, x, strength = outcome.case.make()
    lines = [f"  the loss alone is {loss_of(w, x).item():.6g}"]
    for place, slope in slopes(lambda point: loss_of(w.detach(), point), x):
        lines.append(f"  x{list(place)} moved: the slope of the loss is {slope.item():.4g}")
    return "\n".join(lines)


def _is_written(outcome):
    """Whether a gradient was left in a w that had none."""
    return outcome.case.make()[1].grad is None and outcome.arguments[1].grad is not None


# ---------------------------------------------------------------- wrong answers


def without_create_graph(loss_of, w, x, strength):
    x = x.detach().requires_grad_()
    (slope,) = grad(loss_of(w, x), x)
    return loss_of(w, x) + strength * (slope**2).sum()


def with_retain_graph(loss_of, w, x, strength):
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, retain_graph=True)
    return loss + strength * (slope**2).sum()


def detached_slope(loss_of, w, x, strength):
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * (slope.detach() ** 2).sum()


def graph_used_up(loss_of, w, x, strength):
    """The graph of the loss was walked, and that has freed it: by a grad without create_graph=True, or by a backward()
    of your own. It is to be walked by the caller.
    """
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x)
    return loss + strength * (slope**2).sum()


def x_needs_no_gradient(loss_of, w, x, strength):
    """x does not require a gradient, so no slope leads to it. Give loss_of a leaf that does:
    x.detach().requires_grad_().
    """
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * (slope**2).sum()


def slope_for_w(loss_of, w, x, strength):
    """This is the slope for w. The penalty is on the slope for x, the data."""
    loss = loss_of(w, x)
    (slope,) = grad(loss, w, create_graph=True)
    return loss + strength * (slope**2).sum()


def length_not_squared(loss_of, w, x, strength):
    """This is the length of the slope. The sum of its squares is asked for, without the root."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * (slope**2).sum().sqrt()


def mean_of_squares(loss_of, w, x, strength):
    """This is the mean of the squares. Their sum is asked for."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * (slope**2).mean()


def square_of_the_sum(loss_of, w, x, strength):
    """The slopes were added up before they were squared, so that large ones of both signs cancel. Square each first."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * slope.sum() ** 2


def sum_of_slopes(loss_of, w, x, strength):
    """The slopes are not squared: negative ones would be rewarded."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * slope.sum()


def penalty_alone(loss_of, w, x, strength):
    """This is the penalty. The loss itself is missing."""
    x = x.detach().requires_grad_()
    (slope,) = grad(loss_of(w, x), x, create_graph=True)
    return strength * (slope**2).sum()


def without_strength(loss_of, w, x, strength):
    """The strength is missing: it multiplies the penalty."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + (slope**2).sum()


def subtracted(loss_of, w, x, strength):
    """The penalty was subtracted, so that large slopes would be rewarded. It is added."""
    return penalized(loss_of, w, x, -strength)


def absolute_slopes(loss_of, w, x, strength):
    """These are the absolute values of the slopes. Their squares are asked for."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * slope.abs().sum()


def loss_cut_off(loss_of, w, x, strength):
    """The loss itself was cut off from its graph, by item() or detach(), so backward() would train with the penalty
    alone. Both have to lead to w.
    """
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss.detach() + strength * (slope**2).sum()


def by_backward(loss_of, w, x, strength):
    """backward() has written to w.grad as well, and the optimizer would use that.
    autograd.grad returns the slope for x, and writes nothing."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    return loss + strength * (x.grad**2).sum()


def as_a_number(loss_of, w, x, strength):
    """This is a number, from which no backward() can start. Return the tensor."""
    return penalized(loss_of, w, x, strength).item()


EXERCISE = Exercise(
    title="a tensor with one number: loss_of(w, x) + strength * the sum of the squared slopes of it for x",
    stars=2,
    minutes=8,
    reference=penalized,
    cases=(
        _case("((w * x) ** 2).sum()", [1.0, -2.0], [0.5, 1.0], 0.5),
        _case("(w * x).sum()", [1.0, -2.0], [[0.5, 1.0], [-1.0, 2.0]], 3.0),
        _case("(w.exp() * x ** 3).mean()", [0.5], [2.0], 0.25),
        _case("((w * x).sum() - 1) ** 2", [0.5, 1.0, -1.0], [1.0, 0.5, -1.0], 0.5),
    ),
    drawn=_drawn,
    observe=_with_gradient,
    compare=_compare,
    show=_show,
    evidence=_evidence,
    hints=(
        "The slope for x is asked for inside of the loss: so x has to be a leaf that requires a gradient.",
        "What is computed from the slope must have a graph that leads to w: create_graph=True.",
        "x = x.detach().requires_grad_(); loss = loss_of(w, x); slope = autograd.grad(loss, x, create_graph=True)[0]; "
        "then loss + strength * (slope ** 2).sum()",
    ),
    mistakes=(
        Mistake(graph_used_up, when=raised("second time")),
        Mistake(x_needs_no_gradient, when=raised("does not require grad", "grad")),
        Mistake(as_a_number, when=lambda outcome: isinstance(outcome.value, float)),
        Mistake(by_backward, when=_is_written),
        Mistake(without_create_graph, with_retain_graph, detached_slope, words=CONSTANT),
        slope_for_w,
        length_not_squared,
        mean_of_squares,
        square_of_the_sum,
        sum_of_slopes,
        subtracted,
        absolute_slopes,
        loss_cut_off,
        penalty_alone,
        without_strength,
    ),
)
