"""Events: what one call is known to have taken, who called whom, and what of an event's time was its own.

An event's self time is its total less the totals of its children, so the self times of all events sum to the totals of
those that nobody called. Times are in microseconds from the start of the profiler, memory in bytes; the attributes have
PyTorch's names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from minigrad.autograd.profiler.names import BACKWARD, USER
from minigrad.autograd.profiler.table import time_text


class Interval(NamedTuple):
    """From `start` to `end`, in microseconds."""

    start: float
    end: float


class Timed:
    """What one event and an average of several have in common."""

    name: str
    count: int
    cpu_time_total: Any
    self_cpu_time_total: Any
    cpu_memory_usage: int
    input_shapes: Any

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time(self) -> float:
        """Microseconds per call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} key={self.key} self_cpu_time={time_text(self.self_cpu_time_total)} "
            f"cpu_time={time_text(self.cpu_time)} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEvent(Timed):
    """One call.

    Attributes:
        name, key: what was called.
        time_range: when, as an Interval. `thread`: in which thread, by the system's number of it.
        scope: 0, or 1 for a node's backward, or 7 for the learner's own record_function.
        cpu_parent, cpu_children: the event it was called in, and those called in it.
        sequence_nr: of a backward, the number of its node; of a forward, that of the node that it made; else -1.
        forward: of a backward, the event that made its node, if that was recorded. `node`: its node's id().
        input_shapes: (with record_shapes) a list per argument, [] for what is no tensor.
        cpu_memory_usage, self_cpu_memory_usage: (with profile_memory) the bytes of new arrays that came out.
    """

    count = 1
    began = 0  # in nanoseconds of the clock: whole numbers, so that sums come out even
    ended: int | None = None
    time_range = Interval(0.0, 0.0)  # of one that is left out: all others end later
    node = 0
    run: object = None  # of an event of the engine: the backward run that it belongs to
    sequence_nr = -1
    forward: FunctionEvent | None = None
    input_shapes: Sequence[Any] = ()
    cpu_memory_usage = 0
    returned: frozenset[int] = frozenset()  # the new arrays that this call and those in it returned, by id

    def __init__(self, name: str, scope: int, thread: int, parent: FunctionEvent | None) -> None:
        self.name, self.scope, self.cpu_parent = name, scope, parent
        self.thread = thread
        self.cpu_children: list[FunctionEvent] = []

    @property
    def is_user_annotation(self) -> bool:
        return self.scope == USER

    @property
    def nanoseconds(self) -> int:
        return 0 if self.ended is None else self.ended - self.began

    @property
    def cpu_time_total(self) -> float:
        return self.nanoseconds / 1000

    @property
    def self_cpu_time_total(self) -> float:
        return (self.nanoseconds - sum([child.nanoseconds for child in self.cpu_children])) / 1000

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum([child.cpu_memory_usage for child in self.cpu_children])


def link_events(events: Iterable[FunctionEvent], began: int, ended: int) -> list[FunctionEvent]:
    """What was recorded between two times, in the order in which it began, each event with its parent and children.

    What was still open at the end (a call in another thread) ends with it.
    """
    kept: list[FunctionEvent] = []
    for event in events:  # parents come before their children
        if not began <= event.began <= ended:
            continue  # in another thread, at the very moment at which the profiler began or ended
        event.ended = ended if event.ended is None else min(event.ended, ended)
        event.time_range = Interval((event.began - began) / 1000, (event.ended - began) / 1000)
        while event.cpu_parent is not None and event.cpu_parent.time_range.end < event.time_range.end:
            event.cpu_parent = event.cpu_parent.cpu_parent  # it had been ended before this one was
        if event.cpu_parent is not None:
            event.cpu_parent.cpu_children.append(event)
        kept.append(event)
    kept.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    makers: dict[int, FunctionEvent] = {}  # of the nodes; of nested events that made the same node, the innermost
    for event in kept:
        if event.scope == BACKWARD or event.run is not None:
            event.forward = makers.get(event.sequence_nr)
        elif event.sequence_nr >= 0:
            makers[event.sequence_nr] = event
    return kept
