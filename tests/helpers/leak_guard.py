"""Global state, and a fixture that fails the test which leaves it changed.

What would leak from one test into the next: whether operations are recorded, the observer of new nodes, a profiler,
numpy's error state and print options, and whether the garbage collector runs. The fixture works in every test, since
`conftest.py` imports it.
"""

from __future__ import annotations

import gc
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
    op.set_creation_observer(observer)
    modes.special = special
    thread.witness = before["the witness"]
    modes.profiler = before["the profiler"]
    np.seterr(**before["np.geterr()"])
    np.set_printoptions(**before["np.get_printoptions()"])
    (gc.enable if before["gc.isenabled()"] else gc.disable)()
    changed = [name for name in before if after[name] != before[name]]
    pytest.fail("; ".join(f"{name} was {before[name]} and is {after[name]}" for name in changed))


@pytest.fixture(autouse=True)
def no_leaked_state() -> Iterator[None]:
    with no_leaks():
        yield
