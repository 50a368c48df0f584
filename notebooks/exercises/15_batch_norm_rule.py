"""Exercise `batch_norm_rule`: the backward of a batch norm, as one rule."""

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw

from .chapter14 import WRITTEN, drawn_array
from .chapter15 import MADE_BY, batch_norm_rule, has_another_default, normalized, rule_by_hand


def _case(g, x, eps=1e-5, words=""):
    g, x = np.asarray(g, float), np.asarray(x, float)
    given = words or f"g = {g.tolist()}, x = {x.tolist()}"
    return Case(f"{given}, eps = {eps:g}, y = batch norm of x", lambda: (g, normalized(x, eps), x, eps))


def _by_default(g, x):
    """As the engine calls a rule: eps is not given."""
    g, x = np.asarray(g, float), np.asarray(x, float)
    words = f"g = {g.tolist()}, x = {x.tolist()}, y = batch norm of x; eps is not given, so it is the default"
    return Case(words, lambda: (g, normalized(x), x))


def _of_shape(*shape, eps=1e-5):
    random = np.random.default_rng(len(shape))
    g, x = drawn_array(random, shape), drawn_array(random, shape)
    return _case(g, x, eps, f"g and x of shape {list(shape)}")


def _drawn(random):
    shape = [(4, 3), (2, 2, 3), (3, 2, 2, 2)][int(random.integers(3))]
    yield _case(drawn_array(random, shape), drawn_array(random, shape), float(random.choice([1e-5, 0.1])))


def _evidence(outcome):
    """Each number of x moved, and what that does to the sum of g * y."""
    g, _, x, *eps = outcome.arguments
    if x.size > 8 or not np.isfinite(g + x).all():
        return ""
    slopes, step = np.zeros_like(x), 1e-5
    for place in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        slopes[place] = (g * (normalized(x + moved, *eps) - normalized(x - moved, *eps))).sum() / (2 * step)
    return f"  each element moved by {step} to both sides: the slopes are {(np.round(slopes, 3) + 0.0).tolist()}"


# ---------------------------------------------------------------- wrong answers

WHOLE = "(g - mean(g) - y * mean(g * y))"
constants = edited(batch_norm_rule, WHOLE, "g")
mean_is_constant = edited(batch_norm_rule, WHOLE, "(g - y * mean(g * y))")
width_is_constant = edited(batch_norm_rule, WHOLE, "(g - mean(g))")
from_x = edited(batch_norm_rule, "y * mean(g * y)", "x * mean(g * x)")
from_centered = edited(batch_norm_rule, "y * mean(g * y)", "(x - mean(x)) * mean(g * (x - mean(x)))")
mean_of_g = edited(batch_norm_rule, "y * mean(g * y)", "y * mean(g)")
sums = edited(batch_norm_rule, "np.mean", "np.sum")
sum_of_g = edited(batch_norm_rule, "(g - mean(g)", "(g - g.sum(axis=axes, keepdims=True)")
sum_of_products = edited(batch_norm_rule, "mean(g * y)", "(g * y).sum(axis=axes, keepdims=True)")
other_signs = edited(batch_norm_rule, WHOLE, "(g + mean(g) + y * mean(g * y))")
other_sign_of_mean = edited(batch_norm_rule, WHOLE, "(g + mean(g) - y * mean(g * y))")
other_sign_of_width = edited(batch_norm_rule, WHOLE, "(g - mean(g) + y * mean(g * y))")
over_rows = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "0")
over_features = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "(*range(1, x.ndim),)")
over_all = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "None")
channels_last = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "(*range(x.ndim - 1),)")
times_width = edited(batch_norm_rule, " / np.sqrt(", " * np.sqrt(")
over_channels = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "1")
for_images = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "(0, 2, 3)[: x.ndim - 1]")
for_two_kinds = edited(batch_norm_rule, "(0, *range(2, x.ndim))", "(0, 2, 3) if x.ndim == 4 else 0")
no_eps = edited(batch_norm_rule, " + eps", "")
eps_fixed = edited(batch_norm_rule, "+ eps", "+ 1e-5")
eps_outside = edited(
    batch_norm_rule, "np.sqrt(x.var(axis=axes, keepdims=True) + eps)", "(x.std(axis=axes, keepdims=True) + eps)"
)
no_root = edited(
    batch_norm_rule, "np.sqrt(x.var(axis=axes, keepdims=True) + eps)", "(x.var(axis=axes, keepdims=True) + eps)"
)
no_division = edited(batch_norm_rule, " / np.sqrt(x.var(axis=axes, keepdims=True) + eps)", "")
of_images = edited(batch_norm_rule, WHOLE, "(g - (mean(g) + y * mean(g * y)) * (x.size // x.shape[1] / len(x)))")
of_all_numbers = edited(batch_norm_rule, WHOLE, "(g - (mean(g) + y * mean(g * y)) / x.shape[1])")


def cut_into_columns(g, y, x, eps=1e-5):
    """reshape(-1, channels) cuts the numbers as they lie, row by row. Where there are pixels, a channel's numbers do
    not become a column by it: let the means go over all axes but 1.
    """
    flat = [one.reshape(-1, x.shape[1]) for one in (g, y, x)]
    return (batch_norm_rule(*flat, eps)[0].reshape(x.shape),)


one_less = edited(
    batch_norm_rule,
    "x.var(axis=axes, keepdims=True)",
    "x.var(axis=axes, keepdims=True, ddof=min(1, x.size // x.shape[1] - 1))",
)
one_less_always = edited(batch_norm_rule, "x.var(axis=axes, keepdims=True)", "x.var(axis=axes, keepdims=True, ddof=1)")
no_keepdims = edited(batch_norm_rule, "x.var(axis=axes, keepdims=True)", "x.var(axis=axes)")
no_tuple = edited(batch_norm_rule, "+ eps),)", "+ eps))")


def written_to(g, y, x, eps=1e-5):
    """One of the arrays that the rule is given holds other numbers now. They belong to others: make new
    ones, as g - ... does, and g -= ... does not.
    """
    axes = (0, *range(2, x.ndim))
    of_y = y * (g * y).mean(axis=axes, keepdims=True)
    g -= g.mean(axis=axes, keepdims=True)
    g -= of_y
    return (g / np.sqrt(x.var(axis=axes, keepdims=True) + eps),)


# ---------------------------------------------------------------- tried as well


def by_the_steps(g, y, x, eps=1e-5):
    """The walk through mean, difference, square, mean, root and quotient, one after the other."""
    axes = (0, *range(2, x.ndim))
    count = x.size // x.shape[1]
    centered = x - x.mean(axis=axes, keepdims=True)
    width = np.sqrt((centered * centered).mean(axis=axes, keepdims=True) + eps)
    to_width = (-g * centered / width**2).sum(axis=axes, keepdims=True)
    to_centered = g / width + to_width / (2 * width) * 2 * centered / count
    return (to_centered - to_centered.mean(axis=axes, keepdims=True),)


def by_columns(g, y, x, eps=1e-5):
    moved = [np.moveaxis(one, 1, 0).reshape(one.shape[1], -1) for one in (g, y, x)]
    rows = [(a - a.mean() - b * (a * b).mean()) / (c.var() + eps) ** 0.5 for a, b, c in zip(*moved, strict=True)]
    shape = (x.shape[1], x.shape[0], *x.shape[2:])
    return (np.moveaxis(np.array(rows).reshape(shape), 0, 1),)


def by_minigrad(g, y, x, eps=1e-5):
    leaf = mg.tensor(x, requires_grad=True)
    axes = [0, *range(2, x.ndim)]
    centered = leaf - leaf.mean(axes, keepdim=True)
    out = centered / ((centered**2).mean(axes, keepdim=True) + eps).sqrt()
    return (mg.autograd.grad(out, leaf, mg.tensor(g))[0].numpy(),)


def measured(g, y, x, eps=1e-5):
    slopes = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[place] = 1e-6
        slopes[place] = (g * (normalized(x + moved, eps) - normalized(x - moved, eps))).sum() / 2e-6
    return (slopes,)


def from_y(g, y, x, eps=1e-5):
    """The width from y and x: two numbers of a channel that differ tell it, and where none do it is not known."""
    width = (x.max() - x.min()) / (y.max() - y.min())
    axes = (0, *range(2, x.ndim))
    return ((g - g.mean(axes, keepdims=True) - y * (g * y).mean(axes, keepdims=True)) / width,)


_buffers = {}


def into_buffers(g, y, x, eps=1e-5):
    found = batch_norm_rule(g, y, x, eps)
    kept = _buffers.setdefault(tuple(one.shape for one in found), found)
    for buffer, one in zip(kept, found, strict=True):
        buffer[...] = one
    return kept


_widths = {}


def by_an_earlier_eps(g, y, x, eps=1e-5):
    """The width is kept for the numbers it was computed from, which are not all."""
    return batch_norm_rule(g, y, x, _widths.setdefault(x.tobytes(), eps))


EXERCISE = Exercise(
    title="the gradient of x, where y = batch norm of x, in a tuple",
    stars=3,
    minutes=15,
    reference=batch_norm_rule,
    plug=rule_by_hand("gradient of x"),
    cases=(
        _case([[1.0], [0.0], [0.0]], [[1.0], [2.0], [6.0]]),
        _case([[1.0, -2.0], [0.0, 3.0], [2.0, 0.5]], [[1.0, 4.0], [2.0, -1.0], [6.0, 0.0]]),
        _case([[1.0, 2.0], [0.5, -1.0]], [[1.0, 3.0], [2.0, -1.0]], eps=0.5),
        _case([[1.0, 2.0], [0.5, -1.0]], [[1.0, 3.0], [2.0, -1.0]]),
        _by_default([[1.0], [0.5], [0.0]], [[1.0], [1.01], [0.98]]),
        _of_shape(2, 3, 2, 2),
        _of_shape(3, 2, 4, eps=0.01),
        _of_shape(1, 2, 3),
        _case([[0.0], [0.0]], [[1.0], [3.0]]),
        _of_shape(2, 2, 1, 2, 2),
        _case([[2.0, -1.0, 0.5]], [[1.0, 2.0, 3.0]]),
        _case([[1.0, 2.0], [3.0, -4.0]], [[5.0, 1.0], [5.0, 1001.0]]),
        _case([[1.0], [0.0], [0.0]], [[1e8], [1e8 + 1], [1e8 + 5]]),
        _case([[1e3, np.nan], [1.0, 2.0], [0.0, -1.0]], [[1.0, 3.0], [2.0, -1.0], [0.0, 0.0]]),
    ),
    drawn=_drawn,
    notes={MADE_BY: "The gradient is right, and minigrad has computed it. A rule is what its walk calls: use numpy."},
    hints=(
        "If x[i] grows, y[i] grows by 1 / width. But the mean grows as well, which moves all y of the channel down, "
        "and the width changes, which moves them away from 0 or towards it.",
        "g - mean(g) is what is left when the mean follows. For the width, y is the direction: take y * "
        "mean(g * y) away.",
        "(g - mean(g) - y * mean(g * y)) / np.sqrt(variance + eps), where the means and the variance go over "
        "all axes "
        "but 1, with keepdims=True.",
    ),
    evidence=_evidence,
    mistakes=(
        Mistake(
            constants,
            words="Mean and width were taken for constants, or what goes by them is 0. That is right in eval mode, "
            "where they are the running ones. In training they are made of x, so x moves y on two more ways.",
        ),
        Mistake(
            mean_is_constant,
            edited(batch_norm_rule, "(g - mean(g)", "(g - mean(y)"),
            words="Nothing goes by the mean, as if it were a constant, or as - mean(y), which is 0. It grows with each "
            "x, and moves all y of its channel down: - mean(g).",
        ),
        Mistake(
            width_is_constant,
            edited(batch_norm_rule, "y * mean(g * y)", "y * mean(g) * mean(y)"),
            words="Nothing goes by the width, as if it were a constant, or as with mean(y), which is 0. It grows with "
            "an x far from the mean: - y * mean(g * y).",
        ),
        Mistake(
            from_x,
            from_centered,
            words="x, or x less its mean, stands where y is needed, which is divided by the width: the width "
            "changes along the normalized numbers.",
        ),
        Mistake(
            mean_of_g, words="y was multiplied with the mean of g. How much the width matters is the mean of g * y."
        ),
        Mistake(
            sums,
            sum_of_g,
            sum_of_products,
            words="Sums stand where means are needed: one x of n moves the mean by 1 / n.",
        ),
        Mistake(
            other_signs,
            other_sign_of_mean,
            other_sign_of_width,
            words="A sign is wrong: what goes by the mean and what goes by the width are both taken away from g.",
        ),
        Mistake(
            of_images,
            words="The sums were divided by len(x), the number of images. A channel's mean is over all of its numbers, "
            "the pixels as well: x.size // x.shape[1].",
            near=True,
        ),
        Mistake(
            of_all_numbers,
            words="The sums were divided by the count of all channels' numbers, as x.size is. A channel's mean is over "
            "its own: x.size // x.shape[1].",
            near=True,
        ),
        Mistake(cut_into_columns, near=True),
        Mistake(
            over_rows,
            words="The means went over the images alone. A channel is normalized over all its pixels, too: all axes "
            "but 1.",
        ),
        Mistake(
            over_features,
            words="The means went over all axes but 0, which is a layer norm: each image for itself. What stays in a "
            "batch norm is axis 1, the channels.",
        ),
        Mistake(
            over_all,
            words="The means went over all numbers. Each channel has a mean and a width of its own: all axes but 1.",
        ),
        Mistake(channels_last, words="The last axis was taken for that of the channels. They lie on axis 1."),
        Mistake(times_width, words="It was multiplied with the width. The farther apart the x, the less each moves y."),
        Mistake(over_channels, words="The means went along the channels, axis 1. That axis is the one that stays."),
        Mistake(
            for_images,
            for_two_kinds,
            words="This is right for rows and images. x may have any number of dimensions: (0, *range(2, x.ndim)).",
        ),
        Mistake(no_eps, words="eps is missing. Where all numbers of a channel are equal this is a division by 0."),
        Mistake(eps_fixed, words="eps is 1e-5 here whatever the parameter says."),
        Mistake(
            edited(batch_norm_rule, "eps=1e-5", "eps"),
            edited(batch_norm_rule, "eps=1e-5", "eps=1e-3"),
            words="The engine calls a rule with g, y and x. What it does not give has a default: eps=1e-5, as it was.",
            when=has_another_default(1e-5, given=3),
        ),
        Mistake(eps_outside, words="eps belongs under the root, as it was in the forward: sqrt(variance + eps)."),
        Mistake(no_root, words="It was divided by the variance. The width is its root."),
        Mistake(
            no_division,
            words="The division by the width is missing: numbers that lie far apart are pressed together, and what "
            "arrives at them is, too.",
        ),
        Mistake(
            one_less,
            one_less_always,
            words="The variance was divided by n - 1. A batch norm divides by n; n - 1 is for the running variance "
            "alone.",
        ),
        Mistake(
            no_keepdims,
            words="Two arrays do not fit. Have the means and the variance kept their axes, with keepdims=True?",
            when=raised("could not be broadcast"),
        ),
        Mistake(
            no_tuple,
            edited(batch_norm_rule, "return ((", "return [(", "+ eps),)", "+ eps)]"),
            words="The number of gradients has to be the number of inputs, in a tuple, also where it is one: (..., ).",
        ),
        Mistake(written_to, when=saw(WRITTEN, "changed")),
    ),
    right=(by_the_steps, by_columns),
    wrong={
        "minigrad has computed it": [by_minigrad],
        "None came back": [edited(batch_norm_rule, "return (", "(")],
        "The shape is": [lambda g, y, x, eps=1e-5: batch_norm_rule(g, y, x, eps) if g.any() else (np.zeros(1),)],
        "a later call has changed it": [into_buffers],
        "in the later digits": [measured],
        "first difference": [
            from_y,
            by_an_earlier_eps,
            edited(
                batch_norm_rule,
                *("x.var(axis=axes, keepdims=True)", "np.maximum(mean(x * x) - mean(x) ** 2, 0)"),
            ),
            edited(batch_norm_rule, "(g - mean", "(g.clip(-100, 100) - mean"),
            lambda g, y, x, eps=1e-5: batch_norm_rule(g, y, x, eps) if len(x) > 1 else (np.zeros_like(x),),
            lambda g, y, x, eps=1e-5: (np.nan_to_num(batch_norm_rule(g, y, x, eps)[0]),),
        ],
        "This is right for rows and images": [
            edited(batch_norm_rule, "(0, *range(2, x.ndim))", "(0, *range(2, min(x.ndim, 4)))")
        ],
    },
)
