"""Chapter 11, exercise: a backward without a loop over its rows."""

import operator
from types import SimpleNamespace

import numpy as np

import minigrad as mg
from minigrad.teach import (
    Case,
    Exercise,
    Mistake,
    Seen,
    cases,
    draw_numbers,
    edited,
    measured_slopes,
    pick,
    raised,
    saw,
)
from minigrad.teach.observing import SECOND

from .chapter06 import sends
from .chapter11 import CALLED_IN_A_LOOP, codes_of, lines_run, operations
from .writes import NOTES


def limit_backward(ctx, grad_output):
    """The gradient of x, for ctx.saved_tensors = (x,) and x.clamp(-1, 1) as the forward."""
    (x,) = ctx.saved_tensors
    return grad_output * (x.abs() < 1)


def _forward(ctx, x):
    ctx.save_for_backward(x)
    return x.clamp(-1, 1)


FEW, MANY = (4, 3), (40, 30)
WORK = "the work for 40 x 30 numbers"
VIEW = "view size is not compatible"
COUNTED = "4 rows of 3 numbers and then 40 rows of 30, for which the operations are counted"


def _trying(answer):
    send = sends("Limit", _forward, ("x",), answer)

    def run(x, weights):
        if x is not None:
            return send(x, weights)
        answer(*_given(FEW))  # what is done once, at the first call, is not counted
        (few, made), (many, _) = (operations(answer, *_given(shape)) for shape in (FEW, MANY))
        if many > few:
            return Seen({WORK: f"{many} operations, and {few} for 4 x 3"})
        names = {name for code in codes_of(answer) for name in code.co_names}
        by_others = CALLED_IN_A_LOOP & names and (made < 2 or "tolist" in names)  # to compare and to choose are two
        in_python = lines_run(answer, *_given(MANY)) > lines_run(answer, *_given(FEW)) + FEW[0]
        return Seen({WORK: "a loop in Python" if by_others or in_python else "no more than for 4 x 3"})

    return run


def _given(shape):
    """A ctx, and a gradient, of this shape."""
    x = mg.arange(shape[0] * shape[1]).view(shape) / 10 - 2
    return SimpleNamespace(saved_tensors=(x,), needs_input_grad=(True,)), mg.ones(shape)


def _evidence(outcome):
    x, weights = outcome.arguments
    if x is None:
        return "  a profiler counted the operations"
    if not (x + weights).isfinite().all():
        return ""  # a sum with a nan or inf in it does not show how each element moves
    return measured_slopes(lambda t: t.clamp(-1, 1), x, weights)


@cases("x = {x}, grad_output = {weights}", turned=", both as the transposed of a matrix")
def _case(x, weights, turned=False):
    given = (mg.tensor(np.transpose(one).tolist()).t() if turned else mg.tensor(one) for one in (x, weights))
    return next(given).detach().requires_grad_(), next(given)


def _drawn(random):
    """One to three dimensions, numbers of which half are beyond the bounds, and some at them."""
    shape = pick(random, [(5,), (3, 4), (1, 3), (2, 2, 2), (4, 1), (0, 2)])
    x, weights = (mg.tensor(draw_numbers(random, shape, most=4)).view(shape) for _ in range(2))
    x[random.random(shape) < 0.2] = 1.0
    words = f"x = {x.tolist()}, grad_output = {weights.tolist()}, of shape {list(shape)}"
    yield Case(words, lambda: (x.clone().requires_grad_(), weights.clone()))


# ---------------------------------------------------------------- wrong answers


def row_by_row(ctx, grad_output):
    """The numbers are right, and the work grows with the size of x: it still goes through x part by part. x.abs() < 1
    asks all numbers at once, and a product takes all of them, too.
    """
    (x,) = ctx.saved_tensors
    grad_x = mg.zeros_like(x)
    for row in range(len(x)):
        grad_x[row] = grad_output[row] * (x[row].abs() < 1)
    return grad_x


def rows_stacked(ctx, grad_output):
    (x,) = ctx.saved_tensors
    if not len(x):
        return mg.zeros_like(x)
    return mg.stack([g * (row.abs() < 1) for g, row in zip(grad_output, x, strict=True)])


def numbers_one_by_one(ctx, grad_output):
    x, g = (t.detach().numpy().reshape(-1) for t in (ctx.saved_tensors[0], grad_output))
    return mg.tensor([float(b) if -1 < a < 1 else 0.0 for a, b in zip(x, g, strict=True)]).view(grad_output.shape)


def everything_passes(ctx, grad_output):
    """The gradient passes everywhere. Where x was cut off, the output does not move with x, and 0 goes back."""
    return grad_output * 1


def clamped_gradient(ctx, grad_output):
    """It is x that was limited, not the gradient. The gradient passes as it is, or not at all."""
    return grad_output.clamp(-1, 1)


def turned_around(ctx, grad_output):
    """The two cases have changed places: this passes what lies beyond the bounds."""
    (x,) = ctx.saved_tensors
    return grad_output * (x.abs() >= 1)


def by_the_built_in(ctx, grad_output):
    x = ctx.saved_tensors[0].detach().requires_grad_()
    with mg.enable_grad():
        y = x.clamp(-1, 1)
    return mg.autograd.grad(y, x, grad_output)[0]


def and_for_ampersand(ctx, grad_output):
    """`if`, `and`, `or`, `not` and chains such as -1 < x < 1 want one True or False, and a tensor has many: multiply by
    (x > -1) & (x < 1).
    """
    (x,) = ctx.saved_tensors
    return grad_output * (-1 < x < 1)


def in_the_order_of_memory(ctx, grad_output):
    """The numbers were taken in the order in which they lie in memory. That of a transposed matrix is not the order of
    its rows. A comparison and a product take any tensor as it is.
    """
    x, g = (one.detach().numpy() for one in (*ctx.saved_tensors, grad_output))
    chosen = np.where(np.abs(x.ravel(order="K")) < 1, g.ravel(order="K"), 0.0)
    return mg.tensor(chosen.reshape(x.shape), dtype=grad_output.dtype)


def slope_alone(ctx, grad_output):
    """grad_output was left out: this is the slope, 1 or 0. It has to be multiplied by what came in."""
    (x,) = ctx.saved_tensors
    return (x.abs() < 1).float()


# ---------------------------------------------------------------- tried as well


def limit_over_columns(ctx, grad_output):
    (x,) = ctx.saved_tensors
    if x.ndim < 2:
        return grad_output * (x.abs() < 1)
    return mg.stack([g * (c.abs() < 1) for g, c in zip(grad_output.unbind(1), x.unbind(1), strict=True)], 1)


def limit_of_flattened_rows(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return mg.cat([one * (number.abs() < 1) for one, number in zip(grad_output.split(1), x.split(1), strict=True)])


def limit_in_numpy_row_by_row(ctx, grad_output):
    x, g = ctx.saved_tensors[0].detach().numpy(), grad_output.numpy()
    out = np.zeros_like(x)
    for row in range(len(x)):
        out[row] = np.where(np.abs(x[row]) < 1, g[row], 0)
    return mg.tensor(out)


def limit_mapped(ctx, grad_output):
    x, g = ctx.saved_tensors[0].reshape(-1).tolist(), grad_output.reshape(-1).tolist()
    return mg.tensor(list(map(lambda a, b: b if -1 < a < 1 else 0.0, x, g))).view(grad_output.shape)


def limit_mapped_in_c(ctx, grad_output):
    inside = (ctx.saved_tensors[0].abs() < 1).reshape(-1).tolist()
    numbers = list(map(operator.mul, grad_output.reshape(-1).tolist(), inside))
    return mg.tensor(numbers).reshape(grad_output.shape)


def limit_chosen_one_by_one(ctx, grad_output):
    inside = (ctx.saved_tensors[0].abs() < 1).numpy().ravel()
    numbers = [g if chosen else 0.0 for g, chosen in zip(grad_output.numpy().ravel(), inside, strict=True)]
    return mg.tensor(np.array(numbers, dtype=np.float32)).reshape(grad_output.shape)


def limit_into_what_came(ctx, grad_output):
    (x,) = ctx.saved_tensors
    grad_output[~(x.abs() < 1)] = 0
    return grad_output


def limit_into_x(ctx, grad_output):
    (x,) = ctx.saved_tensors
    inside = x.detach().abs_() if x.is_leaf else x.abs()
    return grad_output * (inside < 1)


def limit_filled(ctx, grad_output):
    (x,) = ctx.saved_tensors
    grad_x = grad_output.clone()
    grad_x[mg.logical_not((x > -1) & (x < 1))] = 0
    return grad_x


def limit_in_numpy(ctx, grad_output):
    x = ctx.saved_tensors[0].detach().numpy()
    return mg.tensor(np.asarray(np.where(np.abs(x) < 1, grad_output.numpy(), np.float32(0))))


def limit_with_a_loop_over_what_was_saved(ctx, grad_output):
    for x in ctx.saved_tensors:
        inside = (x.abs() < 1).to(grad_output.dtype)
    return inside * grad_output


def limit_by_a_choice(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return mg.where(x.abs() >= 1, mg.zeros_like(grad_output), grad_output)


def limit_of_squares(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return mg.where(x * x < 1, grad_output, mg.zeros_like(grad_output))


EXERCISE = Exercise(
    title="the gradient of x, without a loop over its rows",
    stars=1,
    minutes=6,
    reference=limit_backward,
    plug=_trying,
    cases=(
        _case([[0.5, -2.0], [1.5, 0.0]], [[1.0, 1.0], [3.0, -2.0]]),
        _case([[1.0, -1.0, 0.999]], [[2.0, 3.0, 4.0]]),
        _case([float("nan"), 0.5, -3.0], [1.0, 2.0, 3.0]),
        _case([[0.5, -2.0], [1.5, 0.0], [0.25, 1.0]], [[1.0, 1.0], [3.0, -2.0], [0.5, 2.0]], turned=True),
        _case([0.5, 0.99999994, 0.25, -0.5], [float("inf"), 2.0, float("nan"), 1e6]),
        Case(COUNTED, lambda: (None, None)),
        _case(-1.5, 2.0),
    ),
    drawn=_drawn,
    hints=(
        "A comparison takes a whole tensor: x > 0 is a tensor of True and False in the shape of x.",
        "x.abs() < 1 is True for what lies inside, in all rows at once. What is multiplied by it passes or becomes 0.",
        "return grad_output * (x.abs() < 1)",
    ),
    notes=NOTES,
    evidence=_evidence,
    mistakes=(
        Mistake(row_by_row, rows_stacked, numbers_one_by_one, when=saw(WORK, operator.ne)),
        Mistake(everything_passes, lambda ctx, grad_output: grad_output),
        clamped_gradient,
        Mistake(turned_around, lambda ctx, grad_output: grad_output * (ctx.saved_tensors[0].abs() > 1)),
        Mistake(
            edited(limit_backward, "abs() < 1", "abs() <= 1"),
            by_the_built_in,
            words="At -1 and 1 themselves 0 is asked for, as in the loop: x.abs() < 1.",
        ),
        Mistake(
            edited(limit_backward, "x.abs()", "x"),
            words="Only the upper bound was looked at. x.abs() < 1 asks about both.",
        ),
        Mistake(
            edited(limit_backward, " * (x.abs() < 1)", ".masked_fill(x.abs() >= 1, 0)"),
            near=True,
            words="Where x is nan, the gradient has passed: nan is neither inside nor outside, since <, > and == "
            "with it are False. Ask for what is inside.",
        ),
        Mistake(
            edited(limit_backward, "x.abs() < 1", "(x > -1) | (x < 1)"),
            words="Every number is above -1 or below 1. Both have to hold: &, and not |.",
        ),
        Mistake(
            edited(limit_backward, "x.abs()", "grad_output.abs()"),
            words="The gradient was asked whether it lies between -1 and 1. It is x that was limited, and decides.",
        ),
        Mistake(
            edited(limit_backward, " * (x.abs() < 1)", "[x.abs() < 1]"),
            words="The gradient has another shape than x. Each of its elements gets one, those that were cut off 0.",
            when=raised("returned an invalid gradient"),
        ),
        in_the_order_of_memory,
        Mistake(slope_alone, lambda ctx, grad_output: ctx.saved_tensors[0].abs() < 1),
        Mistake(
            edited(limit_backward, "(x.abs() < 1)", "x.clamp(-1, 1)"),
            words="This is the forward once more, times grad_output. The slope of what passes is 1, and not x.",
        ),
        Mistake(
            edited(
                limit_backward,
                "grad_output * (x.abs() < 1)",
                "(grad_output.view(-1) * (x.view(-1).abs() < 1)).view(x.shape)",
            ),
            words="view() takes numbers that lie in memory one after the other, which those of a transposed or "
            "expanded tensor do not. No view is needed here: a comparison and a product take any shape.",
            when=lambda outcome: raised(VIEW)(outcome) or saw(SECOND, VIEW)(outcome),
        ),
        Mistake(and_for_ampersand, when=raised("Boolean value of Tensor")),
    ),
    right=(
        lambda ctx, grad_output: (limit_backward(ctx, grad_output), None),
        limit_of_squares,
        limit_filled,
        limit_in_numpy,
        limit_with_a_loop_over_what_was_saved,
    ),
    wrong={
        "it still goes through x part by part": [
            limit_over_columns,
            limit_of_flattened_rows,
            limit_in_numpy_row_by_row,
            limit_mapped,
            limit_mapped_in_c,
            limit_chosen_one_by_one,
        ],
        "x = -1.5, grad_output = 2.0": [edited(limit_backward, "return", "return grad_output if x.ndim == 0 else")],
        "backward has written to grad_output": [limit_into_what_came],
        "backward has written to x": [limit_into_x],
        "first difference": [
            edited(limit_backward, "grad_output *", "grad_output.clamp(-2, 2) *"),
            edited(limit_backward, "grad_output *", "grad_output.masked_fill(grad_output.isinf(), 0.0) *"),
            edited(limit_backward, "< 1", "< 1 - 1e-6"),
        ],
        "in the later digits": [edited(limit_backward, "grad_output *", "0.99995 * grad_output *")],
        "The gradient passes everywhere": [lambda ctx, grad_output: grad_output],
        "nan is neither inside nor outside": [limit_by_a_choice],
        "At -1 and 1 themselves 0 is asked for": [
            edited(limit_backward, "(x.abs() < 1)", "((x >= -1) & (x <= 1))"),
            by_the_built_in,
        ],
    },
)
