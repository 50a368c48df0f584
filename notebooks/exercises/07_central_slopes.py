"""Exercise `central_slopes`: the slope of a function for each element of its input, without rules."""

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake

from .chapter07 import in_float64


def central_slopes(f, x, eps):
    """The slope of f with respect to each element of x, by central differences."""
    return _each_moved(x, eps, lambda right, left: (f(right) - f(left)) / (2 * eps))


def _each_moved(x, eps, slope):
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        step = mg.zeros_like(x)
        step.view(-1)[k] = eps
        slopes.view(-1)[k] = slope(x + step, x - step)
    return slopes


def _pairs(t):
    return (t[:, 0] * t[:, 1]).sum()


def _first_moved(outcome, side):
    _, x, eps = outcome.case.make()
    x.view(-1)[0] += side * eps
    return x


# ---------------------------------------------------------------- wrong answers


def one_side_only(f, x, eps):
    """One side only: f(x + step) - f(x). A central difference also steps to the other side, and is much nearer to the
    slope.
    """
    return _each_moved(x, eps, lambda right, left: (f(right) - f(x)) / eps)


def divided_by_eps(f, x, eps):
    """Twice too much. The two points are 2 * eps apart, and this is what to divide by."""
    return _each_moved(x, eps, lambda right, left: (f(right) - f(left)) / eps)


def divided_and_multiplied(f, x, eps):
    """... / 2 * eps divides by 2 and then multiplies by eps. Write / (2 * eps)."""
    return _each_moved(x, eps, lambda right, left: (f(right) - f(left)) / 2 * eps)


def left_minus_right(f, x, eps):
    """The sign is turned around: the slope is how much f grows on the way from x - step to x + step."""
    return _each_moved(x, eps, lambda right, left: (f(left) - f(right)) / (2 * eps))


def moved_by_one(f, x, eps):
    """The points are 1 away from x, not eps. Put eps into the step."""
    return _each_moved(x, 1.0, lambda right, left: (f(right) - f(left)) / (2 * eps))


def moved_rows(f, x, eps):
    """Whole rows were moved: a tensor of two dimensions has more elements than len(x) says. Go over x.numel() elements,
    with view(-1).
    """
    slopes = mg.zeros_like(x)
    for k in range(len(x)):
        step = mg.zeros_like(x)
        step[k] = eps
        slopes[k] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


def one_number(f, x, eps):
    """This is one number. A slope is asked for for each element of x, in the shape of x."""
    return (f(x + eps) - f(x - eps)) / (2 * eps)


def moved_all(f, x, eps):
    """All elements were moved at once. That measures the sum of all slopes; move one, and leave the others."""
    return mg.ones_like(x) * (f(x + eps) - f(x - eps)) / (2 * eps)


def left_moved(f, x, eps):
    """An element stays moved while the next one is measured. Put each back, or begin from x again."""
    moved, slopes = x.clone(), []
    for k in range(x.numel()):
        flat = moved.view(-1)
        flat[k] -= eps
        below = f(moved).item()
        flat[k] += 2 * eps
        slopes.append((f(moved).item() - below) / (2 * eps))
    return mg.tensor(slopes, dtype=mg.float64).view(x.shape)


def left_moved_to_the_left(f, x, eps):
    """An element stays moved while the next one is measured, to the left. Put each back, or begin from x again."""
    moved, slopes = x.clone(), []
    for k in range(x.numel()):
        flat = moved.view(-1)
        flat[k] += eps
        above = f(moved).item()
        flat[k] -= 2 * eps
        slopes.append((above - f(moved).item()) / (2 * eps))
    return mg.tensor(slopes, dtype=mg.float64).view(x.shape)


def asked_backward(f, x, eps):
    """These are the gradients of backward. They are to be checked by something that does not know the rules: by values
    of f alone.
    """
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad


def in_one_row(f, x, eps):
    """The slopes lie in one row. The gradient has the shape of x: make zeros_like(x), and fill it."""
    return central_slopes(f, x, eps).view(-1)


EXERCISE = Exercise(
    title="a tensor in the shape of x with the slope of f for each element of x, by central differences",
    stars=2,
    minutes=10,
    reference=central_slopes,
    cases=(
        Case(
            "f = lambda t: (t ** 3).sum(), x = [1., 2.], eps = 0.5",
            lambda: (lambda t: (t**3).sum(), in_float64([1.0, 2.0]), 0.5),
        ),
        Case(
            "f = lambda t: t.prod(), x = [1., 2., 4.], eps = 0.25",
            lambda: (lambda t: t.prod(), in_float64([1.0, 2.0, 4.0]), 0.25),
        ),
        Case(
            "f = lambda t: (t[:, 0] * t[:, 1]).sum(), x = [[1., 2.], [3., 4.]], eps = 0.125",
            lambda: (_pairs, in_float64([[1.0, 2.0], [3.0, 4.0]]), 0.125),
        ),
    ),
    hints=(
        "How much does f(x) change when only the first element of x is moved by eps, to the right and to the left?",
        "A step is a tensor of zeros in the shape of x with one eps in it. Make one for each element.",
        "step.view(-1)[k] = eps writes to element k, in whatever shape. The slope is the difference of f(x + step) and "
        "f(x - step), divided by the distance between the two points.",
    ),
    evidence=lambda outcome: (
        "  with element 0 moved alone: f is "
        f"{outcome.arguments[0](_first_moved(outcome, -1)).item():.6g} at -eps and "
        f"{outcome.arguments[0](_first_moved(outcome, 1)).item():.6g} at +eps, {2 * outcome.arguments[2]:g} apart"
    ),
    mistakes=(
        one_side_only,
        divided_by_eps,
        divided_and_multiplied,
        left_minus_right,
        moved_by_one,
        moved_rows,
        Mistake(
            one_number,
            when=lambda outcome: not isinstance(outcome.value, list | tuple) and getattr(outcome.value, "ndim", 0) == 0,
        ),
        moved_all,
        left_moved,
        left_moved_to_the_left,
        asked_backward,
        Mistake(
            in_one_row,
            when=lambda outcome: (
                isinstance(outcome.value, mg.Tensor)
                and outcome.value.shape == (outcome.arguments[1].numel(),)
                and outcome.arguments[1].ndim == 2
            ),
        ),
    ),
)
