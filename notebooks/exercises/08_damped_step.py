"""Exercise `damped_step`: a step of Newton's method that stays a step where the Hessian cannot be inverted."""

import operator

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.functional import hessian, jacobian
from minigrad.teach import Exercise, Mistake, draw_numbers, edited, observer, pick, raised, saw
from minigrad.teach.card import Card

from .chapter08 import ASKED_AT, BESIDE, FUNCTIONS, LEFT, OF_A_WEIGHT, OTHERS, case_of, gradient_of_others, slope_of

REQUIRES, GRAPH = (
    "what it requires",
    (
        "The numbers are right, but the point still has the graph that computed it. Each step would add to it, and the "
        "next x would be no leaf: detach it."
    ),
)
MEMORY, SHARED = (
    "its memory",
    (
        "The point lies in the memory of x: detach() shares it, so that a write to the one changes the other. "
        "x.detach() - step is a new tensor, also where the step is 0."
    ),
)
TURNED = {
    "(t ** 2).sum()": lambda t: (t**2).sum(),
    "(t - 1).sum()": lambda t: (t - 1).sum(),
    "5000 * t[0] ** 2 + t[-1] ** 2 / 5": lambda t: 5000 * t[0] ** 2 + t[-1] ** 2 / 5,
    "t[0] ** 2 + 3 * t[-1]": lambda t: t[0] ** 2 + 3 * t[-1],
}


def damped_step(f, x, damping):
    """x minus the solution of (Hessian + damping on its diagonal) @ step = slope."""
    (slope,) = grad(f(x), x)
    matrix = hessian(f, x) + damping * mg.eye(len(x), dtype=x.dtype)
    return x.detach() - mg.linalg.solve(matrix, slope)


def _case(words, x, damping, earlier=False):
    function = {**FUNCTIONS, **TURNED, **OF_A_WEIGHT}[words]
    named = f", damping = {damping}"
    return case_of(words, x, damping, function=function, named=named, tensors=0, earlier=earlier)


def _drawn(random):
    """One to four elements, and dampings that keep the matrix from being singular."""
    x = draw_numbers(random, int(random.integers(1, 5)), most=1.5, zero=False)
    damping = float(random.integers(1, 20))
    case = _case(pick(random, [*FUNCTIONS, *TURNED]), x, damping)
    f, point, _ = case.make()
    matrix = hessian(f, point).numpy() + damping * np.eye(len(x))
    if abs(np.linalg.eigvalsh(matrix)).min() > 0.2:
        yield case


@observer
def _with_graph(answer, f, x, damping):
    given = x.detach().clone()
    point = answer(f, x, damping)
    beside = f.beside(given)
    shares = isinstance(point, mg.Tensor) and np.shares_memory(point.detach().numpy(), x.detach().numpy())
    what = "nothing" if not getattr(point, "requires_grad", False) else "a gradient, as a leaf does"
    return {
        "the answer": point,
        ASKED_AT: f"{given.tolist()} only" if beside is None else str(beside.tolist()),
        REQUIRES: what if getattr(point, "grad_fn", None) is None else "a gradient for its graph",
        MEMORY: "that of x" if shares else "its own",
        **gradient_of_others(f),
    }


def _evidence(outcome):
    f, x, damping = outcome.case.make()
    (slope,) = grad(f(x), x)
    numbers = np.array2string(hessian(f, x).numpy(), precision=4, suppress_small=True).replace("\n", "\n    ")
    return f"  the slope at x is {[round(one, 4) for one in slope.tolist()]}, and the Hessian\n    {numbers}"


def _has_no_second_slope(outcome):
    """Whether a slope was to be differentiated that is a constant."""
    f, x, _ = outcome.case.make()
    slope = grad(f(x), x, create_graph=True)[0]
    return raised("does not require grad")(outcome) and not all(one.requires_grad for one in slope)


def _has_no_way_to_x(outcome):
    """Whether the slope was to be differentiated where it is w."""
    return raised("have been used in the graph")(outcome) and outcome.arguments[0].w is not None


def _at_work(answer):
    """The chapter's lamp, let down by the function, beside what the plain method did."""

    def walked(damping):
        angle, heights = mg.tensor([0.5], dtype=mg.float64), []
        for _ in range(7):
            heights.append(f"{angle.cos().item():6.3f}")
            angle = answer(lambda t: t.cos().sum(), angle.detach().requires_grad_(), damping)
        return " ".join(heights)

    lines = [f"  damping {damping:3}: {walked(damping)}" for damping in (0.0, 1.5)]
    rows = (("height", "\n".join(lines)), ("", "The height of the lamp, step by step."))
    return Card("note", "your damped_step lets the lamp down", rows)


# ---------------------------------------------------------------- wrong answers

SLOPE, SOLVED = "(slope,) = grad(f(x), x)", "mg.linalg.solve(matrix, slope)"
DAMPED = " + damping * mg.eye(len(x), dtype=x.dtype)"


def by_hand_twice(f, x, damping):
    """f is linear here, or in some way: its slope is a constant, which has no graph to walk through. `hessian` gives
    zeros there; by hand, ask whether slope.requires_grad.
    """
    (slope,) = grad(f(x), x, create_graph=True)
    rows = [grad(one, x, retain_graph=True)[0] for one in slope]
    return x.detach() - mg.linalg.solve(mg.stack(rows) + damping * mg.eye(len(x), dtype=x.dtype), slope.detach())


def by_hand_unless_constant(f, x, damping):
    """f is linear here, and its slope is w: that has a graph, but none that leads to x. `hessian` gives zeros there; by
    hand, ask with materialize_grads=True.
    """
    (slope,) = grad(f(x), x, create_graph=True)
    matrix = mg.zeros(len(x), len(x), dtype=x.dtype)
    if slope.requires_grad:
        matrix = mg.stack([grad(one, x, retain_graph=True)[0] for one in slope])
    return x.detach() - mg.linalg.solve(matrix + damping * mg.eye(len(x), dtype=x.dtype), slope.detach())


def still_at_a_flat_point(f, x, damping):
    return damped_step(f, x, damping) if grad(f(x), x)[0].any() else x.detach()


# ---------------------------------------------------------------- tried as well


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


def step_into_a_view(f, x, damping):
    point = x.detach()
    point -= mg.linalg.solve(matrix_of(f, x, damping), grad(f(x), x)[0])
    return point


def step_by_a_damped_size(f, x, damping):
    matrix = hessian(f, x)
    matrix.diagonal().abs_().add_(damping)
    return x.detach() - mg.linalg.solve(matrix, grad(f(x), x)[0])


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


def step_by_differences(f, x, damping):
    """A Hessian of differences of slopes, which has nine right digits."""
    rows, step = [], 1e-4

    def slope_at(point):
        point = point.detach().requires_grad_()
        return grad(f(point), point)[0]

    for one in step * mg.eye(len(x), dtype=x.dtype):
        near, far = (slope_at(x + k * one) - slope_at(x - k * one) for k in (1, 2))
        rows.append((8 * near - far) / (12 * step))
    return x.detach() - mg.linalg.solve(mg.stack(rows) + damping * mg.eye(len(x), dtype=x.dtype), slope_at(x))


def step_in_numpy(f, x, damping):
    matrix = hessian(f, x).numpy() + damping * np.identity(len(x))
    return mg.tensor(x.detach().numpy() - np.linalg.solve(matrix, jacobian(f, x).numpy()))


def step_by_hand(f, x, damping):
    slope = slope_of(f, x)
    rows = [
        grad(one, x, retain_graph=True, materialize_grads=True)[0] if one.requires_grad else mg.zeros_like(x)
        for one in slope
    ]
    matrix = mg.stack(rows).detach() + mg.diag(mg.full((len(x),), damping, dtype=x.dtype))
    return (x - mg.linalg.solve(matrix, slope)).detach()


def step_by_earlier_gradients(f, x, damping):
    f(x).backward()
    matrix = jacobian(lambda t: jacobian(f, t, create_graph=True), x)
    matrix.diagonal().add_(damping)
    return x.detach() - mg.linalg.inv(matrix) @ x.grad


def step_by_the_inverse(f, x, damping):
    with mg.no_grad():
        return x - mg.linalg.inv(matrix_of(f, x, damping)) @ jacobian(f, x)


EXERCISE = Exercise(
    title="a new point that requires no gradient: x minus what solves (Hessian + damping * identity) @ step = slope",
    stars=2,
    minutes=8,
    reference=damped_step,
    cases=(
        _case("(t ** 3).sum()", [1.0, 2.0], 2.0),
        _case("(t.sin() * t.sum()).sum()", [0.5, -1.0, 2.0], 8.0),
        _case("t[0] ** 2 + 3 * t[-1]", [1.0, 4.0], 0.03125),
        _case("(t - 1).sum()", [3.0], 4.0),
        _case("(t ** 2).sum()", [0.0, 0.0], 1.0),
        _case("5000 * t[0] ** 2 + t[-1] ** 2 / 5", [0.25, 3.0], 0.125),
        _case("t.exp().sum().log()", [0.5, -1.0, 0.25], 1.0, earlier=True),
        _case("(t * w).sum()", [1.0, 2.0], 2.0),
        _case("(t ** 2).sum()", [1e-9, -2e-9], 0.5),
        _case("(t ** 3).sum()", [1.0, 2.0], 0.0),
        _case("(t ** 3).sum()", [1.0, -1.5], 0.3),
    ),
    drawn=_drawn,
    hints=(
        "Three things are needed: the slope at x, the Hessian at x, and a matrix with the damping on its diagonal.",
        "mg.eye(n, dtype=x.dtype) has ones on its diagonal. mg.linalg.solve(matrix, slope) gives the step.",
        "x.detach() - mg.linalg.solve(hessian(f, x) + damping * mg.eye(len(x), dtype=x.dtype), slope)",
    ),
    plug=_with_graph,
    notes={
        ASKED_AT: BESIDE,
        MEMORY: SHARED,
        OTHERS: LEFT,
        REQUIRES: "The numbers are right, but a point that requires no gradient is asked for.",
    },
    evidence=_evidence,
    at_work=_at_work,
    mistakes=(
        Mistake(by_hand_twice, when=_has_no_second_slope),
        Mistake(
            edited(by_hand_twice, "grad(f(x), x, create_graph=True)", "grad(f(x), x)"),
            edited(damped_step, "(slope,) =", "x = x.detach()\n    (slope,) ="),
            words="A walk began at a tensor without a graph. The slope has one if it was asked for with "
            "create_graph=True, and f(x) outside of no_grad() if f was given x itself: x.detach() requires none.",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        Mistake(by_hand_unless_constant, when=_has_no_way_to_x),
        Mistake(still_at_a_flat_point, when=saw(MEMORY, operator.ne), words=SHARED),
        Mistake(
            edited(damped_step, "solve(matrix, slope)", "solve(slope, matrix)"),
            edited(damped_step, "hessian(f, x)" + DAMPED, "slope + damping"),
            words="What solve was given first is no matrix. mg.linalg.solve(matrix, slope) takes the Hessian first, "
            "with the damping on its diagonal, and then the slope.",
            when=raised("linalg.solve", "must have at least 2 dimensions"),
        ),
        Mistake(
            edited(damped_step, DAMPED, " + damping"),
            words="The damping was added to every entry of the matrix, as `hessian + damping` does. It belongs on the "
            "diagonal: damping * mg.eye(len(x), dtype=x.dtype).",
        ),
        Mistake(
            edited(damped_step, DAMPED, ""),
            edited(damped_step, DAMPED, "", SOLVED, "mg.linalg.inv(matrix) @ slope"),
            words="The damping is missing: this is a plain Newton step.",
        ),
        Mistake(
            edited(damped_step, "detach() -", "detach() +"),
            words="The sign is turned around. The step is subtracted from x.",
        ),
        Mistake(
            edited(damped_step, "x.detach() - ", ""),
            words="This is the step. Asked for is the new point: x minus the step.",
        ),
        Mistake(
            edited(damped_step, SOLVED, "matrix @ slope"),
            words="The slope was multiplied by the matrix. A large curvature makes the step small: solve matrix @ step "
            "= slope.",
        ),
        Mistake(
            edited(damped_step, SOLVED, "slope / matrix.diagonal()"),
            words="Only the diagonal of the Hessian was used, as if no element changed the slope of another.",
        ),
        Mistake(
            edited(damped_step, SOLVED, "(slope / matrix).sum(1)"),
            words="Dividing by a matrix divides element by element. The step solves matrix @ step = slope: "
            "mg.linalg.solve.",
        ),
        Mistake(
            edited(damped_step, DAMPED, "", SOLVED, f"damping * {SOLVED}"),
            words="Here the damping multiplies the step, as a learning rate does. It is added to the Hessian's "
            "diagonal.",
        ),
        Mistake(
            edited(damped_step, DAMPED, "", SOLVED, f"{SOLVED} / (1 + damping)"),
            edited(damped_step, DAMPED, " * (1 + damping)"),
            words="This is the plain step divided by 1 + damping, as if the damping multiplied the Hessian. It is "
            "added to the Hessian's diagonal.",
        ),
        Mistake(
            edited(damped_step, DAMPED, f"\n    matrix = matrix{DAMPED} * matrix"),
            words="The damping was multiplied by the Hessian's own diagonal. What is added there is the damping alone, "
            "the same number for each element.",
        ),
        Mistake(
            edited(damped_step, SLOPE, "f(x).backward()\n    slope = x.grad"),
            words="backward() adds to what is in x.grad already, here from before. autograd.grad returns the slope by "
            "itself.",
        ),
        Mistake(
            edited(damped_step, "+ damping", "- damping"),
            words="The damping was subtracted. Added, it makes the curvatures larger and the step smaller.",
        ),
        Mistake(
            edited(damped_step, SOLVED, "slope / damping"),
            words="This is a step of gradient descent: the Hessian is missing.",
        ),
        Mistake(
            step_damped_where_negative,
            near=True,
            words="The damping was left out here, where all curvatures are positive. It is added everywhere.",
        ),
        Mistake(
            step_by_absolute_curvatures,
            step_by_a_damped_size,
            words="The size of a curvature was taken, without its sign. The damping is added to the Hessian as it is.",
        ),
        Mistake(edited(damped_step, "x.detach()", "x"), words=GRAPH),
    ),
    right=(
        step_in_numpy,
        step_by_the_inverse,
        step_by_hand,
    ),
    wrong={
        "in the later digits": [
            edited(damped_step, "solve(matrix, slope)", "solve(matrix.float(), slope.float())"),
            edited(damped_step, ", dtype=x.dtype", ""),
        ],
        "appears to not have been used in the graph … Its text says what": [
            edited(damped_step, "grad(f(x), x)", "grad(f(x), x.detach().requires_grad_())")
        ],
        "left out here, where all curvatures are positive": [
            edited(damped_step, DAMPED, f"\n    if not matrix.det():\n        matrix = matrix{DAMPED}")
        ],
        "to every entry of the matrix": [edited(damped_step, "mg.eye(len(x)", "mg.ones(2 * (len(x),)")],
        "A walk began at a tensor without a graph": [step_under_no_grad],
        "x holds other numbers": [step_over_data],
        "that of x, expected its own … The point lies in the memory of x … x holds other numbers": [
            step_over_x,
            step_into_a_view,
        ],
        "As it should be: where f was asked, what it requires, its memory. ": [
            edited(damped_step, DAMPED, "\n    matrix = mg.diag(matrix.sum(1))" + DAMPED)
        ],
        "first difference": [
            edited(damped_step, DAMPED, "\n    matrix[0, 0] += damping"),
            edited(damped_step, SOLVED, f"(step := {SOLVED}) / max(1.0, step.norm().item())"),
            edited(damped_step, SOLVED, f"{SOLVED} * (slope.norm() > 1e-8)"),
            edited(damped_step, SOLVED, f"({SOLVED} if damping else slope)"),
            edited(damped_step, SOLVED, f"({SOLVED}).clamp(-10, 10)"),
        ],
        "multiplied by the Hessian's own diagonal": [
            edited(damped_step, DAMPED, "\n    matrix = matrix + damping * mg.diag(matrix.diagonal())")
        ],
        "f was asked beside x": [step_by_differences],
        "divided by 1 + damping, as if the damping multiplied the Hessian": [
            edited(damped_step, DAMPED, " * (1 + damping)")
        ],
        "backward() adds to what is in x.grad already": [step_by_earlier_gradients],
        "a point that requires no gradient is asked for": [
            lambda f, x, damping: damped_step(f, x, damping).requires_grad_()
        ],
        "a tensor is asked for": [lambda f, x, damping: damped_step(f, x, damping).tolist()],
        "The shape is [2, 1]; it should be [2]": [
            edited(damped_step, "x.detach()", "x.detach().view(-1, 1)", ", slope)", ", slope.view(-1, 1))")
        ],
        "x.requires_grad is not what it was": [
            edited(damped_step, SLOPE, SLOPE + "\n    x.requires_grad_(False)", "x.detach()", "x")
        ],
        "x.grad is not what it was … backward() adds to what is in x.grad already, here from": [
            edited(damped_step, SLOPE, "f(x).backward()\n    slope = x.grad")
        ],
    },
)
