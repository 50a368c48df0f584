"""Limits for code that may never come to an end, so that the notebook goes on and stays readable.

A learner's endless loop becomes an error that arises in it, and its line can be shown. What can be ended so, and where,
stands in minigrad/stopping.py. How the error comes there is another matter on each system: `_kind_for_this_thread`
chooses. And of what a loop prints, the first lines are the ones that help: the rest is left out.
"""

from __future__ import annotations

import _thread
import io
import math
import operator
import signal
import sys
import threading
from collections.abc import Callable
from opcode import opname
from time import monotonic
from types import FrameType
from typing import Any, Protocol

from minigrad import stopping
from minigrad.stopping import raise_in, sure_to_begin

MOST_CHARACTERS = 4_000  # characters that are printed, of one call of the learner's function
# Seconds until the error is raised once more, in case that the code has caught it, or that it went elsewhere: until it
# runs, a new thread is to Python the one that made it.
AGAIN = 0.5
SOON = 1e-6  # seconds: 0 would switch the timer off
TOOL = 4  # a number that `sys.monitoring` gives to nobody in particular
# Calls within calls. A browser gives Python a stack of half a megabyte, and Python, which does not know that, ends as a
# whole where it is full, the notebook's kernel with it: after 120 calls that each pass through one of a generator, as
# in `max(depth(n) for n in nodes)`. So it is to raise RecursionError before: after so many in all, and in code that is
# tried after fewer.
DEEPEST, DEEPEST_ANSWER = 250, 100


if not stopping.HAS_THREADS:
    sys.setrecursionlimit(min(sys.getrecursionlimit(), DEEPEST))


class TookTooLongError(BaseException):
    """Code ran longer than it may. Not an Exception: `except Exception` in the loop itself must not catch it."""


class _TakenBackError(BaseException):
    """Stands in for an error that was raised and is not to arrive."""


class _Limit(Protocol):
    """What raises TookTooLongError in the thread that made it, so many seconds from `begin()` on, and again each time
    that AGAIN seconds are over.

    Limits may nest, and each step of theirs may be stopped. In any case, once `end()` is over, nothing more arises, and
    what the limit has used is as it was.
    """

    def __init__(self, seconds: float) -> None: ...
    def begin(self) -> None: ...
    def end(self) -> None: ...


def call_within(seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with TookTooLongError raised in it once it has run for so many seconds."""
    limit = _kind_for_this_thread()(seconds)
    try:
        limit.begin()
        return function(*arguments)
    finally:  # also where the stop button comes in between: a limit that stays would end a later call
        limit.end()


def _kind_for_this_thread() -> type[_Limit]:
    """How time is limited here. None ends a long call into C that never looks for signals, and each has its own limits:

    - `_Alarm`, in the main thread on Linux and macOS: not code that sets the process's timer itself (`signal.alarm`),
      or blocks SIGALRM. On Linux, exercises are ended in that case, too: see apart.py.
    - `_Watcher`, on Windows, in other threads, and where SIGALRM belongs to a program in C: no `time.sleep` and no
      waiting for another thread or for input, which go on until they are over by themselves.
    - `_Deadline`, in a browser: no `time.sleep` and no C either, and code becomes slower, since Python looks at the
      clock all the time. Before Python 3.12 only loops are ended, and only once: code that catches the error goes on.
    """
    if not stopping.HAS_THREADS:
        return _Deadline
    is_main = threading.get_ident() == threading.main_thread().ident
    if is_main and hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is not None:
        return _Alarm
    return _Watcher


class _Alarm:
    """A limit by the timer of the process, whose signal arises as the stop button does.

    There is one timer. Whoever has set it before, a limit around this one or the learner, gets the alarm when it is
    due, and has the timer back at the end.
    """

    def __init__(self, seconds: float) -> None:
        self.is_active, self.is_set = True, False
        self.due = monotonic() + seconds
        self.handler: Any = None  # that of before
        self.next, self.interval = math.inf, 0.0  # when its alarm is due, and after how many seconds again

    def begin(self) -> None:
        self.handler = signal.getsignal(signal.SIGALRM)
        left, self.interval = signal.getitimer(signal.ITIMER_REAL)
        if left:
            self.next = monotonic() + left
        signal.signal(signal.SIGALRM, self)
        self._set_timer(monotonic())

    def _set_timer(self, now: float) -> None:
        seconds = max(min(self.due, self.next) - now, SOON)
        self.is_set = True  # no place between this and the call where it could be stopped
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)  # again, in case that the handler itself is stopped

    def __call__(self, number: int, frame: Any) -> None:
        """An alarm: for this limit, for whoever has set the timer before, for both, or too early for each."""
        now = monotonic()
        is_late, is_other = self.is_active and now >= self.due, now >= self.next
        if is_late:
            self.due = now + AGAIN
        if is_other:
            self.next = now + self.interval if self.interval else math.inf
        if self.is_active:
            self._set_timer(now)
        if is_other and callable(self.handler):
            self.handler(number, frame)
        if is_late:
            raise TookTooLongError

    @sure_to_begin
    def end(self) -> None:
        try:
            self.is_active = False  # from here on it raises nothing more
            if self.is_set:
                signal.setitimer(signal.ITIMER_REAL, 0)  # first: the handler of before may be to end the process
            if self.handler is not None:
                signal.signal(signal.SIGALRM, self.handler)
            if self.is_set and self.next < math.inf:
                left = max(self.next - monotonic(), SOON)
                self.is_set = False  # as above: done once, and not a second time
                signal.setitimer(signal.ITIMER_REAL, left, self.interval)
        except BaseException:  # the stop button, or an alarm that is for others
            self.end()
            raise


class _Watcher:
    """A limit by a thread that raises the error in the one that made it."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.thread = seconds, threading.get_ident()
        self.is_active, self.has_raised = True, False
        self.over = threading.Lock()
        self.over.acquire()

    def begin(self) -> None:
        # Not a threading.Thread: stopped in its start(), that can leave a lock held, for which the thread then waits.
        _thread.start_new_thread(self.run, ())

    @sure_to_begin
    def run(self) -> None:
        try:
            while not self.over.acquire(timeout=self.seconds):
                if self.is_active:  # no call before the raising one: Python cannot go over to the other thread
                    self.has_raised = True
                    raise_in(self.thread, TookTooLongError)
                self.seconds = AGAIN
        except (TookTooLongError, _TakenBackError):  # meant for the thread that made this one: see AGAIN
            if self.is_active:
                self.run()

    @sure_to_begin
    def end(self) -> None:
        """Let the thread end, and take back what it has raised that has not arrived.

        Raising None would do so, too. But then Python 3.11 and 3.12 go on looking for an error at each step, for ever:
        slower, and under a profiler or a debugger 3.11 stands still. So another error takes its place, and arrives.
        """
        try:
            if self.is_active:
                self.is_active = False  # from here on it raises nothing more
                self.over.release()
            while self.has_raised:
                if self.over.locked():  # by its end; else it may be about to raise
                    raise_in(self.thread, _TakenBackError)
        except _TakenBackError:
            return
        except BaseException as error:  # the stop button, or what is to be taken back
            self.end()
            if not isinstance(error, TookTooLongError):
                raise


class _Deadline:
    """A limit for a Python that is alone, without signals and threads: it looks at the clock itself, as a function
    begins and as a loop goes round. Calls within calls are limited, too.

    `sys.monitoring` calls what looks. An error that is raised there would leave the code without its `finally`; so the
    thread raises it in itself, and it arises at the next place, as the stop button does. Before Python 3.12 there is
    only `sys.settrace`, where what raises is switched off.
    """

    innermost: _Deadline | None = None

    def __init__(self, seconds: float) -> None:
        self.due, self.tracer = monotonic() + seconds, sys.gettrace()
        self.outer: _Deadline | None = None
        self.deepest = self.deepest_before = sys.getrecursionlimit()

    def begin(self) -> None:
        self.outer, _Deadline.innermost = _Deadline.innermost, self
        self.deepest = min(_depth() + DEEPEST_ANSWER, self.deepest_before)
        sys.setrecursionlimit(self.deepest)
        if sys.version_info >= (3, 12):
            monitoring, events = sys.monitoring, sys.monitoring.events
            if monitoring.get_tool(TOOL) is None:
                monitoring.use_tool_id(TOOL, "time limits of minigrad")
            monitoring.register_callback(TOOL, events.JUMP, _look)
            monitoring.register_callback(TOOL, events.PY_START, _look)
            monitoring.set_events(TOOL, events.JUMP | events.PY_START)
        else:
            sys.settrace(_trace)

    @sure_to_begin
    def end(self) -> None:
        try:
            if _Deadline.innermost is self:
                _Deadline.innermost = self.outer
            if sys.getrecursionlimit() == self.deepest:  # else the code has set it, which is to be seen
                sys.setrecursionlimit(self.deepest_before)
            if sys.version_info >= (3, 12):
                if _Deadline.innermost is None and sys.monitoring.get_tool(TOOL) is not None:
                    sys.monitoring.set_events(TOOL, 0)
            else:
                sys.settrace(self.tracer)
        except BaseException as error:  # the stop button, or what arises only now
            self.end()
            if not isinstance(error, TookTooLongError):
                raise


def _depth() -> int:
    """How many calls go on."""
    frame, count = sys._getframe(), 0
    while frame := frame.f_back:  # type: ignore[assignment]
        count += 1
    return count


def _overdue() -> _Deadline | None:
    """A limit whose time is over; there will be time again until it is raised once more."""
    limit, now = _Deadline.innermost, monotonic()
    while limit is not None and now < limit.due:
        limit = limit.outer
    if limit is not None:
        limit.due = now + AGAIN
    return limit


class _Own:
    """Raises an error in this thread, after the function in which an attribute of it is read: a call would have it
    arise at once.
    """

    raise_in = staticmethod(raise_in)
    late = property(operator.methodcaller("raise_in", threading.get_ident(), TookTooLongError))
    stop = property(operator.methodcaller("raise_in", threading.get_ident(), KeyboardInterrupt))


_own = _Own()


@sure_to_begin
def _look(*place: object) -> None:
    try:
        if _overdue():
            _own.late  # noqa: B018
    except KeyboardInterrupt:
        _own.stop  # noqa: B018


def _trace(frame: FrameType, event: str, argument: Any) -> Any:
    if event == "call":
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
    elif event == "opcode":
        steps = (opname[code] for code in frame.f_code.co_code[frame.f_lasti :: 2])
        if "JUMP_BACKWARD" in next(step for step in steps if step != "EXTENDED_ARG") and _overdue():
            raise TookTooLongError
    return _trace


class print_limit(io.TextIOBase):
    """Inside, no more than the first `most` characters are printed; of 0, nothing is.

    It stands in for `sys.stdout`: the beginning goes on to that, and one line says that there was more.
    """

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self.to, self.left = sys.stdout, most or -1  # below 0 the rest is left out, and that has been said

    def __enter__(self) -> print_limit:
        sys.stdout = self
        return self

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        sys.stdout = self.to

    def write(self, text: str) -> int:
        if self.left >= 0:
            self.to.write(text[: self.left])
            self.left -= len(text)
            if self.left < 0:
                self.to.write(f"\n… (more was printed than {MOST_CHARACTERS} characters: the rest is left out)\n")
        return len(text)
