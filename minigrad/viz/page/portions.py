"""What a busy widget tells its page: in portions.

A message for each of thousands of steps costs more than the steps, and JupyterLab stops listening. So what changes is
held, and sent together: every `PORTION` seconds, so that a long run is seen to move, and when no more comes. That is
known at the end of a cell, and of other code of the kernel's when its event loop is free again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

PORTION = 0.15  # seconds between two messages
LONGEST_ANSWER = 1.0  # seconds for which nodes run before the page hears of it


def seconds_to_answer(before: float) -> float:
    """For how long nodes run until the page is answered, which then asks for more: for longer than the time before.

    A page with thousands of boxes needs longer for a picture than for the question. Told every `PORTION`, it would
    draw all the time, and the kernel wait. The longest is still short enough to end a run that is seen to go wrong.
    """
    return min(max(PORTION, 2 * before), LONGEST_ANSWER)


class Portions:
    """Holds what changes of a widget: `hold` is its `hold_sync`; `complete` is called before anything is sent. It
    `is_busy` while the widget changes.

    Where clicks are answered in another thread than cells run in (see steps/stop_button.py), what one has planned may
    come due in the middle of what the other does, which then sends it.
    """

    def __init__(self, hold: Callable[[], AbstractContextManager[None]], complete: Callable[[], None]) -> None:
        self._hold, self._complete = hold, complete
        self._held = ExitStack()
        self.is_busy = self._is_planned = False
        self._sent = -PORTION

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Around what changes the widget; inside, `go_on` marks where a portion may end."""
        self.is_busy = True
        self._held.enter_context(self._hold())
        try:
            yield
        finally:
            self.is_busy = False
            if self._is_over():
                self.send()
            elif not self._is_planned:
                self._plan()

    def go_on(self) -> None:
        """Send what has changed so far, if it is time; what changes outside of `changing` is sent anyway."""
        if self.is_busy and self._is_over():
            self.send()
            self._held.enter_context(self._hold())

    def send(self) -> None:
        """Send what has changed, now."""
        self._complete()
        self._held.close()
        self._sent = time.monotonic()

    def _is_over(self) -> bool:
        return time.monotonic() - self._sent >= PORTION

    def _plan(self) -> None:
        """Send when the kernel is no longer busy: at once, where there is no loop that would tell."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.send()
            return
        self._is_planned = True
        loop.call_later(PORTION, self._send_as_planned)

    def _send_as_planned(self) -> None:
        self._is_planned = False
        if not self.is_busy:
            self.send()
