"""Chapters 06 and 07: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some numbers, such as small or positive ones, or does beside the answer what it should
not. What its card has to say stands beside it.
"""

from __future__ import annotations

import numpy as np
import pytest
from teach.answers import said

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


def recomputed_into_a_leaf_of_its_own(f, x):
    def compute(ctx, given, grad_output):
        leaf = mg.tensor(given.tolist(), requires_grad=True)
        with mg.enable_grad():
            ctx.f(leaf).backward(grad_output)
        return leaf.grad

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


# ---------------------------------------------------------------- central_slopes


def slopes_through_python(f, x, eps):
    """Python's numbers become float32 again."""
    slopes = []
    for k in range(x.numel()):
        above, below = x.view(-1).tolist(), x.view(-1).tolist()
        above[k] += eps
        below[k] -= eps
        slopes.append((f(mg.tensor(above).view(x.shape)) - f(mg.tensor(below).view(x.shape))).item() / (2 * eps))
    return mg.tensor(slopes).view(x.shape)


def slopes_of_a_half_moved_buffer(f, x, eps):
    """What f returns may be a part of what it was given, which is written to afterwards."""
    moved, slopes = x.clone(), mg.zeros_like(x)
    for k in range(x.numel()):
        moved.view(-1)[k] = x.view(-1)[k] - eps
        below = f(moved)
        moved.view(-1)[k] = x.view(-1)[k] + eps
        slopes.view(-1)[k] = (f(moved) - below) / (2 * eps)
        moved.view(-1)[k] = x.view(-1)[k]
    return slopes


def slopes_moving_x_itself(f, x, eps):
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        x.view(-1)[k] += eps
        above = f(x).item()
        x.view(-1)[k] -= 2 * eps
        slopes.view(-1)[k] = (above - f(x).item()) / (2 * eps)
    return slopes


def slopes_all_again_for_each(f, x, eps):
    rows = [EXERCISES["central_slopes"].reference(f, x, eps).view(-1) for _ in range(x.numel())]
    return mg.stack([row[k] for k, row in enumerate(rows)]).view(x.shape)


def slopes_of_matrices(f, x, eps):
    """A way for one dimension and one for two."""
    slopes = mg.zeros_like(x)
    for place in [(k,) for k in range(len(x))] if x.ndim == 1 else np.ndindex(x.shape[0], x.shape[1]):
        step = mg.zeros_like(x)
        step[place] = eps
        slopes[place] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


def slopes_of_rounded_numbers(f, x, eps):
    return EXERCISES["central_slopes"].reference(f, x, max(eps, 0.1))


def slopes_over_a_step_of_their_own(f, x, eps):
    return EXERCISES["central_slopes"].reference(f, x, 1e-7)


def slopes_column_by_column(f, x, eps):
    slopes = EXERCISES["central_slopes"].reference(f, x, eps)
    return slopes.t().reshape(-1) if x.ndim == 2 else slopes


def slopes_put_back(f, x, eps):
    moved, slopes = x.clone(), []
    for k in range(x.numel()):
        flat = moved.view(-1)
        old = flat[k].item()
        flat[k] = old + eps
        above = f(moved).item()
        flat[k] = old - eps
        slopes.append((above - f(moved).item()) / (2 * eps))
        flat[k] = old
    return mg.tensor(slopes, dtype=mg.float64).reshape(x.shape)


def slopes_by_places(f, x, eps):
    f(x)  # to see whether it runs at all
    slopes = np.empty(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = eps
        step = mg.tensor(step)
        slopes[place] = float(f(x + step) - f(x - step)) / eps / 2
    return mg.tensor(slopes)


def slopes_of_rows_of_the_identity(f, x, eps):
    steps = mg.eye(x.numel(), dtype=mg.float64) * eps
    found = [(f(x + step.view(x.shape)) - f(x - step.view(x.shape))) * (0.5 / eps) for step in steps]
    return mg.stack(found).view(x.shape)


# ---------------------------------------------------------------- two_sides


def sides_through_python(f, x, eps):
    here = x.item()
    below, at, above = (f(mg.tensor(here + side * eps)).item() for side in (-1, 0, 1))
    return (at - below) / eps, (above - at) / eps


def sides_moving_one_tensor(f, x, eps):
    moved = x.clone()
    at = f(moved)
    moved += eps
    right = (f(moved) - at) / eps
    moved -= 2 * eps
    return ((at - f(moved)) / eps).item(), right.item()


def sides_of_a_smooth_function(f, x, eps):
    slope = (f(x + eps) - f(x - eps)) / (2 * eps)
    bend = (f(x + eps) - f(x)) / eps - slope
    return slope, slope + bend


def sides_by_gradients(f, x, eps):
    left, right = (x - eps / 2).requires_grad_(), (x + eps / 2).requires_grad_()
    return tuple(grad(f(one), one)[0].item() for one in (left, right))


def sides_with_a_step_of_its_own(f, x, eps):
    return EXERCISES["two_sides"].reference(f, x, 1e-6)


def sides_rounded(f, x, eps):
    return tuple(round(side.item(), 2) for side in EXERCISES["two_sides"].reference(f, x, eps))


def sides_of_sorted_values(f, x, eps):
    return tuple(sorted(side.item() for side in EXERCISES["two_sides"].reference(f, x, eps)))


def sides_in_numpy(f, x, eps):
    values = np.array([f(x + step).item() for step in (-eps, 0.0, eps)])
    return tuple(np.diff(values) / eps)


def sides_of_a_signed_step(f, x, eps):
    return [(f(x + step) - f(x)) / step for step in (-eps, eps)]


def sides_of_double_numbers(f, x, eps):
    below, at, above = (f(mg.tensor(x.item() + step, dtype=mg.float64)) for step in (-eps, 0, eps))
    return (at - below) / eps, (above - at) / eps


# ---------------------------------------------------------------- disagreeing


def disagreeing_by_the_larger(backward, differences, atol, rtol):
    pairs = zip(backward.flatten().tolist(), differences.flatten().tolist(), strict=True)
    return sum(not abs(one - other) <= max(atol, rtol * abs(other)) for one, other in pairs)


def disagreeing_below_the_bound(backward, differences, atol, rtol):
    pairs = zip(backward.flatten().tolist(), differences.flatten().tolist(), strict=True)
    return sum(not abs(one - other) < atol + rtol * abs(other) for one, other in pairs)


def disagreeing_with_equal_nan(backward, differences, atol, rtol):
    return int((~np.isclose(backward.numpy(), differences.numpy(), rtol, atol, equal_nan=True)).sum())


def disagreeing_at_all(backward, differences, atol, rtol):
    return int(not np.allclose(backward.numpy(), differences.numpy(), rtol, atol))


def disagreeing_in_float32(backward, differences, atol, rtol):
    near = np.isclose(backward.float().numpy(), differences.float().numpy(), rtol, atol)
    return near.size - near.sum()


def disagreeing_the_other_way(backward, differences, atol, rtol):
    return int((~np.isclose(differences.numpy(), backward.numpy(), rtol, atol)).sum())


def disagreeing_without_nan(backward, differences, atol, rtol):
    apart = (backward - differences).abs()
    return (apart > atol + rtol * differences.abs()).sum().item() + int(backward.isnan().any())


def disagreeing_rows(backward, differences, atol, rtol):
    """Two entries of one row count once."""
    pairs = zip(backward, differences, strict=True)
    return sum(not (abs(one - other) <= atol + rtol * abs(other)).all() for one, other in pairs)


def disagreeing_or_nan(backward, differences, atol, rtol):
    apart = (backward - differences).abs()
    return ((apart > atol + rtol * differences.abs()) | apart.isnan()).sum()


def disagreeing_less_agreeing(backward, differences, atol, rtol):
    agree = differences.sub(backward).abs().le(differences.abs().mul(rtol).add(atol))
    return backward.numel() - agree.sum().item()


def disagreeing_places(backward, differences, atol, rtol):
    allowed = rtol * np.abs(differences.numpy()) + atol
    return len(np.flatnonzero(~(np.abs(differences.numpy() - backward.numpy()) <= allowed)))


# ---------------------------------------------------------------- gate_backward


def gate_over_what_came(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    of_w, of_b = (grad_output * t).sum(0), -grad_output.sum(0)
    return grad_output.mul_(w).mul_(1 - t * t), of_w, of_b


def gate_over_x(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh_()
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


def gate_over_w(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    of_x = grad_output * w * (1 - t * t)
    w.copy_((grad_output * t).sum(0))
    return of_x, w, -grad_output.sum(0)


def gate_in_float32(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.float().tanh()
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


def gate_through_python(ctx, grad_output):
    x, w = ctx.saved_tensors
    rows = [[1 - one**2 for one in row] for row in x.tanh().tolist()]
    return grad_output * w * mg.tensor(rows), (grad_output * x.tanh()).sum(0), -grad_output.sum(0)


def gate_by_a_small_step(ctx, grad_output):
    x, w = ctx.saved_tensors
    slope = ((x + 1e-4).tanh() - (x - 1e-4).tanh()) / 2e-4
    return grad_output * w * slope, (grad_output * x.tanh()).sum(0), -grad_output.sum(0)


def gate_of_two_rows(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    products = grad_output * t
    return grad_output * w * (1 - t * t), products[0] + products[1 % len(x)], -grad_output.sum(0)


def gate_without_b(ctx, grad_output):
    return *EXERCISES["gate_backward"].reference(ctx, grad_output)[:2], None


def gate_twice_too_much_for_w(ctx, grad_output):
    of_x, of_w, of_b = EXERCISES["gate_backward"].reference(ctx, grad_output)
    return of_x, 2 * of_w, of_b


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
        peaks_of_the_largest: "Of squares that are equal each got the gradient",
        peaks_of_the_first_row: "first difference",
        peaks_summed_at_most_once: "first difference",
        peaks_written_into_x: "backward has written to x",
        peaks_written_into_what_came: "backward has written to grad_output",
        peaks_written_into_places: "backward has written to places",
        peaks_of_all_rows_at_once: "Elements of x got a gradient that are no peaks",
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
        recomputed_at_x_itself: "ran the hook that hangs there",
    },
    "central_slopes": {
        slopes_through_python: "f was called with float32",
        slopes_of_a_half_moved_buffer: "t.view(-1)[-1]",
        slopes_moving_x_itself: "x holds other numbers",
        slopes_all_again_for_each: "f ran more often than two times for each element",
        slopes_of_matrices: "first difference",
        slopes_of_rounded_numbers: "first difference",
        slopes_over_a_step_of_their_own: "a step of their own",
        slopes_column_by_column: "The shape is [4]; it should be [2, 2]",
    },
    "two_sides": {
        sides_through_python: "f was called with float32",
        sides_moving_one_tensor: "f = lambda t: t,",
        sides_of_a_smooth_function: "first difference",
        sides_by_gradients: "first difference",
        sides_with_a_step_of_its_own: "first difference",
        sides_rounded: "first difference",
        sides_of_sorted_values: "first difference",
    },
    "disagreeing": {
        disagreeing_by_the_larger: "The larger of the two tolerances was allowed",
        disagreeing_below_the_bound: "An entry that is exactly as far away as allowed was counted",
        disagreeing_with_equal_nan: "Where both are nan they were taken for equal",
        disagreeing_at_all: "This is 1 if there is one, and 0 if there is none",
        disagreeing_in_float32: "entry 0: 3.725290298e-09 apart, 9.313225746e-10 allowed",
        disagreeing_the_other_way: "The tolerance is measured by backward's own number",
        disagreeing_without_nan: "first difference",
        disagreeing_rows: "Rows were counted",
    },
    "gate_backward": {
        gate_over_what_came: "backward has written to grad_output",
        gate_over_x: "backward has written to x",
        gate_over_w: "backward has written to w",
        gate_in_float32: "something went through float32",
        gate_through_python: "something went through float32",
        gate_by_a_small_step: "or was measured",
        gate_of_two_rows: "the gradient of w",
        gate_without_b: "the gradient of b",
        gate_twice_too_much_for_w: "None of the mistakes that are known here",
    },
}

RIGHT = {
    "tanh_backward": (tanh_factored, tanh_of_x_again, tanh_in_numpy),
    "quantized": (quantized_as_data, quantized_in_numpy, quantized_with_a_setup),
    "peaks_backward": (peaks_of_columns, peaks_in_numpy, peaks_in_a_small_graph),
    "recomputed": (recomputed_by_a_product, recomputed_into_a_leaf_of_its_own, recomputed_with_a_setup),
    "central_slopes": (slopes_put_back, slopes_by_places, slopes_of_rows_of_the_identity),
    "two_sides": (sides_in_numpy, sides_of_a_signed_step, sides_of_double_numbers),
    "disagreeing": (disagreeing_or_nan, disagreeing_less_agreeing, disagreeing_places),
    "gate_backward": (gate_in_numpy, gate_by_products, gate_where_it_is_needed),
}

EACH_WRONG = [(name, answer, words) for name, answers in WRONG.items() for answer, words in answers.items()]
MISTAKES = {name: [mistake.words for mistake in exercise.known] for name, exercise in EXERCISES.items()}
EACH_RIGHT = [(name, answer) for name, answers in RIGHT.items() for answer in answers]

# Mistakes that these answers do make. They are named where no drawn case tells the answer's way from the known one.
TOLD_BY_CHANCE = {disagreeing_in_float32: "The numbers went through float32"}


@pytest.mark.parametrize(("name", "answer", "words"), EACH_WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    card = EXERCISES[name].check(answer)
    assert card.kind == "bad", card
    assert words in " ".join(repr(card).split()), card
    likely = said(card)["likely"]
    named = TOLD_BY_CHANCE.get(answer, words)
    assert words in likely or named in likely or likely not in MISTAKES[name], card


@pytest.mark.parametrize(("name", "answer"), EACH_RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    for _ in range(3):  # with other numbers each time
        card = EXERCISES[name].check(answer)
        assert card.kind == "good", card
