"""`profile` and `record_function`: what a program writes to be profiled.

with profile() as prof:
    with record_function("forward"):
        loss = model(x).sum()
    loss.backward()
print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

from minigrad.absent import takes_left_out
from minigrad.autograd.blame import type_name
from minigrad.autograd.modes import modes
from minigrad.autograd.profiler.averages import EventList
from minigrad.autograd.profiler.event_log import EventLog
from minigrad.autograd.profiler.events import FunctionEvent
from minigrad.autograd.profiler.names import USER
from minigrad.stopping import sure_to_begin

UNFINISHED = "<unfinished minigrad.autograd.profile>"
_switching = threading.Lock()


@takes_left_out
class profile:
    """Record every operation in the block, forward and backward, with the time that it takes.

    Args:
        enabled: False makes the block an ordinary one.
        record_shapes: note the shapes of the inputs, for `key_averages(group_by_input_shape=True)`.
        profile_memory: note the bytes of the new arrays that events return.

    Operations of all threads are recorded. Only one profiler can be on at a time: RuntimeError for a second one,
    for using one twice, and for reading one in its block. After an exception in the block, the profile holds what
    happened up to then. Printed, a profile is the table of its events.
    """

    def __init__(self, enabled: bool = True, *, record_shapes: bool = False, profile_memory: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self._clock: Callable[[], int] = time.perf_counter_ns
        self._log: EventLog | None = None
        self._events = EventList()

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self._log is not None:
            raise RuntimeError("Profiler context manager is not reentrant: make a new profile for each block")
        log = EventLog(self._clock, self.record_shapes, self.profile_memory)
        try:
            with _switching:
                if modes.profiler is not None:
                    raise RuntimeError(
                        "Profiler is already enabled: only one can be on at a time. Leave out the inner one, and mark "
                        "the part that you are interested in with record_function(name)."
                    )
                modes.profiler = log  # first, so that an op that is written now will be watched
                log.start()
        except BaseException:
            self._end(log)
            raise
        self._log = log
        return self

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        if self._log is not None:
            self._end(self._log)

    @sure_to_begin
    def _end(self, log: EventLog) -> None:
        if modes.profiler is not log:
            return
        try:
            with _switching:
                self._events[:] = log.stop()
                modes.profiler = None
        except BaseException:  # the stop button, however often it is pressed: what it keeps from its end does so now
            self._end(log)
            raise

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of all self times, in microseconds."""
        return self.function_events.self_cpu_time_total

    def table(self, *args: Any, **options: Any) -> str:
        """A table with a row for every single event; see EventList.table."""
        return self.function_events.table(*args, **options)

    def key_averages(self, group_by_input_shape: bool = False) -> EventList:
        """One average for each name, or each name with the same input shapes; see EventList.key_averages."""
        return self.function_events.key_averages(group_by_input_shape)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a file that Perfetto (ui.perfetto.dev) and chrome://tracing open."""
        self.function_events.export_chrome_trace(path)

    @property
    def function_events(self) -> EventList:
        """The events, as they began. RuntimeError in the block: they are linked to each other when it is over."""
        if self.is_running:
            raise RuntimeError("Profiler didn't finish running: its events are there after the `with` block, not in it")
        return self._events

    def __str__(self) -> str:
        return self._text_when_finished(str)

    def __repr__(self) -> str:
        return self._text_when_finished(repr)

    def _text_when_finished(self, how: Callable[[EventList], str]) -> str:
        return UNFINISHED if self._log is None or self.is_running else how(self.function_events)

    @property
    def is_running(self) -> bool:
        """Whether its block has begun and is not over."""
        return self._log is not None and self._log.ended is None


class record_function(ContextDecorator):
    """Give a part of the program a name of its own in the profile: as a block, or as a decorator of a function.

    Without a profiler, it does nothing.

    RuntimeError at the beginning of the block if the name is no text.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._open: list[tuple[EventLog, FunctionEvent] | None] = []  # several, when a decorated function calls itself

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but instead "
                f"found type '{type_name(self.name)}': {self.name!r}"
            )
        log = modes.profiler
        self._open.append(None if log is None else (log, log.begin(self.name, USER)))
        return self

    def __exit__(self, *error: object) -> None:
        opened = self._open.pop()
        if opened is not None:
            log, event = opened
            log.end(event)
