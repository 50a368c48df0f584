"""Exercise `masked_weights`: weights of attention where not every place may be seen, or none."""

import numpy as np

import minigrad as mg
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    draw_numbers,
    edited,
    gradients_of,
    observer,
    pick,
    raised,
    right_but,
    saw,
)

from .chapter16 import masked_weights

SENT, EXACTLY = "the gradient of scores", "the weights of what is not allowed"
DTYPE, AFTER = "the dtype of the weights", "scores afterwards, where an operation made them"
INF, NAN = float("inf"), float("nan")


@observer
def _with_gradient(answer, scores, allowed):
    """What came back, and what it sends to the scores if its elements count 1, 3, 5 ..."""
    mask = allowed.clone()
    weights = answer(scores, allowed)
    leaks = False  # of less than the comparison of numbers sees
    if isinstance(weights, mg.Tensor) and weights.shape == scores.shape:
        hidden = weights.detach().masked_fill(mask, 0.0).abs()
        leaks = ((hidden > 0) & (hidden < 1e-4)).any().item()
    counts = mg.arange(1, 2 * scores.numel(), 2, dtype=scores.dtype).reshape(scores.shape)
    exactly = {EXACTLY: "not 0" if leaks else "0"}
    sent = gradients_of(weights, {"scores": scores}, counts)
    result = scores * 1.0  # as query @ key.mT is: no leaf, so writing to it raises no error
    before = result._version
    answer(result, mask)
    kind = {DTYPE: str(getattr(weights, "dtype", None)).removeprefix("minigrad.")}
    after = {AFTER: "as they were" if result._version == before else "written to"}
    return {"the answer": weights, **kind, **exactly, **sent, **after}


@cases("scores = {scores}, allowed = {allowed}", dtype=", in {dtype}")
def _case(scores, allowed, dtype="float32"):
    return mg.tensor(scores, dtype=getattr(mg, dtype), requires_grad=True), mg.tensor(allowed, dtype=mg.bool)


def _drawn(random):
    """Of two to four dimensions, with one mask for each matrix of scores or one for all of them."""
    for shape, masks in (((2, 3), (2, 3)), ((2, 3, 3), (3, 3)), ((2, 1, 2, 3), (2, 1, 2, 3))):
        allowed = random.random(masks) < 0.6
        yield _case(draw_numbers(random, shape), allowed.tolist(), pick(random, ["float32", "float64"]))


def _is_nan(mine, right):
    return isinstance(mine, mg.Tensor) and mine.shape == right.shape and mine.isnan().any().item()


def _are_lower_than_filled(outcome):
    """Whether nothing is left of scores that are very low, beside one that is not allowed."""
    is_nothing = saw("the answer", lambda mine, right: mine.shape == right.shape and not mine.any().item())
    return outcome.arguments[0].min().item() < -1e9 and is_nothing(outcome)


def _only_empty_rows_are_nan(mine, right):
    """Whether nan are all weights of the rows in which nothing is allowed, and no others."""
    if not isinstance(mine, mg.Tensor) or mine.shape != right.shape:
        return False
    empty = (right == 0).all(-1, keepdim=True)
    return empty.any().item() and mine.isnan().equal(empty.expand(mine.shape))


def _vanished(outcome):
    """Whether rows came out as 0 whose scores are hundreds below another one, which is not allowed or not theirs."""
    mine, right, scores = outcome.seen.get("the answer"), outcome.right["the answer"], outcome.arguments[0].detach()
    if not isinstance(mine, mg.Tensor) or mine.shape != right.shape:
        return False
    lost = (mine == 0).all(-1) & (right > 0).any(-1)
    theirs = scores.masked_fill(~outcome.arguments[1], -mg.inf).amax(-1)
    return lost.any().item() and (theirs[lost] < scores.max() - 80).all().item()


def _took_a_hidden_nan(outcome):
    """Whether nan came out for what may be seen, beside scores that are nan and not allowed."""
    hidden = outcome.arguments[0].masked_fill(outcome.arguments[1], 0.0).isnan().any().item()
    return hidden and saw(
        "the answer", lambda mine, right: _is_nan(mine, right) and mine[right > 0].isnan().any().item()
    )(outcome)


def _even_rows(mine, right):
    """Whether rows that are to be all 0 are all alike, and above 0."""
    if not isinstance(mine, mg.Tensor) or mine.shape != right.shape or not mine.numel():
        return False
    empty = (right == 0).all(-1)
    rows = mine.detach().numpy()[empty.numpy()]
    return bool(rows.size) and bool((rows > 0).all()) and np.allclose(rows, 1 / rows.shape[-1])


# ---------------------------------------------------------------- wrong answers


def only_minus_inf(scores, allowed):
    """A row in which nothing is allowed is nan: all its scores are -inf, and softmax computes -inf - -inf. Its weights
    are 0: fill once more, after the softmax.
    """
    return scores.masked_fill(~allowed, -mg.inf).softmax(-1)


def large_negative(scores, allowed):
    """In a row in which nothing is allowed all scores became the same large negative number, and softmax subtracts the
    largest: equal weights for what nobody may see. And a score may be as low itself. Use -inf, and treat such rows
    apart.
    """
    return scores.masked_fill(~allowed, -1e9).softmax(-1)


def equal_where_empty(scores, allowed):
    """A row in which nothing is allowed has equal weights, for places that it must not see. Its weights are 0: fill
    once more, after the softmax.
    """
    nothing = ~allowed.any(-1, keepdim=True)
    return scores.masked_fill(~allowed, -mg.inf).masked_fill(nothing, 0.0).softmax(-1)


def multiplied(scores, allowed):
    """The weights of a row do not sum to 1: those that are not allowed were taken away after the softmax, which had
    given them their share. Take their scores away before it.
    """
    return scores.softmax(-1) * allowed


def shared_out_again(scores, allowed):
    """Scores that are not allowed took part in the softmax, if only as the largest, which it subtracts. If such a score
    is nan or far above the others, nothing is left to be shared out. Take scores away before the softmax.
    """
    kept = scores.softmax(-1) * allowed
    return kept / kept.sum(-1, keepdim=True).clamp(min=1e-30)


def by_exp(scores, allowed):
    """exp was taken of the scores as they are: of 200 it is inf in float32. softmax subtracts the largest of a row
    first.
    """
    powers = scores.masked_fill(~allowed, -mg.inf).exp()
    whole = powers.sum(-1, keepdim=True)
    return powers / whole.masked_fill(whole == 0, 1.0)


def below_the_largest(scores, allowed):
    """Of a row that may see something nothing is left: before exp, if only in softmax, a number was subtracted that is
    hundreds above its scores. The largest of those that are allowed is the one to subtract, in each row by itself.
    """
    powers = (scores - scores.amax(-1, keepdim=True)).exp().masked_fill(~allowed, 0.0)
    whole = powers.sum(-1, keepdim=True)
    return powers / whole.masked_fill(whole == 0, 1.0)


def shared_out_after_all(scores, allowed):
    kept = scores.masked_fill(scores.isnan(), 0.0).softmax(-1).masked_fill(~allowed, 0.0)
    whole = kept.sum(-1, keepdim=True)
    return kept / whole.masked_fill(whole == 0, 1.0)


def added(scores, allowed):
    """The weights are right, and there is nan in the gradient: in a row in which nothing is allowed softmax, or a
    division by 0, sends nan back. masked_fill and where stop that if they stand in front of it, since they send 0 to
    what they have replaced; a sum with -inf hands it on, and 0 times nan is nan.
    """
    mask = mg.zeros(allowed.shape, dtype=scores.dtype).masked_fill(~allowed, -mg.inf)
    return (scores + mask).softmax(-1).masked_fill(~allowed, 0.0)


def added_and_harmless(scores, allowed):
    """A score that is nan or inf, and not allowed, went into a sum, a product or a softmax: times 0 it is nan, and what
    stands beside it becomes nan. masked_fill and where do not look at what they replace.
    """
    nothing = ~allowed.any(-1, keepdim=True)
    mask = mg.zeros(allowed.shape, dtype=scores.dtype).masked_fill(~allowed, -mg.inf).masked_fill(nothing, 0.0)
    return (scores + mask).softmax(-1).masked_fill(nothing, 0.0)


def lowest_of_all(scores, allowed):
    """Nothing is left of scores that are allowed and very low, as where a number was filled in for what is not allowed:
    then that number is the largest of the row, and softmax gives all to it. -inf is below every number.
    """
    return scores.masked_fill(~allowed, -1e9).softmax(-1).masked_fill(~allowed, 0.0)


def cut_off(scores, allowed):
    """The weights are right, but no gradient goes back to the scores: detach(), .data, numpy() and no_grad() cut the
    graph, and a query never learns what to look for.
    """
    return masked_weights(scores.detach(), allowed)


# ---------------------------------------------------------------- tried as well


def masked_by_where(scores, allowed):
    filled = mg.where(allowed, scores, mg.full_like(scores, -mg.inf))
    empty = (allowed.sum(-1, keepdim=True) == 0).expand(scores.shape)
    safe = mg.where(empty, mg.full_like(scores, 7.0), filled)
    return mg.where(empty, mg.zeros_like(scores), safe.softmax(-1))


def masked_by_exp(scores, allowed):
    """softmax by hand, less the largest score that is allowed."""
    kept = mg.where(allowed, scores, mg.full_like(scores, -mg.inf))
    largest = kept.detach().amax(-1, keepdim=True)
    powers = (kept - largest.masked_fill(largest == -mg.inf, 0.0)).exp()
    whole = powers.sum(-1, keepdim=True)
    return powers / whole.masked_fill(whole == 0, 1.0)


def masked_before_and_after(scores, allowed):
    """Rows with nothing get harmless scores, so that no nan ever arises."""
    nothing = ~allowed.any(-1, keepdim=True)
    weights = scores.masked_fill(~allowed, -mg.inf).masked_fill(nothing, 3.0).softmax(-1)
    return weights.masked_fill(nothing, 0.0)


def masked_by_logarithms(scores, allowed):
    """exp of log_softmax: in float16 it rounds otherwise."""
    logarithms = mg.log_softmax(scores.masked_fill(~allowed, -mg.inf), -1)
    return logarithms.masked_fill(~allowed, -mg.inf).exp()


def masked_in_place_where_it_can_be(scores, allowed):
    if not scores.is_leaf:
        scores.masked_fill_(~allowed, -mg.inf)
    return masked_weights(scores, allowed)


def masked_in_place(scores, allowed):
    with mg.no_grad():
        scores[(~allowed).expand(scores.shape)] = 0.0
    return masked_weights(scores, allowed)


MASKED = "masked_fill(~allowed, -mg.inf)"
EXERCISE = Exercise(
    title="softmax of the allowed scores of each row, and 0 elsewhere; no nan, also on the way back",
    stars=2,
    minutes=10,
    reference=masked_weights,
    plug=_with_gradient,
    notes={
        EXACTLY: "The weights are nearly right, but one that is not allowed is not exactly 0: a little of what nobody "
        "may see is seen. Fill with 0.0 after the softmax.",
        DTYPE: "The weights are right, and their dtype is not that of the scores.",
        AFTER: "The weights are right, but the scores were written to, as masked_fill_() and scores[...] = ... do. "
        "Whoever made them may need them still: masked_fill() and where() make a new tensor.",
    },
    cases=(
        _case([[1.0, 2.0, 0.5], [0.0, 1.0, 3.0]], [[True, True, False], [True, True, True]]),
        _case([[1.0, 2.0], [0.5, -1.0]], [[True, False], [False, False]]),
        _case([[[1.0, 2.0], [3.0, 0.0]], [[0.0, 0.5], [1.0, -1.0]]], [[True, False], [True, True]]),
        _case([[0.0, 200.0, -300.0], [1000.0, 0.0, 2.0]], [[True, True, True], [False, True, True]]),
        _case([[NAN, 1.0, INF], [NAN, NAN, NAN]], [[False, True, False], [False, False, False]]),
        _case([[-1e10, -1e10 - 4096, 0.0]], [[True, True, False]]),
        _case([[0.1, 0.2, 0.4], [1.0, -0.3, 0.7]], [[True, False, True], [True, True, True]], "float64"),
        _case([0.5, 1.5], [False, True]),
        _case([[1.0, 0.0, 2.0], [0.5, 1.0, -1.0], [0.0, 0.0, 1.0]], [True, False, True]),
        _case([[1.0, 0.0], [0.5, 1.0]], [[True], [False]]),
        _case([[0.0, -12.0, -30.0]], [[True, True, False]]),
        _case([[1.0, -1.0], [2.0, 0.0]], [[True, False], [False, False]], "float16"),
        _case([[3.0]], [[True]]),
        _case([[3.0], [2.0]], [[False], [True]]),
    ),
    drawn=_drawn,
    hints=(
        "exp(-inf) is 0: a score of -inf gets no weight. masked_fill(~allowed, -mg.inf) writes it where something is "
        "not allowed.",
        "What does softmax compute in a row of -inf alone? Whatever it is, masked_fill does not look at it.",
        "weights = scores.masked_fill(~allowed, -mg.inf).softmax(-1); then weights.masked_fill(~allowed, 0.0)",
    ),
    mistakes=(
        only_minus_inf,
        large_negative,
        Mistake(equal_where_empty, when=saw("the answer", _even_rows)),
        Mistake(multiplied, edited(multiplied, "* allowed", ".masked_fill(~allowed, 0.0)")),
        Mistake(lowest_of_all, when=_are_lower_than_filled),
        Mistake(shared_out_again, edited(shared_out_again, ".clamp(min=1e-30)", ""), shared_out_after_all),
        Mistake(
            below_the_largest,
            edited(below_the_largest, "scores - scores.amax(-1, keepdim=True)", "scores - scores[allowed].max()"),
            when=_vanished,
        ),
        Mistake(
            edited(masked_before_and_after, "any(-1", "any(1"),
            words="Axis 1 is the last one of two axes, but not of one, three or four. The last one is -1, of however "
            "many.",
            when=raised("but got 1)"),
        ),
        by_exp,
        Mistake(added, when=right_but(SENT, _is_nan)),
        Mistake(added_and_harmless, when=_took_a_hidden_nan),
        Mistake(
            edited(masked_weights, MASKED, "masked_fill(~allowed, 0.0)"),
            edited(masked_weights, MASKED, "mul(allowed)"),
            words="Scores that are not allowed became 0, and exp(0) is 1: they take a share of the weights. -inf takes "
            "none.",
        ),
        Mistake(
            edited(masked_weights, MASKED, "masked_fill(allowed, -mg.inf)"),
            edited(masked_weights, "~allowed, -mg.inf", "allowed, -mg.inf", "~allowed, 0.0", "allowed, 0.0"),
            words="The mask was taken the other way round: where `allowed` is True something may be seen, and what is "
            "False gets -inf.",
        ),
        Mistake(
            edited(masked_weights, "softmax(-1)", "softmax(-2 if scores.dim() > 1 else -1)"),
            edited(masked_weights, "softmax(-1)", "softmax(0)"),
            edited(masked_weights, "softmax(-1)", "softmax(1)"),
            words="The softmax runs along another axis. The weights of one row, the last axis, sum to 1.",
        ),
        cut_off,
        Mistake(
            edited(below_the_largest, "whole.masked_fill(whole == 0, 1.0)", "whole"),
            words="A row in which nothing is allowed is nan, as what comes of -inf less -inf, or of 0 divided by 0. "
            "Its weights are 0: fill them in behind it, or treat such rows apart.",
            when=saw("the answer", _only_empty_rows_are_nan),
        ),
        Mistake(
            edited(masked_weights, "-mg.inf", "-1e30"),
            words="float16 ends at 65504, and has no such number. -mg.inf is one in every dtype.",
            when=raised("without overflow"),
        ),
    ),
    right=(
        masked_by_where,
        masked_by_exp,
        masked_before_and_after,
        masked_by_logarithms,
        lambda scores, allowed: mg.where(allowed, mg.where(allowed, scores, -mg.inf).softmax(-1), 0.0),
    ),
    wrong={
        "A row in which nothing is allowed has equal weights": [
            lambda scores, allowed: masked_weights(scores, allowed | (scores.shape[-1] == 1)),
        ],
        "first difference": [
            lambda scores, allowed: masked_weights(scores, allowed.tril()),
            lambda scores, allowed: (found := masked_weights(scores, allowed)) * (found > 1e-4),
        ],
        "as where a number was filled in for what is not allowed": [
            edited(masked_weights, MASKED, "masked_fill(~allowed, -1e4)"),
            edited(masked_weights, MASKED, "masked_fill(~allowed, -100.0)"),
            edited(masked_by_exp, "kept.detach()", "scores.detach().masked_fill(~allowed, 0.0)"),
        ],
        "or a division by 0, sends nan back": [
            edited(
                shared_out_again,
                "kept / kept.sum(-1, keepdim=True).clamp(min=1e-30)",
                "mg.where(allowed.any(-1, keepdim=True), kept / kept.sum(-1, keepdim=True), 0.0)",
            )
        ],
        "before exp, if only in softmax": [
            edited(
                shared_out_again, "kept.sum(-1, keepdim=True).clamp(min=1e-30)", "(kept.sum(-1, keepdim=True) + 1e-9)"
            )
        ],
        "not exactly 0": [
            lambda scores, allowed: mg.where(allowed, masked_weights(scores, allowed), mg.full_like(scores, 1e-12))
        ],
        "scores holds other numbers than before": [masked_in_place],
        "allowed holds other numbers than before": [
            lambda scores, allowed: masked_weights(scores, ~allowed.copy_(~allowed))
        ],
        "masked_fill() and where() make a new tensor": [masked_in_place_where_it_can_be],
        "their dtype is not that of the scores": [
            lambda scores, allowed: masked_weights(scores.float() if scores.dtype == mg.float16 else scores, allowed)
        ],
        "Only the first digits are right": [
            lambda scores, allowed: masked_weights(scores.float(), allowed).to(scores.dtype)
        ],
        "The weights are right, but no gradient goes back": [
            lambda scores, allowed: mg.tensor(masked_weights(scores, allowed).tolist(), dtype=scores.dtype)
        ],
    },
)
