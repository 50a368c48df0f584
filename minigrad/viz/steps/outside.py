"""What is changed from outside while steppers show it: by cells that run, and by other steppers.

Steppers that live look at their tensors again after each cell and after each step of another one, so that what they
show is what the kernel holds. Without IPython they look when they are used next.
"""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakSet

_steppers: WeakSet[Any] = WeakSet()


def attend(stepper: Any) -> None:
    """Let a stepper look again, by its `look`, whenever something may have changed."""
    shell = running_shell()
    if shell is not None and _after_cell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _after_cell)
    _steppers.add(stepper)


def leave(stepper: Any) -> None:
    """The stepper is closed."""
    _steppers.discard(stepper)
    _rest_if_alone()


def changed_by(stepper: Any) -> None:
    """A stepper has stepped: the others may show the same tensors."""
    for other in list(_steppers):
        if other is not stepper:
            other.look()


def _after_cell(*_: Any) -> None:
    changed_by(None)
    for stepper in list(_steppers):
        stepper.tell()
        stepper.store()
    _rest_if_alone()


def _rest_if_alone() -> None:
    """Without steppers there is nothing to do after a cell."""
    shell = running_shell()
    if not _steppers and shell is not None and _after_cell in shell.events.callbacks["post_run_cell"]:
        shell.events.unregister("post_run_cell", _after_cell)


def running_shell() -> Any:
    """IPython's shell if it runs the learner's cells, else None. Does not import IPython."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()
