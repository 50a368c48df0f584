"""Many events as few lines: the calls of one function together, and what all of them come to.

`key_averages()` puts the events of one name together (or of one name and the same input shapes) and adds up their
times, bytes and calls; `total_average()` does so with all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from minigrad.autograd.profiler import chrome_trace
from minigrad.autograd.profiler.events import FunctionEvent, Timed
from minigrad.autograd.profiler.table import table


class FunctionEventAvg(Timed):
    """Several events together: the attributes of FunctionEvent, summed; `cpu_time` is the average of a call."""

    _OF_THE_FIRST = ("key", "input_shapes", "scope", "cpu_parent", "cpu_children", "is_user_annotation", "is_backward")
    _SUMMED = ("count", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage")

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes: Any = None
        self.scope: int | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] | None = None
        self.is_user_annotation = self.is_backward = False

    @property
    def name(self) -> str | None:
        return self.key

    def add(self, other: Timed) -> FunctionEventAvg:
        """Add an event, or the sums of several; the first decides on the name."""
        if not isinstance(other, FunctionEvent | FunctionEventAvg):
            raise AssertionError(
                f"Expected other to be a FunctionEvent or FunctionEventAvg, but got {type(other).__name__}"
            )
        if self.key is None:
            for name in self._OF_THE_FIRST:
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        self._count(other)
        return self

    __iadd__ = add

    def _count(self, event: FunctionEvent | FunctionEventAvg) -> None:
        for name in self._SUMMED:
            setattr(self, name, getattr(self, name) + getattr(event, name))

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class EventList(list[Any]):
    """A list of events, or of averages. Printed, it is a table."""

    def __init__(self, events: Iterable[Timed] = (), profile_memory: bool = False, linked: bool = False) -> None:
        super().__init__(events)
        self._profile_memory = profile_memory
        self._linked = linked  # single events, that know their parents

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of all self times, in microseconds."""
        return sum([event.self_cpu_time_total for event in self])

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table in text.

        Args:
            sort_by: an attribute, the largest first: "self_cpu_time_total", "cpu_time_total", "cpu_time", "count",
                "cpu_memory_usage", "self_cpu_memory_usage". By default the order of the first calls.
            row_limit: at most so many rows; -1 for all.
            max_name_column_width, max_shapes_column_width: what is longer is cut; None: nothing.
            header: a line above the table.
            top_level_events_only: leave out what was called inside another event.
            time_unit: "s", "ms" or "us" for all times; by default what suits each.

        AttributeError for a `sort_by` that events do not have.
        """
        return table(
            self,
            self._profile_memory,
            sort_by,
            row_limit,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
            time_unit,
        )

    def key_averages(self, group_by_input_shapes: bool = False) -> EventList:
        """One FunctionEventAvg for each name, or (with record_shapes=True) each name with the same input shapes.

        AssertionError for a list that is one of averages already.
        """
        if not self._linked:
            raise AssertionError(
                "Expected tree to be built before calling key_averages: these are averages already. Call it on the "
                "profile itself."
            )
        groups: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shapes else ""
            groups.setdefault((event.key, event.is_user_annotation, shapes), FunctionEventAvg()).add(event)
        if not group_by_input_shapes:
            for average in groups.values():
                average.input_shapes = ""
        return EventList(groups.values(), self._profile_memory)

    def total_average(self) -> FunctionEventAvg:
        """All events added up, under the name "Total". (Its `cpu_time_total` counts the time of nested events as often
        as they are nested; `self_cpu_time_total` counts it once.)
        """
        total = FunctionEventAvg()
        total.key = "Total"
        for event in self:
            total._count(event)
        return total

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a file that Perfetto (ui.perfetto.dev) and chrome://tracing open; compressed if its name
        ends in .gz.
        """
        chrome_trace.write(self, path)
