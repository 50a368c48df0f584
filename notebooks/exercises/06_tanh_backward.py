"""Exercise `tanh_backward`: the backward of a Function that saved its output."""

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, draw_wrong_node, function_of, raised, yours

from .chapter06 import compare_sent, drawn_numbers, measured_slopes, sends, show_sent


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
    return draw_wrong_node(y, {"x": x, "y": y}, x, yours(outcome.value.gradient), weights)


def _case(numbers, weights):
    return Case(
        f"y = Tanh.apply(x) at x = {numbers}, grad_output = {weights}",
        lambda: (mg.tensor(numbers, requires_grad=True), mg.tensor(weights)),
    )


def _drawn(random):
    """Of no dimension up to two: what goes through one row element by element is no rule for a tensor."""
    for shape in [(), (4,), (2, 3)]:
        yield _case(drawn_numbers(random, shape), drawn_numbers(random, shape))


# ---------------------------------------------------------------- wrong answers


def slope_only(ctx, grad_output):
    """This is the slope alone. What came in, grad_output, is not in it, so the chain rule is cut here."""
    (y,) = ctx.saved_tensors
    return 1 - y**2


def tanh_of_tanh(ctx, grad_output):
    """tanh was applied once more: what forward saved is y already, not x."""
    (x,) = ctx.saved_tensors
    return grad_output * (1 - mg.tanh(x) ** 2)


def grad_output_for_x(ctx, grad_output):
    """grad_output was taken for x. It is the gradient that arrives at y, and the rule multiplies it."""
    return 1 - mg.tanh(grad_output) ** 2


def forgot_the_square(ctx, grad_output):
    """The slope is 1 minus the square of y, not 1 minus y."""
    (y,) = ctx.saved_tensors
    return grad_output * (1 - y)


def plus_the_square(ctx, grad_output):
    """The slope is 1 minus the square of y, not 1 plus it."""
    (y,) = ctx.saved_tensors
    return grad_output * (1 + y**2)


def added_the_slope(ctx, grad_output):
    """The slope was added to grad_output. A node multiplies what comes in by its slope."""
    (y,) = ctx.saved_tensors
    return grad_output + (1 - y * y)


def times_y(ctx, grad_output):
    """This is grad_output times y. y is the result; its slope is 1 - y * y."""
    (y,) = ctx.saved_tensors
    return y * grad_output


def passed_on(ctx, grad_output):
    """What came in goes on as it was: the slope of tanh, 1 - y * y, is missing. Nothing is recorded while a backward
    runs, so nobody multiplies by it if you do not.
    """
    return grad_output


def asked_for_its_own_gradient(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return mg.autograd.grad(y, y, grad_output)[0]


def summed_up(ctx, grad_output):
    """This is one number. The gradient has one for each element of x."""
    (y,) = ctx.saved_tensors
    return (grad_output * (1 - y * y)).sum()


def tuple_for_tensor(ctx, grad_output):
    """ctx.saved_tensors is a tuple, also when one tensor was saved: (y,) = ctx.saved_tensors, or [0]."""
    y = ctx.saved_tensors
    return grad_output * (1 - y**2)


def from_an_attribute(ctx, grad_output):
    """ctx has no attribute of this name. forward called ctx.save_for_backward(y), so y is in ctx.saved_tensors."""
    return grad_output * (1 - ctx.y**2)


def as_an_array(ctx, grad_output):
    """A gradient has to be a tensor, with one number for each number of x: no .item(), no .numpy(), no list."""
    (y,) = ctx.saved_tensors
    return (grad_output * (1 - y**2)).numpy()


EXERCISE = Exercise(
    title="the gradient of x, from grad_output and what forward saved",
    stars=1,
    minutes=5,
    reference=tanh_backward,
    plug=lambda backward: sends("Tanh", _forward, ["y"], backward),
    cases=(
        _case([0.5, -1.0, 2.0], [1.0, 1.0, 1.0]),
        _case([0.0, 0.3], [2.0, -3.0]),
        _case([1.5, -0.2, 0.7], [0.0, 0.5, 10.0]),
        _case([[0.5, -1.0], [0.1, 2.0]], [[1.0, 0.5], [-2.0, 3.0]]),
    ),
    drawn=_drawn,
    hints=(
        "A node multiplies what comes in by the slope of its own operation. Which of the two does each argument bring?",
        "grad_output comes in. The slope is 1 - y * y, and y is what forward saved.",
        "(y,) = ctx.saved_tensors takes the one tensor out of the tuple; then return grad_output times the slope.",
    ),
    compare=compare_sent,
    show=show_sent,
    evidence=lambda outcome: measured_slopes(lambda x: x.tanh(), *outcome.arguments),
    picture=_draw,
    mistakes=(
        slope_only,
        tanh_of_tanh,
        grad_output_for_x,
        forgot_the_square,
        plus_the_square,
        added_the_slope,
        times_y,
        Mistake(passed_on, asked_for_its_own_gradient),
        Mistake(summed_up, when=raised("invalid gradient", "got []")),
        Mistake(
            tuple_for_tensor,
            when=lambda outcome: isinstance(outcome.error, TypeError) and "tuple" in str(outcome.error),
        ),
        Mistake(
            from_an_attribute,
            when=lambda outcome: (
                isinstance(outcome.error, AttributeError)
                and isinstance(outcome.error.obj, mg.autograd.function.FunctionCtx)
            ),
        ),
        Mistake(as_an_array, when=raised("expected Variable or None")),
    ),
)
