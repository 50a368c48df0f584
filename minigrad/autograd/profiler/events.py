"""Events as a program reads them: who called whom, and what of an event's time was its own.

An event's self time is its total less the totals of its children, so the self times of all events sum to the totals of
those that nobody called. Times are in microseconds from the start of the profiler, memory in bytes; the attributes have
PyTorch's names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minigrad.autograd.profiler.names import BACKWARD, USER, WRITING
from minigrad.autograd.profiler.recording import Record, Recording
from minigrad.autograd.profiler.table import time_text


class Interval:
    """From `start` to `end`, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """How long it lasted."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"Interval(start={self.start}, end={self.end})"


class Timed:
    """What one event and an average of several have in common."""

    cpu_time_total: Any
    self_cpu_time_total: Any
    count: int
    self_cpu_percent = total_cpu_percent = ""  # in the last table that showed it

    @property
    def cpu_time(self) -> float:
        """Microseconds per call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return time_text(self.self_cpu_time_total)


class FunctionEvent(Timed):
    """One call.

    Attributes:
        name, key: what was called.
        time_range: when, as an Interval. `thread`: in which thread, numbered from 1; `thread_name`: what it is called.
        scope: 0, or 1 for a node's backward, or 7 for the learner's own record_function.
        cpu_parent, cpu_children: the event it was called in, and those called in it.
        sequence_nr: of a backward, the number of its node; of a forward, that of the node that it made; else -1.
        forward: of a backward, the event that made its node, if that was recorded. `fwd_thread`: the thread of that.
        input_shapes: (with record_shapes) a list per argument, [] for what is no tensor.
        cpu_memory_usage, self_cpu_memory_usage: (with profile_memory) the bytes of new arrays that came out.
    """

    count = 1

    def __init__(self, record: Record, start: int, end: int) -> None:
        self.id = 0
        self._nanoseconds = end - start  # whole numbers, so that sums come out even
        self.name = self.key = record.name
        self.time_range = Interval(start / 1000, end / 1000)
        self.thread = self.fwd_thread = record.log.number
        self.thread_name = record.log.name
        self.scope = record.scope
        self.is_user_annotation = record.scope == USER
        self.is_backward = record.scope == BACKWARD or record.run is not None
        self.sequence_nr = record.sequence
        self.forward: FunctionEvent | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        self.input_shapes: Any = record.shapes
        self.cpu_memory_usage = record.bytes

    @property
    def cpu_time_total(self) -> float:
        return self._nanoseconds / 1000

    @property
    def self_cpu_time_total(self) -> float:
        return (self._nanoseconds - sum([child._nanoseconds for child in self.cpu_children])) / 1000

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum([child.cpu_memory_usage for child in self.cpu_children])

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} seq_nr={self.sequence_nr}>"
        )


def events_of(recording: Recording) -> list[FunctionEvent]:
    """The events of a recording in the order in which they began, linked to each other.

    What was still open when the recording ended (a call in another thread) ends with it.
    """
    ended = recording.clock() if recording.ended is None else recording.ended
    made: dict[Record, FunctionEvent] = {}
    for log in list(recording.logs):
        for record in list(log.records):
            if record.start < recording.began or record.start > ended:
                continue  # began in another thread at the very moment at which the profiler did, or after its end
            end = ended if record.end is None else min(record.end, ended)
            event = made[record] = FunctionEvent(record, record.start - recording.began, end - recording.began)
            parent = None if record.parent is None else made.get(record.parent)
            while parent is not None and parent.time_range.end < event.time_range.end:
                parent = parent.cpu_parent  # it had been ended before this one was
            if parent is not None:
                event.cpu_parent = parent
                parent.cpu_children.append(event)
    events = _merged(made.values())
    events.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    for number, event in enumerate(events, 1):
        event.id = number
    _link(events)
    return events


def _merged(events: Iterable[FunctionEvent]) -> list[FunctionEvent]:
    """Without events that are the only call in one with the same name: a function that hands over to its op.

    (Beside it, the op's text may have been written.)
    """
    kept: list[FunctionEvent] = []
    for event in events:  # parents come before their children
        parent = event.cpu_parent
        calls = [] if parent is None else [child for child in parent.cpu_children if child.name != WRITING]
        if parent is not None and parent.name == event.name and len(calls) == 1:
            parent.cpu_children = [child for child in parent.cpu_children if child is not event] + event.cpu_children
            for child in event.cpu_children:
                child.cpu_parent = parent
        else:
            kept.append(event)
    return kept


def _link(events: list[FunctionEvent]) -> None:
    """Tell each backward which event made its node: of nested events that made the same node, the innermost."""
    makers: dict[int, FunctionEvent] = {}
    for event in events:
        if event.sequence_nr >= 0 and not event.is_backward:
            makers[event.sequence_nr] = event
    for event in events:
        if event.is_backward:
            event.forward = makers.get(event.sequence_nr)
            if event.forward is not None:
                event.fwd_thread = event.forward.thread
