"""Exercise `mended_loss`: minus the log of a softmax, for scores of any size."""

import functools

import numpy as np

import minigrad as mg
import minigrad.nn.functional as F
from minigrad.teach import Exercise, Mistake, cases, edited, flip, pick

from .chapter10 import (
    ABSOLUTE,
    compare_derived,
    derived,
    draw_derived,
    has_nan,
    measured_where,
    no_way_back,
    show_derived,
)

INF = float("inf")


def mended_loss(scores, labels):
    """The mean over the rows of minus the log of the probability of the row's label."""
    rows = mg.arange(len(labels))
    return -scores.log_softmax(-1)[rows, labels].mean()


@cases("scores = {scores}, labels = {labels}", dtype=", in {dtype.name}")
def _case(scores, labels, dtype=mg.float32, result=False):
    given = mg.tensor(scores, dtype=dtype, requires_grad=True)
    return given * 1 if result else given, mg.tensor(labels)


def _drawn(random):
    """Scores of all sizes, in rows that are far from each other; sometimes a class is excluded by -inf."""
    for rows, classes in [(3, 3), pick(random, [(1, 2), (2, 4)])]:
        scores = np.round(random.normal(0, 1, (rows, classes)) * random.choice([1.0, 30.0, 3000.0]), 1)
        scores = scores + random.choice([0.0, -500.0, 900.0], (rows, 1)) + 0.0
        labels = random.integers(0, classes, rows)
        if random.integers(2):
            scores[0, (labels[0] + 1) % classes] = -INF
        yield _case(scores.tolist(), labels.tolist(), pick(random, [mg.float32, mg.float64]), flip(random))


def _measured(outcome):
    scores, labels = outcome.case.make()
    if not scores.isfinite().all() or scores.abs().max().item() > 50:
        return ""
    return measured_where(lambda moved: mended_loss(moved, labels), scores.detach(), lambda *_: True, "scores")


def _is_bounded(outcome):
    """For `when`: whether rows to which nothing goes back have minus the log of a small number for their loss."""
    scores, labels = outcome.case.make()
    right, mine = derived(mended_loss(scores, labels), (scores, labels)), outcome.value
    if not isinstance(getattr(mine, "first", None), mg.Tensor) or mine.numbers.shape != right.numbers.shape:
        return False
    still = (mine.first == 0).all(-1) & (right.first != 0).any(-1)
    others = F.cross_entropy(scores.detach(), labels, reduction="none").masked_fill(still, 0.0).sum()
    bound = (mine.numbers * len(labels) - others) / still.sum()
    return (mine.numbers < right.numbers).item() and (bound > 6).item()  # no more than 1 / 400 was added


def _is_limited(outcome):
    """For `when`: whether nothing goes back to some large scores, and to the others of their rows what should."""
    scores, labels = outcome.case.make()
    right, mine = derived(mended_loss(scores, labels), (scores, labels)).first, getattr(outcome.value, "first", None)
    if not isinstance(mine, mg.Tensor):
        return False
    still = (mine == 0) & (right != 0)
    others = mine.masked_fill(still, 0.0) - right.masked_fill(still, 0.0)
    is_large = (scores.detach().abs() > 20).masked_fill(~still, True).all().item()
    return still.any().item() and is_large and not still.all(-1).any().item() and (others.abs() < ABSOLUTE).all().item()


def _is_not_finite(outcome):
    """For `when`: whether a number came that is infinite or nan, in the place of one that is not."""
    mine, right = (getattr(one, "numbers", None) for one in (outcome.value, outcome.right))
    return (
        mine is not None and mine.shape == right.shape and not mine.isfinite().all() and right.isfinite().all().item()
    )


def _rows(labels):
    return mg.arange(len(labels))


def _probabilities(scores, labels):
    return scores.softmax(-1)[_rows(labels), labels]


# ---------------------------------------------------------------- wrong answers


def as_it_was(scores, labels):
    """This is the log of a softmax still. A probability that is too small for a float is 0, its log is -inf, and the
    gradient 0 · inf. The log has to be taken by a formula, before anything can become 0: log_softmax, or scores minus
    logsumexp.
    """
    return -_probabilities(scores, labels).log().mean()


def shifted_first(scores, labels):
    """The largest score of each row was taken off first, which keeps exp() from overflowing; softmax does that itself.
    The probability still becomes 0 before its log is taken. Use log_softmax, or scores minus logsumexp.
    """
    return as_it_was(scores - scores.max(-1, keepdim=True).values, labels)


def all_columns_of_the_labels(scores, labels):
    """[:, labels] takes the columns of all labels from every row. One number a row is asked for: [rows, labels]."""
    return -scores.log_softmax(-1)[:, labels].mean()


def scores_for_logs(scores, labels):
    """The scores were taken for logs of probabilities, as nll_loss takes them: log_softmax is missing. cross_entropy is
    both.
    """
    return -scores[_rows(labels), labels].mean()


def largest_of_all(scores, labels):
    """One number was taken off all rows: the largest of all. A row that is far below it has only zeros after exp(), and
    the log of their sum is -inf. Each row has its own largest score: max(-1, keepdim=True).
    """
    shifted = scores - scores.max()
    logs = shifted - shifted.exp().sum(-1, keepdim=True).log()
    return -logs[_rows(labels), labels].mean()


def largest_of_all_put_back(scores, labels):
    """The same, and the number that was taken off comes back to the log of the sum."""
    top = scores.max().detach()
    return ((scores - top).exp().sum(-1).log() + top - scores[_rows(labels), labels]).mean()


def exp_by_hand(scores, labels):
    """exp() of a score above 88 is infinite in float32 (above 709 in float64), and of very low ones 0. Take the largest
    score of each row off first, or use logsumexp, which does.
    """
    logs = scores - scores.exp().sum(-1, keepdim=True).log()
    return -logs[_rows(labels), labels].mean()


def by_a_product(scores, labels):
    """The label was picked by a product with zeros and a one. Where a class is excluded its log is -inf, and 0 · inf is
    nan. Pick by an index: logs[rows, labels], or gather.
    """
    picked = mg.arange(scores.shape[-1]) == labels.unsqueeze(-1)
    return -(scores.log_softmax(-1) * picked).sum(-1).mean()


def summed(scores, labels):
    """This is the sum over the rows. Asked for is their mean."""
    return mended_loss(scores, labels) * len(labels)


def without_minus(scores, labels):
    """The minus is missing: the log of a probability is below 0, and a loss is not."""
    return -mended_loss(scores, labels)


def over_rows(scores, labels):
    """The softmax runs along the wrong dimension: the probabilities of each row's classes add up to 1, dim=-1."""
    return -scores.log_softmax(0)[_rows(labels), labels].mean()


def mean_of_all(scores, labels):
    """The labels were not used: this is a mean over all classes."""
    return -scores.log_softmax(-1).mean()


def twice(scores, labels):
    """cross_entropy takes the scores themselves. Here they had been through a softmax before, so they lie between 0 and
    1, and the loss hardly depends on them.
    """
    return F.cross_entropy(scores.softmax(-1), labels)


def chosen_afterwards(scores, labels):
    chances = _probabilities(scores, labels)
    return -mg.where(chances > 0, chances.log(), scores.log_softmax(-1)[_rows(labels), labels]).mean()


def cut_off(scores, labels):
    """The number is right, but no graph leads to scores: item(), detach(), numpy() and no_grad() cut it off."""
    return mended_loss(scores, labels).detach()


def of_the_surest(scores, labels):
    """Here this is the loss of the class with the largest score in each row, and not of the label. That falls as the
    network gets surer, right or wrong.
    """
    return mended_loss(scores, scores.argmax(-1))


def without_the_worst(scores, labels):
    """Where the probability became 0 the row was left out, or counted as if it were 1. Those are the rows that are most
    wrong. By log_softmax none becomes 0 before its log is taken.
    """
    right = _probabilities(scores, labels)
    return -mg.where(right > 0, right, mg.ones_like(right)).log().mean()


def with_epsilon(scores, labels):
    """A small number was added to the probability, or put in its place, or the loss was cut off. Then a very wrong
    row has a bounded loss, and a gradient of 0: it would not be learned from, and these are the rows that matter.
    """
    return -(_probabilities(scores, labels) + 1e-8).log().mean()


# ---------------------------------------------------------------- tried as well


def loss_of_the_largest(scores, labels):
    """For scores that are far apart the log of the sum is nearly the largest of them."""
    return (scores.max(-1).values - scores[_rows(labels), labels]).mean()


def loss_with_a_logit(scores, labels):
    """Of two classes only."""
    rows = _rows(labels)
    other = scores[rows, (labels + 1) % scores.shape[-1]]
    return F.softplus(other - scores[rows, labels]).mean()


def loss_by_one_hot(scores, labels):
    return -(F.one_hot(labels, scores.shape[-1]) * scores.log_softmax(-1)).sum() / len(labels)


def loss_without_infinite_ones(scores, labels):
    """The shift is right, and is taken from what is left after -inf was made large."""
    finite = scores.masked_fill(scores.isinf(), 0.0)
    return -finite.log_softmax(-1)[_rows(labels), labels].mean()


def loss_of_the_first_row(scores, labels):
    """Nothing goes back to the other rows, though no probability has a bound."""
    return F.cross_entropy(scores[:1], labels[:1])


def loss_of_digits(scores, labels):
    loss = mended_loss(scores, labels)
    return loss + (loss.detach().float().to(loss.dtype) - loss.detach())


def loss_of_detached_scores(scores, labels):
    return -(scores - scores.detach().logsumexp(-1, keepdim=True))[_rows(labels), labels].mean()


def loss_by_logsumexp(scores, labels):
    return (scores.logsumexp(-1) - scores.gather(-1, labels.unsqueeze(-1)).squeeze(-1)).mean()


def loss_shifted_by_hand(scores, labels):
    shifted = scores - scores.max(-1, keepdim=True).values.detach()
    return (shifted.exp().sum(-1).log() - shifted[_rows(labels), labels]).sum() / len(labels)


EXERCISE = Exercise(
    title="the mean of -log of each row's probability of its label, for scores of any size",
    stars=2,
    minutes=8,
    reference=mended_loss,
    cases=(
        _case([[2.0, 0.5], [0.0, 1.0]], [0, 0]),
        _case([[200.0, 0.0], [1.0, 3.0]], [1, 1]),
        _case([[900.0, 0.0, 5.0], [-500.0, -501.0, -503.0]], [1, 2]),
        _case([[1.0, 2.0, -INF], [0.5, 0.0, 1.0]], [0, 2]),
        _case([[4000.0, 0.0]], [1], mg.float64),
        _case([[-2e9, -2e9 - 1, -INF]], [1], mg.float64),
        _case([[20000.0, 20001.0, -INF]], [0], mg.float64),
        _case([[-300.0, 100.0]], [0], result=True),
        _case([[3.0, 1.0]], [0], mg.float16),
    ),
    drawn=_drawn,
    hints=(
        "log(exp(a) / (exp(a) + exp(b))) is a - log(exp(a) + exp(b)). Which part can become 0 or infinite, and which "
        "functions compute that part as a whole?",
        "scores.log_softmax(-1) holds the logs of the probabilities, computed without the probabilities.",
        "Pick with rows = mg.arange(len(labels)): -scores.log_softmax(-1)[rows, labels].mean().",
    ),
    observe=derived,
    compare=functools.partial(compare_derived, small_ones_count=False),
    show=show_derived,
    evidence=_measured,
    picture=functools.partial(draw_derived, name="scores"),
    mistakes=(
        as_it_was,
        shifted_first,
        Mistake(
            edited(summed, ", labels) * len(", ".masked_fill(scores == -INF, -1e9), "),
            lambda scores, labels: mended_loss(scores.masked_fill(scores == -INF, -1e4), labels),
            lambda scores, labels: mended_loss(scores.clamp(min=-1e9), labels),
            words="A large number has taken the place of -inf. Scores may be lower than that, and then the class that "
            "is excluded is the likeliest of all. log_softmax takes -inf as it is.",
        ),
        Mistake(
            with_epsilon,
            lambda scores, labels: -_probabilities(scores, labels).clamp(min=1e-12).log().mean(),
            when=_is_bounded,
        ),
        Mistake(
            edited(summed, ", labels) * len(", ".clamp(-50, 50), "),
            lambda scores, labels: as_it_was(scores.clamp(-50, 50), labels),
            lambda scores, labels: mended_loss(scores.clamp(-80, 80), labels),
            lambda scores, labels: mended_loss(scores.clamp(max=1e4), labels),
            when=_is_limited,
            words="The scores were limited: beyond the limit the loss is another one, and such a score gets no "
            "gradient. By log_softmax scores of any size can stay as they are.",
        ),
        all_columns_of_the_labels,
        scores_for_logs,
        Mistake(largest_of_all, largest_of_all_put_back),
        exp_by_hand,
        by_a_product,
        summed,
        without_minus,
        over_rows,
        mean_of_all,
        twice,
        Mistake(without_the_worst, near=True),
        Mistake(of_the_surest, near=True),
        Mistake(cut_off, when=no_way_back),
        Mistake(
            lambda scores, labels: F.cross_entropy(scores.float(), labels).to(scores.dtype),
            words="The scores went through float32, where large ones that differ by 1 become equal. Compute in the "
            "dtype of the scores.",
        ),
        Mistake(
            lambda scores, labels: -scores.softmax(-1).log()[_rows(labels), labels].mean(),
            words="The loss is not finite, and a finite one is expected: as where exp() becomes infinite, or a log is "
            "taken of 0, a probability or a sum of exp(), or 0 is multiplied with an infinite number. Use a formula "
            "that never makes it: log_softmax.",
            when=_is_not_finite,
        ),
        Mistake(
            chosen_afterwards,
            words="There is a nan in the gradient: somewhere a number became 0 or infinite, and was then divided by or "
            "multiplied with 0. Use a formula that never makes it: log_softmax.",
            when=has_nan,
        ),
    ),
    right=(
        lambda scores, labels: F.cross_entropy(scores, labels),
        lambda scores, labels: F.nll_loss(F.log_softmax(scores, dim=1), labels),
        lambda scores, labels: -scores.log_softmax(1).gather(1, labels.view(-1, 1)).mean(),
        loss_by_logsumexp,
        loss_shifted_by_hand,
    ),
    wrong={
        "first difference": [
            loss_of_the_largest,
            loss_with_a_logit,
            loss_without_infinite_ones,
        ],
        "The label was picked by a product": [loss_by_one_hot],
        "A large number has taken the place of -inf": [
            lambda scores, labels: F.cross_entropy(scores.masked_fill(scores.isinf(), -1e9), labels)
        ],
        "None of the mistakes that are known here": [
            loss_of_the_first_row,
            lambda scores, labels: mended_loss(scores.detach(), 1 - labels),
        ],
        "Here this is the loss of the class with the largest": [
            lambda scores, labels: mended_loss(scores, _rows(labels))
        ],
        "in the later digits": [
            lambda scores, labels: mended_loss(scores, labels) * 1.00005,
            loss_of_digits,
        ],
        "a very wrong row has a bounded loss": [
            lambda scores, labels: -(scores.softmax(-1) + 1e-12).log()[_rows(labels), labels].mean()
        ],
        "the gradient[0, 0]": [loss_of_detached_scores],
        "in another dtype than they came in": [lambda scores, labels: F.cross_entropy(scores.float(), labels)],
        "The scores were limited": [
            lambda scores, labels: -scores.clamp(-50, 50).softmax(-1).log()[_rows(labels), labels].mean(),
            lambda scores, labels: F.cross_entropy(scores.clamp(-70, 70), labels),
            lambda scores, labels: F.cross_entropy(scores.clamp(max=1e4), labels),
        ],
        "takes the columns of all labels from every row": [
            lambda scores, labels: -scores.log_softmax(-1)[:, labels].mean()
        ],
        "The scores were taken for logs of probabilities": [
            lambda scores, labels: mg.nn.functional.nll_loss(scores, labels)
        ],
        "The shape is [2]; it should be []": [lambda scores, labels: F.cross_entropy(scores, labels, reduction="none")],
    },
)
