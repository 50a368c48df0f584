"""Wrong answers to the exercises of chapter 05, and the words that each must be met with."""

from __future__ import annotations

import numpy as np

import minigrad as mg

# counted_together


def same_count_now(a, b):
    return a._version == b._version


def same_numbers(a, b):
    return a.tolist() == b.tolist()


def same_object(a, b):
    return a is b


def same_memory(a, b):
    return bool(np.shares_memory(a.detach().numpy(), b.detach().numpy()))


def view_and_base(a, b):
    return b._base is a or a._base is b


def wrote_recorded(a, b):
    before = b._version
    a.add_(0)
    return b._version > before


def count_stayed(a, b):
    before = b._version
    with mg.no_grad():
        a.mul_(1)
    return b._version == before


def looked_at_a(a, b):
    before = a._version
    with mg.no_grad():
        a.add_(0)
    return a._version != before


def wrote_to_b(a, b):
    before = b._version
    with mg.no_grad():
        b += 0
    return b._version > before


def wrote_to_data(a, b):
    before = b._version
    a.data.add_(0)
    return b._version != before


def wrote_nothing(a, b):
    before = b._version
    with mg.no_grad():
        a = a + 0
    return b._version != before


def same_base(a, b):
    return a._base is b._base


def b_is_a_view(a, b):
    return b._base is not None


# train_bounded


def clamped_while_recording(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    w1 -= rate * w1.grad
    w2 -= rate * w2.grad
    w2.clamp_(-1, 1)
    return loss.item()


def step(loss_of, w1, w2, rate, between=None, before=None, last=None):
    if before:
        before()
    loss = loss_of(w1, w2)
    if between:
        between()
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        if last:
            last()
    w1.grad = w2.grad = None
    return loss.item()


def clamped_too_early(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate, between=lambda: w2.detach().clamp_(-1, 1), last=lambda: w2.clamp_(-1, 1))


def clamped_data_too_early(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate, between=lambda: w2.data.clamp_(-1, 1))


def never_clamped(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate)


def clamped_first(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate, before=lambda: w2.data.clamp_(-1, 1))


def clamped_then_moved(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w2.clamp_(-1, 1)
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
    w1.grad = w2.grad = None
    return loss.item()


def clamped_both(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate, last=lambda: (w1.clamp_(-1, 1), w2.clamp_(-1, 1)))


def uphill(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, -rate, last=lambda: w2.clamp_(-1, 1))


def new_tensors(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    moved = (w1 - rate * w1.grad, (w2 - rate * w2.grad).clamp(-1, 1))
    w1.grad = w2.grad = None
    w1, w2 = moved
    return loss.item()


def all_through_data(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    w1.data -= rate * w1.grad
    w2.data -= rate * w2.grad
    w2.data.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def kept_the_gradients(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w2.clamp_(-1, 1)
    return loss.item()


def clamped_a_copy(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate, last=lambda: w2.clamp(-1, 1))


def clamped_the_gradient(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad.clamp(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def moved_only_w1(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def loss_after_the_step(loss_of, w1, w2, rate):
    step(loss_of, w1, w2, rate, last=lambda: w2.clamp_(-1, 1))
    return loss_of(w1, w2).item()


def cleared_before_the_step(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    w1.grad = w2.grad = None
    with mg.no_grad():
        w1 -= rate * w1.grad
    return loss.item()


def never_walked_back(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    with mg.no_grad():
        w1 -= w1.grad * rate
    return loss.item()


def everything_under_no_grad(loss_of, w1, w2, rate):
    with mg.no_grad():
        return train_step(loss_of, w1, w2, rate)


def train_step(loss_of, w1, w2, rate):
    return step(loss_of, w1, w2, rate, last=lambda: w2.clamp_(-1, 1))


# may_write_result


def error_not_caught(f, x):
    y = f(x)
    y += 1
    y.sum().backward()
    return True


def made_a_new_one(f, x):
    y = f(x)
    y = y + 1
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def wrote_through_data(f, x):
    y = f(x)
    y.data.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def never_walked(f, x):
    y = f(x)
    try:
        y.add_(1)
    except RuntimeError:
        return False
    return True


def walked_from_many(f, x):
    y = f(x)
    try:
        y.add_(1)
        y.backward()
    except RuntimeError:
        return False
    return True


def wrote_to_the_input(f, x):
    y = f(x)
    with mg.no_grad():
        x += 1
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def the_wrong_way_round(f, x):
    y = f(x)
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return True
    return False


def walked_before_the_write(f, x):
    y = f(x)
    y.sum().backward()
    y.add_(1)
    return True


def looked_at_the_version(f, x):
    y = f(x)
    before = y._version
    y.add_(1)
    return y._version == before


def saved_its_input(f, x):
    return hasattr(f(x).grad_fn, "_saved_self")


# replace_row


def wrote_into_h(h, row, values):
    h[row] = values
    return h


def wrote_into_a_detached_h(h, row, values):
    result = h.detach()
    result[row] = values
    return result


def wrote_the_copys_data(h, row, values):
    result = h.clone()
    result.data[row] = values.detach()
    return result


def copied_without_history(h, row, values):
    result = h.detach().clone()
    result[row] = values
    return result


def numbers_of_values(h, row, values):
    result = h.clone()
    result[row] = mg.tensor(values.tolist())
    return result


def recorded_nothing(h, row, values):
    with mg.no_grad():
        result = h.clone()
        result[row] = values
    return result


def returned_an_unchanged_copy(h, row, values):
    result = h.clone()
    changed = result[row].clone()
    changed[:] = values
    return result


def replaced_a_column(h, row, values):
    result = h.clone()
    result[:, row] = values
    return result


def added_to_the_row(h, row, values):
    result = h.clone()
    result[row] += values
    return result


def began_with_zeros(h, row, values):
    result = mg.zeros_like(h)
    result[row] = values
    return result


def replaced_every_row(h, row, values):
    result = h.clone()
    result[:] = values
    return result


def replaced_the_first_row(h, row, values):
    return mg.cat([values.unsqueeze(0), h[1:]])


def returned_the_row(h, row, values):
    result = h.clone()
    result[row] = values
    return result[row]


WRONG = {
    "counted_together": [
        (same_count_now, "equal by chance"),
        (same_numbers, "Equal numbers say nothing"),
        (same_object, "the same object"),
        (same_memory, "This asks for shared memory"),
        (view_and_base, "_base finds a view and its base"),
        (wrote_recorded, "inside `with mg.no_grad():` only"),
        (count_stayed, "have changed places"),
        (looked_at_a, "True for every pair"),
        (wrote_to_b, "True for every pair"),
        (wrote_to_data, "False for every pair"),
        (wrote_nothing, "False for every pair"),
        (same_base, "Whether the two have the same _base"),
        (b_is_a_view, "_base says that b is a view"),
    ],
    "train_bounded": [
        (clamped_while_recording, "while operations are recorded"),
        (clamped_too_early, "the walk needs the old numbers"),
        (clamped_data_too_early, "and nobody noticed"),
        (never_clamped, "w2 was never clamped"),
        (clamped_first, "w2 was clamped first"),
        (clamped_then_moved, "moved after that"),
        (clamped_both, "Both weights were clamped"),
        (uphill, "The weights go uphill"),
        (new_tensors, "The caller's weights have not changed"),
        (all_through_data, "so the counter does not know"),
        (kept_the_gradients, "The gradients are still there"),
        (clamped_a_copy, "w2 was never clamped"),
        (clamped_the_gradient, "The gradient of w2 was clamped"),
        (moved_only_w1, "but has not moved"),
        (loss_after_the_step, "This is the loss after the step"),
        (cleared_before_the_step, ".grad is None where it is needed"),
        (never_walked_back, ".grad is None where it is needed"),
        (everything_under_no_grad, "The forward pass ran inside no_grad()"),
    ],
    "may_write_result": [
        (error_not_caught, "you have to catch it"),
        (made_a_new_one, "True for every operation"),
        (wrote_through_data, "True for every operation"),
        (never_walked, "True for every operation"),
        (walked_from_many, "False for every operation"),
        (walked_before_the_write, "True for every operation"),
        (looked_at_the_version, "False for every operation"),
        (saved_its_input, "whether the node saved its input"),
        (wrote_to_the_input, "This writes to the input"),
        (the_wrong_way_round, "have changed places"),
    ],
    "replace_row": [
        (wrote_into_h, "h itself was written to"),
        (wrote_into_a_detached_h, "h itself was written to"),
        (wrote_the_copys_data, "was not recorded"),
        (copied_without_history, "h was cut off"),
        (numbers_of_values, "values was cut off"),
        (recorded_nothing, "Both were cut off"),
        (returned_an_unchanged_copy, "nothing is replaced"),
        (added_to_the_row, "values was added to the row"),
        (began_with_zeros, "The other rows are gone"),
        (replaced_every_row, "Every row was replaced"),
        (replaced_the_first_row, "The first row was replaced"),
        (returned_the_row, "This is the row alone"),
        (replaced_a_column, "A column was replaced"),
    ],
}
