"""Many events as few lines: the calls of one function together, and what all of them come to.

`key_averages()` puts the events of one name together (or of one name and the same input shapes) and adds up their
times, bytes and calls.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.profiler import chrome_trace, table
from minigrad.autograd.profiler.events import FunctionEvent, Timed


class FunctionEventAvg(Timed):
    """Several events together: the attributes of FunctionEvent, summed; `cpu_time` is the average of a call."""

    def __init__(self, events: list[FunctionEvent], with_shapes: bool) -> None:
        for attribute in ("name", "scope", "cpu_parent", "cpu_children", "is_user_annotation"):
            setattr(self, attribute, getattr(events[0], attribute))
        self.input_shapes = events[0].input_shapes if with_shapes else ""
        self.count = len(events)
        for attribute in ("cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage"):
            setattr(self, attribute, sum([getattr(event, attribute) for event in events]))


class EventList(list[Any]):
    """A list of events, or of averages. Printed, it is a table."""

    table = table.table
    export_chrome_trace = chrome_trace.write

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of all self times, in microseconds."""
        return sum([event.self_cpu_time_total for event in self])

    def key_averages(self, group_by_input_shapes: bool = False) -> EventList:
        """One FunctionEventAvg for each name, or (with record_shapes=True) each name with the same input shapes."""
        groups: dict[Any, list[FunctionEvent]] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shapes else ""
            groups.setdefault((event.name, event.is_user_annotation, shapes), []).append(event)
        return EventList([FunctionEventAvg(events, group_by_input_shapes) for events in groups.values()])
