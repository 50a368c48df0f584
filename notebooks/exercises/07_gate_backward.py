"""Exercise `gate_backward`: a backward with three mistakes, to be found with gradcheck."""

from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import (
    Difference,
    Exercise,
    Mistake,
    cases,
    compare,
    draw_wrong_node,
    edited,
    function_of,
    numbers,
    raised,
    show,
    slopes,
)
from minigrad.teach.limits import print_limit

from .chapter07 import drawn_numbers, in_float64
from .writes import Given

ROUNDED = (
    "The rule is right, but only the first digits are: something went through float32, or was measured. A gradient "
    "check needs float64 throughout; mg.tensor(...) of Python's numbers is float32 unless it is told the dtype."
)


def gate_backward(ctx, grad_output):
    """The gradients of x, w and b."""
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


def _forward(ctx, x, w, b):
    ctx.save_for_backward(x, w)
    return w * x.tanh() - b


class Gradients(NamedTuple):
    """What a backward sent, and the first tensor that it wrote to."""

    x: Any
    w: Any
    b: Any
    written: Difference | None


def _plug(backward):
    """The gradients that a Function with this backward gives."""
    gate = function_of("Gate", _forward, backward)

    def run(*arguments):
        *inputs, weights = (part.detach().clone() for part in arguments)  # whatever is written, it is not to the case
        y = gate.apply(*[part.requires_grad_() for part in inputs])
        given = Given(grad_output=weights, x=inputs[0], w=inputs[1])
        return Gradients(*grad(y, inputs, weights, allow_unused=True), given.first_written())

    return run


def _compare(expected, got, outcome):
    if not isinstance(got, Gradients):
        return compare(tuple(expected[:3]), got)
    for name, wanted, mine in zip("xwb", expected, got, strict=False):
        difference = compare(wanted, mine, f"the gradient of {name}")
        if difference is None and not _is_of_float64(wanted.numpy(), mine.numpy()):
            yours, right = (str(tensor.tolist()) for tensor in (mine, wanted))
            return Difference(f"the gradient of {name}, behind the seventh digit", yours, right, ROUNDED)
        if difference is not None:
            return difference
    return got.written


def _is_of_float64(wanted, mine):
    """Whether so many digits agree that nothing can have been computed in float32."""
    return np.allclose(mine, wanted, rtol=1e-9, atol=1e-9 * abs(wanted).max())


def _show(value, arguments):
    return show(tuple(value[:3]) if isinstance(value, Gradients) else value)


def _draw(outcome, difference):
    """The walk as it should be, and in red the input whose gradient is wrong; nothing where all are right."""
    if not difference.where.startswith("the gradient of "):
        return ""
    x, w, b, weights = outcome.case.make()
    y = function_of("Gate", _forward, gate_backward).apply(x, w, b)
    name = difference.where.removeprefix("the gradient of ")[0]
    words = f"✗ yours: {numbers(getattr(outcome.value, name))}"
    return draw_wrong_node(y, {"x": x, "w": w, "b": b, "y": y}, name, words, weights)


@cases("x = {x}, w = {w}, b = {b}, grad_output = {weights}")
def _gate_case(x, w, b, weights):
    return *[in_float64(part).requires_grad_() for part in (x, w, b)], in_float64(weights)


def _drawn(random):
    """Other numbers of rows and columns, which must not be taken for each other."""
    for rows in (1, 3, 4):
        columns = random.integers(1, 4)
        w, b = drawn_numbers(random, columns), drawn_numbers(random, columns)
        yield _gate_case(drawn_numbers(random, (rows, columns)), w, b, drawn_numbers(random, (rows, columns)))


def _measured(outcome):
    x, w, b, weights = [part.detach() for part in outcome.arguments]
    functions = {
        "x": (lambda t: (weights * (w * t.tanh() - b)).sum(), x),
        "w": (lambda t: (weights * (t * x.tanh() - b)).sum(), w),
        "b": (lambda t: (weights * (w * x.tanh() - t)).sum(), b),
    }
    lines = []
    for name, (function, part) in functions.items():
        found = mg.zeros_like(part)
        for place, slope in slopes(function, part, 1e-5):
            found[place] = round(float(slope), 5) + 0.0
        lines.append(f"  each element of {name} moved by 1e-05 to both sides: {show(found)}")
    return "\n".join(lines)


# ---------------------------------------------------------------- wrong answers


def _gate_with(x=None, w=None, b=None):
    """The right backward, with some of the gradients computed otherwise."""

    def backward(ctx, grad_output):
        given = (*ctx.saved_tensors, grad_output, ctx.saved_tensors[0].tanh())
        right = gate_backward(ctx, grad_output)
        return tuple(rule(*given) if rule else gradient for rule, gradient in zip((x, w, b), right))

    return backward


not_squared = _gate_with(x=lambda x, w, g, t: g * w * (1 - t))
without_w = _gate_with(x=lambda x, w, g, t: g * (1 - t * t))
x_without_gradient = _gate_with(x=lambda x, w, g, t: w * (1 - t * t) + g * 0)
x_without_slope = _gate_with(x=lambda x, w, g, t: g * w)
w_with_x = _gate_with(w=lambda x, w, g, t: (g * x).sum(0))
summed_along_rows = _gate_with(w=lambda x, w, g, t: (g * t).sum(1))
summed_over_all = _gate_with(w=lambda x, w, g, t: (g * t).sum())
b_as_a_mean = _gate_with(b=lambda x, w, g, t: -g.mean(0))
b_without_gradient = _gate_with(b=lambda x, w, g, t: -mg.ones_like(w))
mean_for_sum = _gate_with(w=lambda x, w, g, t: (g * t).mean(0), b=lambda x, w, g, t: g.sum(0))
wrong_sign = _gate_with(b=lambda x, w, g, t: g.sum(0))
exchanged = _gate_with(w=lambda x, w, g, t: -g.sum(0), b=lambda x, w, g, t: (g * t).sum(0))


def only_of_x(ctx, grad_output):
    """forward has three arguments after ctx, so backward returns three gradients, in a tuple (a list is none)."""
    x, w = ctx.saved_tensors
    return grad_output * w * (1 - x.tanh() ** 2)


def _in(place, words, *answers, or_when=None):
    """A mistake in one of the three gradients: in all cases it is the one of the first answer, and not always right."""

    def made(outcome):
        if outcome.error is not None:
            return or_when is not None and or_when(outcome)
        with print_limit(0):  # what it prints, it has printed already
            cases = (outcome.case, *EXERCISE.cases)
            mine, wrong, right = (
                [_gradient_in(answer, case, place) for case in cases]
                for answer in (outcome.answer, answers[0], gate_backward)
            )
        same = all(_are_equal(one, other) for one, other in zip(mine, wrong, strict=True))
        return same and not _are_equal(mine[0], right[0])

    return Mistake(*answers, words=words, when=made)


def _gradient_in(answer, case, place):
    """One of the gradients that an answer gives, or its error's text."""
    outcome = EXERCISE.run(answer, case)
    return outcome.value[place] if isinstance(outcome.value, Gradients) else str(outcome.error)


def _are_equal(one, other):
    if isinstance(one, mg.Tensor) and isinstance(other, mg.Tensor):
        return compare(one, other) is None
    return isinstance(one, str) and one == other


def _is_summed_along_rows(outcome):
    """Whether the gradient of w has one number for each row, or just one."""
    rows = outcome.arguments[0].shape[0]
    index = "invalid gradient at index 1 - got "
    return raised(f"{index}[{rows}] ")(outcome) or raised(f"{index}[] ")(outcome)


# ---------------------------------------------------------------- tried as well


def gate_over_what_came(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    of_w, of_b = (grad_output * t).sum(0), -grad_output.sum(0)
    return grad_output.mul_(w).mul_(1 - t * t), of_w, of_b


def gate_over_w(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    of_x = grad_output * w * (1 - t * t)
    w.copy_((grad_output * t).sum(0))
    return of_x, w, -grad_output.sum(0)


def gate_through_python(ctx, grad_output):
    x, w = ctx.saved_tensors
    rows = [[1 - one**2 for one in row] for row in x.tanh().tolist()]
    return grad_output * w * mg.tensor(rows), (grad_output * x.tanh()).sum(0), -grad_output.sum(0)


def gate_by_a_small_step(ctx, grad_output):
    x, w = ctx.saved_tensors
    slope = ((x + 1e-4).tanh() - (x - 1e-4).tanh()) / 2e-4
    return grad_output * w * slope, (grad_output * x.tanh()).sum(0), -grad_output.sum(0)


def gate_of_two_rows(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    products = grad_output * t
    return grad_output * w * (1 - t * t), products[0] + products[1 % len(x)], -grad_output.sum(0)


def gate_twice_too_much_for_w(ctx, grad_output):
    of_x, of_w, of_b = gate_backward(ctx, grad_output)
    return of_x, 2 * of_w, of_b


def gate_in_numpy(ctx, grad_output):
    (x, w), g = (saved.detach().numpy() for saved in ctx.saved_tensors), grad_output.numpy()
    t = np.tanh(x)
    return mg.tensor(g * w * (1 - t**2)), mg.tensor((g * t).sum(0)), mg.tensor(-g.sum(0))


def gate_by_products(ctx, grad_output):
    x, w = ctx.saved_tensors
    t, ones = mg.tanh(x), mg.ones(1, len(x), dtype=x.dtype)
    return (1 + t) * (1 - t) * w * grad_output, (ones @ (t * grad_output))[0], (ones @ grad_output)[0].neg()


def gate_where_it_is_needed(ctx, grad_output):
    x, w = ctx.saved_tensors
    t, needed = x.tanh(), ctx.needs_input_grad
    return (
        grad_output * w * (1 - t.square()) if needed[0] else None,
        mg.sum(grad_output * t, 0) if needed[1] else None,
        (-grad_output).sum(dim=0) if needed[2] else None,
    )


def gate_in_a_small_graph(ctx, grad_output):
    with mg.enable_grad():
        x, w = (saved.detach().requires_grad_() for saved in ctx.saved_tensors)
        y = w * x.tanh()
    return *grad(y, (x, w), grad_output), -grad_output.sum(dim=0)


EXERCISE = Exercise(
    title="the backward of y = w * x.tanh() - b: the gradients of x, w and b",
    stars=2,
    minutes=10,
    reference=gate_backward,
    plug=_plug,
    cases=(
        _gate_case([[0.5, -1.0], [0.25, 2.0]], [2.0, -3.0], [1.0, 0.0], [[1.0, 2.0], [0.5, -1.0]]),
        _gate_case(
            [[0.5, -1.0], [0.25, 2.0], [-0.75, 1.5]],
            [0.5, 1.5],
            [1.0, 0.0],
            [[1.0, -2.0], [3.0, 0.5], [0.25, 4.0]],
        ),
    ),
    hints=(
        "Run gradcheck on the Function with the three mistakes. It reports one mismatch at a time, for input 0 first.",
        "Input 0: what is the slope of tanh? Input 1: which number does the diagnosis give for the factor, and "
        "how many rows are there? Input 2: does y grow or fall when b grows?",
        "With t = x.tanh(): the slope of tanh is 1 - t * t. w and b take part in every row, so their gradients "
        "are sums over the rows, sum(0); that of b with a minus.",
    ),
    drawn=_drawn,
    compare=_compare,
    show=_show,
    evidence=_measured,
    picture=_draw,
    mistakes=(
        _in(0, "The gradient of x has the slope of tanh as 1 - t. It is 1 - t * t.", not_squared),
        _in(0, "The gradient of x lacks the factor w: y grows w times as fast as tanh(x).", without_w),
        _in(
            0, "The gradient of x lacks grad_output: what comes in is a factor of all that goes on.", x_without_gradient
        ),
        _in(0, "The gradient of x lacks the slope of tanh, 1 - t * t.", x_without_slope),
        _in(1, "The gradient of w has x in it. w is multiplied by tanh(x), so the factor is t.", w_with_x),
        _in(
            1,
            "Summed along the wrong dimension, or over all: w has an element for each column, to which each row adds "
            "its part, sum(0).",
            summed_along_rows,
            summed_over_all,
            or_when=_is_summed_along_rows,
        ),
        _in(2, "The gradient of b is a mean over the rows. Each row adds its part: use sum(0).", b_as_a_mean),
        _in(
            2,
            "The gradient of b lacks grad_output: -1 is the slope, and what comes in is its factor.",
            b_without_gradient,
        ),
        _in(1, "The gradient of w is a mean over the rows. Each row adds its part: use sum(0).", mean_for_sum),
        _in(2, "The gradient of b has the wrong sign: y gets smaller when b grows.", wrong_sign),
        _in(
            2,
            "The gradients of w and b have changed places. They are returned in the order of forward's arguments.",
            exchanged,
        ),
        Mistake(only_of_x, when=raised("incorrect number of gradients")),
    ),
    right=(
        gate_in_numpy,
        gate_by_products,
        gate_where_it_is_needed,
        edited(only_of_x, "w * (1 - x.tanh() ** 2)", "w / mg.cosh(x) ** 2, grad_output * x.tanh(), -grad_output"),
        gate_in_a_small_graph,
    ),
    wrong={
        "backward has written to grad_output": [gate_over_what_came],
        "backward has written to x": [edited(gate_backward, "tanh", "tanh_")],
        "backward has written to w": [gate_over_w],
        "something went through float32": [edited(gate_backward, "tanh", "float().tanh"), gate_through_python],
        "or was measured": [gate_by_a_small_step],
        "the gradient of w": [gate_of_two_rows],
        "the gradient of b": [lambda ctx, grad_output: (*gate_backward(ctx, grad_output)[:2], None)],
        "None of the mistakes that are known here": [gate_twice_too_much_for_w],
    },
)
