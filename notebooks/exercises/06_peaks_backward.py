"""Exercise `peaks_backward`: the way back through a square and a max-pool, by hand."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    compare,
    draw_wrong_node,
    edited,
    function_of,
    measured_slopes,
    raised,
)
from minigrad.teach.draws import draw_numbers

from .chapter06 import sends
from .writes import NOTES


def peaks_backward(ctx, grad_output):
    """The gradients of x, size and stride, for the largest squares in windows of x."""
    x, places = ctx.saved_tensors
    at_peaks = mg.zeros_like(x).scatter_add_(-1, places, grad_output)
    return 2 * x * at_peaks, None, None


def _forward(ctx, x, size, stride):
    peaks, places = mg.nn.functional.max_pool1d(x * x, size, stride, return_indices=True)
    ctx.save_for_backward(x, places)
    return peaks


def _draw(outcome, difference):
    """The walk as it should be, and in red what was answered; nothing where the gradient is right."""
    if not difference.where.startswith("the answer"):
        return ""
    x, size, stride, weights = outcome.case.make()
    y = function_of("Peaks", _forward, peaks_backward).apply(x, size, stride)
    return draw_wrong_node(y, {"x": x, "y": y}, x, f"✗ yours: {difference.yours} at {_place(difference)}", weights)


def _place(difference):
    return "x" + difference.where.removeprefix("the answer").replace("[", "(").replace("]", ")")


@cases("Peaks.apply(x, {size}, {stride}) at x = {rows}, grad_output = {weights}", dtype=", in double precision")
def _case(rows, size, stride, weights, dtype=mg.float32):
    return mg.tensor(rows, dtype=dtype, requires_grad=True), size, stride, mg.tensor(weights, dtype=dtype)


def _drawn(random):
    """Several rows, windows that overlap or leave gaps, and squares that are equal: of those, places has the first."""
    for rows in (1, 2, 3):
        columns, size, stride = (int(number) for number in random.integers([4, 1, 1], [8, 5, 5]))
        windows = (columns - size) // stride + 1
        numbers = np.round(random.normal(0, 2, (rows, columns))) / random.choice([1, 2]) + 0.0
        yield _case(numbers.tolist(), size, stride, draw_numbers(random, (rows, windows)))


def _places(x, size, stride):
    return mg.nn.functional.max_pool1d(x.detach() ** 2, size, stride, return_indices=True)[1]


def _equally_large(x, size, stride):
    """Whether two squares of a window are equal and the largest: then no slope can be measured."""
    windows = np.lib.stride_tricks.sliding_window_view(x.detach().numpy() ** 2, size, -1)[:, ::stride]
    return bool(((windows == windows.max(-1, keepdims=True)).sum(-1) > 1).any())


def _evidence(outcome):
    x, size, stride, weights = outcome.arguments
    if _equally_large(x, size, stride):
        return f"  places is {_places(x, size, stride).tolist()}: of two squares that are equal it has the first"
    return measured_slopes(lambda moved: mg.nn.functional.max_pool1d(moved * moved, size, stride), x, weights)


def _beside_the_peaks(outcome):
    """Whether an element got a gradient that is no peak. Of equal ones places has the first: that is told otherwise."""
    x, size, stride, _ = outcome.arguments
    if not outcome.seen or _equally_large(x, size, stride):
        return False
    peaks = mg.zeros_like(x).scatter_(-1, _places(x, size, stride), 1.0)
    return bool(((outcome.seen["the answer"] != 0) & (peaks == 0)).any())


def _one_for_each(outcome):
    """Whether what came back has the shape of grad_output."""
    x, size, stride, weights = outcome.arguments
    shapes = f"got {list(weights.shape)} but expected shape compatible with {list(x.shape)}"
    return x.shape != weights.shape and raised("invalid gradient", shapes)(outcome)


def _of_sizes(outcome):
    """Whether the numbers of windows and of elements did not fit."""
    x, size, stride, weights = outcome.arguments
    return raised("must match the size", f"({x.shape[-1]})", f"({weights.shape[-1]})")(outcome)


def _lost_in_float32(outcome):
    """Whether dtypes did not fit, or the numbers are right as far as float32 goes, where x is float64."""
    if outcome.arguments[0].dtype != mg.float64:
        return False
    found = outcome.seen.get("the answer")
    is_near = isinstance(found, mg.Tensor) and compare(outcome.right["the answer"].float(), found.float()) is None
    return is_near or raised("dtype")(outcome)


# ---------------------------------------------------------------- wrong answers


def indexed_places(ctx, grad_output):
    x, places = ctx.saved_tensors
    at_peaks = mg.zeros_like(x)
    for row in range(len(x)):
        at_peaks[row, places[row]] += grad_output[row]
    return 2 * x * at_peaks, None, None


def all_that_are_equal(ctx, grad_output):
    """Of squares that are equal each got the gradient. A number of grad_output goes to one element: the one that places
    says, from where max_pool1d took the peak.
    """
    x, places = ctx.saved_tensors
    squares, at_peaks = x * x, mg.zeros_like(x)
    for row, window in np.ndindex(*places.shape):
        at_peaks[row] += (squares[row] == squares[row, places[row, window]]) * grad_output[row, window]
    return 2 * x * at_peaks, None, None


def in_the_first_row(ctx, grad_output):
    """Only the first row of x got gradients. places and grad_output have as many rows as x: go through all of them."""
    x, places = ctx.saved_tensors
    at_peaks = mg.zeros_like(x)
    at_peaks[0].scatter_add_(-1, places[0], grad_output[0])
    return 2 * x * at_peaks, None, None


def everywhere(ctx, grad_output):
    """Elements of x got a gradient that are no peaks. Only peaks get one: others can change a little and no maximum
    moves.
    """
    x, _ = ctx.saved_tensors
    return 2 * x * grad_output.sum(), None, None


def walked_inside(ctx, grad_output):
    """There is no graph here to go back through. While a backward runs, nothing is recorded but inside `with
    mg.enable_grad():`, and there only what comes from a tensor that requires a gradient. Compute the gradient from
    grad_output, x and places.
    """
    x, _ = ctx.saved_tensors
    peaks = mg.nn.functional.max_pool1d(x * x, 2)
    peaks.backward(grad_output)
    return x.grad, None, None


# ---------------------------------------------------------------- tried as well


def peaks_of_the_largest(ctx, grad_output):
    """Every element that is as large as its window's peak gets the gradient."""
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x)
    squares = x * x
    for row, column in np.ndindex(*places.shape):
        peak = squares[row, places[row, column]]
        here = squares[row] == peak
        gradient[row] += here * grad_output[row, column]
    return 2 * x * gradient, None, None


def peaks_of_the_first_row(ctx, grad_output):
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x)
    for window, place in enumerate(places[0].tolist()):
        gradient[:, place] += grad_output[:, window]
    return 2 * x * gradient, None, None


def peaks_summed_at_most_once(ctx, grad_output):
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x)
    for row, column in np.ndindex(*places.shape):
        if gradient[row, places[row, column]] == 0:
            gradient[row, places[row, column]] = grad_output[row, column]
    return 2 * x * gradient, None, None


def peaks_of_all_rows_at_once(ctx, grad_output):
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x).view(-1).scatter_add_(0, places.view(-1), grad_output.view(-1))
    return 2 * x * gradient.view(x.shape), None, None


def peaks_of_columns(ctx, grad_output):
    x, places = ctx.saved_tensors
    chosen = places.unsqueeze(-1) == mg.arange(x.shape[-1])
    return 2 * x * (chosen * grad_output.unsqueeze(-1)).sum(-2), None, None


def peaks_in_numpy(ctx, grad_output):
    x, places = (saved.detach().numpy() for saved in ctx.saved_tensors)
    gradient = np.zeros_like(x)
    for row in range(len(x)):
        np.add.at(gradient[row], places[row], grad_output.numpy()[row])
    return mg.tensor(2 * x * gradient), None, None


def peaks_in_a_small_graph(ctx, grad_output):
    x, places = ctx.saved_tensors
    with mg.enable_grad():
        inner = x.detach().requires_grad_()
        peaks = (inner * inner).gather(-1, places)
    return grad(peaks, inner, grad_output)[0], None, None


def peaks_in_loops(ctx, grad_output):
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x)
    for row in range(places.shape[0]):
        for window in range(places.shape[1]):
            place = places[row, window].item()
            gradient[row, place] += 2 * x[row, place] * grad_output[row, window]
    return gradient, None, None


EXERCISE = Exercise(
    title="the gradients of x, size and stride",
    stars=2,
    minutes=10,
    reference=peaks_backward,
    plug=lambda backward: sends("Peaks", _forward, ["x", "places"], backward),
    cases=(
        _case([[1.0, -3.0, 2.0, 0.5, 1.0, 4.0]], 3, 3, [[1.0, 1.0]]),
        _case([[1.0, -3.0, 2.0, 0.5, 1.0, 4.0]], 3, 1, [[1.0, 1.0, 1.0, 1.0]]),
        _case([[0.5, 1.5, -2.0, 1.0], [3.0, -1.0, 0.0, -0.5]], 2, 1, [[1.0, 0.0, -2.0], [0.5, 3.0, 1.0]]),
        _case([[1.0, -1.0, 0.5, 2.0], [0.0, 0.5, 0.5, -0.5]], 2, 1, [[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]]),
        _case([[0.1, -0.3, 0.2]], 2, 1, [[0.7, -0.1]], dtype=mg.float64),
    ),
    drawn=_drawn,
    hints=(
        "Go back through the two operations in turn. First the max-pool: each number of grad_output belongs to one "
        "element of x. Which one?",
        "places says it. Begin with mg.zeros_like(x), and put each number of grad_output at its place. What if two "
        "windows have the same peak?",
        "zeros.scatter_add_(-1, places, grad_output) adds each number at its place along the last dimension. Then "
        "multiply by 2 * x, and return it with a None for size and one for stride.",
    ),
    notes=NOTES,
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(
            edited(peaks_backward, "scatter_add_", "scatter_"),
            indexed_places,
            words="Where two windows have the same peak, one gradient has replaced the other. An element that is used "
            "twice gets the sum: scatter_add_ instead of scatter_. (t[places] += ... writes each place once, too.)",
        ),
        Mistake(
            edited(peaks_backward, "2 * x * at_peaks", "at_peaks"),
            words="These are the gradients of x * x, in their places. The slope of the square, 2 * x, is still to "
            "come.",
        ),
        Mistake(
            edited(peaks_backward, "2 * x * at_peaks", "x * at_peaks"),
            words="The slope of x * x is 2 * x; here the gradients were multiplied by x only.",
        ),
        Mistake(
            edited(peaks_backward, "2 * x * at", "2 * at"),
            words="The factor 2 is there, and x is missing: the slope of x * x is 2 * x.",
        ),
        Mistake(
            edited(peaks_backward, "2 * x * at_peaks", "x * x * at_peaks"),
            words="This is multiplied by the square itself. Its slope is 2 * x.",
        ),
        Mistake(
            edited(peaks_backward, "2 * x * at_peaks", "2 * abs(x) * at_peaks"),
            words="The sign of x has got lost. The square of a negative number falls when the number grows: 2 * x.",
        ),
        Mistake(
            edited(peaks_backward, "places, grad_output", "places, mg.ones(grad_output.shape)"),
            edited(peaks_backward, "places, grad_output", "places, mg.ones_like(grad_output)"),
            words="Ones were put at the places of the peaks. It is grad_output that has to get there: what comes in is "
            "not always 1.",
        ),
        all_that_are_equal,
        in_the_first_row,
        Mistake(
            peaks_of_all_rows_at_once,
            words="places count within a row, and here they were taken for places in the whole memory: all gradients "
            "are in the first row. scatter_add_(-1, ...) goes along each row.",
        ),
        Mistake(
            edited(peaks_backward, "zeros_like(x)", "zeros(x.shape)"),
            edited(
                peaks_backward,
                "mg.zeros_like(x)",
                "mg.zeros(x.shape)",
                "-1, places, grad_output",
                "-1, places, grad_output.float()",
            ),
            words="x is float64 here, and digits are lost or dtypes do not fit, as where something is float32: "
            "mg.zeros(x.shape) is, whatever x is. mg.zeros_like(x) is of the dtype of x.",
            when=_lost_in_float32,
        ),
        Mistake(everywhere, when=_beside_the_peaks),
        Mistake(
            edited(peaks_backward, "at_peaks, None, None", "at_peaks"),
            words="forward has three arguments after ctx, so backward returns three, in a tuple: the gradient of x, "
            "None, None.",
            when=raised("incorrect number of gradients"),
        ),
        Mistake(
            edited(everywhere, "grad_output.sum(), None", "grad_output, None"),
            words="grad_output and places have one number for each window, and x has one for each element: the two "
            "kinds do not fit. Put each number of grad_output at its place in a tensor of x's shape first.",
            when=_of_sizes,
        ),
        Mistake(
            edited(peaks_backward, "x * at_peaks", "x.gather(-1, places) * grad_output"),
            words="This has one number for each window. The gradient of x has the shape of x: put each number at its "
            "place in zeros.",
            when=_one_for_each,
        ),
        Mistake(
            edited(peaks_backward, "(-1,", "(0,"),
            words="An index lies beyond the end of dimension 0, which counts the rows of a table. places count along "
            "a row, the last dimension: scatter_add_(-1, places, ...), or [row, place].",
            when=raised("out of bounds for dimension 0"),
        ),
        Mistake(
            edited(peaks_backward, "zeros_like(x)", "zeros_like(grad_output)"),
            words="An index lies beyond the end of a row of the tensor for which it was used. Places count along a row "
            "of x: write to mg.zeros_like(x), at the places as they are.",
            when=raised("out of bounds for dimension 1"),
        ),
        Mistake(
            edited(peaks_backward, "None, None", "mg.zeros(()), mg.zeros(())"),
            words="size and stride are no tensors and get no gradient: None at their places.",
            when=raised("gradient different than None"),
        ),
        Mistake(walked_inside, when=raised("does not require grad")),
    ),
    right=(
        peaks_of_columns,
        peaks_in_numpy,
        peaks_in_a_small_graph,
        peaks_in_loops,
        edited(
            peaks_backward, "places, grad", "places, 2 * x.gather(-1, places) * grad", "2 * x * at_peaks", "at_peaks"
        ),
    ),
    wrong={
        "An index lies beyond the end of a row": [edited(peaks_backward, "places, grad", "places + 1, grad")],
        "An index lies beyond the end of dimension 0": [edited(in_the_first_row, "at_peaks[0]", "at_peaks[1]")],
        "the two kinds do not fit": [edited(peaks_backward, "* x *", "* places *")],
        "digits are lost or dtypes do not fit": [edited(peaks_backward, "* x *", "* (x + 1e-7) *")],
        "Of squares that are equal each got the gradient": [peaks_of_the_largest],
        "there only what comes from a tensor that requires": [
            edited(peaks_in_a_small_graph, ".detach().requires_grad_()", ".detach()"),
        ],
        "The first walk is right": [
            edited(
                peaks_in_a_small_graph,
                *("x.detach().requires_grad_()", "x"),
                *("return grad(peaks, inner, grad_output)[0]", "peaks.backward(grad_output)\n    return x.grad"),
            )
        ],
        "first difference": [peaks_of_the_first_row, peaks_summed_at_most_once],
        "backward has written to x": [edited(peaks_backward, "2 * x * at_peaks", "x.mul_(2) * at_peaks")],
        "backward has written to grad_output": [
            edited(
                peaks_backward,
                "at_peaks =",
                "grad_output *= 2 * x.gather(-1, places)\n    at_peaks =",
                "2 * x * at",
                "at",
            )
        ],
        "backward has written to places": [edited(peaks_backward, "return", "places.zero_()\n    return")],
    },
)
