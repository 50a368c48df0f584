"""What the exercises of chapter 10 share: a result with its first and second derivatives, at points where formulas give
nan.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.ops.silence import silent
from minigrad.teach import Difference, cases, compare, draw_wrong_node, numbers, show, slopes
from minigrad.teach.comparing import ROUNDED

RELATIVE, ABSOLUTE = 1e-3, 1e-4  # of numbers that went through float32, and of derivatives that are differences
WEIGHTS = ((1.0, -2.0, 0.5), (3.0, 1.0, -0.25, 2.0))  # of the elements of a result, and of those of a gradient
NO_WAY = "nothing: it has no way back"


@dataclass(frozen=True)
class Derived:
    """The numbers of a result; and what they send to x, and what those gradients send to x when they are differentiated
    once more, or words that say why there is none. Where x is nan, these do not count.
    """

    numbers: mg.Tensor
    first: Any
    second: Any = None
    hidden: mg.Tensor | None = None


@cases(
    "x = {values}",
    result=", a result of w * 1",
    dtype=", in {dtype.name}",
    plain=", which requires no gradient",
    turned=", the transposed of a matrix",
)
def case_of(values, dtype=mg.float32, result=False, plain=False, turned=False):
    """A case of a function of one tensor, which is a leaf or a result; turned, its columns lie in memory as rows."""
    x = mg.tensor(np.array(values).T.tolist() if turned else values, dtype=dtype)
    x = (x.t() if turned else x).requires_grad_(not plain)
    return (x * 1,) if result else (x,)


def _weights(shape, number, dtype):
    return mg.tensor(np.resize(WEIGHTS[number], tuple(shape)), dtype=dtype)


def derived(value, arguments, of_rows=False):
    """For `observe`: a tensor and its derivatives by the first argument, which do not count where that is nan, or in a
    row with a nan or an infinite number.
    """
    x = arguments[0]
    if not isinstance(value, mg.Tensor):
        return value
    if not value.requires_grad:
        return Derived(value.detach(), NO_WAY)
    weights = _weights(value.shape, 0, value.dtype)
    (first,) = grad(value, x, weights, create_graph=True, allow_unused=True)
    if first is None:
        return Derived(value.detach(), NO_WAY)
    second = mg.zeros_like(x)
    if first.requires_grad:
        given = {"allow_unused": True, "materialize_grads": True}
        (second,) = grad(first, x, _weights(first.shape, 1, first.dtype), **given)
    hidden = x.detach().isnan()
    if of_rows:
        hidden = (~x.detach().isfinite()).any(-1, keepdim=True) | hidden
    return Derived(value.detach(), first.detach(), second.detach(), hidden)


def compare_derived(expected, got, outcome, small_ones_count=True):
    """The numbers count first; then the dtype, the gradient, and the gradient of the gradient.

    In float64 all digits have to be right, but for rounding: that of the largest number that was given, where small
    ones do not count.

    Where small ones count, a small number has to be right as well as a large one, and 0 is exactly 0. A second
    derivative of 0 may be a difference of two terms, each of which is of the size of gradient / number.
    """
    if not isinstance(got, Derived):
        return compare(expected.numbers, got)
    rounding = 1e-9 if small_ones_count else 1e-9 + 1e-14 * _largest(outcome.arguments[0])
    compared = functools.partial(_compare_closely, small_ones_count, rounding)
    difference = compared(0.0, expected.numbers, got.numbers, "the numbers")
    if difference is not None:
        return difference
    if got.numbers.dtype != expected.numbers.dtype:
        note = "The numbers are right, in another dtype than they came in."
        return Difference("the dtype", str(got.numbers.dtype), str(expected.numbers.dtype), note)
    if isinstance(expected.first, str):
        return None  # x requires no gradient
    if isinstance(got.first, str):
        note = "The numbers are right, but no gradient comes from them to the first argument."
        return Difference("the gradient", got.first, show(expected.first), note)
    note = "The numbers and their gradient are right. The gradient, differentiated once more, is not."
    (first, second), (mine, once_more) = (_counted(one) for one in (expected, got))
    terms = _largest(first) / (_largest(expected.numbers) or 1.0)
    difference = compared(0.0, first, mine, "the gradient")
    return difference or compared(terms, second, once_more, "the second derivatives", note)


def _counted(value):
    """Both derivatives, with 0 where they do not count."""
    return [one.masked_fill(value.hidden, 0.0) for one in (value.first, value.second)]


def _largest(tensor):
    values = np.abs(np.asarray(tensor.detach().numpy(), np.float64))
    return np.max(values, initial=0.0, where=np.isfinite(values))


@silent
def _compare_closely(small_ones_count, rounding, terms, expected, got, where, note=""):
    wanted, mine = (np.asarray(one.detach().numpy(), np.float64) for one in (expected, got))
    if mine.shape != wanted.shape:
        return compare(expected, got, where)
    relative, absolute = RELATIVE, ABSOLUTE
    if got.dtype is expected.dtype is mg.float64:
        relative, absolute = 1e-9, rounding
    if got.dtype is expected.dtype is mg.float16:
        relative, absolute = 1e-2, 1e-2
    far = absolute * (max(_largest(expected), terms) if small_ones_count else 1.0)
    if small_ones_count and where == "the numbers":
        far = 0.0
    near = np.isclose(mine, wanted, rtol=relative, atol=far, equal_nan=True)
    if near.all():
        return None
    first = tuple(np.argwhere(~near)[0].tolist())
    place = f"{where}{list(first) or ''}"
    if np.isclose(mine, wanted, rtol=RELATIVE, atol=far, equal_nan=True).all():
        return Difference(
            f"{place}, in the later digits", repr(mine[first].item()), repr(wanted[first].item()), ROUNDED
        )
    return Difference(place, show(float(mine[first])), show(float(wanted[first])), note)


def show_derived(value, arguments):
    if not isinstance(value, Derived):
        return show(value)
    first = value.first if isinstance(value.first, str) else show(value.first)
    then = "" if value.second is None else f", and differentiated once more {show(value.second)}"
    weights = show(_weights(value.numbers.shape, 0, mg.float64)).removeprefix("tensor(").removesuffix(")")
    return f"{show(value.numbers)}; for grad_output {weights} it sends back {first}{then}"


def draw_derived(outcome, difference, name="x"):
    """The learner's graph, walked, and in red the first argument, which has this name, or the result where its numbers
    are wrong.
    """
    arguments = outcome.case.make()
    x, result = arguments[0], outcome.answer(*arguments)
    weights = _weights(result.shape, 0, result.dtype) if result.requires_grad else None
    if difference.where.startswith("the gradient") and result.requires_grad:
        words = f"✗ expected {numbers(mg.tensor(float(difference.expected)))}"
        return draw_wrong_node(result, {name: x}, x, words, weights, outcome.answer)
    words = "✗ no way back" if not result.requires_grad else "✗ second derivative"
    words = "✗ other numbers" if difference.where.startswith("the numbers") else words
    return draw_wrong_node(result, {name: x}, result, words, weights, outcome.answer)


def measured_where(function, x, is_smooth, name="x"):
    """The slopes of a function's elements, added up with their weights, for those elements of x that are finite and not
    at an edge of it, in words. An element that is nan or infinite on both sides has not moved.
    """
    with mg.no_grad():
        weights = _weights(function(x).shape, 0, mg.float64).numpy()
    return "\n".join(
        f"  {name}{list(place)} moved by 1e-05 to both sides: the slope is {np.nansum(slope * weights):.4g}"
        for place, slope in slopes(function, x, 1e-5)
        if np.isfinite(x.detach().numpy()[place]) and is_smooth(x.detach().numpy(), place)
    )


def no_way_back(outcome):
    """For `when`: whether the numbers are right, and no gradient comes from them."""
    return isinstance(outcome.value, Derived) and outcome.value.first == NO_WAY and _has_right_numbers(outcome)


def _has_right_numbers(outcome):
    return _compare_closely(True, 1e-9, 0.0, outcome.right.numbers, outcome.value.numbers, "the numbers") is None


def small_for_zero(reference):
    """For `when`: whether one and the same small number stands wherever the reference has 0."""

    def asked(outcome):
        wanted, mine = reference(*outcome.case.make()).detach(), getattr(outcome.value, "numbers", None)
        if mine is None or mine.shape != wanted.shape or not (wanted == 0).any():
            return False
        small = mine[wanted == 0]
        return ((small > 0) & (small < 0.1) & (small == small[0])).all().item()

    return asked


def small_ones_are_wrong(outcome):
    """For `when`: whether only small numbers are wrong, of those that are not 0."""
    wanted, mine = getattr(outcome.right, "numbers", None), getattr(outcome.value, "numbers", None)
    if mine is None or wanted is None or mine.shape != wanted.shape:
        return False
    right = mine.sub(wanted).abs() <= RELATIVE * wanted.abs()
    return (wanted[~right] > 0).all().item() and (wanted[~right] < 1e-3).all().item() and not right.all().item()


def has_number_for_nan(outcome):
    """For `when`: whether a number has come where a nan is expected."""
    wanted, mine = outcome.right.numbers.isnan(), getattr(outcome.value, "numbers", None)
    if mine is None or mine.shape != wanted.shape or not wanted.any():
        return False
    return not mine[wanted].isnan().any()


def has_nan(outcome, part="first"):
    """For `when`: whether the numbers are right, and a nan is in their gradient, or in the second derivatives."""
    held = getattr(outcome.value, part, None)
    if not isinstance(outcome.value, Derived) or not _has_right_numbers(outcome):
        return False
    return isinstance(held, mg.Tensor) and (held.isnan() & ~outcome.value.hidden).any().item()
