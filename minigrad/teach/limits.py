"""Limits for code that may never come to an end, so that the notebook goes on and stays readable.

A learner's endless loop becomes an error that one thread raises in another. Python offers this to C programs as
`PyThreadState_SetAsyncExc`; the error arises before the other thread's next line of Python, so that a loop written in
Python always ends, and its line can be shown, while one long call into C, such as `time.sleep(1000)`, goes on: it ends
with the process in which `apart` has answers run, where there can be one. And of what a loop prints, the first lines
are the ones that help: the rest is left out.
"""

from __future__ import annotations

import _thread
import ctypes
import io
import sys
import threading
from collections.abc import Callable
from typing import Any

from minigrad.stopping import sure_to_begin

MOST = 4_000  # characters that are printed, of one call of the learner's function
# Seconds until the error is raised once more, in case that the code has caught it, or that it went elsewhere: until it
# runs, a new thread is to Python the one that made it.
AGAIN = 0.5

_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc  # at hand, since looking it up can be stopped


class TookTooLongError(BaseException):
    """Code ran longer than it may. Not an Exception: `except Exception` in the loop itself must not catch it."""


class _TakenBackError(BaseException):
    """Stands in for an error that was raised and is not to arrive."""


_TOOK_TOO_LONG, _TAKEN_BACK = map(ctypes.py_object, (TookTooLongError, _TakenBackError))


class _Watcher:
    """Raises an error in the thread that made it, each time that so many seconds are over."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.thread = seconds, ctypes.c_ulong(threading.get_ident())
        self.active, self.raised = True, False
        self.over = threading.Lock()
        self.over.acquire()

    @sure_to_begin
    def run(self) -> None:
        try:
            while not self.over.acquire(timeout=self.seconds):
                if self.active:  # no call before the raising one: Python cannot go over to the other thread in between
                    self.raised = True
                    _raise_in(self.thread, _TOOK_TOO_LONG)
                self.seconds = AGAIN
        except (TookTooLongError, _TakenBackError):  # meant for the thread that made this one: see AGAIN
            if self.active:
                self.run()

    @sure_to_begin
    def end(self) -> None:
        """Let it end, and take back what it has raised that has not arrived: here nothing arrives but the stop.

        Raising None would do so, too. But then Python 3.11 and 3.12 go on looking for an error at each step, for ever:
        slower, and under a profiler or a debugger 3.11 stands still. So another error takes its place, and arrives.
        """
        try:
            if self.active:
                self.active = False  # from here on it raises nothing more
                self.over.release()
            while self.raised:
                if self.over.locked():  # by its end; else it may be about to raise
                    _raise_in(self.thread, _TAKEN_BACK)
        except _TakenBackError:
            return
        except BaseException as error:  # the stop button, or what is to be taken back
            self.end()
            if not isinstance(error, TookTooLongError):
                raise


def call_within(seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with TookTooLongError raised in it once it has run for so many seconds."""
    watcher = _Watcher(seconds)
    try:
        # Not a threading.Thread: stopped in its start(), that can leave a lock held, for which the thread then waits.
        _thread.start_new_thread(watcher.run, ())
        return function(*arguments)
    finally:  # also where the stop button comes in between: a watcher that stays would end a later call
        watcher.end()


class print_limit(io.TextIOBase):
    """Inside, no more than the first `most` characters are printed; of 0, nothing is.

    It stands in for `sys.stdout`: the beginning goes on to that, and one line says that there was more.
    """

    def __init__(self, most: int = MOST) -> None:
        self.to, self.left = sys.stdout, most

    def __enter__(self) -> print_limit:
        sys.stdout = self
        return self

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        sys.stdout = self.to

    def write(self, text: str) -> int:
        if self.left > 0:
            self.to.write(text[: self.left])
            self.left -= len(text)
            if self.left <= 0:
                self.to.write(f"\n… (more was printed than {MOST} characters: the rest is left out)\n")
        return len(text)
