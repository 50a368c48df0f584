"""What it means that an answer is right, and where a wrong one differs first.

Every check accepts numbers equal up to rounding, tensors of the right shape, and tuples item by item. The right
numbers in the wrong wrapping are named as such, because they need another repair than wrong numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.teach.card import plain
from minigrad.tensor import Tensor

LARGEST = 1_000  # elements of a tensor whose numbers are shown
RELATIVE, ABSOLUTE = 1e-4, 1e-5  # the engine computes in float32, the learner may round


@dataclass(frozen=True)
class Difference:
    """The first place where an answer is not the expected one; `note` says what is right about it or what to do."""

    where: str
    yours: str
    expected: str
    note: str = ""


def show(value: Any) -> str:
    """A value as the course writes it: numbers with six digits, tensors without their grad_fn, containers item by
    item.
    """
    if isinstance(value, float | np.floating):
        return f"{value + 0.0:.6g}"  # 0 for -0
    if isinstance(value, Tensor):
        numbers = np.asarray(value.detach().numpy())
        if numbers.size > LARGEST:
            return f"a tensor of shape {list(numbers.shape)}, which begins {_nested_text(numbers.ravel()[:5].tolist())}"
        return f"tensor({_nested_text(numbers.tolist())})"
    if isinstance(value, tuple | list) and len(value) < 20:
        items = ", ".join(show(item) for item in value)
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
    return plain(value)


def _nested_text(values: Any) -> str:
    if isinstance(values, list):
        return plain("[" + ", ".join(_nested_text(item) for item in values) + "]")
    return f"{values + 0.0:.6g}" if isinstance(values, float) else repr(values)


def compare(expected: Any, got: Any, where: str = "the answer") -> Difference | None:
    """The first difference between two values, or None if they agree."""
    if isinstance(expected, tuple | list):
        return _compare_items(expected, got, where)
    if isinstance(expected, Tensor):
        return _compare_tensors(expected, got, where)
    if isinstance(expected, int | float):
        return _compare_numbers(expected, got, where)
    raise TypeError(f"a reference may return numbers, tensors, tuples and lists of them, not {type(expected).__name__}")


def _differ(where: str, expected: Any, got: Any, note: str = "") -> Difference:
    return Difference(where, show(got), show(expected), note)


@silent
def is_close(expected: Any, got: Any) -> Any:
    """Where numbers are equal up to rounding."""
    return np.isclose(got, expected, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)


def _compare_numbers(expected: float, got: Any, where: str) -> Difference | None:
    if type(got) in (int, float) and got == expected:  # most of the thousands that some exercises ask for
        return None
    if (isinstance(got, Tensor) and got.numel() == 1) or (isinstance(got, np.ndarray) and got.size == 1):
        got = got.item()
    if isinstance(got, bool) or not isinstance(got, Real):
        return _differ(where, expected, got, f"A number is asked for; this is {_kind(got)}.")
    try:
        mine = float(got)
    except OverflowError:  # an int of hundreds of digits
        mine = float("inf")
    return None if is_close(expected, mine) else _differ(where, expected, got)


def _compare_tensors(expected: Tensor, got: Any, where: str) -> Difference | None:
    numbers = expected.detach().numpy()
    if not isinstance(got, Tensor):
        note = f"A tensor is asked for; this is {_kind(got)}."
        if _same_numbers(numbers, got):
            note = f"The numbers are right, but this is {_kind(got)} and a tensor is asked for: {_wrapping(got)}"
        return _differ(where, expected, got, note)
    mine = got.detach().numpy()
    if mine.shape != numbers.shape:
        note = f"The shape is {list(mine.shape)}; it should be {list(numbers.shape)}."
        if mine.T.shape == numbers.shape and is_close(numbers, mine.T).all():
            note += " The numbers are right, but rows and columns have changed places."
        return _differ(where, expected, got, note)
    agree = np.asarray(is_close(numbers, mine))
    if agree.all():
        return None
    first = tuple(int(index) for index in np.argwhere(~agree)[0])
    place = f"{where}[{', '.join(map(str, first))}]" if first else where
    return Difference(place, show(float(mine[first])), show(float(numbers[first])))


def _wrapping(got: Any) -> str:
    """How a value of another kind becomes the tensor that was asked for."""
    if isinstance(got, list | tuple) and got and all(isinstance(item, Tensor) for item in got):
        return "mg.stack(...) makes one tensor of several."
    if isinstance(got, np.ndarray):
        return "leave out .numpy()."
    return "leave out .item() and .tolist()."


def _same_numbers(numbers: Any, got: Any) -> bool:
    """Whether a value that is no tensor holds the right numbers all the same."""
    try:
        if isinstance(got, list | tuple):
            got = [item.detach().numpy() if isinstance(item, Tensor) else item for item in got]
        mine = np.asarray(got, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return mine.shape == numbers.shape and bool(np.all(is_close(numbers, mine)))


def _compare_items(expected: tuple[Any, ...] | list[Any], got: Any, where: str) -> Difference | None:
    if not isinstance(got, tuple | list):
        note = f"{len(expected)} values are asked for, in a {type(expected).__name__}; this is {_kind(got)}."
        return _differ(where, expected, got, note)
    note = f"{len(expected)} values are asked for; these are {len(got)}." if len(got) != len(expected) else ""
    if note and isinstance(expected, tuple):  # of a list, the first item that is wrong may say why it has others
        return _differ(where, expected, got, note)
    for number, (wanted, mine) in enumerate(zip(expected, got, strict=False), 1):
        difference = compare(wanted, mine, f"item {number} of {len(expected)}")
        if difference is not None:
            return difference
    return _differ(where, expected, got, note) if note else None


def _kind(value: Any) -> str:
    """A value's kind, in words."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
