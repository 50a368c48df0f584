"""Chapters 06 and 07: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some numbers, such as small or positive ones, or does beside the answer what it should
not. What its card has to say stands beside it.
"""

from __future__ import annotations

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.autograd.functional import vjp
from minigrad.teach import EXERCISES

# ---------------------------------------------------------------- tanh_backward


def tanh_written_into_what_came(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output.mul_(1 - y * y)


def tanh_written_into_what_was_saved(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output * (1 - y.mul_(y))


def tanh_of_a_row(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return mg.tensor([float(g) * (1 - float(one) ** 2) for g, one in zip(grad_output, y, strict=True)])


def tanh_in_one_row(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return (grad_output * (1 - y * y)).view(-1)


def tanh_of_positive_numbers(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output * (1 - y) * (1 + y.abs())


def tanh_of_positive_gradients(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return (grad_output * (1 - y * y)).clamp(min=0)


def tanh_of_small_gradients(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output.clamp(-1, 1) * (1 - y * y)


def tanh_asked_for_what_is_not_there(ctx, grad_output):
    return grad_output / mg.cosh(mg.atanh(ctx.saved_tensors[0])) ** 2


def tanh_factored(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return (1 + y) * grad_output * (1 - y)


def tanh_of_x_again(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output / mg.cosh(((1 + y) / (1 - y)).log() / 2) ** 2


def tanh_in_numpy(ctx, grad_output):
    return mg.tensor(np.asarray(grad_output.numpy() * (1 - np.square(ctx.saved_tensors[0].detach().numpy()))))


# ---------------------------------------------------------------- quantized


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


def quantized_where_not_zero(x, step):
    return quantized_function(backward=lambda g, given: g * ((given / step).round() != 0))(x, step)


def quantized_between_bounds(x, step):
    return quantized_function(backward=lambda g, given: g * (given.abs() <= 4 * step))(x, step)


def quantized_with_small_gradients(x, step):
    return quantized_function(backward=lambda g, given: g.clamp(-1, 1))(x, step)


def quantized_to_a_few_digits(x, step):
    return quantized_function(forward=lambda x, step: mg.floor(x / step * 2).div(2).round() * step)(x, step)


def quantized_over_x(x, step):
    x.data = (x.detach() / step).round() * step
    return x


def quantized_over_grad_output(x, step):
    return quantized_function(backward=lambda g, given: g.add_(1).sub(1))(x, step)


def quantized_without_gradient(x, step):
    return quantized_function(backward=lambda g, given: None)(x, step)


def quantized_in_one_row(x, step):
    return mg.stack([quantized_function()(one, step) for one in x.view(-1)]) if x.ndim == 1 else x.round()


def quantized_as_data(x, step):
    result = x.clone()
    result.data = (x.detach() / step).round() * step
    return result


def quantized_in_numpy(x, step):
    def forward(x, step):
        return mg.tensor(np.asarray(np.round(x.detach().numpy() / step) * step, np.float32))

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


# ---------------------------------------------------------------- peaks_backward


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


def peaks_written_into_x(ctx, grad_output):
    x, places = ctx.saved_tensors
    return x.mul_(2) * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def peaks_written_into_what_came(ctx, grad_output):
    x, places = ctx.saved_tensors
    grad_output *= 2 * x.gather(-1, places)
    return mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def peaks_written_into_places(ctx, grad_output):
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x).scatter_add_(-1, places, grad_output)
    places.zero_()
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


# ---------------------------------------------------------------- recomputed


def recomputing(f, x, keep=None, kept=None, compute=None):
    """The Function, with what keeps x and gives it back, or what computes the gradient, written otherwise."""

    class Recompute(Function):
        @staticmethod
        def forward(ctx, f, x):
            ctx.f = f
            ctx.save_for_backward(x) if keep is None else keep(ctx, x)
            return f(x)

        @staticmethod
        def backward(ctx, grad_output):
            given = ctx.saved_tensors[0] if kept is None else kept(ctx)
            if compute is not None:
                return None, compute(ctx, given, grad_output)
            with mg.enable_grad():
                leaf = given.detach().requires_grad_()
                y = ctx.f(leaf)
            return None, *grad(y, leaf, grad_output)

    return Recompute.apply(f, x)


def recomputed_from_an_attribute(f, x):
    def keep(ctx, x):
        ctx.x = x

    return recomputing(f, x, keep, lambda ctx: ctx.x)


def recomputed_from_a_closure(f, x):
    return recomputing(f, x, lambda ctx, given: None, lambda ctx: x)


def recomputed_from_a_copy(f, x):
    return recomputing(f, x, lambda ctx, x: ctx.save_for_backward(x.clone()))


def recomputed_from_an_array(f, x):
    def keep(ctx, x):
        ctx.numbers = x.detach().numpy().copy()

    return recomputing(f, x, keep, lambda ctx: mg.tensor(ctx.numbers))


def recomputed_with_the_result_kept(f, x):
    class Recompute(Function):
        @staticmethod
        def forward(ctx, f, x):
            ctx.f, y = f, f(x)
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad_output):
            leaf = ctx.saved_tensors[0].detach().requires_grad_()
            with mg.enable_grad():
                y = ctx.f(leaf)
            return None, *grad(y, leaf, grad_output)

    return Recompute.apply(f, x)


def recomputed_from_one_leaf(f, x):
    """The leaf of the small graph is made once, and its .grad adds up."""

    def keep(ctx, x):
        ctx.save_for_backward(x)
        ctx.leaf = x.detach().requires_grad_()

    def compute(ctx, given, grad_output):
        with mg.enable_grad():
            y = ctx.f(ctx.leaf)
        y.backward(grad_output)
        return ctx.leaf.grad

    return recomputing(f, x, keep, compute=compute)


class OfTheClass(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return OfTheClass.f(x)

    @staticmethod
    def backward(ctx, grad_output):
        leaf = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = OfTheClass.f(leaf)
        return grad(y, leaf, grad_output)[0]


def recomputed_with_f_on_the_class(f, x):
    OfTheClass.f = f
    return OfTheClass.apply(x)


def recomputed_with_f_called_before(f, x):
    with mg.no_grad():
        f(x)  # to look at the shape
    return recomputing(f, x)


def recomputed_with_another_node(f, x):
    return recomputing(f, x) * 1


def recomputed_of_a_copy(f, x):
    return recomputing(f, x * 1)


def recomputed_into_the_leaf(f, x):
    def compute(ctx, given, grad_output):
        with mg.enable_grad():
            leaf = given.detach().requires_grad_()
            y = ctx.f(leaf)
        (gradient,) = grad(y, leaf, grad_output)
        if x.is_leaf:
            x.grad = gradient
            return None
        return gradient

    return recomputing(f, x, compute=compute)


def recomputed_times_two(f, x):
    return recomputing(f, x, compute=lambda ctx, given, grad_output: 2 * vjp(ctx.f, given, grad_output)[1])


def recomputed_without_a_gradient(f, x):
    return recomputing(f, x, compute=lambda ctx, given, grad_output: None)


def recomputed_by_a_product(f, x):
    return recomputing(f, x, compute=lambda ctx, given, grad_output: vjp(ctx.f, given, grad_output)[1])


def recomputed_at_x_itself(f, x):
    def compute(ctx, given, grad_output):
        with mg.enable_grad():
            return grad(ctx.f(given), given, grad_output)[0]

    return recomputing(f, x, compute=compute)


def recomputed_with_a_setup(f, x):
    class Recompute(Function):
        @staticmethod
        def forward(x, function):
            return function(x.detach())

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.again = inputs[1]

        @staticmethod
        def backward(ctx, grad_output):
            with mg.set_grad_enabled(True):
                leaf = ctx.saved_tensors[0].detach().clone().requires_grad_()
                (ctx.again(leaf) * grad_output).sum().backward()
            return leaf.grad, None

    return Recompute.apply(x, f)


# ---------------------------------------------------------------- what the checks say

WRONG = {
    "tanh_backward": {
        tanh_written_into_what_came: "backward has written to grad_output",
        tanh_written_into_what_was_saved: "backward has written to y",
        tanh_of_a_row: "raises",
        tanh_asked_for_what_is_not_there: "The error arose while your function ran",
        tanh_in_one_row: "invalid gradient",
        tanh_of_positive_numbers: "first difference",
        tanh_of_positive_gradients: "first difference",
        tanh_of_small_gradients: "first difference",
    },
    "quantized": {
        quantized_where_not_zero: "Where x was rounded to 0, no gradient comes back",
        quantized_between_bounds: "the gradient of x",
        quantized_with_small_gradients: "the gradient of x",
        quantized_to_a_few_digits: "the numbers",
        quantized_over_x: "x holds other numbers",
        quantized_over_grad_output: "backward has written to grad_output",
        quantized_without_gradient: "no gradient comes from them to x",
        quantized_in_one_row: "the numbers",
    },
    "peaks_backward": {
        peaks_of_the_largest: "Elements of x got a gradient that are no peaks",
        peaks_of_the_first_row: "first difference",
        peaks_summed_at_most_once: "first difference",
        peaks_written_into_x: "backward has written to x",
        peaks_written_into_what_came: "backward has written to grad_output",
        peaks_written_into_places: "backward has written to places",
        peaks_of_all_rows_at_once: "first difference",
    },
    "recomputed": {
        recomputed_from_an_attribute: "x was written to before backward, which nobody noticed",
        recomputed_from_a_closure: "x was written to before backward, which nobody noticed",
        recomputed_from_a_copy: "a copy of them is kept, one more tensor in memory",
        recomputed_from_an_array: "a copy of them is kept, one more tensor in memory",
        recomputed_with_the_result_kept: "more is kept than f and x",
        recomputed_from_one_leaf: "None of the mistakes that are known here",
        recomputed_with_f_on_the_class: "another call with another f before backward",
        recomputed_with_f_called_before: "f has to run twice",
        recomputed_with_another_node: "not one node leads from the result to x",
        recomputed_of_a_copy: "not one node leads from the result to x",
        recomputed_into_the_leaf: "the gradient of the leaf",
        recomputed_times_two: "None of the mistakes that are known here",
        recomputed_without_a_gradient: "No gradient has arrived there",
    },
}

RIGHT = {
    "tanh_backward": (tanh_factored, tanh_of_x_again, tanh_in_numpy),
    "quantized": (quantized_as_data, quantized_in_numpy, quantized_with_a_setup),
    "peaks_backward": (peaks_of_columns, peaks_in_numpy, peaks_in_a_small_graph),
    "recomputed": (recomputed_by_a_product, recomputed_at_x_itself, recomputed_with_a_setup),
}

EACH_WRONG = [(name, answer, words) for name, answers in WRONG.items() for answer, words in answers.items()]
EACH_RIGHT = [(name, answer) for name, answers in RIGHT.items() for answer in answers]


@pytest.mark.parametrize(("name", "answer", "words"), EACH_WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    card = EXERCISES[name].check(answer)
    assert card.kind == "bad", card
    assert words in " ".join(repr(card).split()), card


@pytest.mark.parametrize(("name", "answer"), EACH_RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    for _ in range(3):  # with other numbers each time
        card = EXERCISES[name].check(answer)
        assert card.kind == "good", card
