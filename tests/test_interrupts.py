"""The stop button, pressed in the middle of anything: see interrupts.py, where the cells and what is checked stand."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from interrupts import CELLS, stop_at_random, stop_everywhere

_seen: set[Any] = set()  # each place once, in the first cell that comes to it
# `python tests/interrupts.py --everywhere` does all cells and places, which takes minutes.
SHORT = ("NoGrad", "InferenceMode", "NestedModes", "LeftByError", "Decorated", "Anomaly", "Backward", "CustomFunction")
SHORT += ("Hooks", "Optimizers")


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", SHORT)
def test_a_cell_can_be_stopped_everywhere(name: str) -> None:
    stop_everywhere(CELLS[name], _seen)


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_can_be_stopped_at_any_time(name: str) -> None:
    stop_at_random(CELLS[name], 5, random.Random(name))
