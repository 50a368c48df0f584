"""Exercise `tanh_backward`: the backward of a Function that saved its output."""

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, draw_wrong_node, edited, function_of, measured_slopes, yours
from minigrad.teach.draws import draw_numbers
from minigrad.teach.observing import raised

from .chapter06 import sends
from .writes import NOTES


def tanh_backward(ctx, grad_output):
    """The gradient of x, from that of y = tanh(x); forward has saved y."""
    (y,) = ctx.saved_tensors
    return grad_output * (1 - y * y)


def _forward(ctx, x):
    y = x.tanh()
    ctx.save_for_backward(y)
    return y


def _draw(outcome, difference):
    """The walk as it should be, and in red what was answered; nothing where the gradient is right."""
    if not difference.where.startswith("the answer"):
        return ""
    x, weights = outcome.case.make()
    y = function_of("Tanh", _forward, tanh_backward).apply(x)
    return draw_wrong_node(y, {"x": x, "y": y}, x, yours(outcome.seen["the answer"]), weights)


@cases("y = Tanh.apply(x) at x = {numbers}, grad_output = {weights}")
def _case(numbers, weights):
    return mg.tensor(numbers, requires_grad=True), mg.tensor(weights)


def _drawn(random):
    """Of no dimension up to two: what goes through one row element by element is no rule for a tensor."""
    for shape in [(), (4,), (2, 3)]:
        yield _case(draw_numbers(random, shape), draw_numbers(random, shape))


# ---------------------------------------------------------------- wrong answers


def grad_output_for_x(ctx, grad_output):
    """grad_output was taken for x. It is the gradient that arrives at y, and the rule multiplies it."""
    return 1 - mg.tanh(grad_output) ** 2


def from_an_attribute(ctx, grad_output):
    """ctx has no attribute of this name. forward called ctx.save_for_backward(y), so y is in ctx.saved_tensors."""
    return grad_output * (1 - ctx.y**2)


# ---------------------------------------------------------------- tried as well


def tanh_of_a_row(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return mg.tensor([float(g) * (1 - float(one) ** 2) for g, one in zip(grad_output, y, strict=True)])


def tanh_in_numpy(ctx, grad_output):
    return mg.tensor(np.asarray(grad_output.numpy() * (1 - np.square(ctx.saved_tensors[0].detach().numpy()))))


def tanh_written_out(ctx, grad_output):
    y = ctx.saved_tensors[0]
    return grad_output.mul(1 - y.pow(2))


def tanh_of_the_first_walk(ctx, grad_output):
    """Keeps on ctx what it has sent once."""
    if not hasattr(ctx, "sent"):
        ctx.sent = tanh_backward(ctx, grad_output)
    return ctx.sent


EXERCISE = Exercise(
    title="the gradient of x, from grad_output and what forward saved",
    stars=1,
    minutes=5,
    reference=tanh_backward,
    plug=lambda backward: sends("Tanh", _forward, ["y"], backward),
    cases=(
        _case([0.5, -1.0, 2.0], [1.0, 1.0, 1.0]),
        _case([0.0, 0.3], [2.0, -3.0]),
        _case([1.5, -0.2, 5.0], [0.0, 0.5, 10.0]),
        _case([[0.5, -1.0], [0.1, 2.0]], [[1.0, 0.5], [-2.0, 0.5]]),  # of which the sum is 0
    ),
    drawn=_drawn,
    hints=(
        "A node multiplies what comes in by the slope of its own operation. Which of the two does each argument bring?",
        "grad_output comes in. The slope is 1 - y * y, and y is what forward saved.",
        "(y,) = ctx.saved_tensors takes the one tensor out of the tuple; then return grad_output times the slope.",
    ),
    notes=NOTES,
    evidence=lambda outcome: measured_slopes(lambda x: x.tanh(), *outcome.arguments),
    picture=_draw,
    mistakes=(
        Mistake(
            edited(tanh_backward, "grad_output * (1 - y * y)", "1 - y * y * grad_output"),
            words="grad_output multiplies the square of y only. Put brackets around the slope: (1 - y * y).",
        ),
        Mistake(
            edited(tanh_backward, "return", "return None,"),
            words="forward has one argument after ctx, x, so backward returns one gradient.",
            when=raised("incorrect number of gradients"),
        ),
        Mistake(
            edited(tanh_backward, "return grad_output * (1 - y * y)", "return y.backward(grad_output)"),
            words="The node of y is the one whose backward is running, so a walk from y calls this function again. "
            "Compute the gradient from grad_output and the numbers of y.",
            when=raised("came back to itself"),
        ),
        Mistake(
            edited(tanh_backward, "grad_output * (1 - y * y)", "1 - y**2"),
            words="This is the slope alone. What came in, grad_output, is not in it, so the chain rule is cut here.",
        ),
        Mistake(
            edited(tanh_backward, "(y,)", "(x,)", "y * y", "mg.tanh(x) ** 2"),
            words="This is the slope of tanh at y, as where tanh is applied once more. What forward saved is y "
            "already, not x.",
        ),
        grad_output_for_x,
        Mistake(edited(tanh_backward, "y * y", "y"), words="The slope is 1 minus the square of y, not 1 minus y."),
        Mistake(
            edited(tanh_backward, "1 - y * y", "1 + y**2"), words="The slope is 1 minus the square of y, not 1 plus it."
        ),
        Mistake(
            edited(tanh_backward, "(1 - y * y)", "y * (1 - y)"),
            words="y * (1 - y) is the slope of the sigmoid. That of tanh is 1 - y * y.",
        ),
        Mistake(
            edited(tanh_backward, "(1 - y * y)", "(1 - y) ** 2"),
            words="The whole of 1 - y was squared. The slope is 1 minus the square of y.",
        ),
        Mistake(
            edited(tanh_backward, "(1 - y * y)", "1 - y * y"),
            words="This is grad_output - y * y, as where brackets are missing: * comes before -. grad_output belongs "
            "to the whole slope: grad_output * (1 - y * y).",
        ),
        Mistake(
            edited(tanh_backward, "grad_output * (1 - y * y)", "grad_output + (1 - y * y)"),
            words="The slope was added to grad_output. A node multiplies what comes in by its slope.",
        ),
        Mistake(
            edited(tanh_backward, "grad_output * (1 - y * y)", "y * grad_output"),
            words="This is grad_output times y. y is the result; its slope is 1 - y * y.",
        ),
        Mistake(
            edited(from_an_attribute, " * (1 - ctx.y**2)", ""),
            edited(tanh_backward, "grad_output * (1 - y * y)", "mg.autograd.grad(y, y, grad_output)[0]"),
            words="What came in goes on as it was: the slope of tanh, 1 - y * y, is missing. Nothing is recorded "
            "while a backward runs, so nobody multiplies by it if you do not.",
        ),
        Mistake(
            edited(tanh_backward, "grad_output * (1 - y * y)", "(grad_output * (1 - y * y)).sum()"),
            words="This is one number. The gradient has one for each element of x.",
            when=raised("invalid gradient", "got []"),
        ),
        Mistake(
            edited(tanh_backward, "(y,)", "y", "y * y", "y**2"),
            words="A tuple stands where a tensor is needed. ctx.saved_tensors is one, also when one tensor was saved: "
            "(y,) = ctx.saved_tensors, or [0].",
            when=lambda outcome: isinstance(outcome.error, TypeError) and "tuple" in str(outcome.error),
        ),
        Mistake(
            from_an_attribute,
            when=lambda outcome: (
                isinstance(outcome.error, AttributeError)
                and isinstance(outcome.error.obj, mg.autograd.function.FunctionCtx)
            ),
        ),
        Mistake(
            edited(tanh_backward, "grad_output * (1 - y * y)", "(grad_output * (1 - y * y)).numpy()"),
            words="A gradient has to be a tensor, with one number for each number of x: no .item(), no .numpy(), no "
            "list.",
            when=raised("expected Variable or None"),
        ),
    ),
    right=(
        edited(tanh_backward, "return ", "return (1 + y) * ", "y * y", "y"),
        edited(tanh_backward, "* (1 - y * y)", "/ mg.cosh(((1 + y) / (1 - y)).log() / 2) ** 2"),
        tanh_in_numpy,
        tanh_written_out,
        lambda ctx, grad_output: (grad_output - grad_output * ctx.saved_tensors[0] ** 2,),
    ),
    wrong={
        "as where tanh is applied once more": [edited(tanh_backward, "* (1 - y * y)", "/ y.cosh() ** 2")],
        "as where brackets are missing": [edited(tanh_backward, "* (1 - y * y)", "- y * y")],
        "A tuple stands where": [edited(tanh_backward, "saved_tensors\n", "saved_tensors\n    y = (y,)\n")],
        "all in float64": [lambda ctx, g: g * mg.tensor((1 - ctx.saved_tensors[0] ** 2).tolist())],
        "what a second walk brings": [tanh_of_the_first_walk],
        "backward has written to grad_output": [edited(tanh_backward, " * (1 - y * y)", ".mul_(1 - y * y)")],
        "backward has written to y": [edited(tanh_backward, "(1 - y * y)", "(1 - y.mul_(y))")],
        "raises": [tanh_of_a_row],
        "The error arose while your function ran": [
            lambda ctx, grad_output: grad_output / mg.cosh(mg.atanh(ctx.saved_tensors[0])) ** 2
        ],
        "view size is not compatible": [
            edited(
                tanh_backward,
                "grad_output * (1 - y * y)",
                "(grad_output.view(-1) * (1 - y * y).reshape(-1)).view(y.shape)",
            )
        ],
        "invalid gradient": [
            edited(tanh_backward, "grad_output * (1 - y * y)", "(grad_output * (1 - y * y)).view(-1)")
        ],
        "first difference": [
            edited(tanh_backward, "(1 - y * y)", "(1 - y) * (1 + y.abs())"),
            edited(tanh_backward, "grad_output * (1 - y * y)", "(grad_output * (1 - y * y)).clamp(min=0)"),
            edited(tanh_backward, "grad_output * (1 - y * y)", "grad_output.clamp(-1, 1) * (1 - y * y)"),
            edited(tanh_backward, "(1 - y * y)", "(1 - y * y).clamp(min=1e-3)"),
            edited(tanh_backward, "(1 - y * y)", "(1 - y * y) * (grad_output.sum() != 0)"),
        ],
    },
)
