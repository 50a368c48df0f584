"""The stop button, pressed in the middle of anything: see interrupts.py, where the cells and what is checked stand.

`python tests/engine/interrupts.py --everywhere` presses it at every place, which takes minutes, and on Python 3.11 may
never end: what traces every instruction there can hang in a process that has done much else.
"""

from __future__ import annotations

import _thread
import operator
import random
import signal
import sys
import time
import types
import warnings
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from engine.interrupts import CELLS, Cell, stop_at_random

from minigrad import viz
from minigrad.teach import limits
from minigrad.teach.limits import call_within


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(autouse=True)
def lost_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop that arises in a weakref's callback or in a `__del__` is lost, and told to this hook: no fault of a cell,
    and the button is pressed again. Pytest's own hook, in Python, could itself be stopped.
    """
    tell = sys.unraisablehook

    def hook(lost: Any) -> None:
        if lost.exc_type is not KeyboardInterrupt:
            tell(lost)

    monkeypatch.setattr(sys, "unraisablehook", hook)


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_can_be_stopped_at_any_time(name: str) -> None:
    stop_at_random(CELLS[name], 20, random.Random(name))


@pytest.mark.parametrize("kind", [limits._Alarm, limits._Watcher])
def test_a_stop_that_comes_with_the_end_of_a_time_limit_is_not_lost(
    kind: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both come in during one call into C. The stop arises first, and what was raised at the limit is taken back."""
    monkeypatch.setattr(limits, "_kind_for_this_thread", lambda: kind)
    # A signal ends the sleep, in which a watcher comes to its turn; adding up takes no notice of one.
    long = partial(time.sleep, 0.05) if kind is limits._Watcher else partial(sum, range(3_000_000))

    def late() -> None:
        deque(map(operator.call, [long, _thread.interrupt_main]))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in a background it may be ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            call_within(0.01, late)
    finally:
        signal.signal(signal.SIGINT, before)
    assert call_within(10, lambda: sum(range(50_000))) == 1_249_975_000


def test_a_stepper_of_pytorchs_backward_can_be_stopped_at_any_time(torch: types.ModuleType) -> None:
    """No thread stays that nobody can wake, and the pass goes on or the stepper closes."""

    class Clicks(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.stepper: Any = None

        def run(self) -> None:
            x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
            self.stepper = stepper = viz.BackwardStepper((x * x).sum(), names={"x": x})
            stepper.next()
            stepper.back()
            stepper.last()
            assert x.grad.tolist() == [2.0, 4.0, 8.0]
            stepper.close()

        def let_go(self) -> None:
            if self.stepper is not None:
                self.stepper.close()

    stop_at_random(Clicks, 20, random.Random(0))
