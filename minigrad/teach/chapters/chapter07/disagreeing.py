"""Exercise `disagreeing`: which numbers are near enough, and which are not."""

from __future__ import annotations

from typing import Any

from minigrad.teach.chapters.chapter07.common import CHAPTER, in_float64
from minigrad.teach.comparing import show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.tensor import Tensor


def disagreeing(backward: Tensor, differences: Tensor, atol: float, rtol: float) -> int:
    """The number of entries that are further apart than allowed."""
    agree: Any = (backward - differences).abs() <= atol + rtol * differences.abs()
    return int((~agree).sum().item())


def _count(true: Any) -> int:
    return int(true.sum().item())


def _as_number(value: Any, arguments: tuple[Any, ...]) -> str:
    """A count, whether it is a tensor or not."""
    return show(value.item() if isinstance(value, Tensor) and value.numel() == 1 else value)


def _entries(backward: list[float], differences: list[float], atol: float, rtol: float) -> Case:
    words = f"backward = {backward}, differences = {differences}, atol = {atol:g}, rtol = {rtol:g}"
    return Case(words, lambda: (in_float64(backward), in_float64(differences), atol, rtol))


def _distances(outcome: Outcome) -> str:
    backward, differences, atol, rtol = outcome.arguments
    lines = [
        f"  entry {place}: {abs(one - other):.4g} apart, {atol + rtol * abs(other):.4g} allowed"
        for place, (one, other) in enumerate(zip(backward.tolist(), differences.tolist(), strict=True))
    ]
    return "\n".join(lines)


DISAGREEING = Exercise(
    name="disagreeing",
    chapter=CHAPTER,
    title="a number: how many entries differ by more than atol + rtol * |difference|",
    stars=1,
    minutes=6,
    reference=disagreeing,
    cases=(
        _entries([1.0, 2.0, 3.0], [1.0, 2.5, 3.0], 0.01, 0.0),
        _entries([4.0, 5.0, 6.0], [3.0, 5.0, 6.0], 0.01, 0.0),
        _entries([1000.0, 0.5], [1000.5, 0.0], 0.01, 0.001),
        _entries([-1000.0, 7.0, 7.0], [-1000.5, 7.0, 7.0], 0.01, 0.001),
        _entries([2.0, 1.0, 1.0], [1.0, 1.0, 1.0], 0.0, 0.75),
        _entries([float("nan"), 1.0, 1.0], [1.0, 1.0, 1.0], 0.01, 0.001),
        _entries([0.005, 0.0, 2.0], [0.0, 0.0, 2.0], 0.01, 0.001),
    ),
    hints=(
        "abs() of the difference of the two tensors, compared with what is allowed, is a tensor of bools.",
        "What is allowed is a tensor too: it depends on the entry. .sum() counts the bools that are True.",
        "Every comparison with nan is False. So ask which entries are near enough, and count the others: ~ exchanges "
        "True and False.",
    ),
    show=_as_number,
    evidence=_distances,
    mistakes=(
        Mistake(
            "nan got through. It is neither near nor far: every comparison with it is False. Ask which entries are "
            "near enough, and count the others.",
            lambda b, d, atol, rtol: _count((b - d).abs() > atol + rtol * d.abs()),
        ),
        Mistake(
            "abs() is missing around the difference: an entry that is far too small counts as near.",
            lambda b, d, atol, rtol: _count(~(b - d <= atol + rtol * d.abs())),
        ),
        Mistake(
            "The tolerance is measured by backward's own number. Then a backward that is far too large allows itself "
            "more; measure it by the differences.",
            lambda b, d, atol, rtol: _count(~((b - d).abs() <= atol + rtol * b.abs())),
        ),
        Mistake(
            "rtol is multiplied with a negative number, which takes away from what is allowed. The size is meant: "
            "differences.abs().",
            lambda b, d, atol, rtol: _count(~((b - d).abs() <= atol + rtol * d)),
        ),
        Mistake(
            "rtol is left out: half a unit at 1000 is not much.",
            lambda b, d, atol, rtol: _count(~((b - d).abs() <= atol)),
        ),
        Mistake(
            "This compares with atol alone, and nan gets through: ask which entries are near enough, and count "
            "the others.",
            lambda b, d, atol, rtol: _count((b - d).abs() > atol),
        ),
        Mistake(
            "atol is left out. For slopes near 0 it is all that is allowed: rtol times almost nothing is nothing.",
            lambda b, d, atol, rtol: _count(~((b - d).abs() <= rtol * d.abs())),
        ),
        Mistake(
            "This divides by the differences, which can be 0. Allowed is atol + rtol * |difference|, a sum.",
            lambda b, d, atol, rtol: _count(~(((b - d) / d).abs() <= atol + rtol)),
        ),
        Mistake(
            "The sums were compared, not the entries: one can hide behind the others. Compare the tensors, and sum the "
            "bools.",
            lambda b, d, atol, rtol: int(not ((b - d).abs().sum() <= (atol + rtol * d.abs()).sum())),
        ),
        Mistake(
            "These are the entries, as bools. Asked for is how many are True: .sum().",
            when=lambda outcome: isinstance(outcome.value, Tensor) and outcome.value.ndim == 1,
        ),
        Mistake(
            "This says whether there is one. Asked for is how many: .sum() instead of .any().",
            when=lambda outcome: isinstance(outcome.value, bool),
        ),
        Mistake(
            "A comparison of tensors gives a bool for each entry, so `if` cannot decide by it. Sum the bools.",
            when=raised("is ambiguous"),
        ),
        Mistake(
            "This counts the entries that agree.",
            lambda b, d, atol, rtol: _count((b - d).abs() <= atol + rtol * d.abs()),
        ),
    ),
)
