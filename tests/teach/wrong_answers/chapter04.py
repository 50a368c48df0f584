"""Wrong answers to the exercises of chapter 04, and the words that each must be met with."""

from __future__ import annotations

import warnings

from minigrad.autograd import grad

# pulls


def pulls_by_backward(losses, h):
    lengths = []
    h.retain_grad()
    for loss in losses:
        loss.backward(retain_graph=True)
        lengths.append(h.grad.norm().item())
    return lengths


def pulls_cleared_but_written(losses, h):
    lengths = []
    h.retain_grad()
    for loss in losses:
        h.grad = None
        loss.backward(retain_graph=True)
        lengths.append(0.0 if h.grad is None else h.grad.norm().item())
    return lengths


def pulls_of_the_tuple(losses, h):
    return [grad(loss, h, retain_graph=True).norm().item() for loss in losses]


def pulls_without_retaining(losses, h):
    return [grad(loss, h)[0].norm().item() for loss in losses]


def pulls_of_used_ones(losses, h):
    return [grad(loss, h, retain_graph=True)[0].norm().item() for loss in losses]


def pulls_with_none(losses, h):
    return [grad(loss, h, retain_graph=True, allow_unused=True)[0].norm().item() for loss in losses]


def pull_of_all_together(losses, h):
    return [grad(losses, h)[0].norm().item()]


def pulls_as_sums(losses, h):
    return [grad(loss, h, retain_graph=True, materialize_grads=True)[0].sum().item() for loss in losses]


def pulls_squared(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [(gradient * gradient).sum().item() for gradient in gradients]


def pulls_of_the_largest(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [max(abs(number) for number in gradient.tolist()) for gradient in gradients]


def pulls_of_absolutes(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [sum(abs(number) for number in gradient.tolist()) for gradient in gradients]


def losses_for_pulls(losses, h):
    return [loss.item() for loss in losses]


def gradients_for_pulls(losses, h):
    return [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]


def left_one_out(losses, h):
    gradients = [grad(loss, h, retain_graph=True, allow_unused=True)[0] for loss in losses]
    return [gradient.norm().item() for gradient in gradients if gradient is not None]


def asked_the_wrong_way(losses, h):
    return [grad(h, loss)[0].norm().item() for loss in losses]


# slope_and_curvature


def by_backward_twice(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
    slope = x.grad
    slope.backward()
    return slope, x.grad


def without_create_graph(f, x):
    (slope,) = grad(f(x), x)
    return slope, grad(slope, x)[0]


def with_retain_graph(f, x):
    (slope,) = grad(f(x), x, retain_graph=True)
    return slope, grad(slope, x)[0]


def tuples_of_tensors(f, x):
    slope = grad(f(x), x, create_graph=True)
    return slope, grad(slope, x)


def asked_f_twice(f, x):
    return grad(f(x), x)[0], grad(f(x), x)[0]


def slope_times_slope(f, x):
    slope = grad(f(x), x)[0]
    return slope, slope * slope


def curvature_first(f, x):
    slope = grad(f(x), x, create_graph=True)[0]
    return grad(slope, x, retain_graph=True)[0], slope


def value_and_slope(f, x):
    y = f(x)
    return y, grad(y, x, create_graph=True)[0]


def curvature_alone(f, x):
    slope = grad(f(x), x, create_graph=True)[0]
    return grad(slope, x)[0]


def asked_f_at_the_slope(f, x):
    (slope,) = grad(f(x), x, create_graph=True)
    (curvature,) = grad(f(slope), x)
    return slope, curvature


def finite_differences(f, x):
    step = 0.1
    above, here, below = f(x + step), f(x), f(x - step)
    return (above - below) / (2 * step), (above - 2 * here + below) / step**2


# watched


def hung_up_too_late(h, loss):
    seen = []
    loss.backward()
    handle = h.register_hook(seen.append)
    handle.remove()
    return seen[0]


def taken_away_too_early(h, loss):
    seen = {}
    handle = h.register_hook(lambda g: seen.update(h=g))
    handle.remove()
    loss.backward()
    return seen["h"]


def returned_the_handle(h, loss):
    handle = h.register_hook(lambda g: None)
    loss.backward()
    handle.remove()
    return handle


def returned_the_list(h, loss):
    seen = []
    handle = h.register_hook(seen.append)
    loss.backward()
    handle.remove()
    return seen


def asked_instead(h, loss):
    return grad(loss, h)[0]


def retained_instead(h, loss):
    h.retain_grad()
    loss.backward()
    return h.grad


def left_the_hook(h, loss):
    seen = []
    h.register_hook(seen.append)
    loss.backward()
    return seen[0]


def gradient_of_the_leaf(h, loss):
    seen = []
    leaf_node = h.grad_fn.next_functions[0][0]
    with leaf_node.variable.register_hook(seen.append):
        loss.backward()
    return seen[0]


def hung_up_the_result(h, loss):
    seen = []
    handle = h.register_hook(seen.append(0))
    loss.backward()
    handle.remove()
    return seen[0]


def walked_from_h(h, loss):
    seen = []
    with h.register_hook(seen.append):
        h.sum().backward()
    return seen[0]


def watched_the_loss(h, loss):
    seen = []
    with loss.register_hook(seen.append):
        loss.backward()
    return seen[0]


def retained_and_cleared(h, loss):
    h.retain_grad()
    loss.backward()
    gradient = h.grad
    h.grad = None
    return gradient


def walked_twice(h, loss):
    seen = []
    with h.register_hook(seen.append):
        loss.backward(retain_graph=True)
        loss.backward()
    return seen[0]


def hook_sends_zeros(h, loss):
    seen = []

    def look(g):
        seen.append(g)
        return g * 0

    with h.register_hook(look):
        loss.backward()
    return seen[0]


# turned_around and limited


def on_h_itself(h, strength):
    h.register_hook(lambda g: g * -strength)
    return h


def cut_off(h, strength):
    return h.detach() * -strength + h.detach() * (1 + strength)


def hook_without_return(h, strength):
    branch = h.clone()

    def turn(g):
        g * -strength

    branch.register_hook(turn)
    return branch


def turned_the_numbers(h, strength):
    return -strength * h


def kept_the_sign(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: strength * g)
    return branch


def forgot_the_strength(h, strength):
    branch = h * 1
    branch.register_hook(lambda g: -g)
    return branch


def hook_of_two(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g, strength: g * -strength)
    return branch


def turned_in_place(h, strength):
    branch = h.clone()

    def turn(g):
        g *= -strength

    branch.register_hook(turn)
    return branch


def turned_both(h, strength):
    branch = h * -strength
    branch.register_hook(lambda g: g * -strength)
    return branch


def subtracted_the_strength(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: g - strength)
    return branch


def sent_a_constant(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: -strength + g * 0)
    return branch


def handle_of_the_hook(h, strength):
    return h.clone().register_hook(lambda g: g * -strength)


def number_for_a_gradient(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: -strength)
    return branch


def returned_h_itself(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: g * -strength)
    return h


def shorten(g, limit):
    length = g.norm().item()
    return g * (limit / length) if length > limit else g


def limited_h_itself(h, limit):
    h.register_hook(lambda g: shorten(g, limit))
    return h.clone()


def limited_and_cut_off(h, limit):
    return h.detach()


def limited_without_return(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: [shorten(g, limit), None][1])
    return branch


def clipped_each_element(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g.clip(-limit, limit))
    return branch


def lengthened_short_ones(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * limit / g.norm())
    return branch


def divided_by_zero(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, limit / g.norm().item()))
    return branch


def used_the_square(h, limit):
    def hook(g):
        square = (g**2).sum().item()
        return g * (limit / square) if square > limit else g

    branch = h.clone()
    branch.register_hook(hook)
    return branch


def dropped_long_ones(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * (g.norm().item() <= limit))
    return branch


def length_of_one(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g / g.norm() if g.norm() > limit else g)
    return branch


def upside_down(h, limit):
    def hook(g):
        length = g.norm().item()
        return g if length <= limit else g * length / limit

    branch = h.clone()
    branch.register_hook(hook)
    return branch


def by_the_largest(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, limit / max(g.abs().max().item(), 1e-9)))
    return branch


def by_the_sum(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, limit / max(g.abs().sum().item(), 1e-9)))
    return branch


def shortened_in_place(h, limit):
    def hook(g):
        length = g.norm().item()
        if length > limit:
            g *= limit / length

    branch = h.clone()
    branch.register_hook(hook)
    return branch


def shortened_the_numbers(h, limit):
    return h * (limit / (10 * h.norm().item()))


def handle_of_the_limit(h, limit):
    branch = h.clone()
    return branch.register_hook(lambda g: shorten(g, limit))


def limit_for_a_gradient(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: limit if g.norm().item() > limit else g)
    return branch


WRONG = {
    "pulls": [
        (pulls_by_backward, "backward() adds to .grad"),
        (pulls_cleared_but_written, "backward() adds to .grad"),
        (pulls_of_the_tuple, "returns a tuple, even for one input"),
        (pulls_without_retaining, "The first call freed"),
        (pulls_of_used_ones, "an error unless you allow it"),
        (pulls_with_none, "None has no length"),
        (pull_of_all_together, "all losses together"),
        (pulls_as_sums, "the sum of the elements"),
        (pulls_squared, "the length squared: take"),
        (pulls_of_the_largest, "This is the largest element"),
        (pulls_of_absolutes, "the sum of the absolute values, a length"),
        (losses_for_pulls, "These are the losses themselves"),
        (gradients_for_pulls, "These are the gradients"),
        (left_one_out, "A loss was left out"),
        (asked_the_wrong_way, "The two arguments have changed places"),
    ],
    "slope_and_curvature": [
        (by_backward_twice, "on top of the first"),
        (without_create_graph, "came without a graph"),
        (with_retain_graph, "came without a graph"),
        (tuples_of_tensors, "tuples of one tensor each"),
        (asked_f_twice, "is there twice"),
        (slope_times_slope, "the square of the slope"),
        (curvature_first, "have changed places"),
        (value_and_slope, "These are f(x) and its slope"),
        (curvature_alone, "Only one tensor was returned"),
        (asked_f_at_the_slope, "was put to f(slope)"),
        (finite_differences, "These look like finite differences"),
    ],
    "watched": [
        (hung_up_too_late, "Nothing had been seen"),
        (taken_away_too_early, "Nothing had been seen"),
        (returned_the_handle, "This is the handle"),
        (returned_the_list, "This is the list"),
        (asked_instead, "it stops at h"),
        (retained_instead, "retain_grad() keeps the gradient"),
        (left_the_hook, "The hook is still there"),
        (gradient_of_the_leaf, "the gradient of the leaf"),
        (hung_up_the_result, "it is called at once"),
        (walked_from_h, "The walk began at h"),
        (watched_the_loss, "what arrives at the loss"),
        (retained_and_cleared, "retain_grad() keeps the gradient"),
        (walked_twice, "backward() has run twice"),
        (hook_sends_zeros, "The hook has changed the gradient"),
    ],
    "turned_around": [
        (on_h_itself, "hangs on h itself"),
        (cut_off, "cut the branch off"),
        (hook_without_return, "let it return the turned gradient"),
        (returned_h_itself, "let it return the turned gradient"),
        (turned_in_place, "writes into the gradient"),
        (turned_both, "and the gradient as well"),
        (subtracted_the_strength, "strength was subtracted"),
        (sent_a_constant, "the hook returns the same for each"),
        (handle_of_the_hook, "This is the handle of the hook"),
        (number_for_a_gradient, "The hook gave a number"),
        (turned_the_numbers, "turns the numbers around, too"),
        (kept_the_sign, "The sign is missing"),
        (forgot_the_strength, "The strength was left out"),
        (hook_of_two, "A hook gets one argument"),
    ],
    "limited": [
        (limited_h_itself, "hangs on h itself"),
        (limited_and_cut_off, "cut the branch off"),
        (limited_without_return, "let it return the shortened gradient"),
        (shortened_in_place, "writes into the gradient"),
        (length_of_one, "gets the length 1"),
        (upside_down, "The factor is upside down"),
        (by_the_largest, "The largest element was taken"),
        (by_the_sum, "The sum of the absolute values was taken"),
        (shortened_the_numbers, "The numbers of h were shortened"),
        (handle_of_the_limit, "This is the handle of the hook"),
        (limit_for_a_gradient, "The hook gave a number"),
        (clipped_each_element, "Each element was clipped by itself"),
        (lengthened_short_ones, "gets the length of the limit"),
        (divided_by_zero, "before you divide"),
        (used_the_square, "the length squared. The length"),
        (dropped_long_ones, "Long gradients become zero"),
    ],
}
