"""Exercise `peaks_backward`: the way back through a square and a max-pool, by hand."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Exercise, Mistake, draw_wrong_node, function_of, raised

from .chapter06 import measured_slopes


def peaks_backward(ctx, grad_output):
    """The gradients of x, size and stride, for the largest squares in windows of x."""
    x, places = ctx.saved_tensors
    at_peaks = mg.zeros_like(x).scatter_add_(-1, places, grad_output)
    return 2 * x * at_peaks, None, None


def _forward(ctx, x, size, stride):
    peaks, places = mg.nn.functional.max_pool1d(x * x, size, stride, return_indices=True)
    ctx.save_for_backward(x, places)
    return peaks


def _gradient(backward):
    """What a Function with this backward sends to x."""
    function = function_of("Peaks", _forward, backward)
    return lambda x, size, stride, weights: grad(function.apply(x, size, stride), x, weights, allow_unused=True)[0]


def _draw(outcome, difference):
    """The walk as it should be, and in red what was answered."""
    x, size, stride, weights = outcome.case.make()
    y = function_of("Peaks", _forward, peaks_backward).apply(x, size, stride)
    return draw_wrong_node(y, {"x": x, "y": y}, x, f"✗ yours: {difference.yours} at {_place(difference)}", weights)


def _place(difference):
    return "x" + difference.where.removeprefix("the answer").replace("[", "(").replace("]", ")")


def _case(rows, size, stride, weights):
    return Case(
        f"Peaks.apply(x, {size}, {stride}) at x = {rows}, grad_output = {weights}",
        lambda: (mg.tensor(rows, requires_grad=True), size, stride, mg.tensor(weights)),
    )


def _evidence(outcome):
    x, size, stride, weights = outcome.arguments
    return measured_slopes(lambda moved: mg.nn.functional.max_pool1d(moved * moved, size, stride), x, weights)


# ---------------------------------------------------------------- wrong answers


def last_window_wins(ctx, grad_output):
    """Where two windows have the same peak, one gradient has replaced the other. An element that is used twice gets the
    sum: scatter_add_ instead of scatter_. (t[places] += ... writes each place once, too.)
    """
    x, places = ctx.saved_tensors
    grad_peaks = mg.zeros_like(x)
    grad_peaks.scatter_(-1, places, grad_output)
    return 2 * x * grad_peaks, None, None


def indexed_places(ctx, grad_output):
    x, places = ctx.saved_tensors
    at_peaks = mg.zeros_like(x)
    for row in range(len(x)):
        at_peaks[row, places[row]] += grad_output[row]
    return 2 * x * at_peaks, None, None


def forgot_the_slope(ctx, grad_output):
    """These are the gradients of x * x, in their places. The slope of the square, 2 * x, is still to come."""
    x, places = ctx.saved_tensors
    return mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def forgot_the_two(ctx, grad_output):
    """The slope of x * x is 2 * x; here the gradients were multiplied by x only."""
    x, places = ctx.saved_tensors
    return x * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def forgot_x(ctx, grad_output):
    """The factor 2 is there, and x is missing: the slope of x * x is 2 * x."""
    x, places = ctx.saved_tensors
    return 2 * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def times_the_square(ctx, grad_output):
    """This is multiplied by the square itself. Its slope is 2 * x."""
    x, places = ctx.saved_tensors
    return x * x * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def times_the_size(ctx, grad_output):
    """The sign of x has got lost. The square of a negative number falls when the number grows: 2 * x."""
    x, places = ctx.saved_tensors
    return 2 * abs(x) * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def ones_at_the_peaks(ctx, grad_output):
    """Ones were put at the places of the peaks. It is grad_output that has to get there: what comes in is
    not always 1.
    """
    x, places = ctx.saved_tensors
    mask = mg.zeros_like(x).scatter_add_(-1, places, mg.ones(grad_output.shape))
    return 2 * x * mask, None, None


def everywhere(ctx, grad_output):
    """Every element of x got a gradient. Only peaks get one: others can change a little and no maximum moves."""
    x, _ = ctx.saved_tensors
    return 2 * x * grad_output.sum(), None, None


def one_gradient(ctx, grad_output):
    """forward has three arguments after ctx, so backward returns three, in a tuple: the gradient of x, None, None."""
    x, places = ctx.saved_tensors
    return 2 * x * mg.zeros_like(x).scatter_add_(-1, places, grad_output)


def did_not_place(ctx, grad_output):
    """There is one number for each window in grad_output, and one for each element in x: they do not fit yet. Put each
    number at its place in a tensor of x's shape first.
    """
    x, _ = ctx.saved_tensors
    return 2 * x * grad_output, None, None


def one_for_each_window(ctx, grad_output):
    """This has one number for each window. The gradient of x has the shape of x: put each number at its
    place in zeros.
    """
    x, places = ctx.saved_tensors
    return 2 * x.gather(-1, places) * grad_output, None, None


def along_the_first_dimension(ctx, grad_output):
    """places count along a row, which is the last dimension: scatter_add_(-1, places, ...)."""
    x, places = ctx.saved_tensors
    return 2 * x * mg.zeros_like(x).scatter_add_(0, places, grad_output), None, None


def zeros_for_numbers(ctx, grad_output):
    """size and stride are no tensors and get no gradient: None at their places."""
    x, places = ctx.saved_tensors
    return 2 * x * mg.zeros_like(x).scatter_add_(-1, places, grad_output), mg.zeros(()), mg.zeros(())


def walked_inside(ctx, grad_output):
    """Nothing is recorded while a backward runs, so there is no graph here to go back through. Compute the gradient
    from grad_output, x and places.
    """
    x, _ = ctx.saved_tensors
    peaks = mg.nn.functional.max_pool1d(x * x, 2)
    peaks.backward(grad_output)
    return x.grad, None, None


EXERCISE = Exercise(
    title="the gradients of x, size and stride",
    stars=2,
    minutes=10,
    reference=peaks_backward,
    plug=_gradient,
    cases=(
        _case([[1.0, -3.0, 2.0, 0.5, 1.0, 4.0]], 3, 3, [[1.0, 1.0]]),
        _case([[1.0, -3.0, 2.0, 0.5, 1.0, 4.0]], 3, 1, [[1.0, 1.0, 1.0, 1.0]]),
        _case([[0.5, 1.5, -2.0, 1.0], [3.0, -1.0, 0.0, -0.5]], 2, 1, [[1.0, 0.0, -2.0], [0.5, 3.0, 1.0]]),
    ),
    hints=(
        "Go back through the two operations in turn. First the max-pool: each number of grad_output belongs to one "
        "element of x. Which one?",
        "places says it. Begin with mg.zeros_like(x), and put each number of grad_output at its place. What if two "
        "windows have the same peak?",
        "zeros.scatter_add_(-1, places, grad_output) adds each number at its place along the last dimension. Then "
        "multiply by 2 * x, and return it with a None for size and one for stride.",
    ),
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(last_window_wins, indexed_places),
        forgot_the_slope,
        forgot_the_two,
        forgot_x,
        times_the_square,
        times_the_size,
        ones_at_the_peaks,
        Mistake(
            everywhere,
            when=lambda outcome: (
                isinstance(outcome.value, mg.Tensor) and bool(outcome.value.detach().numpy()[0, :1].any())
            ),
        ),
        Mistake(one_gradient, when=raised("incorrect number of gradients")),
        Mistake(did_not_place, when=raised("must match the size")),
        Mistake(one_for_each_window, when=raised("invalid gradient")),
        Mistake(along_the_first_dimension, when=raised("out of bounds for dimension 0")),
        Mistake(zeros_for_numbers, when=raised("gradient different than None")),
        Mistake(walked_inside, when=raised("does not require grad")),
    ),
)
