"""Exercise `gate_backward`: a backward with three mistakes, to be found with gradcheck."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Exercise, Mistake, cases, edited, function_of, measured_slopes
from minigrad.teach.draws import draw_numbers
from minigrad.teach.observing import SECOND, gradients_of, observer, raised
from minigrad.teach.wrong_node import draw_wrong_node, numbers

from .chapter07 import in_float64
from .writes import NOTES, Given


def gate_backward(ctx, grad_output):
    """The gradients of x, w and b."""
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


def _forward(ctx, x, w, b):
    ctx.save_for_backward(x, w)
    return _gate(x, w, b)


def _gate(x, w, b):
    return w * x.tanh() - b


OF_X, OF_W, OF_B = (f"the gradient of {name}" for name in "xwb")


@observer
def _sent(backward, *arguments):
    """What a Function with this backward sends, and whether it has written to what it was given."""
    *inputs, weights = _copies(arguments)
    x, w, b = (part.requires_grad_() for part in inputs)
    Gate = function_of("Gate", _forward, backward)  # noqa: N806 (a class)
    y = Gate.apply(x, w, b)
    given = Given(grad_output=weights, x=x, w=w)
    sent = gradients_of(y, {"x": x, "w": w, "b": b}, weights)
    again = {name: sent.pop(name) for name in [SECOND] if name in sent}
    for number, name in enumerate("xwb"):
        *alone, begun = _copies(arguments)  # what is sent may lie in the memory of what came in
        y = Gate.apply(*[one.requires_grad_(place == number) for place, one in enumerate(alone)])
        (gradient,) = grad(y, alone[number], begun, allow_unused=True)
        again[f"what {name} gets where nothing else requires a gradient"] = gradient
    return {**sent, **given.seen(), **again}  # a second walk is another one if the first has written


def _copies(arguments):
    """The same numbers in memory of their own: whatever is written, it is not to the case, nor to another walk's."""
    return [part.detach().clone() for part in arguments]


def _draw(outcome, difference):
    """The walk as it should be, and in red the input whose gradient is wrong; nothing where all are right."""
    if not difference.where.startswith("the gradient of "):
        return ""
    x, w, b, weights = outcome.case.make()
    y = function_of("Gate", _forward, gate_backward).apply(x, w, b)
    name = difference.where.removeprefix("the gradient of ")[0]
    words = f"✗ yours: {numbers(outcome.seen[f'the gradient of {name}'])}"
    return draw_wrong_node(y, {"x": x, "w": w, "b": b, "y": y}, name, words, weights)


@cases("x = {x}, w = {w}, b = {b}, grad_output = {weights}")
def _gate_case(x, w, b, weights):
    return *[in_float64(part).requires_grad_() for part in (x, w, b)], in_float64(weights)


def _drawn(random):
    """Other numbers of rows and columns, which must not be taken for each other."""
    for rows in (1, 3, 4):
        columns = random.integers(1, 4)
        w, b = draw_numbers(random, columns), draw_numbers(random, columns)
        yield _gate_case(draw_numbers(random, (rows, columns)), w, b, draw_numbers(random, (rows, columns)))


def _measured(outcome):
    *inputs, weights = (part.detach() for part in outcome.arguments)
    given = dict(zip("xwb", inputs, strict=True))
    return "\n".join(
        measured_slopes(
            lambda t, name=name: _gate(**{**given, name: t}), part, weights, f"each element of {name}", 1e-5
        )
        for name, part in given.items()
    )


# ---------------------------------------------------------------- wrong answers


def only_of_x(ctx, grad_output):
    """forward has three arguments after ctx, so backward returns three gradients, in a tuple (a list is none)."""
    x, w = ctx.saved_tensors
    return grad_output * w * (1 - x.tanh() ** 2)


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
    plug=_sent,
    cases=(
        _gate_case([[0.5, -1.0], [0.25, 2.0]], [2.0, -3.0], [1.0, 0.0], [[1.0, 2.0], [0.5, -1.0]]),
        _gate_case(
            [[0.5, -1.0], [0.25, 2.0], [-0.75, 1.5]],
            [0.5, 1.5],
            [1.0, 0.0],
            [[1.0, -2.0], [3.0, 0.5], [0.25, 4.0]],
        ),
        _gate_case(
            [[400.0, 0.25], [1.5, -400.0], [0.5, 2.0]], [1.5, -2.0], [0.5, 0.0], [[2.0, 0.5], [-1.0, 1.0], [1.0, 3.0]]
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
    notes={
        **NOTES,
        "what ? gets *": "The gradients are right where all three inputs require one. Where one alone does, it gets "
        "its gradient all the same: ctx.needs_input_grad says for which inputs None is enough.",
    },
    evidence=_measured,
    picture=_draw,
    mistakes=(
        Mistake(
            edited(gate_backward, "- t * t", "- t"),
            words="The gradient of x has the slope of tanh as 1 - t. It is 1 - t * t.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "1 - t * t", "1 - x * x"),
            words="The gradient of x has 1 - x * x in it. The slope of tanh is made of its result: 1 - t * t.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "(1 - t * t)", "(1 - t) ** 2"),
            words="In the gradient of x the whole of 1 - t was squared. The slope of tanh is 1 - t * t.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "1 - t * t", "1 + t * t"),
            words="The gradient of x has the slope of tanh as 1 + t * t. It is 1 - t * t.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "x, w =", "w, x ="),
            words="x and w have changed places: ctx.saved_tensors has them in the order of save_for_backward.",
            near=OF_X,
        ),
        Mistake(
            edited(
                gate_backward,
                "tanh()\n",
                "tanh()\n    of_w = grad_output.mul_(t).sum(0)\n",
                "(grad_output * t).sum(0)",
                "of_w",
            ),
            words="The gradient of x has t in it once too often, as where grad_output was written to, times t, before: "
            "grad_output * t is a new tensor.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "output * t)", "output * w * t)"),
            words="The gradient of w has w in it. y is w times t, so its slope for w is t.",
            near=OF_W,
        ),
        Mistake(
            edited(gate_backward, "t).sum(0)", "t)[0]"),
            words="The gradient of w is that of the first row alone. Each row adds its part: use sum(0).",
            near=OF_W,
        ),
        Mistake(
            edited(gate_backward, "output * w", "output"),
            words="The gradient of x lacks the factor w: y grows w times as fast as tanh(x).",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "grad_output * w * (1 - t * t)", "w * (1 - t * t) + 0 * grad_output"),
            words="The gradient of x lacks grad_output: what comes in is a factor of all that goes on.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, " * (1 - t * t)", ""),
            words="The gradient of x lacks the slope of tanh, 1 - t * t.",
            near=OF_X,
        ),
        Mistake(
            edited(gate_backward, "output * t)", "output * x)"),
            words="The gradient of w has x in it. w is multiplied by tanh(x), so the factor is t.",
            near=OF_W,
        ),
        Mistake(
            edited(gate_backward, "t).sum(0)", "t).sum(1)"),
            edited(gate_backward, "t).sum(0)", "t).sum()"),
            words="w gets a number for each row, or just one, as by sum(1) or sum(). It has an element for each "
            "column, to which each row adds its part, sum(0).",
            near=OF_W,
            when=_is_summed_along_rows,
        ),
        Mistake(
            edited(gate_backward, "-grad_output.sum", "-grad_output.mean"),
            words="The gradient of b is a mean over the rows. Each row adds its part: use sum(0).",
            near=OF_B,
        ),
        Mistake(
            edited(gate_backward, "-grad_output.sum(0)", "-mg.ones_like(w)"),
            edited(gate_backward, "-grad_output.sum(0)", "-mg.ones_like(grad_output).sum(0)"),
            words="The gradient of b lacks grad_output: -1 is the slope, and what comes in is its factor.",
            near=OF_B,
        ),
        Mistake(
            edited(gate_backward, "t).sum(0), -", "t).mean(0), "),
            words="The gradient of w is a mean over the rows. Each row adds its part: use sum(0).",
            near=OF_W,
        ),
        Mistake(
            edited(gate_backward, "-grad_output.sum", "grad_output.sum"),
            words="The gradient of b has the wrong sign: y gets smaller when b grows.",
            near=OF_B,
        ),
        Mistake(
            edited(gate_backward, "(grad_output * t).sum(0), -grad_output", "-grad_output.sum(0), (grad_output * t)"),
            words="b gets the gradient of w. Gradients are returned in the order of forward's arguments: those of x, w "
            "and b.",
            near=OF_B,
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
        "has t in it once too often, as where": [edited(gate_backward, "w * (1", "w * t * (1")],
        "b gets the gradient of w": [edited(gate_backward, "-grad_output.sum", "(grad_output * t).sum")],
        "or just one, as by sum(1)": [edited(gate_backward, "t).sum(0)", "t).mean()")],
        "grad_output afterwards: yours backward has written to grad_output": [gate_over_what_came],
        "backward has written to x": [edited(gate_backward, "tanh", "tanh_")],
        "backward has written to w": [gate_over_w],
        "something went through float32": [
            edited(gate_backward, "tanh", "float().tanh"),
            edited(gate_backward, "(1 - t * t)", "mg.tensor((1 - t * t).tolist())"),
        ],
        "or was measured": [edited(gate_backward, "(1 - t * t)", "((x + 1e-4).tanh() - (x - 1e-4).tanh()) / 2e-4")],
        "the gradient of w": [edited(gate_backward, "t).sum(0)", "t)[[0, 1 % len(x)]].sum(0)")],
        "the gradient of b": [lambda ctx, grad_output: (*gate_backward(ctx, grad_output)[:2], None)],
        "Where one alone does": [
            lambda ctx, grad_output: gate_backward(ctx, grad_output) if all(ctx.needs_input_grad) else (None,) * 3
        ],
        "x = [[400.0, 0.25], [1.5, -400.0], [0.5, 2.0]]": [
            edited(gate_backward, "(1 - t * t)", "4 / ((2 * x).exp() + 1) ** 2 * (2 * x).exp()")
        ],
        "None of the mistakes that are known here": [edited(gate_backward, "t).sum(0)", "t).sum(0) * 2")],
    },
)
