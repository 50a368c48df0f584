"""Global state, and a fixture that fails the test which leaves it changed.

What would leak from one test into the next: whether operations are recorded, the observer of new nodes, a profiler,
numpy's error state and print options, and whether the garbage collector runs. The fixture works in every test, since
`conftest.py` imports it.

Steppers are no fault, but ipywidgets keeps each of them alive, and each looks at all its tensors again after every step
of any other: a process that has tried a thousand would step the next ones many times as slowly. So those of a test that
is over are no longer told of others.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from minigrad import op
from minigrad.autograd import grad_mode
from minigrad.autograd.modes import modes, thread


def state() -> dict[str, Any]:
    observer = modes.observer
    # minigrad.viz installs its observer when it is first imported, and for good.
    lasting = observer is not None and observer.__module__.startswith("minigrad.viz")
    return {
        "is_grad_enabled()": grad_mode.is_grad_enabled(),
        "the creation observer": None if lasting else observer,
        "the count of special modes": modes.special - (observer is not None),
        "the witness": thread.witness,
        "the profiler": modes.profiler,
        "np.geterr()": np.geterr(),
        "np.get_printoptions()": np.get_printoptions(),
        "gc.isenabled()": gc.isenabled(),
    }


@contextmanager
def no_leaks() -> Iterator[None]:
    """Fail if the block changes global state, after putting it back."""
    before, observer, special = state(), modes.observer, modes.special
    yield
    after = state()
    if after == before:
        return
    grad_mode.set_grad_enabled(before["is_grad_enabled()"])
    op.set_node_observer(observer)
    modes.special = special
    thread.witness = before["the witness"]
    modes.profiler = before["the profiler"]
    np.seterr(**before["np.geterr()"])
    np.set_printoptions(**before["np.get_printoptions()"])
    (gc.enable if before["gc.isenabled()"] else gc.disable)()
    changed = [name for name in before if after[name] != before[name]]
    pytest.fail("; ".join(f"{name} was {before[name]} and is {after[name]}" for name in changed))


def attending() -> set[Any]:
    """The sessions of steppers that look again after each step of another one. Nothing is imported to find them."""
    outside = sys.modules.get("minigrad.viz.steps.outside")
    return set(outside._sessions) if outside else set()


@contextmanager
def steppers_rest_afterwards() -> Iterator[None]:
    """Once the block is over, the steppers made in it look no more at what others change."""
    before = attending()
    try:
        yield
    finally:
        for session in attending() - before:
            sys.modules["minigrad.viz.steps.outside"].leave(session)


@pytest.fixture(autouse=True)
def no_leaked_state() -> Iterator[None]:
    with steppers_rest_afterwards(), no_leaks():
        yield
