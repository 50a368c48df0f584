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


WRONG = {
    "central_slopes": [
        (one_side_only, "One side only"),
        (divided_by_eps, "Twice too much"),
        (moved_all, "All elements were moved at once"),
        (left_moved, "while the next one is measured. Put"),
        (left_moved_to_the_left, "while the next one is measured, to the left"),
        (asked_backward, "These are the gradients of backward"),
        (in_one_row, "The slopes lie in one row"),
    ],
    "disagreeing": [
        (lets_nan_through, "nan got through"),
        (forgot_abs, "abs() is missing around the difference"),
        (measured_by_backward, "measured by backward's own number"),
        (negative_tolerance, "multiplied with a negative number"),
        (forgot_rtol, "rtol is left out"),
        (counted_agreeing, "the entries that agree"),
    ],
    "gate_backward": [
        (not_squared, "the slope of tanh as 1 - t"),
        (forgot_w, "lacks the factor w"),
        (mean_for_sum, "a mean over the rows"),
        (wrong_sign, "has the wrong sign: y gets smaller"),
        (exchanged, "The gradients of w and b have changed places"),
        (only_of_x, "forward has three arguments after ctx"),
    ],
    "two_sides": [
        (right_first, "Right and left have changed places"),
        (away_from_x, "The slope to the left has the wrong sign"),
        (by_two_eps, "Divided by 2 * eps"),
        (central_twice, "Both are the central difference"),
        (forgot_to_divide, "These are changes of f"),
    ],
}
