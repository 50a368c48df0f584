"""Exercise `safe_norm`: lengths of rows that may be differentiated twice, of zeros too."""

import functools

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, edited, flip, pick

from .chapter10 import (
    case_of,
    compare_derived,
    derived,
    draw_derived,
    has_nan,
    has_number_for_nan,
    measured_where,
    no_way_back,
    show_derived,
    small_for_zero,
    small_ones_are_wrong,
)

NAN, INF = float("nan"), float("inf")


def safe_norm(x):
    """The length of each row; 0 with derivatives 0 for a row of zeros."""
    squares = (x * x).sum(-1)
    empty = squares == 0
    return squares.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)


def _drawn(random):
    """Rows of all sizes, some of zeros, and single zeros among other numbers."""
    for shape in [(3, 2), [(1, 4), (4, 1)][random.integers(2)]]:
        rows = np.round(random.normal(0, 1.5, shape), 1) * random.choice([1.0, 0.01, 100.0])
        rows *= random.random((shape[0], 1)) < 0.6
        rows *= random.random(shape) < 0.8
        yield case_of((rows + 0.0).tolist(), pick(random, [mg.float32, mg.float64]), flip(random))


def _measured(outcome):
    (x,) = outcome.case.make()
    return measured_where(safe_norm, x.detach(), lambda rows, place: 1e-3 < np.abs(rows[place[0]]).max() < INF)


def _nan_at_first(outcome):
    """Whether the gradient is nan in rows of zeros, and in no other one."""
    (x,) = outcome.case.make()
    return has_nan(outcome) and not (outcome.value.first.isnan().any(-1) & (x != 0).any(-1)).any()


def _short_ones_are_zero(outcome):
    """Whether only short rows are wrong, and have got 0."""
    if not small_ones_are_wrong(outcome):
        return False
    mine, wanted = outcome.value.numbers, outcome.right.numbers
    return (mine[(mine - wanted).abs() > 1e-3 * wanted] == 0).all().item()


def _nan_at_second(outcome):
    return has_nan(outcome, "second") and not has_nan(outcome)


# ---------------------------------------------------------------- wrong answers


def plain_formula(x):
    """There is a nan in the gradient of a row of zeros. The slope of a root of 0 is infinite, and the squares multiply
    it by 2 · 0, or a choice after the root by 0. What reaches a root, or divides, has to be above 0 already.
    """
    return (x * x).sum(-1).sqrt()


def chosen_afterwards(x):
    lengths = (x**2).sum(-1).sqrt()
    return lengths.masked_fill(lengths == 0, 0.0)


def placeholder_left(x):
    """The harmless number has got into the result: a row of zeros has length 0. Put that there, after the root."""
    squares = (x * x).sum(-1)
    return squares.masked_fill(squares == 0, 1.0).sqrt()


def of_columns(x):
    """These are the lengths of the columns. A row runs along the last dimension: sum(-1)."""
    return safe_norm(x.t())


def added_sizes(x):
    """This adds the sizes of the elements. A length is the root of the sum of their squares."""
    return x.abs().sum(-1)


def without_root(x):
    """The root is missing: this is the square of each length."""
    return (x * x).sum(-1)


def with_epsilon(x):
    """A small number was added under the root, so a row of zeros has a length that is not exactly 0, and short rows are
    too long.
    """
    return ((x * x).sum(-1) + 1e-12).sqrt()


def through_float32(x):
    """The result went through float32, which has half of the digits of float64. Compute in the dtype of x."""
    return safe_norm(x.float()).to(x.dtype)


def zeros_one_by_one(x):
    zero = x == 0
    return safe_norm(x.masked_fill(zero, 1.0)).masked_fill(zero.all(-1), 0.0)


def norm_where_above_zero(x):
    squares = (x * x).sum(-1)
    return mg.where(squares > 0, mg.where(squares > 0, squares, mg.ones_like(squares)).sqrt(), mg.zeros_like(squares))


# ---------------------------------------------------------------- tried as well


def norm_scaled_by_all(x):
    largest = x.detach().abs().max()
    return safe_norm(x / largest.masked_fill(largest == 0, 1.0)) * largest.masked_fill(largest == 0, 1.0)


def norm_scaled_by_rows(x):
    largest = x.detach().abs().amax(-1, keepdim=True)
    largest = largest.masked_fill(largest == 0, 1.0)
    return safe_norm(x / largest) * largest.squeeze(-1)


def norm_divided(x):
    """The right length, divided by itself on the way."""
    length = x.norm(dim=-1)
    return (x * x).sum(-1) / length.masked_fill(length == 0, 1.0)


def norm_whose_second_derivative_is_left_out(x):
    length = x.norm(dim=-1).detach()
    unit = x / length.masked_fill(length == 0, 1.0).unsqueeze(-1)
    return (x * unit.detach()).sum(-1)


def norm_with_one_choice(x):
    """The 0 under the root is replaced by 0, and the choice has the last word on the way back."""
    squares = (x * x).sum(-1)
    return squares.masked_fill(squares == 0, 0.0).sqrt()


def norm_of_filled_rows(x):
    empty = (x == 0).all(-1)
    return x.masked_fill(empty.unsqueeze(-1), 1.0).norm(dim=-1).masked_fill(empty, 0.0)


def norm_with_a_hook(x):
    """Right, where there is a gradient."""
    squares = (x * x).sum(-1)
    squares.register_hook(lambda g: g.masked_fill(squares.detach() == 0, 0.0))
    return squares.sqrt()


EXERCISE = Exercise(
    title="the length of each row of x; derivatives 0 for a row of zeros, first and second",
    stars=2,
    minutes=8,
    reference=safe_norm,
    cases=(
        case_of([[3.0, 4.0], [0.0, 0.0]]),
        case_of([[0.0, -2.0, 0.0], [1.0, 2.0, -2.0]]),
        case_of([[0.0]]),
        case_of([[-1.7], [0.0], [0.028]], mg.float64),  # second derivatives of 0, but for rounding
        case_of([[3e-10, -4e-10], [0.0, 0.0]]),
        case_of([[3e-40, -4e-40], [0.0, 0.0]], mg.float64),
        case_of([[0.5, 1.2], [0.0, 0.0], [-8.0, 6.0]], mg.float64),
        case_of([[0.0, 0.0], [6.0, -8.0]], result=True),
        case_of([[NAN, 1.0], [0.0, 0.0]]),
        case_of([[3.0, -4.0], [0.0, 0.0]], mg.float16),
        case_of([[1.7, 0.3]], mg.float64),
        case_of([[INF, 1.0], [3.0, -4.0]]),
        case_of([[2.0, -2.0], [0.0, 0.0], [0.5, 1.2]], turned=True),
        case_of([[3.0, 4.0], [0.0, 0.0]], plain=True),
    ),
    drawn=_drawn,
    hints=(
        "What is the number under the root for a row of zeros, and which number could stand there instead?",
        "Choose twice, as in safe_sqrt: put 1 under the root where the sum of squares is 0, and 0 into the result.",
        "squares = (x * x).sum(-1); empty = squares == 0; masked_fill(empty, 1.0), the root, masked_fill(empty, 0.0).",
    ),
    observe=functools.partial(derived, of_rows=True),
    compare=compare_derived,
    show=show_derived,
    evidence=_measured,
    picture=draw_derived,
    mistakes=(
        Mistake(
            norm_where_above_zero,
            words="The length of a row with a nan has become a number. Every comparison with nan but != is False: "
            "where `> 0` is asked of the sum of squares it counts as a row of zeros, and where `== 0` is asked it goes "
            "through, if nothing else takes it out.",
            when=has_number_for_nan,
        ),
        Mistake(plain_formula, chosen_afterwards, when=_nan_at_first),
        Mistake(
            edited(plain_formula, "(x * x).sum(-1).sqrt()", "x.norm(dim=-1)"),
            words="There is a nan in the second derivative only: norm(), for one, gives 0 at a row of zeros by "
            "agreement, which covers the first derivative. Compute the squares yourself, and put a harmless number "
            "before the root.",
            when=_nan_at_second,
        ),
        with_epsilon,
        Mistake(
            edited(plain_formula, "sqrt", "clamp(min=1e-12).sqrt"),
            words="A row of zeros got the root of a small bound, and not exactly 0; and short rows are cut off there. "
            "Put 0 into the result, after the root.",
        ),
        Mistake(
            edited(plain_formula, "x * x", "x.masked_fill(x == 0, 1e-3) ** 2"),
            zeros_one_by_one,
            lambda x: (x.masked_fill(x == 0, 1.0) ** 2).sum(-1).sqrt(),
            words="The zeros in x were replaced one by one, so rows that have other elements as well became longer. "
            "It is the sum of squares that must not be 0.",
        ),
        Mistake(
            lambda x: ((x * x).sum(-1) + 1e-8).sqrt(),
            lambda x: (x * x).sum(-1).clamp(min=1e-24).sqrt(),
            words="A row of zeros has got a small number, as the root of one that was added or is a bound. Its length "
            "is exactly 0: put that into the result, after the root.",
            when=small_for_zero(safe_norm),
        ),
        through_float32,
        Mistake(
            edited(safe_norm, "squares == 0", "squares < 1e-12"),
            words="A short row has got the length 0, as where it counts as a row of zeros, or its squares became 0. "
            "Ask for == 0, in the dtype of x.",
            when=_short_ones_are_zero,
        ),
        Mistake(placeholder_left, lambda x: x.masked_fill((x == 0).all(-1, keepdim=True), 1.0).norm(dim=-1)),
        Mistake(
            edited(safe_norm, "sum(-1)", "sum()"),
            words="This is one length, of all rows together. Each row has its own: sum(-1).",
        ),
        Mistake(
            edited(safe_norm, "squares == 0", "x.sum(-1) == 0"),
            words="A row whose numbers add up to 0, such as [2, -2], is not a row of zeros. It is the sum of the "
            "squares that is 0 only there.",
            near=True,
        ),
        of_columns,
        added_sizes,
        without_root,
        Mistake(
            edited(safe_norm, "sum(-1)", "mean(-1)"),
            words="This is the root of the mean of the squares. A length is the root of their sum.",
        ),
        Mistake(
            edited(plain_formula, "(x * x).sum(-1).sqrt()", "safe_norm(x.detach())"),
            words="The numbers are right, but they have no graph: detach(), .data, numpy() and no_grad() cut it off, "
            "and new zeros have none, also where all rows are zero.",
            when=no_way_back,
        ),
    ),
    right=(
        norm_with_one_choice,
        lambda x: mg.relu((x**2).sum(dim=1)).sqrt(),
        lambda x: mg.stack([(row * row).sum().sqrt() if row.any() else 0 * row.sum() for row in x]),
        norm_of_filled_rows,
    ),
    wrong={
        "the numbers[0]: yours 0, expected nan … The length of a row with a nan has become a number": [
            lambda x: norm_where_above_zero(x)
        ],
        "the numbers[1]: yours nan, expected 0 … None of the mistakes": [norm_scaled_by_all],
        "the numbers[0]: yours nan, expected inf": [norm_scaled_by_rows],
        "the numbers[0]: yours 0, expected 5 … None of the mistakes": [lambda x: mg.zeros(len(x), dtype=x.dtype)],
        "There is a nan in the gradient": [
            lambda x: mg.where((x == 0).all(-1), mg.zeros(len(x), dtype=x.dtype), (x * x).sum(-1).sqrt())
        ],
        "There is a nan in the second derivative only": [norm_divided],
        "The gradient, differentiated once more, is not": [norm_whose_second_derivative_is_left_out],
        "in the later digits … The result went through float32": [
            lambda x: x.float().square().sum(-1).relu().sqrt().to(x.dtype)
        ],
        "yours 0, expected 5e-10 … A short row has got the length 0": [
            edited(safe_norm, "squares == 0", "squares < 1e-15")
        ],
        "yours 0, expected 5e-40 … A short row has got the length 0": [
            edited(safe_norm, "squares == 0", "squares <= 1e-60")
        ],
        "yours 1e-06, expected 0 … A row of zeros has got a small": [
            edited(safe_norm, "(empty, 0.0)", "(empty, 1e-6)")
        ],
        "A row of zeros has got a small number": [lambda x: x.square().sum(-1).clamp(min=1e-20).sqrt()],
        "they have no graph": [lambda x: mg.stack([row.norm() if row.any() else mg.zeros(()) for row in x])],
        "the numbers[0]: yours 0, expected 2.82843 … A row whose numbers add up to 0": [
            lambda x: safe_norm(x).masked_fill(x.sum(-1) == 0, 0.0)
        ],
        "The harmless number has got into the result": [
            lambda x: x.masked_fill((x == 0).all(-1, keepdim=True), 1.0).norm(dim=-1)
        ],
        "cannot register a hook": [norm_with_a_hook],
        "The shape is [2, 1]; it should be [2]": [edited(safe_norm, "sum(-1)", "sum(-1, keepdim=True)")],
    },
)
