"""Exercise `disagreeing`: which numbers are near enough, and which are not."""

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, edited, raised

from .chapter07 import in_float64


def disagreeing(backward, differences, atol, rtol):
    """The number of entries that are further apart than allowed."""
    agree = (backward - differences).abs() <= atol + rtol * differences.abs()
    return (~agree).sum().item()


@cases(
    "backward = {backward}, differences = {differences}{turned}, atol = {atol:.10g}, rtol = {rtol:.10g}",
    turned=", both transposed",
)
def _entries(backward, differences, atol, rtol, turned=False):
    given = [in_float64(backward), in_float64(differences)]
    return *[one.T if turned else one for one in given], atol, rtol


def _drawn(random):
    """Entries within what is allowed, at the bound and outside of it, in numbers of which float64 loses nothing."""
    for count in (1, 4, (2, 3)):
        atol, rtol = random.choice([0.0, 2.0**-30, 2.0**-10, 0.25], 2).tolist()
        differences = random.choice([0.0, 0.5, -0.75, 2.0, -3.0, 1000.0], count)
        away = random.choice([-4.0, -1.25, -1.0, -0.875, 0.0, 0.875, 1.0, 1.25, 4.0], count)
        backward = differences + away * (atol + rtol * abs(differences))
        for numbers in (backward, differences):
            numbers[random.random(numbers.shape) < 0.1] = np.nan
        yield _entries(backward.tolist(), differences.tolist(), atol, rtol)


def _distances(outcome):
    backward, differences, atol, rtol = outcome.arguments
    lines = []
    for place, other in np.ndenumerate(differences.numpy()):
        apart, allowed = abs(backward.numpy()[place] - other), atol + rtol * abs(other)
        lines.append(f"  entry {', '.join(map(str, place))}: {apart:.10g} apart, {allowed:.10g} allowed")
    return "\n".join(lines)


def _is_bools(outcome):
    return isinstance(outcome.value, mg.Tensor) and outcome.value.ndim and outcome.value.dtype == mg.bool


# ---------------------------------------------------------------- wrong answers


def forgot_abs(backward, differences, atol, rtol):
    """abs() is missing around the difference: an entry that is far too small counts as near."""
    return (~(backward - differences <= atol + rtol * differences.abs())).sum()


def forgot_rtol(backward, differences, atol, rtol):
    """rtol is left out: half a unit at 1000 is not much."""
    return (~((backward - differences).abs() <= atol)).sum()


def more_than_atol(backward, differences, atol, rtol):
    """This compares with atol alone, and nan gets through: ask which entries are near enough, and count the others."""
    return int(((backward - differences).abs() > atol).sum().item())


def forgot_atol(backward, differences, atol, rtol):
    """atol is left out. For slopes near 0 it is all that is allowed: rtol times almost nothing is nothing."""
    return (~((backward - differences).abs() <= rtol * differences.abs())).sum()


def divided_by_differences(backward, differences, atol, rtol):
    """This divides by the differences, which can be 0. Allowed is atol + rtol * |difference|, a sum."""
    return (~(((backward - differences) / differences).abs() <= atol + rtol)).sum()


def compared_the_sums(backward, differences, atol, rtol):
    """The sums were compared, not the entries: one can hide behind the others. Compare the tensors, and
    sum the bools.
    """
    apart, allowed = (backward - differences).abs().sum(), (atol + rtol * differences.abs()).sum()
    return 0 if apart <= allowed else 1


def the_larger_of_the_two(backward, differences, atol, rtol):
    """The larger of the two tolerances was allowed. Allowed is their sum: atol + rtol * |difference|."""
    allowed = mg.maximum(rtol * differences.abs(), mg.full_like(differences, atol))
    return (~((backward - differences).abs() <= allowed)).sum()


def counts_the_bound(backward, differences, atol, rtol):
    """An entry that is exactly as far away as allowed was counted. Only what is further away is to be: <= and not <."""
    return (~((backward - differences).abs() < atol + rtol * differences.abs())).sum()


def in_float32(backward, differences, atol, rtol):
    """Entries that hardly differ are taken for equal, as where the numbers went through float32, which has seven
    digits. A gradient check is made in float64, and allows no more than is given.
    """
    return disagreeing(backward.float(), differences.float(), atol, rtol)


def one_for_any(backward, differences, atol, rtol):
    """This is 1 if there is one, and 0 if there is none. Asked for is how many: sum them, without any() or max()."""
    return int(the_bools(backward, differences, atol, rtol).any())


def the_bools(backward, differences, atol, rtol):
    """These are bools. Asked for is how many entries disagree: .sum() counts those that are True."""
    return ~((backward - differences).abs() <= atol + rtol * differences.abs())


def counted_rows(backward, differences, atol, rtol):
    """Rows were counted: two entries of one row count twice. Sum the bools over all dimensions."""
    far = the_bools(backward, differences, atol, rtol)
    return (far.any(-1) if far.ndim > 1 else far).sum()


def whether_any(backward, differences, atol, rtol):
    """This is True or False. Asked for is how many: the sum of the bools, not their any() or all()."""
    return bool(the_bools(backward, differences, atol, rtol).any())


def one_decision(backward, differences, atol, rtol):
    """A comparison of tensors gives a bool for each entry: no `if`, `not` or max() can decide by it. Sum the bools."""
    return 0 if (backward - differences).abs() <= atol + rtol * differences.abs() else 1


def counted_agreeing(backward, differences, atol, rtol):
    """This counts the entries that agree."""
    return ((backward - differences).abs() <= atol + rtol * differences.abs()).sum()


def lets_nan_through(backward, differences, atol, rtol):
    """nan got through. It is neither near nor far: every comparison with it is False. Leave no entry out, ask which are
    near enough, and count the others.
    """
    return ((backward - differences).abs() > atol + rtol * differences.abs()).sum()


def without_nan(backward, differences, atol, rtol):
    """Entries where backward is nan were left out. nan is never near enough: they are to be counted."""
    kept = ~backward.isnan()
    return disagreeing(backward[kept], differences[kept], atol, rtol)


def negative_tolerance(backward, differences, atol, rtol):
    """rtol is multiplied with a negative number, which takes away from what is allowed. The size is meant:
    differences.abs().
    """
    return (~((backward - differences).abs() <= atol + rtol * differences)).sum()


# ---------------------------------------------------------------- tried as well


def disagreeing_by_the_larger(backward, differences, atol, rtol):
    pairs = zip(backward.flatten().tolist(), differences.flatten().tolist(), strict=True)
    return sum(not abs(one - other) <= max(atol, rtol * abs(other)) for one, other in pairs)


def disagreeing_with_equal_nan(backward, differences, atol, rtol):
    return int((~np.isclose(backward.numpy(), differences.numpy(), rtol, atol, equal_nan=True)).sum())


def disagreeing_in_float32(backward, differences, atol, rtol):
    near = np.isclose(backward.float().numpy(), differences.float().numpy(), rtol, atol)
    return near.size - near.sum()


def disagreeing_the_other_way(backward, differences, atol, rtol):
    return int((~np.isclose(differences.numpy(), backward.numpy(), rtol, atol)).sum())


def disagreeing_without_nan(backward, differences, atol, rtol):
    apart = (backward - differences).abs()
    return (apart > atol + rtol * differences.abs()).sum().item() + int(backward.isnan().any())


def disagreeing_rows(backward, differences, atol, rtol):
    """Two entries of one row count once."""
    pairs = zip(backward, differences, strict=True)
    return sum(not (abs(one - other) <= atol + rtol * abs(other)).all() for one, other in pairs)


def disagreeing_or_nan(backward, differences, atol, rtol):
    apart = (backward - differences).abs()
    return ((apart > atol + rtol * differences.abs()) | apart.isnan()).sum().item()


def disagreeing_less_agreeing(backward, differences, atol, rtol):
    agree = differences.sub(backward).abs().le(differences.abs().mul(rtol).add(atol))
    return backward.numel() - agree.sum().item()


def disagreeing_places(backward, differences, atol, rtol):
    allowed = rtol * np.abs(differences.numpy()) + atol
    return len(np.flatnonzero(~(np.abs(differences.numpy() - backward.numpy()) <= allowed)))


def disagreeing_by_isclose(backward, differences, atol, rtol):
    return backward.numel() - np.isclose(backward.numpy(), differences.numpy(), rtol, atol).sum()


def disagreeing_at_all(backward, differences, atol, rtol):
    return int(not np.allclose(backward.numpy(), differences.numpy(), rtol, atol))


EXERCISE = Exercise(
    title="a number: how many entries differ by more than atol + rtol * |difference|",
    stars=1,
    minutes=6,
    reference=disagreeing,
    cases=(
        _entries([1.0, 2.0, 3.0], [1.0, 2.0, 3.5], 0.01, 0.0),
        _entries([4.0, 5.0, 6.0], [3.0, 5.0, 6.0], 0.01, 0.0),
        _entries([1000.0, 0.5], [1000.5, 0.0], 0.01, 0.001),
        _entries([-1000.0, 7.0, 7.0], [-1000.5, 7.0, 7.0], 0.01, 0.001),
        _entries([2.0, 1.0, 1.0], [1.0, 1.0, 1.0], 0.0, 0.75),
        _entries([float("nan"), 1.0, 1.0], [1.0, 1.0, 1.0], 0.01, 0.001),
        _entries([0.005, 0.0, 2.0], [0.0, 0.0, 2.0], 0.01, 0.001),
        _entries([float("nan"), 1.0, 2.0], [0.0, 1.0, 2.0], 0.01, 0.001),  # which is near to 0, and nan is not
        _entries([1.0, 2.0, 3.0, -4.0], [1.5, 2.5, 3.0, 4.0], 0.25, 0.0),
        _entries([2.5, 3.0, 1.0], [2.0, 2.0, 1.0], 0.5, 0.25),
        _entries([float("nan"), 1.0, 2.0], [float("nan"), float("nan"), 2.0], 0.5, 0.25),
        _entries([1.0 + 2.0**-28, 1.0 + 2.0**-32], [1.0, 1.0], 2.0**-30, 0.0),
        _entries([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0, 2.5, 3.5], [4.0, 5.0, 6.5]], 0.01, 0.001),
        _entries([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.5], [3.5, 4.0]], 0.01, 0.001, turned=True),
        _entries([], [], 0.01, 0.001),
    ),
    drawn=_drawn,
    hints=(
        "abs() of the difference of the two tensors, compared with what is allowed, is a tensor of bools.",
        "What is allowed is a tensor too: it depends on the entry. .sum() counts the bools that are True.",
        "Every comparison with nan but != is False. So ask which entries are near enough, and count the others: ~ "
        "exchanges True and False.",
    ),
    evidence=_distances,
    mistakes=(
        lets_nan_through,
        without_nan,
        Mistake(
            lambda backward, differences, atol, rtol: disagreeing(backward, differences, 1e-5, 1e-3),
            words="1e-5 and 1e-3 were taken, as gradcheck does. Here atol and rtol are given, others in each call.",
        ),
        Mistake(
            edited(disagreeing, "sum()", "double().mean()"),
            words="This is the share of the entries, between 0 and 1. Asked for is their number: .sum().",
        ),
        forgot_abs,
        Mistake(
            edited(forgot_rtol, "atol)).", "atol + rtol * backward.abs()))."),
            words="The tolerance is measured by backward's own number. Then a backward that is far too large allows "
            "itself more; measure it by the differences.",
        ),
        negative_tolerance,
        forgot_rtol,
        more_than_atol,
        forgot_atol,
        divided_by_differences,
        compared_the_sums,
        the_larger_of_the_two,
        counts_the_bound,
        Mistake(
            edited(disagreeing, "(~agree).sum().item", "(~(agree | (backward.isnan() & differences.isnan()))).sum"),
            words="Where both are nan they were taken for equal. nan is never near enough, and least of all because "
            "differences gave nan as well.",
        ),
        in_float32,
        Mistake(
            edited(
                disagreeing,
                "(backward - differences).abs() <= atol + rtol * differences.abs()",
                "mg.isclose(backward, differences, atol=atol, rtol=rtol)",
            ),
            words="minigrad has no isclose. numpy has: np.isclose(backward.numpy(), differences.numpy(), atol=atol, "
            "rtol=rtol) is an array of bools.",
            when=raised("isclose", kind=AttributeError),
        ),
        Mistake(
            edited(disagreeing_by_isclose, "rtol, atol", "atol, rtol"),
            words="atol and rtol have changed places: rtol is the factor. isclose takes rtol first, if they are not "
            "named: atol=atol, rtol=rtol.",
        ),
        one_for_any,
        counted_rows,
        Mistake(the_bools, when=_is_bools),
        Mistake(whether_any, when=lambda outcome: isinstance(outcome.value, bool)),
        Mistake(one_decision, when=raised("is ambiguous")),
        counted_agreeing,
    ),
    right=(
        disagreeing_or_nan,
        disagreeing_less_agreeing,
        disagreeing_places,
        edited(disagreeing_by_the_larger, "max(atol, rtol * abs(other))", "atol + rtol * abs(other)"),
        disagreeing_by_isclose,
    ),
    wrong={
        "Leave no entry out": [edited(without_nan, "backward.isnan()", "(backward - differences).isnan()")],
        "Entries that hardly differ": [edited(disagreeing, "<= atol", "<= 1e-8 + atol")],
        "rtol is the factor": [edited(disagreeing, "atol + rtol", "rtol + atol")],
        "how many entries disagree": [edited(disagreeing, "(~agree).sum().item()", "agree")],
        "This is True or False": [edited(disagreeing, "(~agree).sum()", "agree.all()")],
        "no `if`, `not` or max()": [edited(disagreeing, "(~agree)", "(not agree)")],
        "None of the mistakes that are known here": [edited(disagreeing, "sum().item()", "nonzero()")],
        "The larger of the two tolerances was allowed": [disagreeing_by_the_larger],
        "An entry that is exactly as far away as allowed was counted": [
            edited(disagreeing_by_the_larger, "<= max(atol, rtol * abs(other))", "< atol + rtol * abs(other)")
        ],
        "Where both are nan they were taken for equal": [disagreeing_with_equal_nan],
        "This is 1 if there is one, and 0 if there is none": [disagreeing_at_all],
        "differences = [0.0, 1.0, 2.0] … entry 0: nan apart": [
            edited(disagreeing, "backward - d", "mg.tensor(np.nan_to_num(backward.numpy())) - d")
        ],
        "entry 0: 3.725290298e-09 apart, 9.313225746e-10 allowed": [disagreeing_in_float32],
        "The tolerance is measured by backward's own number": [disagreeing_the_other_way],
        "first difference": [disagreeing_without_nan],
        "Rows were counted": [disagreeing_rows],
        "view size is not compatible": [
            edited(
                disagreeing,
                "differences).abs()",
                "differences).view(-1).abs()",
                "differences.abs()",
                "differences.view(-1).abs()",
            )
        ],
        "cannot convert float NaN": [
            edited(disagreeing, "(~agree).sum().item()", "round((~agree).double().mean().item() * agree.numel())")
        ],
        "this is a Tensor that holds it": [
            lambda backward, differences, atol, rtol: mg.tensor(disagreeing(backward, differences, atol, rtol))
        ],
    },
)
