"""What it means that an answer is right, and where a wrong one differs first.

Every check accepts numbers equal up to the rounding of float32, or of float64 in tensors and arrays of it, all of the
right shape and the right kind of numbers, and tuples, lists and dicts item by item; texts, True, False and None have
to be the same. The kind has to be the one that the words ask for, too: a list is no tuple, and a tensor that holds one
number is no number. The right numbers in the wrong wrapping are named as such, because they need another repair than
wrong numbers. What counts beside an answer is `Seen` with it, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.teach.card import WIDTH, plain
from minigrad.tensor import Tensor

LARGEST = 1_000  # elements of a tensor whose numbers are shown
RELATIVE, ABSOLUTE = 1e-4, 1e-5  # of float32, in which sums of another order differ that much
SUMMED = 1e-6  # of float64 that was added up in float32
EXACT, LEAST = 1e-9, 1e-12  # in float64; LEAST also of the largest number, as which a small sum may be rounded
BEHIND = "in the later digits"
ROUNDED = (
    "Only the first digits are right: perhaps something went through float32, was rounded, or was measured, or a small "
    "term such as eps is left out, one too many, or in another place. Keep the float64 of what was given; "
    "mg.tensor(...) of Python's numbers is float32 unless it is told the dtype."
)
NUMBER_RIGHT = "The number is right, but this is"
ANSWER, GRADIENT = "the answer", "the gradient of "
SECOND = "what a second walk brings, from -2 times as much"
SHOWN = 4  # of the things that are seen of an answer, on a card: all the weights of a network would be a wall
NO_NOTES: Mapping[str, str] = MappingProxyType({})
_more_digits = ContextVar("_more_digits", default=False)


@dataclass(frozen=True)
class Difference:
    """The first place where an answer is not the expected one; `note` says what is right about it or what to do."""

    where: str
    yours: str
    expected: str
    note: str = ""


class Seen(dict[str, Any]):
    """What an answer did, by name: first what it returned, then all that counts besides, in the order of comparison.

    Seen({"the answer": matrix, "how often f was called": 1})
    """

    @property
    def first(self) -> Any:
        """What the answer returned."""
        return next(iter(self.values()))

    def unlike(self, other: Any, most: int | None = SHOWN) -> Seen:
        """What it returned, and of the rest that which is not seen of another in the same way; so many at most."""
        names = [name for name in self if not isinstance(other, Seen) or show(self[name]) != show(other.get(name))]
        return Seen({name: self[name] for name in [*dict.fromkeys([next(iter(self)), *names])][:most]})


def show(value: Any) -> str:
    """A value as the course writes it: numbers with six digits, tensors without their grad_fn, containers item by
    item.
    """
    if isinstance(value, Seen):
        parts = [show(one) if name == ANSWER else f"{name}: {show(one)}" for name, one in value.items()]
        return ("; " if sum(map(len, parts)) < WIDTH else "\n  ").join(parts)
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


@contextmanager
def more_digits() -> Iterator[None]:
    """Inside, more digits of Python's numbers count: what they were made of is in float64, but perhaps for a sum."""
    before = _more_digits.set(True)
    try:
        yield
    finally:
        _more_digits.reset(before)


def compare(
    expected: Any, got: Any, where: str = ANSWER, note: str = "", notes: Mapping[str, str] = NO_NOTES
) -> Difference | None:
    """The first difference between two values, or None if they agree.

    Args:
        where: what is compared. Of a list or a dict, "loss {}" names each item by its number or key.
        note: what to say of any difference, in place of what is said of its kind; but not of digits that are missing.
        notes: the same for what is `Seen`, by its name; "w? *" stands for several, as it does for names of files.
    """
    found = _first_difference(expected, got, where, notes)
    return replace(found, note=note) if found is not None and note and found.note != ROUNDED else found


def _first_difference(expected: Any, got: Any, where: str, notes: Mapping[str, str]) -> Difference | None:
    if isinstance(expected, Seen):
        return _compare_seen(expected, got, notes)
    if isinstance(expected, dict):
        return _compare_named(expected, got, where)
    if isinstance(expected, tuple | list):
        return _compare_items(expected, got, where)
    if isinstance(expected, Tensor | np.ndarray):
        return _compare_tensors(expected, got, where)
    if isinstance(expected, bool | str) or expected is None:
        return _compare_words(expected, got, where)
    if isinstance(expected, int | float):
        return _compare_numbers(expected, got, where)
    raise TypeError(
        "a reference may return numbers, tensors, arrays, texts, True, False, None, and tuples, lists and dicts of "
        f"them, not {type(expected).__name__}"
    )


def _differ(where: str, expected: Any, got: Any, note: str = "") -> Difference:
    return Difference(where, show(got), show(expected), note)


@silent
def is_close(expected: Any, got: Any) -> Any:
    """Where numbers are equal up to rounding."""
    return np.isclose(got, expected, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)


def _compare_numbers(expected: float, got: Any, where: str) -> Difference | None:
    if type(got) in (int, float) and got == expected:  # most of the thousands that some exercises ask for
        return None
    value = _only_item(got)
    if isinstance(value, bool) or not isinstance(value, Real):
        return _differ(where, expected, got, f"A number is asked for; this is {_kind(got)}.")
    try:
        mine = float(value)
    except OverflowError:  # an int of hundreds of digits
        mine = float("inf")
    if not is_close(expected, mine):
        return _differ(where, expected, got)
    if _more_digits.get() and expected != float(np.float32(expected)) and not np.isclose(mine, expected, SUMMED, EXACT):
        return Difference(f"{where}, {BEHIND}", repr(mine), repr(expected), ROUNDED)
    graph = ", and its graph with it" if isinstance(got, Tensor) and got.grad_fn is not None else ""
    note = f"{NUMBER_RIGHT} {_kind(got)} that holds it{graph}: .item() takes the number out."
    return None if value is got else _differ(where, expected, got, note)


def _only_item(value: Any) -> Any:
    """What a tensor or an array of one element holds; any other value as it is."""
    if (isinstance(value, Tensor) and value.numel() == 1) or (isinstance(value, np.ndarray) and value.size == 1):
        return value.item()
    return value


def _compare_words(expected: Any, got: Any, where: str) -> Difference | None:
    """Of texts, and of True, False and None: numpy's True counts, too."""
    value = got.item() if isinstance(got, np.bool_ | np.str_) else got
    if isinstance(expected, bool):
        value = _only_item(value)
    if type(value) is type(expected) and value != expected:
        return _differ(where, expected, got)
    if type(value) is type(expected) and (value is got or isinstance(got, np.generic)):
        return None
    note = "" if expected is None else f"A text is asked for; this is {_kind(got)}."
    if isinstance(expected, bool):
        note = f"{where[0].upper()}{where[1:]} is True or False; this is {_kind(got)}."
    return _differ(where, expected, got, note)


def _compare_seen(expected: Seen, got: Any, notes: Mapping[str, str]) -> Difference | None:
    if not isinstance(got, Seen):  # an answer of which nothing could be seen
        return compare(expected.first, got, next(iter(expected))) or _differ(ANSWER, expected, got)
    for name, wanted in expected.items():
        note = next((note for names, note in notes.items() if fnmatchcase(name, names)), "")
        if name.startswith(GRADIENT) and wanted is not None and got.get(name) is None:
            note = note or f"No gradient goes back to {name.removeprefix(GRADIENT)}."
        if name == SECOND and isinstance(got.get(name), str):  # an error's text
            note = note or f"The first walk is right, and a second one raises {got[name]}"
        if (found := compare(wanted, got.get(name), name, note)) is not None:
            return found
    return None


def _compare_named(expected: dict[Any, Any], got: Any, where: str) -> Difference | None:
    if not isinstance(got, dict):
        return _differ(where, expected, got, f"A dict is asked for; this is {_kind(got)}.")
    for name, wanted in expected.items():
        place = where.format(plain(name)) if "{}" in where else plain(name)
        if name not in got:
            return Difference(place, "missing", show(wanted))
        if (found := compare(wanted, got[name], place)) is not None:
            return found
    strange = [key for key in got if key not in expected]
    return Difference("a key too many", plain(strange[0]), "these only") if strange else None


def _compare_tensors(expected: Any, got: Any, where: str) -> Difference | None:
    kind = type(expected) if isinstance(expected, np.ndarray) else Tensor
    numbers, asked = _numbers_of(expected), f"{'An array' if kind is np.ndarray else 'A tensor'} is asked for"
    if not isinstance(got, kind):
        note = f"{asked}; this is {_kind(got)}."
        if kind is Tensor and _same_numbers(numbers, got):
            note = f"The numbers are right, but this is {_kind(got)} and a tensor is asked for: {_wrapping(got)}"
        return _differ(where, expected, got, note)
    mine = _numbers_of(got)
    if mine.dtype.kind not in "biufc":
        return _differ(where, expected, got, f"{asked}, of numbers.")
    if mine.shape != numbers.shape:
        note = f"The shape is {list(mine.shape)}; it should be {list(numbers.shape)}."
        if mine.ndim == 2 and mine.T.shape == numbers.shape and is_close(numbers, mine.T).all():
            note += " The numbers are right, but rows and columns have changed places."
        return _differ(where, expected, got, note)
    agree = np.asarray(is_close(numbers, mine))
    rounded = bool(agree.all())
    if rounded:
        agree = _is_of_float64(numbers, mine)
    if agree.all():
        if mine.dtype.kind == numbers.dtype.kind:
            return None
        note = "The numbers are right, but kept as another kind of number. A dtype=... says as which."
        return Difference(f"the dtype of {where}", str(mine.dtype), str(numbers.dtype), note)
    first = tuple(int(index) for index in np.argwhere(~agree)[0])
    place, yours, right = where + (f"[{', '.join(map(str, first))}]" if first else ""), mine[first], numbers[first]
    if rounded and abs(yours - right) <= RELATIVE * abs(numbers[np.isfinite(numbers)]).max(initial=0.0):
        return Difference(f"{place}, {BEHIND}", repr(float(yours)), repr(float(right)), ROUNDED)
    return Difference(place, show(float(yours)), show(float(right)))


@silent
def _is_of_float64(numbers: Any, mine: Any) -> Any:
    """Where so many digits agree that nothing was computed in float32, if float64 is what is expected."""
    if numbers.dtype != np.float64 or mine.dtype.kind != "f":
        return np.asarray(True)
    largest = abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
    return np.asarray(np.isclose(mine, numbers, rtol=EXACT, atol=LEAST * (1 + largest), equal_nan=True))


def _numbers_of(value: Any) -> Any:
    return value.detach().numpy() if isinstance(value, Tensor) else value


def _wrapping(got: Any) -> str:
    """How a value of another kind becomes the tensor that was asked for."""
    if isinstance(got, list | tuple) and got and all(isinstance(item, Tensor) for item in got):
        return "mg.stack(...) makes one tensor of several."
    if isinstance(got, np.ndarray):
        return "leave out .numpy(), or make one with mg.tensor(...)."
    return "leave out .item() and .tolist(), or make one with mg.tensor(...)."


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
    asked = "1 value is asked for" if len(expected) == 1 else f"{len(expected)} values are asked for"
    if not isinstance(got, tuple | list):
        note = f"{asked}, in a {type(expected).__name__}; this is {_kind(got)}."
        return _differ(where, expected, got, note)
    note = f"{asked}; these are {len(got)}." if len(got) != len(expected) else ""
    if note and isinstance(expected, tuple):  # of a list, the first item that is wrong may say why it has others
        return _differ(where, expected, got, note)
    for number, (wanted, mine) in enumerate(zip(expected, got, strict=False), 1):
        place = where.format(number) if "{}" in where else f"item {number} of {len(expected)}"
        difference = compare(wanted, mine, place if where == ANSWER or "{}" in where else f"{where}, {place}")
        if difference is not None:
            return difference
    if not note and not isinstance(got, kind := type(expected)):
        note = f"What is in it is right; a {kind.__name__} is asked for, and this is {_kind(got)}."
    return _differ(where, expected, got, note) if note else None


def _kind(value: Any) -> str:
    """A value's kind, in words."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeiou' or name == 'ndarray' else 'a'} {name}"


# ---------------------------------------------------------------- what is right about wrong numbers


def relation(expected: Any, got: Any) -> str:
    """What numbers have to do with those that are expected, in a sentence; "" where nothing simple does."""
    for mine, right in _first_pair(expected, got):
        numbers, others = (np.asarray(_numbers_of(one)) for one in (right, mine))
        if numbers.dtype.kind not in "iuf" or others.dtype.kind not in "iuf" or numbers.shape != others.shape:
            return ""
        words = _relation_of(numbers.astype(np.float64), others.astype(np.float64))
        return words if mine is got else words.replace("What came", "At the first difference, what came")
    return ""


def _first_pair(expected: Any, got: Any) -> Iterator[tuple[Any, Any]]:
    """The innermost two values of which the first difference is, if there is one."""
    if isinstance(expected, dict) and isinstance(got, dict):
        pairs = [(got.get(name), wanted) for name, wanted in expected.items()]
    elif isinstance(expected, tuple | list) and isinstance(got, tuple | list):
        pairs = list(zip(got, expected, strict=False))
    else:
        yield got, expected
        return
    for mine, right in pairs:
        if compare(right, mine) is not None:
            yield from _first_pair(right, mine)
            return


@silent
def _relation_of(numbers: Any, mine: Any) -> str:
    agree, size = np.asarray(is_close(numbers, mine)), numbers.size
    if size and (np.isfinite(numbers) & ~np.isfinite(mine)).any():
        return "There is nan or inf where a number is expected."
    if size > 1 and 0 < agree.sum() < size:
        return f"As it should be: {agree.sum()} of {size} numbers."
    ratio, distance = mine[numbers != 0] / numbers[numbers != 0], mine - numbers
    if ratio.size and round(ratio[0], 4) and np.allclose(ratio, ratio[0]) and not mine[numbers == 0].any():
        factor, part = round(float(ratio[0]), 4), round(1 / float(ratio[0]), 4)
        if size > 1 or factor == int(factor) or part == int(part):
            return f"What came is {factor:g} times what is expected."
    for words, power in {"the square of": numbers**2, "the root of": numbers**0.5, "1 divided by": 1 / numbers}.items():
        if size > 1 and np.allclose(mine, power):  # of a single number it may be chance
            return f"What came is {words} what is expected."
    if (mine % 1).any() and np.allclose(mine, numbers, 0.002):
        return "What came is near, and not near enough: is something rounded, measured, or added?"
    if size > 1 and np.allclose(distance, distance.flat[0]):
        return f"What came is everywhere {distance.flat[0]:.4g} more than what is expected."
    if size > 1 and np.allclose(abs(numbers), abs(mine)):
        return "The numbers are right but for signs."
    return ""
