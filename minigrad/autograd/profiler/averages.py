"""Many events as few lines: the calls of one function together, and what all of them come to.

`key_averages()` puts the events of one name together (or of one name and the same input shapes) and adds up their
times, bytes and calls; `total_average()` does so with all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minigrad.autograd.profiler import chrome_trace, table
from minigrad.autograd.profiler.events import FunctionEvent, Timed


class FunctionEventAvg(Timed):
    """Several events together: the attributes of FunctionEvent, summed; `cpu_time` is the average of a call."""

    def __init__(self, name: str, events: list[FunctionEvent]) -> None:
        self.name = name
        self.count = len(events)
        self.cpu_time_total = sum([event.cpu_time_total for event in events])
        self.self_cpu_time_total = sum([event.self_cpu_time_total for event in events])
        self.cpu_memory_usage = sum([event.cpu_memory_usage for event in events])
        self.self_cpu_memory_usage = sum([event.self_cpu_memory_usage for event in events])
        for attribute in ("input_shapes", "scope", "cpu_parent", "cpu_children", "is_user_annotation", "is_backward"):
            setattr(self, attribute, getattr(events[0], attribute) if events else None)


class EventList(list[Any]):
    """A list of events, or of averages. Printed, it is a table."""

    def __init__(self, events: Iterable[Timed] = (), profile_memory: bool = False, of_averages: bool = False) -> None:
        super().__init__(events)
        self.profile_memory = profile_memory
        self._of_averages = of_averages

    table = table.table
    export_chrome_trace = chrome_trace.write

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of all self times, in microseconds."""
        return sum([event.self_cpu_time_total for event in self])

    def key_averages(self, group_by_input_shapes: bool = False) -> EventList:
        """One FunctionEventAvg for each name, or (with record_shapes=True) each name with the same input shapes.

        AssertionError for a list that is one of averages already.
        """
        if self._of_averages:
            raise AssertionError(
                "Expected tree to be built before calling key_averages: these are averages already. Call it on the "
                "profile itself."
            )
        groups: dict[Any, list[FunctionEvent]] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shapes else ""
            groups.setdefault((event.name, event.is_user_annotation, shapes), []).append(event)
        averages = EventList(
            [FunctionEventAvg(events[0].name, events) for events in groups.values()], self.profile_memory, True
        )
        for average in () if group_by_input_shapes else averages:
            average.input_shapes = ""
        return averages

    def total_average(self) -> FunctionEventAvg:
        """All events added up, under the name "Total". (Its `cpu_time_total` counts the time of nested events as often
        as they are nested; `self_cpu_time_total` counts it once.)
        """
        return FunctionEventAvg("Total", self)
