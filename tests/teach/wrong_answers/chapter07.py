"""Wrong answers to the exercises of chapter 07, and the words that each must be met with."""

from __future__ import annotations

import minigrad as mg

# central_slopes


def one_side_only(f, x, eps):
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        step = mg.zeros_like(x)
        step.view(-1)[k] = eps
        slopes.view(-1)[k] = (f(x + step) - f(x)) / eps
    return slopes


def divided_by_eps(f, x, eps):
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        step = mg.zeros_like(x)
        step.view(-1)[k] = eps
        slopes.view(-1)[k] = (f(x + step) - f(x - step)) / eps
    return slopes


def moved_all(f, x, eps):
    return mg.ones_like(x) * (f(x + eps) - f(x - eps)) / (2 * eps)


def left_moved(f, x, eps):
    moved, slopes = x.clone(), []
    for k in range(x.numel()):
        flat = moved.view(-1)
        flat[k] -= eps
        below = f(moved).item()
        flat[k] += 2 * eps
        slopes.append((f(moved).item() - below) / (2 * eps))
    return mg.tensor(slopes, dtype=mg.float64).view(x.shape)


def left_moved_to_the_left(f, x, eps):
    moved, slopes = x.clone(), []
    for k in range(x.numel()):
        flat = moved.view(-1)
        flat[k] += eps
        above = f(moved).item()
        flat[k] -= 2 * eps
        slopes.append((above - f(moved).item()) / (2 * eps))
    return mg.tensor(slopes, dtype=mg.float64).view(x.shape)


def asked_backward(f, x, eps):
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad


def in_one_row(f, x, eps):
    slopes = []
    for k in range(x.numel()):
        step = mg.zeros_like(x)
        step.view(-1)[k] = eps
        slopes.append(((f(x + step) - f(x - step)) / (2 * eps)).item())
    return mg.tensor(slopes, dtype=mg.float64)


def each_measured(f, x, eps, slope):
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        step = mg.zeros_like(x)
        step.view(-1)[k] = eps
        slopes.view(-1)[k] = slope(x + step, x - step)
    return slopes


def divided_and_multiplied(f, x, eps):
    return each_measured(f, x, eps, lambda above, below: (f(above) - f(below)) / 2 * eps)


def left_minus_right(f, x, eps):
    return each_measured(f, x, eps, lambda above, below: (f(below) - f(above)) / (2 * eps))


def moved_by_one(f, x, eps):
    return each_measured(f, x, 1.0, lambda above, below: (f(above) - f(below)) / (2 * eps))


def moved_rows(f, x, eps):
    slopes = mg.zeros_like(x)
    for k in range(len(x)):
        step = mg.zeros_like(x)
        step[k] = eps
        slopes[k] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


def one_number(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


# disagreeing


def lets_nan_through(backward, differences, atol, rtol):
    return ((backward - differences).abs() > atol + rtol * differences.abs()).sum()


def forgot_abs(backward, differences, atol, rtol):
    return (~(backward - differences <= atol + rtol * differences.abs())).sum()


def measured_by_backward(backward, differences, atol, rtol):
    return (~((backward - differences).abs() <= atol + rtol * backward.abs())).sum()


def negative_tolerance(backward, differences, atol, rtol):
    return (~((backward - differences).abs() <= atol + rtol * differences)).sum()


def forgot_rtol(backward, differences, atol, rtol):
    return (~((backward - differences).abs() <= atol)).sum()


def counted_agreeing(backward, differences, atol, rtol):
    return ((backward - differences).abs() <= atol + rtol * differences.abs()).sum()


def more_than_atol(backward, differences, atol, rtol):
    return int(((backward - differences).abs() > atol).sum().item())


def forgot_atol(backward, differences, atol, rtol):
    return (~((backward - differences).abs() <= rtol * differences.abs())).sum()


def divided_by_differences(backward, differences, atol, rtol):
    return (~(((backward - differences) / differences).abs() <= atol + rtol)).sum()


def compared_the_sums(backward, differences, atol, rtol):
    apart, allowed = (backward - differences).abs().sum(), (atol + rtol * differences.abs()).sum()
    return 0 if apart <= allowed else 1


def the_bools(backward, differences, atol, rtol):
    return ~((backward - differences).abs() <= atol + rtol * differences.abs())


def whether_any(backward, differences, atol, rtol):
    return bool(the_bools(backward, differences, atol, rtol).any())


def one_decision(backward, differences, atol, rtol):
    return 0 if (backward - differences).abs() <= atol + rtol * differences.abs() else 1


# gate_backward


def not_squared(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t), (grad_output * t).sum(0), -grad_output.sum(0)


def forgot_w(ctx, grad_output):
    x, _ = ctx.saved_tensors
    t = x.tanh()
    return grad_output * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


def mean_for_sum(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t * t), (grad_output * t).mean(0), grad_output.sum(0)


def wrong_sign(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), grad_output.sum(0)


def exchanged(ctx, grad_output):
    x, w = ctx.saved_tensors
    t = x.tanh()
    return grad_output * w * (1 - t * t), -grad_output.sum(0), (grad_output * t).sum(0)


def only_of_x(ctx, grad_output):
    x, w = ctx.saved_tensors
    return grad_output * w * (1 - x.tanh() ** 2)


def gate_with(x=None, w=None, b=None):
    """The right backward, with one gradient computed otherwise."""

    def backward(ctx, grad_output):
        saved_x, saved_w = ctx.saved_tensors
        t = saved_x.tanh()
        right = [grad_output * saved_w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)]
        given = (saved_x, saved_w, grad_output, t)
        return tuple(rule(*given) if rule else gradient for rule, gradient in zip((x, w, b), right, strict=True))

    return backward


x_without_gradient = gate_with(x=lambda x, w, g, t: w * (1 - t * t))
x_without_slope = gate_with(x=lambda x, w, g, t: g * w)
w_with_x = gate_with(w=lambda x, w, g, t: (g * x).sum(0))
summed_along_rows = gate_with(w=lambda x, w, g, t: (g * t).sum(1))
summed_over_all = gate_with(w=lambda x, w, g, t: (g * t).sum())
b_as_a_mean = gate_with(b=lambda x, w, g, t: -g.mean(0))
b_without_gradient = gate_with(b=lambda x, w, g, t: -mg.ones_like(w))


# two_sides


def right_first(f, x, eps):
    return (f(x + eps) - f(x)) / eps, (f(x) - f(x - eps)) / eps


def away_from_x(f, x, eps):
    return (f(x - eps) - f(x)) / eps, (f(x + eps) - f(x)) / eps


def by_two_eps(f, x, eps):
    return (f(x) - f(x - eps)) / (2 * eps), (f(x + eps) - f(x)) / (2 * eps)


def central_twice(f, x, eps):
    slope = (f(x + eps) - f(x - eps)) / (2 * eps)
    return slope, slope


def forgot_to_divide(f, x, eps):
    return f(x) - f(x - eps), f(x + eps) - f(x)


def right_the_other_way(f, x, eps):
    return [((f(x) - f(x - eps)) / eps).item(), ((f(x) - f(x + eps)) / eps).item()]


def without_brackets(f, x, eps):
    return f(x) - f(x - eps) / eps, f(x + eps) - f(x) / eps


def at_the_neighbours(f, x, eps):
    left, right = (x - eps).requires_grad_(), (x + eps).requires_grad_()
    return mg.autograd.grad(f(left), left)[0], mg.autograd.grad(f(right), right)[0]


def half_a_step(f, x, eps):
    return right_first(f, x, eps / 2)[::-1]


def one_slope(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


WRONG = {
    "central_slopes": [
        (one_side_only, "One side only"),
        (divided_by_eps, "Twice too much"),
        (moved_all, "All elements were moved at once"),
        (left_moved, "while the next one is measured. Put"),
        (left_moved_to_the_left, "while the next one is measured, to the left"),
        (asked_backward, "These are the gradients of backward"),
        (in_one_row, "The slopes lie in one row"),
        (divided_and_multiplied, "divides by 2 and then multiplies"),
        (left_minus_right, "The sign is turned around"),
        (moved_by_one, "The points are 1 away"),
        (moved_rows, "Whole rows were moved"),
        (one_number, "This is one number"),
    ],
    "disagreeing": [
        (lets_nan_through, "nan got through"),
        (forgot_abs, "abs() is missing around the difference"),
        (measured_by_backward, "measured by backward's own number"),
        (negative_tolerance, "multiplied with a negative number"),
        (forgot_rtol, "rtol is left out"),
        (counted_agreeing, "the entries that agree"),
        (more_than_atol, "and nan gets through"),
        (forgot_atol, "atol is left out"),
        (divided_by_differences, "This divides by the differences"),
        (compared_the_sums, "The sums were compared"),
        (the_bools, "These are the entries, as bools"),
        (whether_any, "This says whether there is one"),
        (one_decision, "cannot decide by it"),
    ],
    "gate_backward": [
        (not_squared, "the slope of tanh as 1 - t"),
        (forgot_w, "lacks the factor w"),
        (mean_for_sum, "of w is a mean over the rows"),
        (wrong_sign, "has the wrong sign: y gets smaller"),
        (exchanged, "The gradients of w and b have changed places"),
        (only_of_x, "forward has three arguments after ctx"),
        (x_without_gradient, "of x lacks grad_output"),
        (x_without_slope, "of x lacks the slope of tanh"),
        (w_with_x, "The gradient of w has x in it"),
        (summed_along_rows, "Summed along the wrong dimension"),
        (summed_over_all, "Summed along the wrong dimension"),
        (b_as_a_mean, "of b is a mean over the rows"),
        (b_without_gradient, "of b lacks grad_output"),
    ],
    "two_sides": [
        (right_first, "Right and left have changed places"),
        (away_from_x, "The slope to the left has the wrong sign"),
        (by_two_eps, "Divided by 2 * eps"),
        (central_twice, "Both are the central difference"),
        (forgot_to_divide, "These are changes of f"),
        (right_the_other_way, "The slope to the right has the wrong sign"),
        (without_brackets, "Brackets are missing"),
        (at_the_neighbours, "the slopes at x - eps and at x + eps"),
        (half_a_step, "The points are eps / 2 away"),
        (one_slope, "The two slopes are asked for"),
    ],
}
