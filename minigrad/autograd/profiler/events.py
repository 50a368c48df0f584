"""Events as a program reads them: who called whom, and what of an event's time was its own.

After this module a reader knows how self times come about, and why they add up: an event's self time is its total less
the totals of its children, so the self times of all events sum to the totals of those that nobody called. Times are in
microseconds from the start of the profiler, memory in bytes; the attributes have PyTorch's names.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterable
from typing import Any

from minigrad.autograd.blame import cell_name, is_installed
from minigrad.autograd.profiler.recording import Line, Record, Recording
from minigrad.autograd.profiler.scopes import BACKWARD, USER
from minigrad.autograd.profiler.units import time_text

WRITING = "minigrad::write_op"  # the event of an op's text being written, at its first call


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
    """What one event and an average of several have in common; all that PyTorch asks of devices is 0 on the CPU."""

    cpu_time_total: Any
    self_cpu_time_total: Any
    count: int

    node_id = -1
    use_device: str | None = None
    device_type = "cpu"
    is_async = is_remote = is_legacy = False
    overload_name = ""
    flops = 0
    device_time = device_time_total = self_device_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    self_cpu_percent = total_cpu_percent = ""

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
        name, key: what was called. `trace_name` is the same; None for what is not drawn on a time line ("[memory]").
        time_range: when, as an Interval. `thread`: in which thread, numbered from 1; `thread_name`: what it is called.
        scope: 0, or 1 for a node's backward, or 7 for the learner's own record_function.
        cpu_parent, cpu_children: the event it was called in, and those called in it.
        sequence_nr: of a backward, the number of its node; of a forward, that of the node that it made; else -1.
        forward: of a backward, the event that made its node, if that was recorded. `fwd_thread`: the thread of that.
        input_shapes: (with record_shapes) a list per argument, [] for what is no tensor.
        stack: (with with_stack) the learner's lines that led here, "file.py(12): function", the innermost first.
        cpu_memory_usage, self_cpu_memory_usage: (with profile_memory) bytes taken less bytes given back.
    """

    count = 1
    kernels: tuple[Any, ...] = ()

    def __init__(self, record: Record, start: int, end: int) -> None:
        self.id = 0
        self._nanoseconds = end - start  # whole numbers, so that sums come out even
        self.name = record.name
        self.trace_name = None if record.name == "[memory]" else record.name
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
        self.lines = record.stack
        self.cpu_memory_usage = record.bytes

    @property
    def key(self) -> str:
        return self.name

    @property
    def stack(self) -> list[str]:
        return [line_text(line) for line in own_lines(self.lines)]

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


def own_lines(lines: list[Line]) -> list[Line]:
    """The lines that are not of Python's or a package's own code; all, if there are no others."""
    return [line for line in lines if not is_installed(line[0].co_filename)] or lines


def line_number(line: Line) -> int:
    """Which line of its file a frame was at."""
    code, instruction = line
    position = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    return code.co_firstlineno if position is None or position[0] is None else position[0]


def line_text(line: Line) -> str:
    """A line as PyTorch writes it: the file (or the notebook's cell), the number of the line, the function."""
    file = line[0].co_filename
    return f"{cell_name(file) or file}({line_number(line)}): {line[0].co_name}"


def line_source(line: Line) -> str:
    """What the line says; "" where its source is not known."""
    return linecache.getline(line[0].co_filename, line_number(line)).strip()


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
    events = _merged(list(made.values()))
    for event in reversed(events):
        if event.cpu_parent is not None:
            event.cpu_parent.cpu_memory_usage += event.cpu_memory_usage
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
            parent.cpu_memory_usage += event.cpu_memory_usage
            for child in event.cpu_children:
                child.cpu_parent = parent
        else:
            kept.append(event)
    return kept


def _link(events: list[FunctionEvent]) -> None:
    """Tell each backward which event made its node, and whose lines are therefore its own, too.

    Of nested events that made the same node, the innermost counts.
    """
    makers: dict[int, FunctionEvent] = {}
    for event in events:
        if event.sequence_nr >= 0 and not event.is_backward:
            makers[event.sequence_nr] = event
    for event in events:
        if event.is_backward:
            event.forward = makers.get(event.sequence_nr)
            if event.forward is not None:
                event.fwd_thread, event.lines = event.forward.thread, event.forward.lines
        elif event.cpu_parent is not None and event.cpu_parent.forward is not None:  # an op within a backward
            event.lines = event.cpu_parent.lines
