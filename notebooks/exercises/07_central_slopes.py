"""Exercise `central_slopes`: the slope of a function for each element of its input, without rules."""

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, compare, draw_numbers, edited, observer, pick, pick_some, saw

from .chapter07 import lost_in_float32, measured_case


def central_slopes(f, x, eps):
    """The slope of f with respect to each element of x, by central differences."""
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        step = mg.zeros_like(x)
        step.view(-1)[k] = eps
        slopes.view(-1)[k] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


FUNCTIONS = (
    "(t ** 3).sum()",
    "t.prod()",
    "(t.sin() * t).mean()",
    "t.view(-1)[0] * t.view(-1)[-1]",
    "t.view(-1)[-1]",  # no new numbers: they change when t is written to
)


def _drawn(random):
    """Any shape, also none, and steps that are lost in float32."""
    for words in pick_some(random, FUNCTIONS, 3):
        x = draw_numbers(random, pick(random, [(), (3,), (2, 2), (2, 1, 3)]))
        yield measured_case(words, x, pick(random, [0.5, 0.1, 0.001, 1e-6]))


SLOPES, CALLS = "the answer", "calls of f"


@observer
def _with_calls(answer, f, x, eps):
    """The slopes, of which the last digits depend on how the differences were computed, and two calls of f for each:
    one more, to look at what it returns, does no harm.
    """
    slopes, most = answer(f, x, eps), 2 * x.numel()
    calls = len(f.calls) if len(f.calls) > most + 1 else most
    return {SLOPES: slopes.detach().float() if isinstance(slopes, mg.Tensor) else slopes, CALLS: calls}


def _first_moved(outcome, side):
    f, x, eps = outcome.case.make()
    x.view(-1)[0] += side * eps
    return f(x).item()


def _evidence(outcome):
    below, above = _first_moved(outcome, -1), _first_moved(outcome, 1)
    apart = 2 * outcome.arguments[2]
    return f"  with element 0 moved alone: f is {below:.9g} at -eps and {above:.9g} at +eps, {apart:g} apart"


def _is_one_number(mine, right):
    """Whether one number came back for several elements."""
    is_number = mine.numel() == 1 if isinstance(mine, mg.Tensor) else isinstance(mine, int | float)
    return is_number and right.numel() > 1


def _is_one_row(mine, right):
    """Whether the right slopes came back in a row."""
    is_row = isinstance(mine, mg.Tensor) and right.ndim > 1 and mine.shape == (right.numel(),)
    return is_row and compare(right.view(-1), mine) is None


def _asked_rules(outcome):
    """Whether the gradient came out, of fewer calls of f than a measurement takes, be it to one side only."""
    f, x, eps = outcome.case.make()
    is_gradient = compare(asked_backward(f.function, x, eps).float(), outcome.seen.get(SLOPES)) is None
    return is_gradient and len(outcome.arguments[0].calls) <= x.numel()


# ---------------------------------------------------------------- wrong answers


def one_number(f, x, eps):
    """This is one number. A slope is asked for for each element of x, in the shape of x."""
    return (f(x + eps) - f(x - eps)) / (2 * eps)


def left_moved(f, x, eps):
    """An element stays moved while the next one is measured, as where one tensor serves for all. Put each back, or
    begin anew for each.
    """
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


def one_step_for_all(f, x, eps):
    slopes, step = mg.zeros_like(x), mg.zeros_like(x)
    for k in range(x.numel()):
        step.view(-1)[k] = eps
        slopes.view(-1)[k] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


def asked_backward(f, x, eps):
    """These are the gradients of backward. They are to be checked by something that does not know the rules: by values
    of f alone.
    """
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad


# ---------------------------------------------------------------- tried as well


def slopes_through_python(f, x, eps):
    """Python's numbers become float32 again."""
    slopes = []
    for k in range(x.numel()):
        above, below = x.view(-1).tolist(), x.view(-1).tolist()
        above[k] += eps
        below[k] -= eps
        slopes.append((f(mg.tensor(above).view(x.shape)) - f(mg.tensor(below).view(x.shape))).item() / (2 * eps))
    return mg.tensor(slopes).view(x.shape)


def slopes_of_a_half_moved_buffer(f, x, eps):
    """What f returns may be a part of what it was given, which is written to afterwards."""
    moved, slopes = x.clone(), mg.zeros_like(x)
    for k in range(x.numel()):
        moved.view(-1)[k] = x.view(-1)[k] - eps
        below = f(moved)
        moved.view(-1)[k] = x.view(-1)[k] + eps
        slopes.view(-1)[k] = (f(moved) - below) / (2 * eps)
        moved.view(-1)[k] = x.view(-1)[k]
    return slopes


def slopes_moving_x_itself(f, x, eps):
    slopes = mg.zeros_like(x)
    for k in range(x.numel()):
        x.view(-1)[k] += eps
        above = f(x).item()
        x.view(-1)[k] -= 2 * eps
        slopes.view(-1)[k] = (above - f(x).item()) / (2 * eps)
    return slopes


def slopes_all_again_for_each(f, x, eps):
    rows = [central_slopes(f, x, eps).view(-1) for _ in range(x.numel())]
    return mg.stack([row[k] for k, row in enumerate(rows)]).view(x.shape)


def slopes_of_matrices(f, x, eps):
    """A way for one dimension and one for two."""
    slopes = mg.zeros_like(x)
    for place in [(k,) for k in range(len(x))] if x.ndim == 1 else np.ndindex(x.shape[0], x.shape[1]):
        step = mg.zeros_like(x)
        step[place] = eps
        slopes[place] = (f(x + step) - f(x - step)) / (2 * eps)
    return slopes


def slopes_column_by_column(f, x, eps):
    slopes = central_slopes(f, x, eps)
    return slopes.t().reshape(-1) if x.ndim == 2 else slopes


def slopes_put_back(f, x, eps):
    moved, slopes = x.clone(), []
    for k in range(x.numel()):
        flat = moved.view(-1)
        old = flat[k].item()
        flat[k] = old + eps
        above = f(moved).item()
        flat[k] = old - eps
        slopes.append((above - f(moved).item()) / (2 * eps))
        flat[k] = old
    return mg.tensor(slopes, dtype=mg.float64).reshape(x.shape)


def slopes_by_places(f, x, eps):
    f(x)  # to see whether it runs at all
    slopes = np.empty(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = eps
        step = mg.tensor(step)
        slopes[place] = float(f(x + step) - f(x - step)) / eps / 2
    return mg.tensor(slopes)


def slopes_of_rows_of_the_identity(f, x, eps):
    steps = mg.eye(x.numel(), dtype=mg.float64) * eps
    found = [(f(x + step.view(x.shape)) - f(x - step.view(x.shape))) * (0.5 / eps) for step in steps]
    return mg.stack(found).view(x.shape)


def slopes_in_an_array(f, x, eps):
    numbers, slopes = x.numpy(), np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = eps
        slopes[place] = (f(mg.tensor(numbers + step)) - f(mg.tensor(numbers - step))).item() / (2 * eps)
    return mg.tensor(slopes)


def slopes_of_a_stack(f, x, eps):
    steps = eps * mg.eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)
    return mg.stack([(f(x + step) - f(x - step)) / (2 * eps) for step in steps]).float().view(x.shape)


EXERCISE = Exercise(
    title="a tensor in the shape of x with the slope of f for each element of x, by central differences",
    stars=2,
    minutes=10,
    reference=central_slopes,
    cases=(
        measured_case("(t ** 3).sum()", [1.0, 2.0], 0.5),
        measured_case("t.prod()", [1.0, 2.0, 4.0], 0.25),
        measured_case("(t[:, 0] * t[:, 1]).sum()", [[1.0, 2.0], [3.0, 4.0]], 0.125),
        measured_case("t.prod()", [[[1.0, 2.0, 0.5]]], 0.25),
        measured_case("t.view(-1)[-1]", [1.0, 2.0], 0.5),
        measured_case("(t.sin() * t).mean()", [0.5, -1.0, 2.0], 1e-6),
    ),
    drawn=_drawn,
    hints=(
        "How much does f(x) change when only the first element of x is moved by eps, to the right and to the left?",
        "A step is a tensor of zeros in the shape of x with one eps in it. Make one for each element.",
        "step.view(-1)[k] = eps writes to element k, in whatever shape. The slope is the difference of f(x + step) and "
        "f(x - step), divided by the distance between the two points.",
    ),
    plug=_with_calls,
    may_leave=("version",),  # x may be moved, and put back
    notes={
        CALLS: "The slopes are right, but f ran more often than two times for each element: too long on a real model."
    },
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(central_slopes, "f(x - step)) / (2 * eps)", "f(x)) / eps"),
            edited(central_slopes, "f(x + step) - f(x - step)) / (2 * eps)", "f(x) - f(x - step)) / eps"),
            words="One side only, f(x + step) - f(x) or f(x) - f(x - step). A central difference also steps to the "
            "other side, and is much nearer to the slope.",
        ),
        Mistake(
            edited(central_slopes, "[k] = eps", "[k] = eps / 2", "(2 * eps)", "eps"),
            words="The two points are eps apart here. Asked for is the slope from x - eps to x + eps, over 2 * eps.",
        ),
        Mistake(
            edited(central_slopes, "    return", "        return"),
            words="Only the first element was measured, as where the return stands inside the loop, which ends there.",
        ),
        Mistake(
            edited(central_slopes, "x.numel()", "x.numel() - 1"),
            words="The last element was not measured. range(n) ends before n by itself.",
        ),
        Mistake(
            edited(central_slopes, "(2 * eps)", "eps"),
            words="Twice too much. The two points are 2 * eps apart, and this is what to divide by.",
        ),
        Mistake(
            edited(central_slopes, "(2 * eps)", "2 * eps"),
            words="... / 2 * eps divides by 2 and then multiplies by eps. Write / (2 * eps).",
        ),
        Mistake(
            edited(central_slopes, "f(x + step) - f(x - step)", "f(x - step) - f(x + step)"),
            words="The sign is turned around: the slope is how much f grows on the way from x - step to x + step.",
        ),
        Mistake(
            edited(central_slopes, "[k] = eps", "[k] = 1.0"),
            words="The points are 1 away from x, not eps. Put eps into the step.",
        ),
        Mistake(
            edited(central_slopes, "x.numel()", "len(x)", "step.view(-1)", "step", "slopes.view(-1)", "slopes"),
            words="Whole rows were moved: a tensor of two dimensions has more elements than len(x) says. Go over "
            "x.numel() elements, with view(-1).",
        ),
        Mistake(one_number, when=saw(SLOPES, _is_one_number)),
        Mistake(
            edited(central_slopes, "step.view(-1)[k] = eps", "step += eps"),
            words="All elements were moved at once. That measures the sum of all slopes; move one, and leave the "
            "others.",
        ),
        Mistake(left_moved, left_moved_to_the_left, one_step_for_all),
        Mistake(asked_backward, when=_asked_rules),
        Mistake(
            lambda f, x, eps: central_slopes(f, x, 1e-6),
            words="These are the slopes at x itself, as over a step of their own, much smaller than eps, or by "
            "backward. Over which distance is given: 2 * eps.",
        ),
        Mistake(
            edited(central_slopes, "return slopes", "return slopes.view(-1)"),
            words="The slopes lie in one row. The gradient has the shape of x: make zeros_like(x), and fill it.",
            when=saw(SLOPES, _is_one_row),
        ),
        Mistake(
            edited(one_number, "(f(x + eps) - f(x - eps)) / (2 * eps)", "central_slopes(f, x.float(), eps)"),
            words="f was called with float32. Of two numbers that agree in seven digits the difference is noise: keep "
            "x's float64, which mg.tensor(...) of Python's numbers does not, unless it is told "
            "dtype=mg.float64.",
            when=lost_in_float32,
        ),
    ),
    right=(
        slopes_put_back,
        edited(slopes_put_back, "x.clone()", "x.detach()"),
        slopes_by_places,
        slopes_of_rows_of_the_identity,
        slopes_in_an_array,
        slopes_of_a_stack,
    ),
    wrong={
        "as where the return stands inside the loop": [edited(central_slopes, "x.numel()", "1")],
        "stays moved while the next one": [edited(central_slopes, "[k] = eps", "[: k + 1] = eps")],
        "f was called with float32": [slopes_through_python],
        "t.view(-1)[-1]": [slopes_of_a_half_moved_buffer],
        "x holds other numbers": [slopes_moving_x_itself],
        "f ran more often than two times for each element": [slopes_all_again_for_each],
        "first difference": [slopes_of_matrices, lambda f, x, eps: central_slopes(f, x, max(eps, 0.1))],
        "a step of their own, much smaller than eps, or by backward": [
            edited(
                central_slopes,
                "slopes =",
                "f(x)\n    slopes =",
                "step = mg.zeros_like(x)",
                "leaf = x.clone().requires_grad_()",
                "        step.view(-1)[k] = eps\n",
                "",
                "(f(x + step) - f(x - step)) / (2 * eps)",
                "mg.autograd.grad(f(leaf), leaf)[0].view(-1)[k]",
            ),
            lambda f, x, eps: central_slopes(f, x, 1e-7),
            edited(
                central_slopes,
                *("slopes = mg.zeros_like(x)", "slopes, eps, here = mg.zeros_like(x), 1e-6, f(x)"),
                *("f(x - step)) / (2 * eps)", "here) / eps"),
            ),
        ],
        "The shape is [4]; it should be [2, 2]": [slopes_column_by_column],
    },
)
