"""A profile as a file for trace viewers: Perfetto (ui.perfetto.dev) or chrome://tracing.

Of Chrome's trace event format this much is needed: a list of small dicts, each with a phase `ph`. "X" is a call, with
its start `ts` and its duration `dur` in microseconds, in a thread `tid` of a process `pid`; calls nest by their times.
"s" and "f" are the ends of an arrow, from an op to its backward, and each arrow has an `id` of its own. "M" names the
process.
Format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
from collections.abc import Iterable
from typing import Any

from minigrad.autograd.profiler.names import BACKWARD

ARROW = "fwdbwd"


def write(events: Iterable[Any], path: str | os.PathLike[str]) -> None:
    """Write events as a file that Perfetto (ui.perfetto.dev) and chrome://tracing open; compressed if its name ends in
    .gz.
    """
    document = {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": _trace_events(events)}
    opening: Any = gzip.open if os.fspath(path).endswith(".gz") else open
    with opening(path, "wt", encoding="utf-8") as file:
        json.dump(document, file)


def _trace_events(events: Iterable[Any]) -> list[dict[str, Any]]:
    """The dicts of the trace, for single events (not for averages)."""
    process = os.getpid()
    name = {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "ts": 0, "args": {"name": "minigrad"}}
    traced: list[dict[str, Any]] = [name]
    arrows = itertools.count(1)  # two backwards through one node are two arrows
    for event in events:
        place = {"pid": process, "tid": event.thread, "ts": event.time_range.start}
        category = "user_annotation" if event.is_user_annotation else "cpu_op"
        call = {"ph": "X", "cat": category, "name": event.name, **place, "dur": event.cpu_time_total}
        traced.append(call | {"args": _details(event)})
        if event.forward is not None and event.scope == BACKWARD:
            arrow = {"id": next(arrows), "cat": ARROW, "name": ARROW, "pid": process}
            made = event.forward
            traced.append({"ph": "s", **arrow, "tid": made.thread, "ts": made.time_range.start})
            traced.append({"ph": "f", **arrow, **place, "bp": "e"})
    return traced


def _details(event: Any) -> dict[str, Any]:
    """What the viewer shows beside a call."""
    number = event.sequence_nr if event.sequence_nr >= 0 else None
    details = {"Sequence number": number, "Input Dims": event.input_shapes or None, "Bytes": event.cpu_memory_usage}
    return {name: value for name, value in details.items() if value is not None}
