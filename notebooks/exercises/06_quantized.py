"""Exercise `quantized`: rounding whose gradient goes straight through."""

import warnings

import numpy as np

import minigrad as mg
from minigrad.autograd import Function
from minigrad.teach import STEP, Exercise, Mistake, cases, edited, function_of, measured_slopes
from minigrad.teach.draws import flip, pick
from minigrad.teach.observing import gradients_of, observer, raised, right_but, saw
from minigrad.teach.wrong_node import draw_wrong_node

from .writes import NOTES, Given


def quantized(x, step):
    """x rounded to multiples of step, with the gradient of x itself."""
    Quantize = function_of("Quantize", _forward, _backward)  # noqa: N806 (a class)
    return Quantize.apply(x, step)


def _forward(ctx, x, step):
    return (x / step).round() * step


def _backward(ctx, grad_output):
    return grad_output, None


def _quantized_with(x, step, forward=_forward, backward=_backward):
    """The Function with one of its two methods written otherwise."""
    return function_of("Quantize", forward, backward).apply(x, step)


WEIGHTS = (1.0, -2.0, 0.5)  # how much each element of the result counts, again and again if there are more


def _weights(x):
    return mg.tensor(np.resize(np.float32(WEIGHTS), tuple(x.shape)))


WAY_BACK, DTYPE = "the way back to x", "the dtype"


@observer
def _watched(answer, x, step):
    """The numbers, and what they send to x."""
    result, weights = answer(x, step), _weights(x)
    given = Given(grad_output=weights)
    sent = gradients_of(result, {"x": x}, weights)
    way = {WAY_BACK: "there is one" if result.requires_grad else "there is none"} if sent else {}
    kind = {DTYPE: str(result.dtype)} if sent else {}
    return {"the numbers": result.detach() if sent else result, **kind, **way, **sent, **given.seen()}


@cases("x = {numbers}{is_result}{turned}, step = {step}", is_result=", a result of w * 1", turned=", transposed")
def _case(numbers, step, is_result=False, turned=False):
    x = mg.tensor(numbers, requires_grad=True)
    x = x * 1 if is_result else x
    return x.T if turned else x, step


def _drawn(random):
    """Steps of all sizes, any shape, some numbers that become 0, and none that is between two multiples."""
    for shape in [(), (5,), (2, 3)]:
        step = pick(random, [0.1, 0.2, 0.5, 3.0, 10.0])
        multiples = random.integers(-4, 5, shape) + random.choice([0.0, 0.1, -0.3, 0.4], shape)
        yield _case(np.round(multiples * step, 3).tolist(), step, flip(random))


def _draw(outcome, difference):
    """The learner's graph, walked, and in red the result or x."""
    x, step = outcome.case.make()
    answer = outcome.answer
    result = answer(x, step)
    weights = _weights(x) if result.requires_grad else None
    if difference.where.startswith("the numbers"):
        return draw_wrong_node(result, {"x": x}, result, "✗ other numbers", weights, answer)
    if not result.requires_grad:
        return draw_wrong_node(result, {"x": x}, result, "✗ no way back to x", None, answer)
    return draw_wrong_node(result, {"x": x}, x, f"✗ expected {weights.tolist()}", weights, answer)


def _evidence(outcome):
    x, step = outcome.arguments
    weights = _weights(x)
    measured = measured_slopes(lambda moved: _forward(None, moved, step), x, weights)
    truth = "that is the truth about rounding"
    if _is_near_a_jump(x.detach().numpy(), step):
        truth = "between two multiples rounding jumps, and has no slope: the smaller the move, the more is measured"
    return f"{measured}\n  {truth}; asked for is what x itself would get, {weights.tolist()}"


def _is_near_a_jump(numbers, step):
    """Whether the move of a measurement reaches from one multiple to the next."""
    return bool((np.round((numbers - STEP) / step) != np.round((numbers + STEP) / step)).any())


# ---------------------------------------------------------------- wrong answers


def whole_numbers(x, step):
    """The step was left out: this is x rounded to whole numbers."""
    return _quantized_with(x, step, forward=lambda ctx, x, step: x.round())


def no_function(x, step):
    """This is the gradient of rounding itself, 0 everywhere. Another one has to be put in its place: a Function with a
    backward of your own, called by its apply, is one way.
    """
    return (x / step).round() * step


def number_of_steps(x, step):
    """Rounded, but not multiplied by step any more: these are the numbers of the steps."""
    return _quantized_with(x, step, forward=lambda ctx, x, step: (x / step).round())


def rounded_down(x, step):
    """This rounds down. round() goes to the nearest multiple."""
    return _quantized_with(x, step, forward=lambda ctx, x, step: mg.floor(x / step) * step)


def cut_towards_zero(x, step):
    """The digits behind the point were cut off, which goes towards 0. round() goes to the nearest multiple."""
    return _quantized_with(x, step, forward=lambda ctx, x, step: mg.trunc(x / step) * step)


def halves_up(x, step):
    """Halves go up here. round() takes them to the even neighbour: of 0.5 and 2.5 it makes 0 and 2."""
    return _quantized_with(x, step, forward=lambda ctx, x, step: mg.floor(x / step + 0.5) * step)


def halves_away_from_zero(x, step):
    """Halves go away from 0 here. round() takes them to the even neighbour: of 0.5 and -2.5 it makes 0 and -2."""
    return _quantized_with(x, step, forward=lambda ctx, x, step: mg.floor(x.abs() / step + 0.5) * x.sign() * step)


def only_between_bounds(x, step):
    """The gradient passes between -1 and 1 alone, as it does where numbers are clamped, too. Here nothing is: it passes
    everywhere.
    """
    inside = x.detach().abs() <= 1
    return _quantized_with(x, step, backward=lambda ctx, grad_output: (grad_output * inside, None))


def turned_round(x, step):
    """The numbers lie on the other side of x, as where the difference is turned round: x + (x - rounded) is
    2 * x - rounded. x + (rounded - x).detach() has the numbers of rounded, and the slope of x.
    """
    return x + (x - _forward(None, x, step)).detach()


def ones_back(x, step):
    """What comes in is not in it: backward gave ones. It passes grad_output on, which is not always 1."""
    return _quantized_with(x, step, backward=lambda ctx, grad_output: (mg.ones_like(grad_output), None))


def rounded_back(x, step):
    """backward rounds the gradient, too. Only the numbers are rounded; the gradient passes as it is."""
    return _quantized_with(x, step, backward=lambda ctx, grad_output: ((grad_output / step).round() * step, None))


def only_where_not_zero(x, step):
    """Where x was rounded to 0, no gradient comes back. y is to act as if it were x there, too."""
    kept = (x / step).round() != 0
    return _quantized_with(x, step, backward=lambda ctx, grad_output: (grad_output * kept, None))


def made_an_object(x, step):
    """Quantize(...) makes an object and computes nothing. A Function is called by Quantize.apply(...)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return function_of("Quantize", _forward, _backward)(x, step)


def no_none(x, step):
    """backward returns one gradient for each argument of forward after ctx, None for what is no tensor, as step is."""
    return _quantized_with(x, step, backward=lambda ctx, grad_output: grad_output)


def gradient_for_step(x, step):
    """step is no tensor and gets no gradient: None at its place."""
    return _quantized_with(x, step, backward=lambda ctx, grad_output: (grad_output, grad_output.sum()))


def saved_a_number(x, step):
    """save_for_backward is for tensors. A number is kept as an attribute, ctx.step = step; and do you need it?"""

    def forward(ctx, x, step):
        ctx.save_for_backward(x, step)
        return (x / step).round() * step

    return _quantized_with(x, step, forward=forward)


# ---------------------------------------------------------------- tried as well


def quantized_function(forward=None, backward=None):
    class Rounded(Function):
        @staticmethod
        def forward(ctx, x, step):
            ctx.x = x
            return (x / step).round() * step if forward is None else forward(x, step)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output if backward is None else backward(grad_output, ctx.x), None

    return Rounded.apply


def quantized_to_a_few_digits(x, step):
    return quantized_function(forward=lambda x, step: mg.floor(x / step * 2).div(2).round() * step)(x, step)


def quantized_over_x(x, step):
    x.data = (x.detach() / step).round() * step
    return x


def quantized_in_one_row(x, step):
    return mg.stack([quantized_function()(one, step) for one in x.view(-1)]) if x.ndim == 1 else x.round()


def quantized_as_data(x, step):
    result = x.clone()
    result.data = (x.detach() / step).round() * step
    return result


def quantized_in_numpy(x, step):
    def forward(x, step):
        return mg.tensor(np.asarray(np.round(x.detach().numpy() / step) * step))

    return quantized_function(forward)(x, step)


def quantized_with_a_setup(x, step):
    class Rounded(Function):
        @staticmethod
        def forward(x, step):
            return x.div(step).round().mul(step)

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad_output):
            return 1 * grad_output, None

    return Rounded.apply(x, step)


def quantized_by_a_hookless_class(x, step):
    class Straight(Function):
        @staticmethod
        def forward(ctx, x, step):
            return mg.round(x.double() / step).to(x.dtype).mul(step)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output.clone(), None

    return Straight.apply(x, step)


def quantized_by_the_first_walk(x, step):
    sent = []

    def backward(ctx, grad_output):
        sent.append(grad_output)
        return sent[0], None

    return _quantized_with(x, step, backward=backward)


EXERCISE = Exercise(
    title="x rounded to multiples of step, whose gradient passes as if it were x",
    stars=2,
    minutes=8,
    reference=quantized,
    cases=(
        _case([0.3, 0.8, -1.1], 0.5),
        _case([0.3, 0.8, -1.1], 0.25),
        _case([7.0, 12.0, -3.0], 4.0),
        _case([1.55, -2.35, 0.1], 0.1),  # halves of 0.1, as far as float32 goes
        _case([[0.1, -0.2], [0.9, -0.6]], 0.5, is_result=True),
        _case([[0.3, 0.8], [-1.1, 2.0]], 0.5, turned=True),
        _case([3e9, -1e10], 0.5),
        _case([0.25, 0.75, 1.25, -0.25], 0.5),  # all of them between two multiples
    ),
    drawn=_drawn,
    hints=(
        "The forward is (x / step).round() * step. What should a backward return that treats y as if it were x?",
        "It returns grad_output as it is, for x. And forward has one more argument: what is its gradient?",
        "class Quantize(mg.autograd.Function), with two static methods; backward returns grad_output, None. Then "
        "quantized returns Quantize.apply(x, step).",
    ),
    plug=_watched,
    notes={
        WAY_BACK: "The numbers are right, but no gradient comes from them to x.",
        DTYPE: "The numbers are right, but not of the dtype of x: float() and mg.tensor() of Python's numbers give "
        "float32, and numpy's own is float64. dtype=x.dtype, or to(x.dtype), keeps that of x.",
        **NOTES,
    },
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        whole_numbers,
        Mistake(no_function, lambda x, step: _forward(None, x, step)),
        Mistake(
            lambda x, step: quantized(x, 0.5),
            words="These are multiples of 0.5, as in the picture. step says of what: it is another one in each call.",
        ),
        number_of_steps,
        Mistake(rounded_down, lambda x, step: x + ((x // step) * step - x).detach()),
        cut_towards_zero,
        Mistake(
            lambda x, step: _forward(None, x, step) + (x - _forward(None, x, step)).detach(),
            words="The numbers are those of x and the slope is that of rounding, as where detach() is around the wrong "
            "difference. x + (rounded - x).detach() has the numbers of rounded, and the slope of x.",
        ),
        Mistake(
            turned_round, edited(turned_round, "(x - _forward(None, x, step)).detach()", "x - _forward(None, x, step)")
        ),
        halves_up,
        halves_away_from_zero,
        only_between_bounds,
        ones_back,
        rounded_back,
        Mistake(
            edited(ones_back, "mg.ones_like(grad_output), None", "grad_output / step, None"),
            words="The gradient was divided by step. The division belongs to the rounding, and the backward is to act "
            "as if there were none of it.",
        ),
        Mistake(
            edited(ones_back, "mg.ones_like(grad_output), None", "grad_output * step, None"),
            words="The gradient was multiplied by step. The multiplication belongs to the rounding, and the backward "
            "is to act as if there were none of it.",
        ),
        only_where_not_zero,
        Mistake(made_an_object, when=saw("the numbers", lambda mine, right: isinstance(mine, Function))),
        Mistake(
            edited(no_function, "(x / step).", "(x.detach() / step)."),
            words="The history was cut, as by detach(), tolist(), numpy(), no_grad() or a call of forward instead of "
            "apply, and nothing was put in its place.",
            when=right_but(WAY_BACK),
        ),
        Mistake(no_none, when=raised("incorrect number of gradients")),
        Mistake(gradient_for_step, when=raised("gradient different than None")),
        Mistake(saved_a_number, when=raised("save_for_backward can only save variables")),
    ),
    right=(
        quantized_as_data,
        quantized_in_numpy,
        quantized_with_a_setup,
        lambda x, step: x + ((x / step).round() * step - x).detach(),
        quantized_by_a_hookless_class,
    ),
    wrong={
        "the difference is turned round": [
            lambda x, step: x - ((x / step).round() * step - x.detach()),
            lambda x, step: 2 * x - (x / step).round() * step,
        ],
        "as where detach() is around": [lambda x, step: x.detach() + 0 * x],
        "None for what is no tensor": [
            lambda x, step: function_of("Quantize", lambda ctx, x: x, lambda ctx, g: (g, g)).apply(x)
        ],
        "what a second walk brings": [quantized_by_the_first_walk],
        "Where x was rounded to 0, no gradient comes back": [
            lambda x, step: quantized_function(backward=lambda g, given: g * ((given / step).round() != 0))(x, step)
        ],
        "the gradient of x": [
            lambda x, step: quantized_function(backward=lambda g, given: g * (given.abs() <= 4 * step))(x, step),
            lambda x, step: quantized_function(backward=lambda g, given: g.clamp(-1, 1))(x, step),
        ],
        "the numbers": [quantized_to_a_few_digits, quantized_in_one_row],
        "Halves go up here … between two multiples rounding jumps": [
            lambda x, step: quantized_function(lambda x, step: (x / step + 0.5).floor() * step)(x, step)
        ],
        "x = [1.55, -2.35, 0.1]": [
            lambda x, step: quantized_function(lambda x, step: (x * (1 / step)).round() * step)(x, step)
        ],
        "x holds other numbers": [quantized_over_x],
        "but not of the dtype of x": [
            edited(quantized_in_numpy, "* step))", "* step, np.float32))"),
            edited(quantized_by_a_hookless_class, "to(x.dtype)", "float()"),
            lambda x, step: x + ((x.detach().double() / step).round() * step - x.detach()),
        ],
        "x = [3000000000.0, -10000000000.0]": [
            lambda x, step: quantized_function(lambda x, step: (x / step).round().to(mg.int32).to(x.dtype) * step)(
                x, step
            )
        ],
        "view size is not compatible": [lambda x, step: quantized(x.view(-1), step).view(x.shape)],
        "backward has written to grad_output": [
            lambda x, step: quantized_function(backward=lambda g, given: g.add_(1).sub(1))(x, step)
        ],
        "No gradient goes back to x": [lambda x, step: quantized_function(backward=lambda g, given: None)(x, step)],
    },
)
