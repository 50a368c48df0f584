"""Chapter 08: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some functions, such as those without mixed derivatives, or does beside the answer what
it should not. What its card has to say stands beside it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from teach.answers import check_passing, check_refused, each_passing, each_refused

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from minigrad.teach import EXERCISES

pytestmark = pytest.mark.usefixtures("in_this_process")

# ---------------------------------------------------------------- hessian_times


def slope_of(f, x):
    return grad(f(x), x, create_graph=True)[0]


def times_all_rows_at_once(f, x, v):
    slope, n = slope_of(f, x), x.numel()
    (rows,) = grad(slope, x, mg.eye(n, dtype=x.dtype).view(n, *x.shape), is_grads_batched=True)
    return (rows.view(n, n) @ v.view(n)).view(x.shape)


def times_a_jacobian_of_the_slope(f, x, v):
    matrix = jacobian(lambda t: grad(f(t), t, create_graph=True)[0], x)
    return (matrix.view(x.numel(), -1) @ v.view(-1)).view(x.shape)


def times_elements_one_by_one(f, x, v):
    slope = slope_of(f, x)
    return sum(
        grad(one, x, retain_graph=True)[0] * weight for one, weight in zip(slope.view(-1), v.view(-1), strict=True)
    )


def times_by_a_row(f, x, v):
    return grad(slope_of(f, x) @ v, x)[0]


def times_by_large_steps(f, x, v):
    above, below = ((x.detach() + move * v).requires_grad_() for move in (0.01, -0.01))
    return (grad(f(above), above)[0] - grad(f(below), below)[0]) / 0.02


def times_moving_x_itself(f, x, v):
    with mg.no_grad():
        x += 1e-5 * v
    after = grad(f(x), x)[0]
    with mg.no_grad():
        x -= 1e-5 * v
    return (after - grad(f(x), x)[0]) / 1e-5


def times_as_a_list(f, x, v):
    return vhp(f, x, v)[1].tolist()


def times_positive_parts(f, x, v):
    return grad(slope_of(f, x), x, v)[0].clamp(min=0)


def times_a_unit_vector(f, x, v):
    return grad(slope_of(f, x), x, v / v.norm())[0]


def times_with_a_hook_left(f, x, v):
    x.register_hook(lambda g: g)
    return grad(slope_of(f, x), x, v)[0]


def times_by_backward_and_cleared(f, x, v):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x.grad = None
        f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    return grad(slope, x, v)[0]


def times_off_the_graph(f, x, v):
    x.requires_grad_(False)
    return vhp(f, x, v)[1]


def times_by_vhp(f, x, v):
    return vhp(f, x, v)[1]


def times_by_hvp(f, x, v):
    return hvp(f, x, v)[1]


def times_by_jvp(f, x, v):
    return jvp(lambda t: vjp(f, t, create_graph=True)[1], x, v)[1]


def times_by_a_sum(f, x, v):
    return grad((v * slope_of(f, x)).sum(), x)[0]


def times_at_a_copy(f, x, v):
    copy = x.clone().detach().requires_grad_(True)
    return mg.autograd.grad(slope_of(f, copy).reshape(-1).dot(v.reshape(-1)), copy)[0]


def times_with_a_graph(f, x, v):
    return grad(slope_of(f, x), x, v, create_graph=True)[0]


# ---------------------------------------------------------------- damped_step


def matrix_of(f, x, damping):
    return hessian(f, x) + damping * mg.eye(len(x), dtype=x.dtype)


def step_under_no_grad(f, x, damping):
    with mg.no_grad():
        return x - mg.linalg.solve(matrix_of(f, x, damping), grad(f(x), x)[0])


def step_over_x(f, x, damping):
    step = mg.linalg.solve(matrix_of(f, x, damping), grad(f(x), x)[0])
    with mg.no_grad():
        x.sub_(step)
    return x.detach()


def step_over_data(f, x, damping):
    x.data = x.detach() - mg.linalg.solve(matrix_of(f, x, damping), grad(f(x), x)[0])
    return x.detach().clone()


def step_by_absolute_curvatures(f, x, damping):
    values, vectors = np.linalg.eigh(hessian(f, x).numpy())
    slope = grad(f(x), x)[0].numpy()
    return mg.tensor(x.detach().numpy() - vectors @ ((vectors.T @ slope) / (abs(values) + damping)))


def step_damped_where_negative(f, x, damping):
    matrix = hessian(f, x)
    if np.linalg.eigvalsh(matrix.numpy())[0] <= 0:
        matrix = matrix_of(f, x, damping)
    return x.detach() - mg.linalg.solve(matrix, grad(f(x), x)[0])


def step_damped_in_a_corner(f, x, damping):
    matrix = hessian(f, x)
    matrix[0, 0] += damping
    return x.detach() - mg.linalg.solve(matrix, grad(f(x), x)[0])


def step_of_limited_length(f, x, damping):
    step = mg.linalg.solve(matrix_of(f, x, damping), grad(f(x), x)[0])
    return x.detach() - step / max(1.0, step.norm().item())


def step_by_diagonal_damping(f, x, damping):
    matrix = hessian(f, x)
    return x.detach() - mg.linalg.solve(matrix + damping * mg.diag(matrix.diagonal()), grad(f(x), x)[0])


def step_as_a_list(f, x, damping):
    return EXERCISES["damped_step"].reference(f, x, damping).tolist()


def step_as_a_column(f, x, damping):
    slope = grad(f(x), x)[0]
    return x.detach().view(-1, 1) - mg.linalg.solve(matrix_of(f, x, damping), slope.view(-1, 1))


def step_without_recording(f, x, damping):
    (slope,) = grad(f(x), x)
    x.requires_grad_(False)
    return x - mg.linalg.solve(matrix_of(f, x, damping), slope)


def step_by_backward(f, x, damping):
    """Right where x.grad is None before, and onto what is there otherwise."""
    f(x).backward()
    return x.detach() - mg.linalg.solve(matrix_of(f, x, damping), x.grad)


def step_in_numpy(f, x, damping):
    matrix = hessian(f, x).numpy() + damping * np.identity(len(x))
    return mg.tensor(x.detach().numpy() - np.linalg.solve(matrix, jacobian(f, x).numpy()))


def step_by_the_inverse(f, x, damping):
    with mg.no_grad():
        return x - mg.linalg.inv(matrix_of(f, x, damping)) @ jacobian(f, x)


def step_to_a_new_leaf(f, x, damping):
    return EXERCISES["damped_step"].reference(f, x, damping).requires_grad_()


def step_by_hand(f, x, damping):
    slope = slope_of(f, x)
    rows = [
        grad(one, x, retain_graph=True, materialize_grads=True)[0] if one.requires_grad else mg.zeros_like(x)
        for one in slope
    ]
    matrix = mg.stack(rows).detach() + mg.diag(mg.full((len(x),), damping, dtype=x.dtype))
    return (x - mg.linalg.solve(matrix, slope)).detach()


# ---------------------------------------------------------------- penalized


def slopes_for_x(loss_of, w, x):
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    return loss, grad(loss, x, create_graph=True)[0]


def penalty_with_x_switched_on(loss_of, w, x, strength):
    loss = loss_of(w, x.requires_grad_())
    return loss + strength * grad(loss, x, create_graph=True)[0].square().sum()


def penalty_with_earlier_gradient_gone(loss_of, w, x, strength):
    leaf = x.detach().requires_grad_()
    loss = loss_of(w, leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    w.grad = None
    return loss + strength * leaf.grad.square().sum()


def penalty_of_both(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    for_w = grad(loss, w, create_graph=True)[0]
    return loss + strength * (slope.square().sum() + for_w.square().sum())


def penalty_around_one(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss + strength * (slope.norm() - 1) ** 2


def penalty_with_a_fixed_w(loss_of, w, x, strength):
    _, slope = slopes_for_x(loss_of, w.detach(), x)
    return loss_of(w, x) + strength * slope.square().sum()


def penalty_of_a_fixed_loss(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss.detach() + strength * slope.square().sum()


def penalty_of_lengths(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss + strength * slope.abs().sum()


def penalty_over_rows(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss + strength * slope.square().sum() / len(x)


def penalty_squared_strength(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss + (strength * slope).square().sum()


def penalty_under_no_grad(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    with mg.no_grad():
        penalty = strength * slope.square().sum()
    return loss + penalty


def penalty_as_a_number(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss + strength * slope.square().sum().item()


def penalty_walked_already(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    total = loss + strength * slope.square().sum()
    total.backward()
    return total


def penalty_by_vjp(loss_of, w, x, strength):
    loss, slope = vjp(lambda t: loss_of(w, t), x, create_graph=True)
    return loss + strength * slope.pow(2).sum()


def penalty_into_x_alone(loss_of, w, x, strength):
    leaf = x.clone().requires_grad_()
    loss = loss_of(w, leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True, inputs=[leaf])
    return loss + strength * (leaf.grad * leaf.grad).sum()


def penalty_added_up(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    for one in slope.reshape(-1):
        loss = loss + strength * one * one
    return loss


def penalty_of_another_loss(loss_of, w, x, strength):
    _, slope = slopes_for_x(loss_of, w, x)
    return mg.add(loss_of(w, x), slope.flatten().dot(slope.flatten()), alpha=strength).reshape(1).sum()


# ---------------------------------------------------------------- largest_curvature


def curvature_with(product, steps, v, scaled=lambda v: v / v.norm()):
    for _ in range(steps):
        v = scaled(product(v))
    return (v * product(v)).sum().item()


def product_of(f, x):
    slope = slope_of(f, x)
    return lambda v: grad(slope, x, v, retain_graph=True)[0]


def curvature_from_elsewhere(f, x, v, steps):
    return curvature_with(product_of(f, x), steps, mg.ones_like(x))


def curvature_of_rows(f, x, v, steps):
    return curvature_with(product_of(f, x), steps, v, lambda v: v / v.norm(dim=-1, keepdim=True))


def curvature_always_positive(f, x, v, steps):
    return abs(curvature_with(product_of(f, x), steps, v))


def curvature_of_batched_rows(f, x, v, steps):
    slope, n = slope_of(f, x), x.numel()
    (rows,) = grad(slope, x, mg.eye(n, dtype=x.dtype).view(n, *x.shape), is_grads_batched=True)
    return curvature_with(lambda v: rows.view(n, n) @ v, steps, v.view(-1))


def curvature_of_two_steps(f, x, v, steps):
    return curvature_with(product_of(f, x), min(steps, 2), v)


def curvature_until_it_settles(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(50):
        v = product(v) / product(v).norm()
    return (v * product(v)).sum().item()


def curvature_of_a_vector(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v = product(v) / product(v).norm()
    return v * product(v)


def curvature_beside_x(f, x, v, steps):
    def product(v):
        ahead = (x.detach() + 1e-5 * v).requires_grad_()
        here = x.detach().requires_grad_()
        return (grad(f(ahead), ahead)[0] - grad(f(here), here)[0]) / 1e-5

    return curvature_with(product, steps, v)


def curvature_over_v(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v.copy_(product(v) / product(v).norm())
    return (v * product(v)).sum().item()


def curvature_by_vhp(f, x, v, steps):
    return curvature_with(lambda v: vhp(f, x, v)[1], steps, v)


def curvature_by_hvp(f, x, v, steps):
    return curvature_with(lambda v: hvp(f, x, v)[1], steps, v)


def curvature_as_a_quotient(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v = product(v)
    return (v * product(v)).sum() / (v * v).sum()


def curvature_scaled_before(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v = product(v / v.norm())
    v = -v / (v**2).sum() ** 0.5
    return np.float64((v * product(v)).sum().item())


def curvature_through_numpy(f, x, v, steps):
    product = product_of(f, x)
    return curvature_with(product, steps, v, lambda v: mg.tensor(v.numpy() / np.linalg.norm(v.numpy())))


def step_of_a_stretched_hessian(f, x, damping):
    return x.detach() - mg.linalg.solve(hessian(f, x) * (1 + damping), grad(f(x), x)[0])


def step_by_earlier_gradients(f, x, damping):
    f(x).backward()
    matrix = jacobian(lambda t: jacobian(f, t, create_graph=True), x)
    matrix.diagonal().add_(damping)
    return x.detach() - mg.linalg.inv(matrix) @ x.grad


def penalty_beside_the_loss(loss_of, w, x, strength):
    value, slope = vjp(lambda t: loss_of(w, t), x, create_graph=True)
    return value, strength * (slope**2).sum()


def penalty_taken_away(loss_of, w, x, strength):
    value, slope = vjp(lambda t: loss_of(w, t), x, create_graph=True)
    return value - strength * (slope**2).sum()


def penalty_of_sizes(loss_of, w, x, strength):
    value, slope = vjp(lambda t: loss_of(w, t), x, create_graph=True)
    return value + strength * slope.abs().sum()


WRONG = {
    "hessian_times": {
        times_all_rows_at_once: "the whole Hessian was made",
        times_a_jacobian_of_the_slope: "the whole Hessian was made",
        times_elements_one_by_one: "the whole Hessian was made",
        times_by_a_row: "raises RuntimeError",
        times_by_large_steps: "f was asked beside x",
        times_moving_x_itself: "f was asked beside x",
        times_as_a_list: "likely The numbers are right, but this is a list",
        times_positive_parts: "first difference",
        times_a_unit_vector: "first difference",
        times_with_a_hook_left: "does not have the hooks that it had",
        times_by_backward_and_cleared: "x.grad is not what it was",
        times_off_the_graph: "x.requires_grad is not what it was",
    },
    "damped_step": {
        step_under_no_grad: "The error arose while your function ran",
        step_over_x: "x holds other numbers",
        step_over_data: "x holds other numbers",
        step_by_absolute_curvatures: "first difference",
        step_damped_where_negative: "first difference",
        step_damped_in_a_corner: "first difference",
        step_of_limited_length: "first difference",
        step_by_diagonal_damping: "multiplied by the Hessian's own diagonal",
        step_of_a_stretched_hessian: "divided by 1 + damping, as if the damping multiplied the Hessian",
        step_by_earlier_gradients: "backward() adds to what is in x.grad already",
        step_as_a_list: "a tensor is asked for",
        step_as_a_column: "The shape is [2, 1]; it should be [2]",
        step_without_recording: "x.requires_grad is not what it was",
        step_by_backward: "x.grad is not what it was",
    },
    "penalized": {
        penalty_with_x_switched_on: "x.requires_grad is not what it was",
        penalty_with_earlier_gradient_gone: "w.grad is not what it was",
        penalty_of_both: "first difference",
        penalty_around_one: "first difference",
        penalty_with_a_fixed_w: "to backward() the penalty is a constant",
        penalty_of_a_fixed_loss: "The loss itself was cut off from its graph",
        penalty_beside_the_loss: "A tensor is asked for; this is a tuple",
        penalty_taken_away: "large slopes would be rewarded",
        penalty_of_sizes: "These are the absolute values of the slopes",
        penalty_of_lengths: "first difference",
        penalty_over_rows: "first difference",
        penalty_squared_strength: "first difference",
        penalty_under_no_grad: "to backward() the penalty is a constant",
        penalty_as_a_number: "cut off, by item()",
        penalty_walked_already: "by a backward() of your own",
    },
    "largest_curvature": {
        curvature_from_elsewhere: "first difference",
        curvature_of_rows: "first difference",
        curvature_always_positive: "never negative",
        curvature_of_batched_rows: "the whole Hessian was made",
        curvature_of_two_steps: "first difference",
        curvature_until_it_settles: "This is the eigenvalue itself",
        curvature_of_a_vector: "Asked for is one number",
        curvature_beside_x: "f was asked beside x",
        curvature_over_v: "v holds other numbers",
    },
}

RIGHT = {
    "hessian_times": (
        times_by_vhp,
        times_by_hvp,
        times_by_jvp,
        times_by_a_sum,
        times_at_a_copy,
        times_with_a_graph,
    ),
    "damped_step": (step_in_numpy, step_by_the_inverse, step_to_a_new_leaf, step_by_hand),
    "penalized": (penalty_by_vjp, penalty_into_x_alone, penalty_added_up, penalty_of_another_loss),
    "largest_curvature": (
        curvature_by_vhp,
        curvature_by_hvp,
        curvature_as_a_quotient,
        curvature_scaled_before,
        curvature_through_numpy,
    ),
}


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    check_refused(name, answer, words)


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    check_passing(name, answer)


def test_a_damped_step_at_work_lets_the_lamp_down_and_without_damping_lifts_it() -> None:
    exercise = EXERCISES["damped_step"]
    assert exercise.at_work is not None
    (_, heights), _ = exercise.at_work(step_in_numpy).rows
    plain, damped = ([float(one) for one in line.split(":")[1].split()] for line in heights.splitlines())
    assert plain[:3] == [0.878, 0.999, 1.0]
    assert damped == sorted(damped, reverse=True)
    assert damped[-1] < -0.9
