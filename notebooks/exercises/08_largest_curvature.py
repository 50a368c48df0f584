"""Exercise `largest_curvature`: the largest eigenvalue of a Hessian, by products with a vector."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.functional import hessian
from minigrad.teach import Exercise, Mistake, compare, raised

from .chapter08 import FUNCTIONS, MADE, case_of, drawn_numbers, show_walked, slope_without_graph, without_hessian

MOST = 20  # passes through f: by way of hvp five for each product, of which there are at most four; a Hessian takes 25


def largest_curvature(f, x, v, steps):
    """The curvature of f at x along v, after v has been multiplied by the Hessian that many times."""
    (slope,) = grad(f(x), x, create_graph=True)
    for _ in range(steps):
        (v,) = grad(slope, x, v, retain_graph=True)
        v = v / v.norm()
    (product,) = grad(slope, x, v)
    return (v * product).sum().item()


def _case(words, x, v, steps):
    return case_of(words, x, v, steps, named=f", v = {v}, steps = {steps}")


def _drawn(random):
    """Starts of any length, but for those that a product makes 0: these have no direction to be scaled."""
    shape = [(2,), (3,), (2, 2)][random.integers(3)]
    x, start, steps = drawn_numbers(random, shape), drawn_numbers(random, shape), int(random.integers(1, 4))
    case = _case(random.choice([*FUNCTIONS]), x, start, steps)
    if np.isfinite(largest_curvature(*case.make())):
        yield case


def _compare(expected, got, outcome):
    return compare(expected, got) or without_hessian(outcome, MOST)


def _matrix(outcome):
    f, x, _, _ = outcome.case.make()
    return hessian(f, x).numpy().reshape(x.numel(), x.numel())


def _evidence(outcome):
    values = ", ".join(f"{value:.4g}" for value in np.linalg.eigvalsh(_matrix(outcome)))
    return f"  by numpy, from the whole Hessian, the eigenvalues are {values}; the steps come near one of them"


def _is_exact(outcome):
    """Whether this is the eigenvalue, where the steps do not yet lead to it."""
    right = largest_curvature(*outcome.case.make())
    return (
        compare(right, by_numpy(*outcome.case.make())) is not None
        and compare(by_numpy(*outcome.case.make()), outcome.value) is None
    )


# ---------------------------------------------------------------- wrong answers


def _iterated(f, x, v, steps, scale=lambda v: v / v.norm()):
    (slope,) = grad(f(x), x, create_graph=True)
    for _ in range(steps):
        v = scale(grad(slope, x, v, retain_graph=True)[0])
    return slope, v


def by_numpy(f, x, v, steps):
    """This is the eigenvalue itself. Asked for is the number after `steps` steps, which come near it, and need no
    Hessian.
    """
    values = np.linalg.eigvalsh(hessian(f, x).numpy().reshape(x.numel(), x.numel()))
    return float(values[np.abs(values).argmax()])


def never_scaled(f, x, v, steps):
    """v was not divided by its length, so that the result has grown with each product."""
    slope, v = _iterated(f, x, v, steps, lambda v: v)
    return (v * grad(slope, x, v)[0]).sum().item()


def scaled_at_the_end(f, x, v, steps):
    """The last vector is longer than 1. v · Hv is the curvature along v only for a v of length 1."""
    slope, v = _iterated(f, x, v, steps - 1)
    (v,) = grad(slope, x, v, retain_graph=True)
    return (v * grad(slope, x, v)[0]).sum().item()


def scaled_before(f, x, v, steps):
    slope, v = _iterated(f, x, v / v.norm(), steps - 1)
    (v,) = grad(slope, x, v, retain_graph=True)
    return (v * grad(slope, x, v)[0]).sum().item()


def length_of_the_product(f, x, v, steps):
    """This is a length, or an absolute value, which is never negative. v · Hv tells a maximum from a minimum."""
    slope, v = _iterated(f, x, v, steps)
    return grad(slope, x, v)[0].norm().item()


def length_of_the_last_but_one(f, x, v, steps):
    for _ in range(steps):
        (product,) = grad(grad(f(x), x, create_graph=True)[0], x, v)
        v = product / product.norm()
    return product.norm().item()


def without_its_sign(f, x, v, steps):
    return abs(largest_curvature(f, x, v, steps))


def one_step_less(f, x, v, steps):
    """One step is missing: v is multiplied and scaled `steps` times, and then once more for v · Hv."""
    return largest_curvature(f, x, v / v.norm(), steps - 1)


def number_before_the_step(f, x, v, steps):
    return largest_curvature(f, x, v, steps - 1)


def one_step_more(f, x, v, steps):
    """There is one step too many: v is multiplied and scaled `steps` times, and the last product is for v · Hv."""
    return largest_curvature(f, x, v, steps + 1)


def vector_for_number(f, x, v, steps):
    """This is a vector. Asked for is one number, v · Hv for it."""
    return _iterated(f, x, v, steps)[1]


def along_the_slope(f, x, v, steps):
    """This is v times the slope. The curvature is v times the product of the Hessian with v."""
    slope, v = _iterated(f, x, v, steps)
    return (v * slope).sum().item()


def divided_by_the_sum(f, x, v, steps):
    """v was divided by the sum of its elements, or by the largest, and not by its length, v.norm()."""
    slope, v = _iterated(f, x, v, steps, lambda v: v / v.sum())
    return (v * grad(slope, x, v)[0]).sum().item()


def divided_by_the_largest(f, x, v, steps):
    slope, v = _iterated(f, x, v, steps, lambda v: v / v.abs().max())
    return (v * grad(slope, x, v)[0]).sum().item()


def without_retain_graph(f, x, v, steps):
    """The graph of the slope was freed by the first product. Keep it with retain_graph=True."""
    (slope,) = grad(f(x), x, create_graph=True)
    for _ in range(steps):
        (v,) = grad(slope, x, v)
        v = v / v.norm()
    return (v * grad(slope, x, v)[0]).sum().item()


def without_create_graph(f, x, v, steps):
    """The slope came without a graph, so it cannot be differentiated. Ask for it with create_graph=True."""
    (slope,) = grad(f(x), x)
    return grad(slope, x, v)[0].norm().item()


def with_the_whole_hessian(f, x, v, steps):
    matrix, v = hessian(f, x).reshape(x.numel(), x.numel()), v.reshape(-1)
    for _ in range(steps):
        v = matrix @ v
        v = v / v.norm()
    return (v @ matrix @ v).item()


EXERCISE = Exercise(
    title="a number: v · Hv, after v has been multiplied by the Hessian H and divided by its length `steps` times",
    stars=3,
    minutes=10,
    reference=largest_curvature,
    cases=(
        _case("(t ** 3).sum()", [1.0, 2.0], [1.0, 1.0], 2),
        _case("(t.sin() * t.sum()).sum()", [0.5, -1.0, 2.0], [0.6, 0.0, -0.8], 3),
        _case("1 - (t.view(-1).cumsum(0).cos()).sum()", [3.0, 0.25], [1.0, 0.0], 1),
        _case("t.exp().sum().log()", [[0.5, -1.0], [0.25, 1.0]], [[0.5, -0.5], [0.5, 0.5]], 1),
        _case("t.sum() ** 2 - (t ** 4).sum() / 4", [0.1 * k for k in range(-6, 6)], [1.0, -0.5, 2.0] * 4, 3),
    ),
    drawn=_drawn,
    hints=(
        "The slope needs to be computed once, with a graph. Each product is one walk through that graph.",
        "grad(slope, x, v, retain_graph=True)[0] is H times v. Divide it by its norm(), and go on with that.",
        "After the loop there is one product more: (v * grad(slope, x, v)[0]).sum().item().",
    ),
    compare=_compare,
    show=show_walked(MOST),
    evidence=_evidence,
    mistakes=(
        Mistake(without_retain_graph, when=raised("second time")),
        Mistake(without_create_graph, when=slope_without_graph),
        Mistake(
            vector_for_number, when=lambda outcome: isinstance(outcome.value, mg.Tensor) and outcome.value.ndim > 0
        ),
        Mistake(by_numpy, when=_is_exact),
        never_scaled,
        Mistake(scaled_at_the_end, scaled_before),
        Mistake(length_of_the_product, length_of_the_last_but_one, without_its_sign),
        Mistake(one_step_less, number_before_the_step),
        one_step_more,
        along_the_slope,
        Mistake(divided_by_the_sum, divided_by_the_largest),
        Mistake(with_the_whole_hessian, words=MADE),
    ),
)
