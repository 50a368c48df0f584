"""The stop button, pressed in the middle of anything: see interrupts.py, where the cells and what is checked stand.

`python tests/interrupts.py --everywhere` presses it at every place, which takes minutes, and on Python 3.11 may never
end: what traces every instruction there can hang in a process that has done much else.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator

import pytest
from interrupts import CELLS, stop_at_random


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_can_be_stopped_at_any_time(name: str) -> None:
    stop_at_random(CELLS[name], 20, random.Random(name))
