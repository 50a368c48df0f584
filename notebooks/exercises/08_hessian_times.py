"""Exercise `hessian_times`: the product of a Hessian with a vector, without the Hessian."""

import operator
import warnings

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from minigrad.teach import Exercise, Mistake, compare, draw_numbers, edited, pick, raised, right_but, saw

from .chapter08 import (
    ASKED_AT,
    BESIDE,
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

MOST = 8  # passes through f: two walks make three, by way of jvp they are some more, and the case below has 12 elements


def hessian_times(f, x, v):
    """The Hessian of f at x times v, in the shape of x."""
    (slope,) = grad(f(x), x, create_graph=True)
    (product,) = grad(slope, x, v)
    return product


def _case(words, x, v, earlier=False):
    return case_of(words, x, v, named=f", v = {v}", earlier=earlier)


def _drawn(random):
    """Any shape, also a number and one element, and enough elements for walks to be counted."""
    shape = pick(random, [(), (1,), (3,), (2, 2), (2, 1, 3)])
    x, v = (draw_numbers(random, shape, most=1.5, zero=False) for _ in range(2))
    yield _case(pick(random, [*FUNCTIONS]), x, v)


def _evidence(outcome):
    f, x, v = outcome.case.make()
    step = 1e-4
    above, below = (grad(f(point), point)[0] for point in (x + step * v, x - step * v))
    change = (above - below) / (2 * step)
    numbers = ", ".join(f"{number:.4g}" for number in change.view(-1).tolist())
    return f"  the slope at x + {step} * v and at x - {step} * v: it changes by {numbers} per unit of v"


def _is_added_up(outcome):
    f, x, v = outcome.case.make()
    (slope,) = grad(f(x), x)
    written = outcome.arguments[1].grad if outcome.error is None else None
    return written is not None and compare(slope + hessian_times(f, x, v), written) is None


# ---------------------------------------------------------------- wrong answers


def whole_hessian(f, x, v):
    n = x.numel()
    return (hessian(f, x).reshape(n, n) @ v.reshape(n)).reshape(x.shape)


def whole_hessian_as_a_matrix(f, x, v):
    """`hessian(f, x) @ v` is a product of matrices, which fits an x of one dimension only. (And the Hessian is
    not to be made.)
    """
    return hessian(f, x) @ v


def slope_along_v(f, x, v):
    """This is the slope along v, one number. Differentiate it once more with respect to x."""
    (slope,) = grad(f(x), x, create_graph=True)
    return (slope * v).sum()


def slope_times_v(f, x, v):
    """This is the slope times v. The Hessian is the slope of the slope: a second walk is missing."""
    return grad(f(x), x)[0] * v


def number_for_v(f, x, v):
    """This is v times the product, one number: how much f bends along v. Asked for is the product itself."""
    return (v * hessian_times(f, x, v)).sum()


def by_backward_twice(f, x, v):
    """backward() adds to x.grad, so the product lies on top of the slope. autograd.grad returns each by itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(x).backward(create_graph=True)
        slope = x.grad
        (slope * v).sum().backward()
    return x.grad


def _is_second_of_two(mine, right):
    return isinstance(mine, tuple) and len(mine) == 2 and compare(right, mine[1]) is None


def with_the_value(f, x, v):
    """Two things came back, of which the second is right: vhp and hvp return the value of f first. Take item [1]."""
    return vhp(f, x, v)


def between_two_slopes(f, x, v):
    step = 1e-5
    above, below = (x.detach() + step * v).requires_grad_(), (x.detach() - step * v).requires_grad_()
    return (grad(f(above), above)[0] - grad(f(below), below)[0]) / (2 * step)


def by_backward_and_put_back(f, x, v):
    slope, x.grad, earlier = slope_of(f, x), None, x.grad
    slope.backward(v)
    product, x.grad = x.grad, earlier
    return product


# ---------------------------------------------------------------- tried as well


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


def times_its_length(f, x, v):
    length = v.norm()
    return vhp(f, x, v / length)[1] * length


def times_off_the_graph(f, x, v):
    x.requires_grad_(False)
    return vhp(f, x, v)[1]


def times_at_a_copy(f, x, v):
    copy = x.clone().detach().requires_grad_(True)
    return mg.autograd.grad(slope_of(f, copy).reshape(-1).dot(v.reshape(-1)), copy)[0]


EXERCISE = Exercise(
    title="a tensor in the shape of x: the Hessian of f at x, times v, from two or three walks",
    stars=1,
    minutes=6,
    reference=hessian_times,
    cases=(
        _case("(t ** 3).sum()", [1.0, 2.0], [1.0, 0.25]),
        _case("(t.sin() * t.sum()).sum()", [0.5, -1.0, 2.0], [1.0, 0.0, -2.0]),
        _case("t.exp().sum().log()", [[0.5, -1.0], [0.25, 1.0]], [[1.0, 2.0], [-1.0, 0.5]]),
        _case("t.sum() ** 2 - (t ** 4).sum() / 4", [0.1 * k for k in range(-6, 6)], [1.0, -1.0, 2.0] * 4),
        _case("1 - (t.view(-1).cumsum(0).cos()).sum()", 0.5, 2.0, earlier=True),
        _case("((t * w) ** 2).sum()", [1.0, 2.0], [1.0, -0.5]),
        _case("(t ** 3).sum()", [1.0, 2.0], [0.0, 0.0]),
    ),
    drawn=_drawn,
    hints=(
        "How much does the slope change on the way along v? The slope is a tensor with a graph, if you ask for one.",
        "A walk that starts with v gives v times the Jacobian of what it starts from. Start it from the slope.",
        "slope = autograd.grad(f(x), x, create_graph=True)[0]; then autograd.grad(slope, x, v)[0].",
    ),
    plug=with_walks(lambda v: MOST),
    notes=NOTES,
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(hessian_times, "x, create_graph=True", "x"),
            edited(hessian_times, "create_graph", "retain_graph", "slope, x, v", "(slope * v).sum(), x"),
            words=WITHOUT_GRAPH,
            when=slope_without_graph,
        ),
        Mistake(
            edited(hessian_times, "slope, x, v)", "slope, x)"),
            words="A walk began at several elements, and was not told how much each counts. Begin the second at the "
            "slope, with v: grad(slope, x, v); or at one number, (slope * v).sum(). `@` gives one for vectors only.",
            when=raised("implicitly created"),
        ),
        Mistake(between_two_slopes, when=saw(ASKED_AT, operator.ne), words=BESIDE),
        Mistake(whole_hessian_as_a_matrix, near=True),
        Mistake(by_backward_twice, when=_is_added_up),
        Mistake(
            edited(hessian_times, "slope, x, v", "slope.sum(), x"),
            words="v is missing: this is the Hessian times a vector of ones. Let the second walk start with v.",
        ),
        Mistake(
            edited(hessian_times, "slope, x, v", "slope.sum(), x", "return product", "return product * v"),
            words="v came too late. The second walk gives the Hessian times what it starts with, here ones; "
            "multiplying by v afterwards, element by element, is not a product with the matrix.",
        ),
        Mistake(
            edited(
                hessian_times,
                *("(product,) = grad(slope, x, v)", "rows = hessian(f, x).reshape(x.numel(), -1)"),
                *("return product", "return rows.diagonal().reshape(x.shape) * v"),
            ),
            words="Only the diagonal of the Hessian was used, as if no element changed the slope of another. (And the "
            "Hessian is not to be made.)",
        ),
        Mistake(slope_along_v, near=True),
        slope_times_v,
        Mistake(number_for_v, near=True),
        Mistake(
            edited(hessian_times, "slope, x, v", "slope * v, x, v"),
            words="v went in twice: as the start of the second walk, and in the product before it.",
        ),
        Mistake(
            edited(hessian_times, "slope, x, v", "(slope * slope).sum() / 2, x"),
            words="This is the Hessian times the slope, as where the square of the slope is differentiated. Asked for "
            "is its product with v.",
        ),
        Mistake(
            edited(
                hessian_times, "(product,) = grad(slope, x, v)", "(slope * v).sum().backward()", "product", "x.grad"
            ),
            words="backward() adds to what is in x.grad already, here from before. autograd.grad returns the product "
            "by itself.",
        ),
        Mistake(with_the_value, when=saw("the answer", _is_second_of_two)),
        Mistake(
            edited(hessian_times, "(product,) =", "return", "v)\n    return product", "v)"),
            words="This is a tuple of one item, as autograd.grad returns it. Take item [0] of it.",
            when=saw("the answer", lambda mine, right: isinstance(mine, tuple) and len(mine) == 1),
        ),
        Mistake(whole_hessian, words=MADE),
        Mistake(by_backward_and_put_back, when=right_but(OTHERS), words=LEFT),
        Mistake(
            edited(hessian_times, "slope, x, v", "slope, x, v / v.norm()"),
            words="v was divided by its length. The product is with v as it is.",
        ),
        Mistake(
            edited(hessian_times, "(product,) = grad(slope, x, v)", "product = slope * (slope * v).sum()"),
            words="This is the slope times its product with v. The Hessian is not made of products of slopes: it is "
            "the slope of the slope.",
        ),
    ),
    right=(
        lambda f, x, v: vhp(f, x, v)[1],
        lambda f, x, v: hvp(f, x, v)[1],
        lambda f, x, v: jvp(lambda t: vjp(f, t, create_graph=True)[1], x, v)[1],
        lambda f, x, v: grad((v * slope_of(f, x)).sum(), x)[0],
        times_at_a_copy,
        lambda f, x, v: grad(slope_of(f, x), x, v, create_graph=True)[0],
    ),
    wrong={
        "in the later digits": [edited(hessian_times, "return product", "return product.float().to(x.dtype)")],
        "the whole Hessian is made": [
            times_all_rows_at_once,
            times_a_jacobian_of_the_slope,
            times_elements_one_by_one,
        ],
        "raises RuntimeError … A walk began at several … was not told how much each counts": [
            lambda f, x, v: grad(slope_of(f, x) @ v, x)[0]
        ],
        "f was asked beside x": [times_by_large_steps, times_moving_x_itself],
        "yours -6, expected 6 … f was asked beside x": [edited(hessian_times, "f(x)", "f(-x)")],
        "passes of walks through f: 8 at most likely … A walk began at a tensor without a graph, as the slope is": [
            edited(hessian_times, "(slope, x", "(slope.detach(), x")
        ],
        "Its text says what was wrong": [edited(hessian_times, "slope, x, v", "slope, x.detach(), v")],
        "This is the Hessian times the slope": [edited(hessian_times, "slope, x, v", "slope, x, slope")],
        "of which the second is right": [edited(hessian_times, "return product", "return slope, product")],
        "likely The numbers are right, but this is a list": [lambda f, x, v: vhp(f, x, v)[1].tolist()],
        "first difference": [
            lambda f, x, v: grad(slope_of(f, x), x, v)[0].clamp(min=0),
            times_its_length,
        ],
        "has other hooks than before": [times_with_a_hook_left],
        "x.grad is not what it was": [times_by_backward_and_cleared],
        "x.requires_grad is not what it was": [times_off_the_graph],
    },
)
