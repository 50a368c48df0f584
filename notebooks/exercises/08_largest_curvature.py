"""Exercise `largest_curvature`: the largest eigenvalue of a Hessian, by products with a vector."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.functional import hessian, hvp, vhp
from minigrad.teach import Exercise, Mistake, draw_numbers, edited, instead, pick, raised, right_but, saw

from .chapter08 import (
    DIGITS,
    FUNCTIONS,
    LEFT,
    MADE,
    NOTES,
    OTHERS,
    WITHOUT_GRAPH,
    case_of,
    slope_of,
    slope_without_graph,
    with_walks,
)

EACH = 5  # passes through f for a product, by way of hvp; a Hessian takes 25 where these are 20


def largest_curvature(f, x, v, steps):
    """The curvature of f at x along v, after v has been multiplied by the Hessian that many times."""
    (slope,) = grad(f(x), x, create_graph=True)
    for _ in range(steps):
        (v,) = grad(slope, x, v, retain_graph=True)
        v = v / v.norm()
    (product,) = grad(slope, x, v)
    return (v * product).sum().item()


SMALL = {
    "-t[0] ** 2 - 5 * t[1] ** 2": lambda t: -(t[0] ** 2) - 5 * t[1] ** 2,  # the numbers on the way fall
    "(t ** 3).sum() / 1e5": lambda t: (t**3).sum() / 1e5,
}


def _case(words, x, v, steps):
    return case_of(words, x, v, steps, function=SMALL.get(words), named=f", v = {v}, steps = {steps}")


def _drawn(random):
    """Starts of any length, but for those that a product makes 0: these have no direction to be scaled."""
    shape, steps = pick(random, [(2,), (3,), (2, 2)]), int(random.integers(1, 4))
    x, start = (draw_numbers(random, shape, most=1.5, zero=False) for _ in range(2))
    case = _case(pick(random, [*FUNCTIONS]), x, start, steps)
    if np.isfinite(largest_curvature(*case.make())):
        yield case


def _eigenvalues(f, x):
    return np.linalg.eigvalsh(hessian(f, x).numpy().reshape(x.numel(), x.numel()))


def _evidence(outcome):
    values = ", ".join(f"{value:.4g}" for value in _eigenvalues(*outcome.case.make()[:2]))
    return f"  by numpy, from the whole Hessian, the eigenvalues are {values}; the steps come near one of them"


def _is_exact(outcome):
    """Whether this is the eigenvalue, where the steps do not yet lead to it."""
    exact = by_numpy(*outcome.case.make())
    return instead(lambda right: exact)(outcome)


def _has_fewer_steps(outcome):
    """Whether this is the number after some of the steps."""
    f, x, v, steps = outcome.case.make()
    found = (largest_curvature(f, x, v, fewer) for fewer in range(1, min(steps, 50)))
    return any(instead(lambda right, one=one: mg.tensor(one, dtype=mg.float64), DIGITS)(outcome) for one in found)


# ---------------------------------------------------------------- wrong answers

SCALES = "        v = v / v.norm()\n"


def by_numpy(f, x, v, steps):
    """This is the eigenvalue itself, as the whole Hessian has it, or more steps, or a ratio of elements. Asked for is
    v · Hv after `steps` steps, which come near it.
    """
    values = _eigenvalues(f, x)
    return float(values[np.abs(values).argmax()])


def one_step_less(f, x, v, steps):
    """One step is missing: v is multiplied and scaled `steps` times, and then once more for v · Hv."""
    return largest_curvature(f, x, v / v.norm(), steps - 1)


def one_step_more(f, x, v, steps):
    """There is one step too many: v is multiplied and scaled `steps` times, and the last product is for v · Hv."""
    return largest_curvature(f, x, v, steps + 1)


def with_the_whole_hessian(f, x, v, steps):
    matrix, v = hessian(f, x).reshape(x.numel(), x.numel()), v.reshape(-1)
    for _ in range(steps):
        v = matrix @ v
        v = v / v.norm()
    return (v @ matrix @ v).item()


def largest_on_the_way(f, x, v, steps):
    """This is the number after another step, or the largest of those on the way. Asked for is the last one."""
    slope, found = slope_of(f, x), []
    for _ in range(steps):
        v = grad(slope, x, v, retain_graph=True)[0]
        v = v / v.norm()
        found.append((v * grad(slope, x, v, retain_graph=True)[0]).sum().item())
    return max(found)


def by_backward_and_put_back(f, x, v, steps):
    slope, earlier = slope_of(f, x), x.grad

    def product(v):
        x.grad = None
        slope.backward(v, retain_graph=True)
        product, x.grad = x.grad, earlier
        return product

    return curvature_with(product, steps, v)


# ---------------------------------------------------------------- tried as well


def curvature_with(product, steps, v, scaled=lambda v: v / v.norm()):
    for _ in range(steps):
        v = scaled(product(v))
    return (v * product(v)).sum().item()


def product_of(f, x):
    slope = slope_of(f, x)
    return lambda v: grad(slope, x, v, retain_graph=True)[0]


def curvature_of_rows(f, x, v, steps):
    return curvature_with(product_of(f, x), steps, v, lambda v: v / v.norm(dim=-1, keepdim=True))


def curvature_of_batched_rows(f, x, v, steps):
    slope, n = slope_of(f, x), x.numel()
    (rows,) = grad(slope, x, mg.eye(n, dtype=x.dtype).view(n, *x.shape), is_grads_batched=True)
    return curvature_with(lambda v: rows.view(n, n) @ v, steps, v.view(-1))


def curvature_until_it_settles(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(50):
        v = product(v) / product(v).norm()
    return (v * product(v)).sum().item()


def curvature_until_it_changes_little(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        before, v = v, product(v) / product(v).norm()
        if (v - before).norm() < 0.1:
            break
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


def curvature_by_backward(f, x, v, steps):
    """Leaves what it has asked for last in x.grad."""
    slope = slope_of(f, x)

    def product(v):
        x.grad = None
        slope.backward(v, retain_graph=True)
        return x.grad

    return curvature_with(product, steps, v)


def curvature_over_v(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v.copy_(product(v) / product(v).norm())
    return (v * product(v)).sum().item()


def curvature_as_a_quotient(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v = product(v)
    return ((v * product(v)).sum() / (v * v).sum()).item()


def curvature_scaled_before(f, x, v, steps):
    product = product_of(f, x)
    for _ in range(steps):
        v = product(v / v.norm())
    v = -v / (v**2).sum() ** 0.5
    return np.float64((v * product(v)).sum().item())


def curvature_through_numpy(f, x, v, steps):
    product = product_of(f, x)
    return curvature_with(product, steps, v, lambda v: mg.tensor(v.numpy() / np.linalg.norm(v.numpy())))


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
        _case("(t ** 3).sum()", [1.0, 1.004], [1.0, 1.0], 400),  # unless scaled, v becomes infinite; each step counts
        _case("-t[0] ** 2 - 5 * t[1] ** 2", [0.5, 0.25], [1.0, 1.0], 2),
        _case("(t ** 3).sum() / 1e5", [1.0, 0.5], [1.0, 0.5], 1),
        _case("((t * w) ** 2).sum()", [0.5, 1.0], [1.0, 1.0], 1),
    ),
    drawn=_drawn,
    in_double=0,  # all cases are
    hints=(
        "The slope needs to be computed once, with a graph. Each product is one walk through that graph.",
        "grad(slope, x, v, retain_graph=True)[0] is H times v. Divide it by its norm(), and go on with that.",
        "After the loop there is one product more: (v * grad(slope, x, v)[0]).sum().item().",
    ),
    plug=with_walks(lambda v, steps: EACH * (steps + 1)),
    notes=NOTES,
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(largest_curvature, ", retain_graph=True", ""),
            words="A walk has freed a graph that another one needs, as a product frees that of the slope. Keep it "
            "with retain_graph=True.",
            when=raised("second time"),
        ),
        Mistake(
            edited(largest_curvature, ", create_graph=True", ""),
            words=WITHOUT_GRAPH,
            when=slope_without_graph,
        ),
        Mistake(
            edited(largest_curvature, "(v * product).sum().item()", "v"),
            words="These are several numbers. Asked for is one number, v · Hv for the last v.",
            when=saw("the answer", lambda mine, right: isinstance(mine, mg.Tensor) and mine.numel() > 1),
        ),
        Mistake(by_numpy, when=_is_exact),
        Mistake(
            edited(largest_curvature, SCALES, ""),
            words="v was not divided by its length, so that the result has grown with each product.",
        ),
        Mistake(
            edited(largest_curvature, SCALES, "        if step < steps - 1:\n    " + SCALES, "_ in", "step in"),
            edited(largest_curvature, SCALES, "", "        (v,)", "        v = v / v.norm()\n        (v,)"),
            words="The last vector has not the length 1. v · Hv is the curvature along v only for a v of length 1.",
        ),
        Mistake(
            edited(largest_curvature, "(v * product).sum()", "product.norm()"),
            edited(
                largest_curvature,
                SCALES,
                "        length = v.norm()\n        v = v / length\n",
                "(v * product).sum()",
                "length",
            ),
            lambda f, x, v, steps: abs(largest_curvature(f, x, v, steps)),
            words="This is a length, or an absolute value, which is never negative. v · Hv tells a maximum from a "
            "minimum.",
        ),
        Mistake(one_step_less, lambda f, x, v, steps: largest_curvature(f, x, v, steps - 1)),
        one_step_more,
        Mistake(
            lambda f, x, v, steps: largest_curvature(f, x, mg.ones_like(x), steps),
            words="The steps began with ones. They begin with the v that is given.",
        ),
        Mistake(
            edited(largest_curvature, "v.norm()", "(v * v).sum()"),
            words="v was divided by the square of its length, and not by its length, v.norm().",
        ),
        Mistake(
            edited(largest_curvature, "v * product", "v * slope"),
            words="This is v times the slope. The curvature is v times the product of the Hessian with v.",
        ),
        Mistake(
            edited(largest_curvature, "v.norm()", "v.sum()"),
            edited(largest_curvature, "v.norm()", "v.abs().max()"),
            words="v was divided by the sum of its elements, or by the largest, and not by its length, v.norm().",
        ),
        Mistake(with_the_whole_hessian, words=MADE),
        Mistake(by_backward_and_put_back, when=right_but(OTHERS), words=LEFT),
        Mistake(largest_on_the_way, edited(largest_on_the_way, "max(found)", "max(found, key=abs)"), near=True),
        Mistake(
            edited(largest_curvature, ".item()", ".item().__round__(4)"),
            words="The number was rounded. A curvature may be small: keep it as it is.",
        ),
        Mistake(
            edited(largest_curvature, SCALES, "", "    (product,)", "    v = v / v.norm()\n    (product,)"),
            words="The length of v was divided out at the end only. Until then v grows, or shrinks, with each product: "
            "after hundreds of them to inf or 0.",
        ),
        Mistake(
            edited(largest_curvature, "v.norm()", "v.norm(dim=-1, keepdim=True)"),
            words="Each row was divided by a length of its own. v is one vector, also in the shape of a matrix: "
            "v.norm().",
        ),
        Mistake(
            edited(largest_curvature, "range(steps)", "range(min(steps, 2))"),
            edited(largest_curvature, "range(steps)", "range(min(steps, 3))"),
            words="This is the number after fewer steps than `steps`.",
            when=_has_fewer_steps,
        ),
    ),
    right=(
        lambda f, x, v, steps: curvature_with(lambda v: vhp(f, x, v)[1], steps, v),
        lambda f, x, v, steps: curvature_with(lambda v: hvp(f, x, v)[1], steps, v),
        edited(curvature_as_a_quotient, "v = product(v)", "v = product(v / v.abs().max())"),
        curvature_scaled_before,
        curvature_through_numpy,
    ),
    wrong={
        "steps = 400 … fewer steps than": [edited(largest_curvature, "range(steps)", "range(min(steps, 3))")],
        "steps = 400 … was divided out at the end only": [curvature_as_a_quotient],
        "As it should be: where f was asked, passes of walks through f. ": [
            lambda f, x, v, steps: curvature_with(product_of(f, x), steps, v.cos())
        ],
        "first difference": [
            edited(largest_curvature, "range(steps)", "range(min(steps, 300))"),
        ],
        "A walk has freed a graph": [
            edited(largest_curvature, "(slope,) = grad(f(x)", "y = f(x)\n    grad(y, x)\n    (slope,) = grad(y")
        ],
        "yours tensor([11.6471]), expected 11.6471 … The number is right": [
            edited(largest_curvature, ".item()", ".view(1)")
        ],
        "Each row was divided by a length of its own": [curvature_of_rows],
        "fewer steps than": [
            curvature_until_it_changes_little,
            lambda f, x, v, steps: curvature_with(product_of(f, x), min(steps, 2), v),
        ],
        "the answer in float64, in the later digits … was rounded, or was measured": [
            lambda *given: round(largest_curvature(*given), 6),
            lambda *given: float(np.float32(largest_curvature(*given))),
            edited(largest_curvature, "v.norm()", "(v.norm() + 1e-6)"),
        ],
        "The number was rounded": [lambda *given: round(largest_curvature(*given), 4)],
        "never negative": [lambda f, x, v, steps: abs(curvature_with(product_of(f, x), steps, v))],
        "the whole Hessian is made": [curvature_of_batched_rows],
        "This is the eigenvalue itself": [curvature_until_it_settles],
        "Asked for is one number": [curvature_of_a_vector],
        "f was asked beside x": [curvature_beside_x],
        "this is a Tensor that holds it": [
            edited(largest_curvature, "(v * product).sum().item()", "(v * product).sum()")
        ],
        "v holds other numbers": [curvature_over_v],
        "which f uses as well, has got a gradient": [curvature_by_backward],
    },
)
