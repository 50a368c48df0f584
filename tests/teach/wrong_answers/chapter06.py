"""Wrong answers to the exercises of chapter 06, and the words that each must be met with."""

from __future__ import annotations

import warnings

import minigrad as mg

# tanh_backward


def slope_only(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return 1 - y**2


def tanh_of_tanh(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return grad_output * (1 - mg.tanh(x) ** 2)


def grad_output_for_x(ctx, grad_output):
    return 1 - mg.tanh(grad_output) ** 2


def forgot_the_square(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output * (1 - y)


def tuple_for_tensor(ctx, grad_output):
    y = ctx.saved_tensors
    return grad_output * (1 - y**2)


def from_an_attribute(ctx, grad_output):
    return grad_output * (1 - ctx.y**2)


def as_an_array(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return (grad_output * (1 - y**2)).numpy()


def plus_the_square(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output * (1 + y**2)


def added_the_slope(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return grad_output + (1 - y * y)


def times_y(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return y * grad_output


def passed_on(ctx, grad_output):
    return grad_output


def asked_for_its_own_gradient(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return mg.autograd.grad(y, y, grad_output)[0]


def summed_up(ctx, grad_output):
    (y,) = ctx.saved_tensors
    return (grad_output * (1 - y * y)).sum()


# quantized


def whole_numbers(x, step):
    class Quantize(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, step):
            return x.round()

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output, None

    return Quantize.apply(x, step)


def no_function(x, step):
    return (x / step).round() * step


def cut_off(x, step):
    return (x.detach() / step).round() * step


class Quantize(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, step):
        ctx.step = step
        return (x / step).round() * step

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


def without_apply(x, step):
    class Context:
        step = None

    return Quantize.forward(Context(), x, step)


def scaled_by_step(x, step):
    class Scaled(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.step, None

    return Scaled.apply(x, step)


def no_none(x, step):
    class One(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output

    return One.apply(x, step)


def gradient_for_step(x, step):
    class Two(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output, grad_output.sum()

    return Two.apply(x, step)


def saved_a_number(x, step):
    class Saving(Quantize):
        @staticmethod
        def forward(ctx, x, step):
            ctx.save_for_backward(x, step)
            return (x / step).round() * step

    return Saving.apply(x, step)


def number_of_steps(x, step):
    class Steps(Quantize):
        @staticmethod
        def forward(ctx, x, step):
            return (x / step).round()

    return Steps.apply(x, step)


def rounded_down(x, step):
    class Down(Quantize):
        @staticmethod
        def forward(ctx, x, step):
            return mg.floor(x / step) * step

    return Down.apply(x, step)


def ones_back(x, step):
    class Ones(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return mg.ones_like(grad_output), None

    return Ones.apply(x, step)


def rounded_back(x, step):
    class Back(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return (grad_output / ctx.step).round() * ctx.step, None

    return Back.apply(x, step)


def divided_by_step(x, step):
    class Divided(Quantize):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output / ctx.step, None

    return Divided.apply(x, step)


def made_an_object(x, step):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return Quantize(x, step)


# peaks_backward


def last_window_wins(ctx, grad_output):
    x, places = ctx.saved_tensors
    grad_peaks = mg.zeros_like(x)
    grad_peaks.scatter_(-1, places, grad_output)
    return 2 * x * grad_peaks, None, None


def forgot_the_slope(ctx, grad_output):
    x, places = ctx.saved_tensors
    return mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def forgot_the_two(ctx, grad_output):
    x, places = ctx.saved_tensors
    return x * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def ones_at_the_peaks(ctx, grad_output):
    x, places = ctx.saved_tensors
    mask = mg.zeros_like(x).scatter_add_(-1, places, mg.ones(grad_output.shape))
    return 2 * x * mask, None, None


def everywhere(ctx, grad_output):
    x, _ = ctx.saved_tensors
    return 2 * x * grad_output.sum(), None, None


def one_gradient(ctx, grad_output):
    x, places = ctx.saved_tensors
    return 2 * x * mg.zeros_like(x).scatter_add_(-1, places, grad_output)


def did_not_place(ctx, grad_output):
    x, _ = ctx.saved_tensors
    return 2 * x * grad_output, None, None


def walked_inside(ctx, grad_output):
    x, _ = ctx.saved_tensors
    peaks = mg.nn.functional.max_pool1d(x * x, 2)
    peaks.backward(grad_output)
    return x.grad, None, None


def indexed_places(ctx, grad_output):
    x, places = ctx.saved_tensors
    at_peaks = mg.zeros_like(x)
    for row in range(len(x)):
        at_peaks[row, places[row]] += grad_output[row]
    return 2 * x * at_peaks, None, None


def forgot_x(ctx, grad_output):
    x, places = ctx.saved_tensors
    return 2 * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def times_the_square(ctx, grad_output):
    x, places = ctx.saved_tensors
    return x * x * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def times_the_size(ctx, grad_output):
    x, places = ctx.saved_tensors
    return 2 * abs(x) * mg.zeros_like(x).scatter_add_(-1, places, grad_output), None, None


def one_for_each_window(ctx, grad_output):
    x, places = ctx.saved_tensors
    return 2 * x.gather(-1, places) * grad_output, None, None


def along_the_first_dimension(ctx, grad_output):
    x, places = ctx.saved_tensors
    return 2 * x * mg.zeros_like(x).scatter_add_(0, places, grad_output), None, None


def zeros_for_numbers(ctx, grad_output):
    x, places = ctx.saved_tensors
    return 2 * x * mg.zeros_like(x).scatter_add_(-1, places, grad_output), mg.zeros(()), mg.zeros(())


# recomputed


class Recompute(mg.autograd.Function):
    @staticmethod
    def forward(ctx, f, x):
        ctx.f = f
        ctx.save_for_backward(x)
        return f(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with mg.enable_grad():
            x = x.detach().requires_grad_()
            y = ctx.f(x)
        y.backward(grad_output)
        return None, x.grad


def twice(f, x):
    class Twice(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                ctx.f(x).backward(grad_output)
            return None, x.grad

    return Twice.apply(f, x)


def gradient_of_the_sum(f, x):
    class Sum(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                ctx.f(x).sum().backward()
            return None, x.grad

    return Sum.apply(f, x)


def plain_call(f, x):
    return f(x)


def kept_the_graph(f, x):
    class Kept(mg.autograd.Function):
        @staticmethod
        def forward(ctx, f, x):
            with mg.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = f(ctx.x)
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad_output):
            return None, *mg.autograd.grad(ctx.y, ctx.x, grad_output)

    return Kept.apply(f, x)


def not_switched_on(f, x):
    class Off(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            x = x.detach().requires_grad_()
            ctx.f(x).backward(grad_output)
            return None, x.grad

    return Off.apply(f, x)


def no_leaf(f, x):
    class Detached(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach()
                ctx.f(x).backward(grad_output)
            return None, x.grad

    return Detached.apply(f, x)


def no_weights(f, x):
    class Bare(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                ctx.f(x).backward()
            return None, x.grad

    return Bare.apply(f, x)


def other_order(f, x):
    class Swapped(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return Recompute.backward(ctx, grad_output)[::-1]

    return Swapped.apply(f, x)


def only_one(f, x):
    class Single(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return Recompute.backward(ctx, grad_output)[1]

    return Single.apply(f, x)


def saved_the_function(f, x):
    class Saved(Recompute):
        @staticmethod
        def forward(ctx, f, x):
            ctx.save_for_backward(f, x)
            return f(x)

    return Saved.apply(f, x)


def times_f(f, x):
    class Times(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return None, grad_output * ctx.f(x)

    return Times.apply(f, x)


def straight_through(f, x):
    class Through(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return None, grad_output

    return Through.apply(f, x)


def weighted_twice(f, x):
    class Weighted(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return None, Recompute.backward(ctx, grad_output)[1] * grad_output

    return Weighted.apply(f, x)


def tuple_for_a_gradient(f, x):
    class Tuple(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                y = ctx.f(x)
            return None, mg.autograd.grad(y, x, grad_output)

    return Tuple.apply(f, x)


def without_history(f, x):
    with mg.no_grad():
        return f(x)


def ran_f_twice(f, x):
    class More(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                gradients = [mg.autograd.grad(ctx.f(x)[i], x, grad_output[i])[0] for i in range(len(x))]
            return None, mg.stack(gradients).sum(0)

    return More.apply(f, x)


WRONG = {
    "tanh_backward": [
        (slope_only, "This is the slope alone"),
        (tanh_of_tanh, "tanh was applied once more"),
        (grad_output_for_x, "grad_output was taken for x"),
        (forgot_the_square, "not 1 minus y"),
        (tuple_for_tensor, "ctx.saved_tensors is a tuple"),
        (from_an_attribute, "ctx has no attribute"),
        (as_an_array, "A gradient has to be a tensor"),
        (plus_the_square, "not 1 plus it"),
        (added_the_slope, "The slope was added"),
        (times_y, "This is grad_output times y"),
        (passed_on, "the slope of tanh, 1 - y * y, is missing"),
        (asked_for_its_own_gradient, "the slope of tanh, 1 - y * y, is missing"),
        (summed_up, "The gradient was summed up"),
    ],
    "quantized": [
        (whole_numbers, "The step was left out"),
        (no_function, "This is the gradient of rounding itself"),
        (without_apply, "This is the gradient of rounding itself"),
        (cut_off, "The history was cut"),
        (scaled_by_step, "The gradient was multiplied by step"),
        (no_none, "return None for it"),
        (gradient_for_step, "gets no gradient: None at its place"),
        (number_of_steps, "but not multiplied by step any more"),
        (rounded_down, "This rounds down"),
        (ones_back, "backward gave ones"),
        (rounded_back, "backward rounds the gradient, too"),
        (divided_by_step, "The gradient was divided by step"),
        (made_an_object, "makes an object"),
        (saved_a_number, "A number is kept as an attribute"),
    ],
    "peaks_backward": [
        (last_window_wins, "one gradient has replaced the other"),
        (forgot_the_slope, "is still to come"),
        (forgot_the_two, "multiplied by x only"),
        (ones_at_the_peaks, "Ones were put at the places"),
        (everywhere, "Every element of x got a gradient"),
        (one_gradient, "so backward returns three"),
        (did_not_place, "they do not fit yet"),
        (walked_inside, "there is no graph here"),
        (indexed_places, "one gradient has replaced the other"),
        (forgot_x, "x is missing"),
        (times_the_square, "by the square itself"),
        (times_the_size, "The sign of x has got lost"),
        (one_for_each_window, "one number for each window. The gradient"),
        (along_the_first_dimension, "places count along a row"),
        (zeros_for_numbers, "size and stride are no tensors"),
    ],
    "recomputed": [
        (twice, "The gradient has arrived twice"),
        (gradient_of_the_sum, "grad_output was left out"),
        (plain_call, "f ran recorded in forward"),
        (kept_the_graph, "f ran recorded in forward"),
        (not_switched_on, "The small graph is not there"),
        (no_leaf, "The small graph is not there"),
        (no_weights, "was not told how much each counts"),
        (other_order, "in their order"),
        (only_one, "in their order"),
        (saved_the_function, "Keep f as an attribute"),
        (times_f, "This is grad_output times f(x)"),
        (straight_through, "without the slopes of f"),
        (weighted_twice, "grad_output is in it twice"),
        (tuple_for_a_gradient, "autograd.grad returns a tuple"),
        (without_history, "was computed without a history"),
        (ran_f_twice, "f ran more than once in backward"),
    ],
}
