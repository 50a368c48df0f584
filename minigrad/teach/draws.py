"""What the cases that are drawn at random are made of, and functions that are written once, as words and to be run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

import minigrad

Option = TypeVar("Option")


def pick(random: np.random.Generator, options: Sequence[Option]) -> Option:
    """One of the options, as it is: numpy's own choice would make an array of shapes, and its own kind of a text."""
    return options[int(random.integers(len(options)))]


def pick_some(random: np.random.Generator, options: Sequence[Option], count: int | None = None) -> list[Option]:
    """Several of the options, each at most once, in any order; all of them without a count."""
    return [options[place] for place in random.permutation(len(options))[:count]]


def flip(random: np.random.Generator) -> bool:
    """True as often as False."""
    return bool(random.integers(2))


def draw_numbers(
    random: np.random.Generator, shape: int | Sequence[int] = (), unit: float = 0.1, most: float = 3, zero: bool = True
) -> Any:
    """Numbers of both signs that read well on a card: multiples of a unit, as nested lists, or a float of shape ().

    With a unit such as 1/8, sums and products of them are exact.
    """
    count = round(most / unit)
    multiples = random.integers(-count, count + 1, shape)
    if not zero:
        multiples = random.integers(1, count + 1, shape) * random.choice([-1, 1], shape)
    return (np.round(multiples * unit, 10) + 0.0).tolist()  # 0 for -0


def formula(words: str, names: str = "x") -> Callable[..., Any]:
    """The function of these names that the words say: `formula("sin(x) * x")`. They may use what minigrad has."""
    made: Callable[..., Any] = eval(f"lambda {names}: {words}", {**vars(minigrad), "mg": minigrad})
    return made
