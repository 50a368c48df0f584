"""The notebook's stop button (■) while a stepper works.

What the button does anywhere, and what it cannot stop, stands in minigrad/stopping.py. A pass that is stopped within a
step cannot go on. So while a stepper works, the button is `held` back until a step is over, where `button.check()` lets
it through; but code of the learner's, which may have no end, is `stoppable` where it is.

JupyterLab gives what a click sends to a thread of its own, which no signal reaches (a subshell, since ipykernel 7), and
between cells the main thread ignores SIGINT. So clicks are answered where cells run, by `in_main_thread` of outside.py:
after the cell that runs now, and stopped as that is. A run is answered in portions; the button counts its `presses`, so
that one between two portions ends the run, too.

What cannot be stopped here: while a `%gui` loop is on, the main thread does not come to our call, so a click is
answered in the thread that it came in. The same holds of kernels without a loop of ipykernel's kind, and of a browser
that is the kernel itself (JupyterLite), which has no signals. Before ipykernel 7, and where clicks come in the main
thread by a setting of JupyterLab's, the stepper's own button comes too late for a step: only ■ ends it.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minigrad.stopping import sure_to_begin


class _Button:
    """Stands in for Python's handler of SIGINT."""

    def __init__(self) -> None:
        self.presses = 0  # so far: those that were not another handler's
        self.is_held = self.is_open = False
        self.waits = False  # whether it was pressed and that has not been let through
        self.before: Any = None  # the handler in whose place it stands

    @sure_to_begin
    def __call__(self, *_: Any) -> None:
        self.presses += 1
        self.waits = True
        if self.is_open:
            self.check()

    def check(self) -> None:
        """Where it can be stopped: raise KeyboardInterrupt if it was pressed, or do what the other handler does."""
        if self.is_held and self.waits and _is_main():
            self._let_through()

    def _let_through(self) -> None:
        self.waits = False
        if not callable(self.before) or self.before is self:
            raise KeyboardInterrupt
        self.before(signal.SIGINT, sys._getframe())

    @contextmanager
    def hold(self, is_click: bool = False) -> Iterator[None]:
        """Inside, a press waits for `check()`, and at last for the end. A click is no code of the learner's, in which
        something could be raised: at its end nothing is.
        """
        before = signal.getsignal(signal.SIGINT)
        ignored = not callable(before) or before is self  # as between cells
        if self.is_held or not _is_main() or (ignored and not is_click):
            yield
            self.check()
            return
        self.is_held, self.waits, self.before = True, False, before
        try:
            signal.signal(signal.SIGINT, self)
            yield
        finally:
            self.is_held = False  # first: from the next line on, a press may be raised here
            if not ignored:  # else it stays, to count what is pressed until the next portion is asked for
                signal.signal(signal.SIGINT, before)
        if self.waits and not is_click:
            self._let_through()

    def press(self) -> None:
        """Press it, from another thread."""
        main = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, signal.SIGINT)  # this ends a time.sleep(), too
        else:
            _thread.interrupt_main()


button = _Button()


@sure_to_begin
def stoppable(function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, in which the button arises wherever that is."""
    if not _is_main():  # which no press reaches
        return function(*arguments)
    was_open = button.is_open
    button.is_open = True
    try:
        button.check()
        return function(*arguments)
    finally:
        button.is_open = was_open


def _is_main() -> bool:
    """Whether this is the thread that signals reach."""
    return threading.current_thread() is threading.main_thread()
