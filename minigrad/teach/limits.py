"""Limits for code that may never come to an end, so that the notebook goes on and stays readable.

A learner's endless loop becomes an error that one thread raises in another. Python offers this to C programs as
`PyThreadState_SetAsyncExc`; the error arises before the other thread's next line of Python, so that a loop written in
Python always ends, while one long call into C, such as `time.sleep(1000)`, is waited for. And of what a loop prints,
the first lines are the ones that help: the rest is left out.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import sys
import threading
from collections.abc import Callable
from typing import Any

MOST = 4_000  # characters that are printed, of one call of the learner's function
AGAIN = 0.5  # seconds until the error is raised once more, in case that the code has caught it


class TookTooLongError(BaseException):
    """Code ran longer than it may. Not an Exception: `except Exception` in the loop itself must not catch it."""


def call_within(seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with TookTooLongError raised in it once it has run for so many seconds."""
    thread, over = threading.get_ident(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(thread, seconds, over), daemon=True)
    watcher.start()
    try:
        return _call(function, arguments)
    finally:
        over.set()
        watcher.join()  # from here on it raises nothing more; what it has raised
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None)  # and is on its way, is taken back
        del watcher  # here, and not in a later call: an error raised in what runs at an object's end gets lost


def _call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(*arguments)


def _watch(thread: int, seconds: float, over: threading.Event) -> None:
    wait = seconds
    while not over.wait(wait) and _is_calling(thread):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TookTooLongError))
        wait = AGAIN


def _is_calling(thread: int) -> bool:
    """Whether the thread is in a call that is watched: the error may have reached it between that and `over`."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not _call.__code__:
        frame = frame.f_back
    return frame is not None


class _Beginning(io.TextIOBase):
    """What stands in for `sys.stdout`: the beginning goes on to it, and one line says that there was more."""

    def __init__(self) -> None:
        self.to, self.left = sys.stdout, MOST

    def write(self, text: str) -> int:
        if self.left > 0:
            self.to.write(text[: self.left])
            self.left -= len(text)
            if self.left <= 0:
                self.to.write(f"\n… (more was printed than {MOST} characters: the rest is left out)\n")
        return len(text)


def print_limit() -> contextlib.AbstractContextManager[Any]:
    """Inside, no more than the first MOST characters are printed."""
    return contextlib.redirect_stdout(_Beginning())
