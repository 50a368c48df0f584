"""Chapters 04 and 05: wrong answers that fixed numbers let pass, and right ones in other words.

Each wrong answer comes with words that its card must say; "" where the card says what differs, and no more.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from teach.answers import said

import minigrad as mg
from minigrad.autograd import Function, functional, grad
from minigrad.teach import EXERCISES

REFERENCE = {name: exercise.reference for name, exercise in EXERCISES.items()}


def leaves_behind(root):
    todo, met = [root.grad_fn], {}
    while todo:
        node = todo.pop()
        if node is not None and node not in met:
            met[node] = None
            todo += [following for following, _ in node.next_functions]
    return [node.variable for node in met if hasattr(node, "variable")]


# ---------------------------------------------------------------- pulls


def pulls_and_clears_all(losses, h):
    """Clears what it has written, and what was there before with it."""
    lengths, seen = [], []
    with h.register_hook(seen.append):
        for loss in losses:
            del seen[:]
            loss.backward(retain_graph=True)
            lengths.append(seen[0].norm().item() if seen else 0.0)
            for leaf in leaves_behind(loss):
                leaf.grad = None
    return lengths


def pulls_and_puts_back_but_retains(losses, h):
    """Puts every gradient back; h will keep its own in each walk to come."""
    found = {leaf: leaf.grad for loss in losses for leaf in leaves_behind(loss)}
    h.retain_grad()
    lengths = []
    for loss in losses:
        for leaf in [*found, h]:
            leaf.grad = None
        loss.backward(retain_graph=True)
        lengths.append(0.0 if h.grad is None else h.grad.norm().item())
    for leaf, gradient in [*found.items(), (h, found.get(h))]:
        leaf.grad = gradient
    return lengths


def pulls_seen_by_a_hook(losses, h):
    """A hook that stays."""
    lengths, seen = [], []
    h.register_hook(seen.append)
    for loss in losses:
        del seen[:]
        grad(loss, leaves_behind(loss), retain_graph=True, allow_unused=True)
        lengths.append(seen[0].norm().item() if seen else 0.0)
    return lengths


def pulls_of_two_elements(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0].flatten().tolist() for loss in losses]
    return [math.hypot(*gradient[:2]) for gradient in gradients]


def pulls_row_by_row(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [gradient.norm(dim=-1).sum().item() for gradient in gradients]


def pulls_each_loss_once(losses, h):
    """Losses that stand there twice get lost."""
    return [REFERENCE["pulls"]([loss], h)[0] for loss in dict.fromkeys(losses)]


def pulls_with_their_graph(losses, h):
    return [grad(loss, h, create_graph=True, materialize_grads=True)[0].norm() for loss in losses]


def pulls_retaining_the_first_only(losses, h):
    lengths = []
    for loss in losses:
        (gradient,) = grad(loss, h, retain_graph=not lengths, materialize_grads=True)
        lengths.append(gradient.norm().item())
    return lengths


def pulls_rounded(losses, h):
    return [round(length, 1) for length in REFERENCE["pulls"](losses, h)]


def pulls_caught(losses, h):
    lengths = []
    for loss in losses:
        try:
            lengths.append(float(grad(loss, h, retain_graph=True)[0].norm()))
        except RuntimeError:
            lengths.append(0)
    return lengths


def pulls_by_a_jacobian(losses, h):
    weights = mg.eye(len(losses))
    rows = [grad(losses, h, list(row), retain_graph=True, materialize_grads=True)[0] for row in weights]
    return [np.sqrt((row.detach().numpy() ** 2).sum()) for row in rows]


def pulls_looked_up(losses, h):
    lengths = {}
    for loss in losses:
        (gradient,) = grad(loss, h, retain_graph=True, allow_unused=True)
        lengths[loss] = 0.0 if gradient is None else math.dist([0.0] * h.numel(), gradient.flatten().tolist())
    return tuple(lengths[loss] for loss in losses)


# ---------------------------------------------------------------- slope_and_curvature


def differences_in_double(f, x):
    x = x.detach().double()
    return (f(x + 1e-4) - f(x - 1e-4)) / 2e-4, (f(x + 1e-4) - 2 * f(x) + f(x - 1e-4)) / 1e-8


def slope_by_differences_of_slopes(f, x):
    def slope(at):
        at = at.detach().double().requires_grad_()
        return grad(f(at), at)[0]

    return slope(x), (slope(x.detach().double() + 1e-5) - slope(x.detach().double() - 1e-5)) / 2e-5


def slopes_with_x_grad_in_zeros(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    (curvature,) = grad(slope, x)
    x.grad = mg.zeros_like(x)
    return slope, curvature


def slopes_of_positive_ones(f, x):
    slope, curvature = REFERENCE["slope_and_curvature"](f, x)
    return slope, curvature * x.detach().sign() * x.detach().sign().abs() if x.item() > 0 else curvature.abs()


def slopes_without_dimensions(f, x):
    slope, curvature = REFERENCE["slope_and_curvature"](f, x)
    return slope.sum(), curvature.sum()


def slopes_as_numbers(f, x):
    slope, curvature = REFERENCE["slope_and_curvature"](f, x)
    return slope.item(), curvature.item()


def slopes_by_the_library(f, x):
    return functional.jacobian(f, x).reshape(x.shape), functional.hessian(lambda x: f(x).sum(), x).reshape(x.shape)


def slopes_with_a_graph_each(f, x):
    slope = grad(f(x).sum(), x, create_graph=True)[0]
    return slope, grad(slope.sum(), x, create_graph=True)[0]


def slopes_of_x_times_one(f, x):
    here = x * 1
    (slope,) = grad(f(here), here, create_graph=True)
    return [slope.detach(), grad(slope, here)[0]]


# ---------------------------------------------------------------- watched


def watched_at_h_alone(h, loss):
    """backward() may be told where to end, too."""
    loss.backward(inputs=[h])
    return h.grad


def watched_as_first_output(h, loss):
    seen = []
    handle = h.grad_fn.register_prehook(lambda gradients: seen.append(gradients[0]))
    loss.backward()
    handle.remove()
    return seen[0]


def watched_with_a_hook_on_the_node(h, loss):
    """The hook stays on the node of h."""
    seen = []
    h.grad_fn.register_prehook(lambda gradients: seen.append(gradients[h.output_nr]))
    loss.backward()
    return seen[0]


def watched_and_set_the_leaves(h, loss):
    leaves = leaves_behind(loss)
    found = grad(loss, [h, *leaves])
    for leaf, gradient in zip(leaves, found[1:], strict=True):
        leaf.grad = gradient
    return found[0]


def watched_from_a_fresh_start(h, loss):
    for leaf in leaves_behind(loss):
        leaf.grad = None
    return REFERENCE["watched"](h, loss)


def watched_a_recorded_walk(h, loss):
    seen = []
    with h.register_hook(seen.append), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    return seen[0].detach()


def watched_and_limited(h, loss):
    """The hook sends on what it should only look at."""
    seen = []
    with h.register_hook(lambda g: seen.append(g) or g.clip(-10, 10)):
        loss.backward()
    return seen[0]


def watched_and_doubled_in_place(h, loss):
    seen = []

    def look(g):
        seen.append(g.clone())
        g *= 2

    with h.register_hook(look):
        loss.backward()
    return seen[0]


def watched_by_the_last(h, loss):
    gradient = None

    def look(g):
        nonlocal gradient
        gradient = g

    handle = h.register_hook(look)
    try:
        loss.backward()
    finally:
        handle.remove()
    return gradient


def watched_by_a_hook_that_removes_itself(h, loss):
    seen = []
    handle = h.register_hook(lambda g: (seen.append(g), handle.remove())[1])
    loss.backward(retain_graph=True)
    return seen.pop()


def watched_by_a_class(h, loss):
    class Look:
        def __call__(self, g):
            self.gradient = g.detach().clone()

    look = Look()
    with h.register_hook(look):
        mg.autograd.backward([loss])
    return look.gradient


# ---------------------------------------------------------------- turned_around


def turned_without_the_sign_of_strength(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: g * -abs(strength))
    return branch


def turned_if_there_is_strength(h, strength):
    branch = h.clone()
    if strength:
        branch.register_hook(lambda g: g * -strength)
    return branch


def turned_once(h, strength):
    """The hook takes itself away after its first walk."""
    branch = h.clone()
    handle = branch.register_hook(lambda g: (handle.remove(), g * -strength)[1])
    return branch


def turned_two_elements(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: mg.tensor([-strength * number for number in g.flatten()[:2].tolist()]))
    return branch


def turned_at_the_node_of_h(h, strength):
    """A hook on the node of h, which runs when the gradient of h is known already."""
    if h.is_leaf:
        return REFERENCE["turned_around"](h, strength)
    h.grad_fn.register_prehook(lambda gradients: tuple(None if g is None else g * -strength for g in gradients))
    return h


def turned_in_place_and_returned(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: g.mul_(-strength))
    return branch


def turned_before_the_sum(h, strength):
    """Turns both signs for each element that is negative."""
    branch = h.clone()
    branch.register_hook(lambda g: -strength * g.abs() * h.detach().sign())
    return branch


def turned_by_a_view(h, strength):
    branch = h.view_as(h)
    branch.register_hook(lambda g: g.mul(strength).neg())
    return branch


def turned_by_two_hooks(h, strength):
    branch = h + 0
    branch.register_hook(lambda g: -g)
    branch.register_hook(lambda g: strength * g)
    return branch


def turned_by_difference(h, strength):
    return -strength * h + ((1 + strength) * h).detach()


# ---------------------------------------------------------------- limited


def limited_each_row(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * (limit / g.norm(dim=-1, keepdim=True).clamp(min=1e-9)).clamp(max=1))
    return branch


def limited_by_the_first(h, limit):
    """The factor of the first gradient is kept for all to come."""
    factors = []

    def shorten(g):
        factors.append(min(1.0, limit / max(g.norm().item(), 1e-9)))
        return g * factors[0]

    branch = h.clone()
    branch.register_hook(shorten)
    return branch


def limited_to_whole_numbers(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, int(limit) / max(g.norm().item(), 1e-9)))
    return branch


def limited_when_a_whole_number_too_long(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * (limit / g.norm()) if int(g.norm()) > limit else g)
    return branch


def limited_to_five(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, 5.0 / max(g.norm().item(), 1e-9)) * (1 if limit == 5 else limit / 5))
    return branch


def limited_with_nan(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g / g.norm() * min(limit, g.norm().item()))
    return branch


def limited_by_root_mean_square(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, limit / max((g**2).mean().sqrt().item() * 2**0.5, 1e-9)))
    return branch


def limited_by_where(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: mg.where(g.norm() > limit, g / g.norm().clamp(min=1e-12) * limit, g))
    return branch


def limited_by_the_library(h, limit):
    def shorten(g):
        leaf = mg.zeros_like(g, requires_grad=True)
        leaf.grad = g.clone()
        mg.nn.utils.clip_grad_norm_([leaf], limit)
        return leaf.grad

    branch = h * 1
    branch.register_hook(shorten)
    return branch


def limited_by_a_function(h, limit):
    class Limit(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad_output):
            length = float(np.linalg.norm(grad_output.numpy()))
            return grad_output / max(1.0, length / limit)

    return Limit.apply(h)


# ---------------------------------------------------------------- counted_together


def counted_by_adding_and_taking_back(a, b):
    """What is added is not there any more to the last digit."""
    before = b._version
    with mg.no_grad():
        a.add_(1)
        a.sub_(1)
    return b._version != before


def counted_with_the_gradient_switched_off(a, b):
    before = b._version
    if a.is_leaf:
        a.requires_grad = False
    with mg.no_grad():
        a.mul_(1)
    return b._version > before


def counted_by_the_base(a, b):
    bases = [one if one._base is None else one._base for one in (a, b)]
    return bases[0] is bases[1]


def counted_by_memory_and_not_by_data(a, b):
    """Knows nothing of parts that do not overlap."""
    before = b._version
    with mg.no_grad():
        a.add_(0)
    return bool(np.shares_memory(a.detach().numpy(), b.detach().numpy())) and b._version > before


def counted_with_zeros(a, b):
    before = b._version
    with mg.no_grad():
        a.zero_()
    return b._version > before


def counted_as_a_number(a, b):
    return int(REFERENCE["counted_together"](a, b))


def counted_by_two_writes(a, b):
    before = b._version
    a.detach().mul_(2).div_(2)
    return mg.tensor(b._version != before)


def counted_by_the_difference(a, b):
    first, second = a._version, b._version
    with mg.no_grad():
        a += 0
    return bool((a._version - first) == (b._version - second))


def counted_at_the_first_element(a, b):
    """Not where there is no dimension."""
    before = b._version
    with mg.no_grad():
        a[0] = a[0].clone()
    return b._version - before > 0


def counted_at_one_element(a, b):
    before = b._version
    with mg.no_grad():
        one = a.view(-1)[:1]
        one.copy_(one.clone())
    return b._version - before > 0


# ---------------------------------------------------------------- may_write_result


def looked_for_a_saved_result(f, x):
    return "_saved_result" not in dir(f(x).grad_fn)


def looked_for_what_it_saved(f, x):
    """Whether the last node has saved y, but not whether an earlier one has."""
    node = f(x).grad_fn
    saved = [getattr(node, name) for name in dir(node) if name.startswith("_saved")]
    y = f(x)
    return not any(isinstance(one, mg.Tensor) and one.shape == y.shape and one.tolist() == y.tolist() for one in saved)


def knew_three_names(f, x):
    return not any(name in type(f(x).grad_fn).__name__ for name in ("Exp", "Tanh", "Sigmoid"))


def wrote_to_a_clone(f, x):
    y = f(x).clone()
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def caught_what_came_of_itself(f, x):
    """Every answer is False: item() of several elements is an error, too."""
    y = f(x)
    try:
        y.add_(1)
        y.sum().item().backward()
    except Exception:
        return False
    return True


def asked_two_elements(f, x):
    y = f(x)
    y.add_(1)
    try:
        (y[0] + y[1]).backward()
    except RuntimeError:
        return False
    return True


def asked_for_ones(f, x):
    y = f(x)
    before = y._version
    y *= 2
    try:
        y.backward(mg.ones(y.shape))
        return y._version > before
    except RuntimeError:
        return False


def walked_with_grad(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y.detach().zero_()
    try:
        grad(y, leaf, mg.ones_like(y))
    except RuntimeError:
        return np.bool_(False)
    else:
        return np.bool_(True)


def wrote_under_no_grad(f, x):
    y = f(x)
    with mg.no_grad():
        y.fill_(0.25)
    works = True
    try:
        y.mean().backward()
    except RuntimeError as error:
        works = "inplace" not in str(error)
    return works


# ---------------------------------------------------------------- replace_row


def replaced_where_equal(h, row, values):
    return mg.where((h == h[row]).reshape(len(h), -1).min(1)[0].reshape(-1, *[1] * (h.ndim - 1)), values, h)


def replaced_with_a_mask_of_numbers(h, row, values):
    mask = mg.zeros(h.shape)
    mask[row] = 1
    return h + mask * (values - h)


def replaced_between_slices(h, row, values):
    return mg.cat([h[:row], values[None], h[row + 1 :]])


def replaced_and_put_back(h, row, values):
    """h has its numbers again, but its count says that it was written to."""
    old = h.detach()[row].clone()
    h.detach()[row] = values.detach()
    result = h.clone()
    h.detach()[row] = old
    result[row] = values
    return result


def replaced_with_numbers_alone(h, row, values):
    result = h.clone()
    result[row] = values.detach()
    return result


def replaced_in_two_dimensions(h, row, values):
    """Replaces the first two elements of the row."""
    result = h.clone()
    result[row, :2] = values[:2]
    return result


def replaced_and_scaled(h, row, values):
    """The rest of h comes from detach(): its gradient is missing."""
    result = h.detach().clone()
    result[row] = values
    return result + 0 * h


def replaced_without_recording(h, row, values):
    result = h.clone()
    with mg.no_grad():
        result[row] = values
    return result


def replaced_among_numbers(h, row, values):
    result = mg.tensor(h.tolist())
    result[row] = values
    return result


def replaced_where_a_column_of_bools_is(h, row, values):
    """For tables alone, which is what is asked for."""
    is_row = mg.zeros(len(h), 1, dtype=mg.bool)
    is_row[row] = True
    return mg.where(is_row, values, h)


def replaced_by_scattering(h, row, values):
    places = mg.full((1, h.shape[1]), row % len(h), dtype=mg.int64)
    return h.scatter(0, places, values.unsqueeze(0))


def replaced_where_the_place_is(h, row, values):
    places = mg.arange(len(h)).reshape(-1, *[1] * values.ndim)
    return mg.where(places == row % len(h), values, h)


def replaced_by_unbinding(h, row, values):
    rows = list(h.unbind())
    rows[row] = values
    return mg.stack(rows)


def replaced_between_right_slices(h, row, values):
    row = range(len(h))[row]
    return mg.cat((h[:row], values.unsqueeze(0), h[row + 1 :]), 0)


def replaced_by_a_copy(h, row, values):
    result = mg.empty_like(h)
    result.copy_(h)
    result[row].copy_(values)
    return result


# ---------------------------------------------------------------- train_bounded


def clamped_by_data_at_last(loss_of, w1, w2, rate):
    """Two counted writes, and one that nobody counts."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
    w2.data.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def moved_by_data_at_first(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    w1.data -= rate * w1.grad
    w2.data -= rate * w2.grad
    with mg.no_grad():
        w1.add_(0)
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def clamped_as_an_array_at_last(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
    array = w2.detach().numpy()
    np.clip(array, -1, 1, out=array)
    w1.grad = w2.grad = None
    return loss.item()


def moved_as_arrays(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    for w in (w1, w2):
        array = w.detach().numpy()
        array -= rate * w.grad.numpy()
        w.grad = None
    with mg.no_grad():
        w2.clamp_(-1, 1)
    return loss.item()


def replaced_the_memory(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    first, second = w1.grad, w2.grad
    w1.grad = w2.grad = None
    with mg.no_grad():
        w1.add_(0)
        w2.add_(0)
        w1.data, w2.data = w1 - rate * first, (w2 - rate * second).clamp(-1, 1)
    return loss.item()


def returned_the_whole_loss(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2), retain_graph=True)
    with mg.no_grad():
        w1 -= rate * first
        w2.copy_((w2 - rate * second).clamp(-1, 1))
    return loss


def asked_in_the_other_order(loss_of, w1, w2, rate):
    return REFERENCE["train_bounded"](lambda w1, w2: loss_of(w2, w1), w1, w2, rate)


def clamped_above(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w2.clamp_(max=1)
    w1.grad = w2.grad = None
    return loss.item()


def clamped_under_the_same_name(loss_of, w1, w2, rate):
    """The gradient of the copy is cleared, and not that of the weight."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1.sub_(rate * w1.grad)
        w2.sub_(rate * w2.grad)
        w2 = mg.clamp(w2, min=-1.0, max=1.0)
    w1.grad, w2.grad = None, None
    return loss.item()


def moved_one_after_the_other(loss_of, w1, w2, rate):
    """The second weight moves by a gradient at the new first one."""
    loss = loss_of(w1, w2)
    (first,) = grad(loss, w1)
    with mg.no_grad():
        w1 -= rate * first
    (second,) = grad(loss_of(w1, w2), w2)
    with mg.no_grad():
        w2 -= rate * second
        w2.clamp_(-1, 1)
    return loss.item()


def froze_the_weights(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2))
    for w in (w1, w2):
        w.requires_grad_(False)
    w1 -= rate * first
    w2 -= rate * second
    w2.clamp_(-1, 1)
    return loss.item()


def trained_and_zeroed(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        for w in (w1, w2):
            w.sub_(w.grad, alpha=rate)
        w2.clamp_(-1, 1)
    w1.grad.zero_()
    w2.grad.zero_()
    return float(loss.item())


def trained_and_looked_at_arrays(loss_of, w1, w2, rate):
    """Arrays that are only read."""
    loss = loss_of(w1, w2)
    loss.backward()
    smallest = w2.detach().numpy().min()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        if w2.detach().numpy().max() > 1 or w2.detach().numpy().min() < -1 or smallest < -1:
            w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.detach().numpy().item()


def trained_through_detach(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    first, second = w1.detach(), w2.detach()
    first -= rate * w1.grad
    second -= rate * w2.grad
    second[second > 1] = 1.0
    second[second < -1] = -1.0
    del w1.grad, w2.grad
    return loss.detach()


def trained_with_half_a_step_each(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    gradients = grad(loss, [w1, w2])
    with mg.no_grad():
        for w, gradient in zip((w1, w2), gradients, strict=True):
            w -= rate / 2 * gradient
            w -= rate / 2 * gradient
        w2.copy_(w2.minimum(mg.ones_like(w2)).maximum(-mg.ones_like(w2)))
    return np.float32(loss.item())


# ---------------------------------------------------------------- known mistakes, computed in other words


def pulls_as_long_sums(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [float(np.sum(gradient.detach().numpy(), dtype=np.float64)) for gradient in gradients]


def limited_by_the_sum_in_double(h, limit):
    def shorten(g):
        length = sum(map(abs, g.flatten().tolist()))
        return limit * g / length if length > limit else g

    branch = h.clone()
    branch.register_hook(shorten)
    return branch


def limited_by_the_square_in_double(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * limit / (g * g).sum() if (g * g).sum() > limit else g)
    return branch


# ---------------------------------------------------------------- the answers

WRONG = {
    "pulls": {
        pulls_and_clears_all: "backward() has written",
        pulls_and_puts_back_but_retains: "retain_grad(), which makes the next walk write h.grad",
        pulls_seen_by_a_hook: "a hook is left",
        pulls_of_two_elements: "Every element has a part in the length",
        pulls_row_by_row: "",
        pulls_each_loss_once: "",
        pulls_with_their_graph: "keeps its graph alive",
        pulls_rounded: "",
        pulls_retaining_the_first_only: "The first walk freed what the second one needs",
        pulls_as_long_sums: "This is the sum of the elements",
    },
    "slope_and_curvature": {
        differences_in_double: "finite differences",
        slope_by_differences_of_slopes: "finite differences",
        slopes_with_x_grad_in_zeros: "x.grad",
        slopes_of_positive_ones: "",
        slopes_without_dimensions: "The shape is []; it should be [1].",
        slopes_as_numbers: "The numbers are right, but this is a float",
    },
    "watched": {
        watched_as_first_output: "A pre-hook of a node gets the gradients of all of its outputs",
        watched_with_a_hook_on_the_node: "The hook is still there",
        watched_and_set_the_leaves: "backward() adds to them",
        watched_from_a_fresh_start: "backward() adds to them",
        watched_a_recorded_walk: "create_graph=True is not needed",
        watched_and_limited: "The hook has changed the gradient",
        watched_and_doubled_in_place: "The hook has changed the gradient",
        watched_at_h_alone: "The walk ended at h",
    },
    "turned_around": {
        turned_without_the_sign_of_strength: "",
        turned_if_there_is_strength: "The gradient goes on as it came",
        turned_once: "",
        turned_two_elements: "",
        turned_at_the_node_of_h: "The gradient goes on as it came",
        turned_in_place_and_returned: "The hook writes into the gradient",
        turned_before_the_sum: "",
    },
    "limited": {
        limited_each_row: "Each row was shortened by itself",
        limited_by_the_first: "",
        limited_to_whole_numbers: "",
        limited_when_a_whole_number_too_long: "",
        limited_to_five: "",
        limited_by_the_sum_in_double: "The sum of the absolute values",
        limited_by_the_square_in_double: "the length squared",
        limited_with_nan: "0 / 0 is no number",
        limited_by_root_mean_square: "",
    },
    "counted_together": {
        counted_by_adding_and_taking_back: "holds other numbers than before",
        counted_with_the_gradient_switched_off: "requires_grad was switched off",
        counted_by_the_base: "",
        counted_by_memory_and_not_by_data: "",
        counted_with_zeros: "holds other numbers than before",
        counted_at_the_first_element: "",
        counted_as_a_number: "The answer is True or False.",
    },
    "may_write_result": {
        looked_for_a_saved_result: "Only the last node was asked",
        looked_for_what_it_saved: "Only the last node was asked",
        knew_three_names: "",
        wrote_to_a_clone: "True for every operation",
        caught_what_came_of_itself: "False for every operation",
    },
    "replace_row": {
        replaced_where_equal: "Every row that holds the same numbers was replaced",
        replaced_with_a_mask_of_numbers: "inf * 0 and nan * 0 are nan",
        replaced_between_slices: "counted from the end",
        replaced_and_put_back: "h itself was written to",
        replaced_with_numbers_alone: "values was cut off",
        replaced_in_two_dimensions: "",
        replaced_and_scaled: "",
        replaced_without_recording: "or inside no_grad()",
        replaced_among_numbers: "h was cut off: detach(), tolist()",
    },
    "train_bounded": {
        clamped_by_data_at_last: "written through .data",
        moved_by_data_at_first: "written through .data",
        clamped_as_an_array_at_last: "written through .data or numpy()",
        moved_as_arrays: "written through .data or numpy()",
        replaced_the_memory: "given another memory",
        returned_the_whole_loss: "keeps alive",
        asked_in_the_other_order: "",
        clamped_above: "bounded on one side only",
        moved_one_after_the_other: "",
        clamped_under_the_same_name: "clamp() makes a new tensor",
        froze_the_weights: "The weights must go on training.",
    },
}
RIGHT = {
    "pulls": (pulls_caught, pulls_by_a_jacobian, pulls_looked_up),
    "slope_and_curvature": (slopes_by_the_library, slopes_with_a_graph_each, slopes_of_x_times_one),
    "watched": (watched_by_the_last, watched_by_a_hook_that_removes_itself, watched_by_a_class),
    "turned_around": (turned_by_a_view, turned_by_two_hooks, turned_by_difference),
    "limited": (limited_by_where, limited_by_the_library, limited_by_a_function),
    "counted_together": (counted_by_two_writes, counted_by_the_difference, counted_at_one_element),
    "may_write_result": (asked_for_ones, walked_with_grad, wrote_under_no_grad),
    "replace_row": (
        replaced_where_the_place_is,
        replaced_by_unbinding,
        replaced_between_right_slices,
        replaced_by_a_copy,
        replaced_where_a_column_of_bools_is,
        replaced_by_scattering,
    ),
    "train_bounded": (
        trained_and_zeroed,
        trained_and_looked_at_arrays,
        trained_through_detach,
        trained_with_half_a_step_each,
    ),
}
EACH_WRONG = [(name, answer, words) for name, answers in WRONG.items() for answer, words in answers.items()]
EACH_RIGHT = [(name, answer) for name, answers in RIGHT.items() for answer in answers]
MISTAKES = {name: [mistake.words for mistake in exercise.known] for name, exercise in EXERCISES.items()}


def test_each_exercise_is_here() -> None:
    chapters = {name for name, exercise in EXERCISES.items() if exercise.chapter[:2] in ("04", "05")}
    assert WRONG.keys() == RIGHT.keys() == chapters


@pytest.mark.parametrize(("name", "answer", "words"), EACH_WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_a_wrong_answer_is_refused_and_no_mistake_is_named_that_was_not_made(name: str, answer, words: str) -> None:
    card = EXERCISES[name].check(answer)
    assert card.kind == "bad", card
    likely = said(card)["likely"]
    assert words in likely if words else likely not in MISTAKES[name], card


@pytest.mark.parametrize(("name", "answer"), EACH_RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_a_right_answer_in_other_words_passes(name: str, answer) -> None:
    for _ in range(3):  # each time with other numbers
        card = EXERCISES[name].check(answer)
        assert card.kind == "good", card
