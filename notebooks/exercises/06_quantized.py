"""Exercise `quantized`: rounding whose gradient goes straight through."""

import warnings

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, raised, show

from .chapter06 import measured_slopes


def quantized(x, step):
    """x rounded to multiples of step, with the gradient of x itself."""
    return Quantize.apply(x, step)


class Quantize(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, step):
        ctx.step = step
        return _rounded(x, step)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


WEIGHTS = (1.0, -2.0, 0.5)  # how much each element of the result counts


def _rounded(x, step):
    return (x / step).round() * step


def _observe(value, arguments):
    """The numbers, and the gradient that they send to x."""
    if not isinstance(value, mg.Tensor) or value.shape != arguments[0].shape:
        return value
    if not value.requires_grad:
        return value.detach(), None
    return value.detach(), grad(value, arguments[0], mg.tensor(list(WEIGHTS)), allow_unused=True)[0]


def _compare(expected, got, outcome):
    if not isinstance(got, tuple) or len(got) != 2 or not isinstance(got[0], mg.Tensor):
        return compare(expected[0], got)
    difference = compare(expected[0], got[0], "the numbers")
    if difference is not None:
        return difference
    if got[1] is None:
        note = "The numbers are right, but no way leads from them back to x."
        return Difference("the gradient of x", "None", show(expected[1]), note)
    return compare(expected[1], got[1], "the gradient of x")


def _show(value, arguments):
    if not isinstance(value, tuple) or len(value) != 2 or not isinstance(value[0], mg.Tensor):
        return show(value)
    return f"{show(value[0])}; for grad_output {list(WEIGHTS)} it sends {show(value[1])} to x"


def _case(numbers, step):
    return Case(f"x = {numbers}, step = {step}", lambda: (mg.tensor(numbers, requires_grad=True), step))


def _draw(outcome, difference):
    """The learner's graph, walked, and in red the result or x."""
    x, step = outcome.case.make()
    answer = outcome.answer
    result = answer(x, step)
    weights = mg.tensor(list(WEIGHTS)) if result.requires_grad else None
    if difference.where.startswith("the numbers"):
        return draw_wrong_node(result, {"x": x}, result, "✗ other numbers", weights, answer)
    if not result.requires_grad:
        return draw_wrong_node(result, {"x": x}, result, "✗ no way back to x", None, answer)
    return draw_wrong_node(result, {"x": x}, x, f"✗ expected {list(WEIGHTS)}", weights, answer)


def _evidence(outcome):
    x, step = outcome.arguments
    measured = measured_slopes(lambda moved: _rounded(moved, step), x, mg.tensor(list(WEIGHTS)))
    return f"{measured}\n  that is the truth about rounding; asked for is what x itself would get, {list(WEIGHTS)}"


# ---------------------------------------------------------------- wrong answers


def whole_numbers(x, step):
    """The step was left out: this is x rounded to whole numbers."""

    class Quantize(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, step):
            return x.round()

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output, None

    return Quantize.apply(x, step)


def no_function(x, step):
    """This is the gradient of rounding itself, 0 everywhere. It needs a Function with a backward of your own, called by
    its apply.
    """
    return (x / step).round() * step


def without_apply(x, step):
    class Context:
        step = None

    return Quantize.forward(Context(), x, step)


def number_of_steps(x, step):
    """Rounded, but not multiplied by step any more: these are the numbers of the steps."""

    class Steps(Quantize):
        @staticmethod
        def forward(ctx, x, step):
            return (x / step).round()

    return Steps.apply(x, step)


def rounded_down(x, step):
    """This rounds down. round() goes to the nearest multiple."""

    class Down(Quantize):
        @staticmethod
        def forward(ctx, x, step):
            return mg.floor(x / step) * step

    return Down.apply(x, step)


def ones_back(x, step):
    """What comes in is not in it: backward gave ones. It passes grad_output on, which is not always 1."""

    class Ones(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return mg.ones_like(grad_output), None

    return Ones.apply(x, step)


def rounded_back(x, step):
    """backward rounds the gradient, too. Only the numbers are rounded; the gradient passes as it is."""

    class Back(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return (grad_output / ctx.step).round() * ctx.step, None

    return Back.apply(x, step)


def divided_by_step(x, step):
    """The gradient was divided by step. The division belongs to the rounding, and the backward is to act as if there
    were none of it.
    """

    class Divided(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output / ctx.step, None

    return Divided.apply(x, step)


def made_an_object(x, step):
    """Quantize(...) makes an object and computes nothing. A Function is called by Quantize.apply(...)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return Quantize(x, step)


def cut_off(x, step):
    """The history was cut, by detach(), no_grad() or a call of forward instead of apply, and nothing was put in its
    place.
    """
    return (x.detach() / step).round() * step


def scaled_by_step(x, step):
    """The gradient was multiplied by step. The multiplication belongs to the rounding, and the backward is to act as if
    there were none of it.
    """

    class Scaled(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.step, None

    return Scaled.apply(x, step)


def no_none(x, step):
    """backward returns one gradient for each argument of forward after ctx. step is no tensor: return None for it."""

    class One(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output

    return One.apply(x, step)


def gradient_for_step(x, step):
    """step is no tensor and gets no gradient: None at its place."""

    class Two(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output, grad_output.sum()

    return Two.apply(x, step)


def saved_a_number(x, step):
    """save_for_backward is for tensors. A number is kept as an attribute, ctx.step = step; and do you need it?"""

    class Saving(Quantize):
        @staticmethod
        def forward(ctx, x, step):
            ctx.save_for_backward(x, step)
            return (x / step).round() * step

    return Saving.apply(x, step)


EXERCISE = Exercise(
    title="x rounded to multiples of step, whose gradient passes as if it were x",
    stars=2,
    minutes=8,
    reference=quantized,
    cases=(
        _case([0.3, 0.8, -1.1], 0.5),
        _case([0.3, 0.8, -1.1], 0.25),
        _case([7.0, 12.0, -3.0], 4.0),
    ),
    hints=(
        "The forward is (x / step).round() * step. What should a backward return that treats y as if it were x?",
        "It returns grad_output as it is, for x. And forward has one more argument: what is its gradient?",
        "class Quantize(mg.autograd.Function), with two static methods; backward returns grad_output, None. Then "
        "quantized returns Quantize.apply(x, step).",
    ),
    observe=_observe,
    compare=_compare,
    show=_show,
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        whole_numbers,
        Mistake(no_function, without_apply),
        number_of_steps,
        rounded_down,
        ones_back,
        rounded_back,
        divided_by_step,
        Mistake(made_an_object, when=lambda outcome: isinstance(outcome.value, mg.autograd.Function)),
        Mistake(cut_off, when=lambda outcome: isinstance(outcome.value, tuple) and outcome.value[1:] == (None,)),
        scaled_by_step,
        Mistake(no_none, when=raised("incorrect number of gradients")),
        Mistake(gradient_for_step, when=raised("gradient different than None")),
        Mistake(saved_a_number, when=raised("save_for_backward can only save variables")),
    ),
)
