"""Exercise `softmax_rule`: a rule that needs the result."""

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw

from .chapter14 import WRITTEN, drawn_array, rule_at_work, softmax_rule


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _case(g, x):
    g, x = np.asarray(g, float), np.asarray(x, float)
    return Case(f"g = {g.tolist()}, x = {x.tolist()}, y = softmax(x)", lambda: (g, softmax(x), x))


def _drawn(random):
    for shape in [(3,), (2, 3), (2, 1, 2)]:
        yield _case(drawn_array(random, shape), drawn_array(random, shape))


def _evidence(outcome):
    """Each number of x moved, and what that does to the sum of g * y."""
    g, _, x = outcome.arguments
    slopes, step = np.zeros_like(x), 1e-5
    for place in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        slopes[place] = (g * (softmax(x + moved) - softmax(x - moved))).sum() / (2 * step)
    return f"  each element moved by {step} to both sides: the slopes are {(np.round(slopes, 4) + 0.0).tolist()}"


# ---------------------------------------------------------------- wrong answers


def own_number_only(g, y, x):
    """This lets each x move its own y only. All y are divided by the same sum, so each x moves all of them."""
    return (g * y * (1 - y),)


def without_sum(g, y, x):
    """The part for the others is missing: where x grows, all other y shrink."""
    return (g * y,)


def over_everything(g, y, x):
    """All numbers were taken for one row. Each row, along the last axis, has a softmax of its own: axis=-1, with
    keepdims=True.
    """
    return (y * (g - (g * y).sum()),)


def over_columns(g, y, x):
    """The sum went along the first axis. softmax is taken along the last."""
    return (y * (g - (g * y).sum(axis=0, keepdims=True)),)


def g_alone(g, y, x):
    """What is subtracted is the sum of g * y, each g weighed with its y. Here the g were not weighed."""
    return (y * (g - g.sum(axis=-1, keepdims=True)),)


def from_x(g, y, x):
    """x was put where the result is needed. y is the result, and is there already."""
    return (x * (g - (g * x).sum(axis=-1, keepdims=True)),)


def turned(g, y, x):
    """The sign is turned."""
    return (y * ((g * y).sum(axis=-1, keepdims=True) - g),)


def _as_without_keepdims(outcome):
    """Whether the shapes that do not fit are those of g and of a sum that has lost its dimension."""
    g, *_ = outcome.case.make()
    shapes = " ".join(str(shape).replace(" ", "") for shape in (g.shape, g.shape[:-1]))
    return raised("could not be broadcast", shapes, kind=ValueError)(outcome)


def no_tuple(g, y, x):
    """A rule returns a tuple, also for one input: put a comma after it, and brackets around it."""
    return y * (g - (g * y).sum(axis=-1, keepdims=True))


def no_keepdims(g, y, x):
    """A sum, or the like, lost its dimension, and does not fit beside its row. keepdims=True keeps it, with size 1."""
    return (y * (g - (g * y).sum(axis=-1)),)


def computed_again(g, y, x):
    """exp of a large number overflows, and here exp(x) is computed once more. y is the result, and is there already."""
    powers = np.exp(x)
    again = powers / powers.sum(axis=-1, keepdims=True)
    return (again * (g - (g * again).sum(axis=-1, keepdims=True)),)


def other_sign(g, y, x):
    """The sign of what the others do: if x[i] grows, they shrink, so their part is subtracted."""
    return (y * (g + (g * y).sum(axis=-1, keepdims=True)),)


def over_axis_1(g, y, x):
    """Axis 1 is the last of two dimensions, but not of one or three: axis=-1."""
    axis = 1 if y.ndim > 1 else 0
    return (y * (g - (g * y).sum(axis=axis, keepdims=True)),)


def matrix_of_one_row(g, y, x):
    """np.diag and np.outer make the matrix of one row. y may have several, and each has a matrix of its own: take the
    rows one by one, or look what its product with g comes to.
    """
    return ((np.diag(y) - np.outer(y, y)) @ g,)


def _has_the_matrix_of_all(outcome):
    y = outcome.arguments[1]
    return y.ndim > 1 and raised(f"({y.size},{y.size})", kind=ValueError)(outcome)


def whole_sum(g, y, x):
    """The sum of all g * y was subtracted as it is. Each x[i] moves y[i] times as much: its part is y[i] times the
    sum.
    """
    return (g * y - (g * y).sum(axis=-1, keepdims=True),)


def averaged(g, y, x):
    """A mean stands where the sum is needed: each y[j] counts with the whole of g[j] * y[j]."""
    return (y * (g - (g * y).mean(axis=-1, keepdims=True)),)


def of_one_row(g, y, x):
    return (((np.diag(y.ravel()) - np.outer(y, y)) @ g.ravel()).reshape(y.shape),)


def written_to(g, y, x):
    """One of the arrays that the rule is given holds other numbers now. They belong to others: make new ones, as
    g - ... does, and write into none, as g -= ... does.
    """
    g -= (g * y).sum(axis=-1, keepdims=True)
    return (y * g,)


# ---------------------------------------------------------------- tried as well


def softmax_of_the_first_row(g, y, x):
    if y.ndim == 1:
        return softmax_rule(g, y, x)
    return (y * (g - (g * y)[..., :1, :].sum(axis=-1, keepdims=True)),)


def softmax_by_matrices(g, y, x):
    found = np.empty_like(y)
    for place in np.ndindex(y.shape[:-1]):
        row = y[place]
        found[place] = (np.diag(row) - np.outer(row, row)) @ g[place]
    return (found,)


def softmax_by_two_dimensions(g, y, x):
    if y.ndim == 1:
        return softmax_by_matrices(g, y, x)
    return (np.stack([(np.diag(one) - np.outer(one, one)) @ other for one, other in zip(y, g, strict=True)]),)


def softmax_made_again(g, y, x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    again = powers / powers.sum(axis=-1, keepdims=True)
    weighed = g * again
    return (weighed - again * weighed.sum(axis=-1, keepdims=True),)


def softmax_of_flat_rows(g, y, x):
    flat = [one.reshape(len(g), -1) if g.ndim > 1 else one for one in (g, y)]
    return (softmax_rule(*flat, x)[0].reshape(g.shape),)


def softmax_over_g(g, y, x):
    right = softmax_rule(g, y, x)
    y *= g
    return right


EXERCISE = Exercise(
    title="the gradient of x, where y = softmax(x) along the last axis, in a tuple",
    stars=3,
    minutes=10,
    reference=softmax_rule,
    plug=rule_at_work("gradient of x"),
    cases=(
        _case([1.0, 0.0, 0.0], [0.5, 1.0, -1.0]),
        _case([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]], [[0.0, 1.0, 2.0], [2.0, -1.0, 0.5]]),
        _case([[2.0, 1.0], [0.5, -1.0]], [[0.0, 1.0], [3.0, 2.0]]),
        _case([5.0], [2.0]),
        _case(np.arange(12.0).reshape(2, 2, 3) - 4, np.arange(12.0).reshape(3, 2, 2).T.reshape(2, 2, 3) / 4),
        _case([1.0, -2.0], [-100.0, 100.0]),
        _case([[2000.0, -900.0], [np.nan, 1.0]], [[0.0, 1.0], [2.0, -1.0]]),
        _case([1.0, -2.0, 0.5], [1000.0, 999.0, 0.0]),
        _case([1000.0, -2000.0], [0.0, 16.0]),  # a probability of a ten millionth
    ),
    drawn=_drawn,
    hints=(
        "If x[i] grows, y[i] grows by y[i] * (1 - y[i]), and each other y[j] shrinks by y[i] * y[j].",
        "So the gradient of x[i] is g[i] * y[i] minus y[i] times the sum of all g[j] * y[j].",
        "return (y * (g - (g * y).sum(axis=-1, keepdims=True)),)",
    ),
    evidence=_evidence,
    mistakes=(
        own_number_only,
        without_sum,
        Mistake(over_everything, of_one_row),
        over_columns,
        Mistake(g_alone, edited(g_alone, "sum", "mean")),
        from_x,
        turned,
        computed_again,
        other_sign,
        Mistake(no_keepdims, when=_as_without_keepdims),
        no_tuple,
        Mistake(over_axis_1, near=True, when=raised("axis 1 is out of bounds")),
        Mistake(matrix_of_one_row, when=_has_the_matrix_of_all),
        whole_sum,
        averaged,
        Mistake(written_to, when=saw(WRITTEN, "changed")),
    ),
    right=(
        softmax_by_matrices,
        softmax_made_again,
        lambda g, y, x: (y * (g - np.einsum("...i,...i->...", g, y)[..., None]),),
    ),
    wrong={
        "first difference": [
            softmax_of_the_first_row,
            softmax_of_flat_rows,
            lambda g, y, x: (np.nan_to_num(softmax_rule(g, y, x)[0]),),
            lambda g, y, x: (softmax_rule(g, y, x)[0].clip(-100, 100),),
            lambda g, y, x: (np.maximum(softmax_rule(g, y, x)[0], 0.0),),
            lambda g, y, x: (y * g - (g * y * y).sum(axis=-1, keepdims=True),),
            lambda g, y, x: (g - y * g.sum(axis=-1, keepdims=True),),
            lambda g, y, x: softmax_rule(g, np.where(y < 1e-6, 0, y), x),
        ],
        "raises ValueError … The error arose while your function ran": [
            softmax_by_two_dimensions,
            lambda g, y, x: ((np.diag(y) - np.outer(y, y)) * g[:2],),
        ],
        "A sum, or the like, lost its dimension": [no_keepdims],
        "Here the g were not weighed": [lambda g, y, x: (y * (g - g.mean(axis=-1, keepdims=True)),)],
        "yours changed … They belong to others: make new ones, as g - ... does": [softmax_over_g],
    },
)
