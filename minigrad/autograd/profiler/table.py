"""The table in text, as PyTorch's profiler prints it.

The columns are attributes of the events, and the percentages are shares of the sum of all self times, which the last
line gives.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

WIDTH = 12  # characters of a column of numbers
GAP = "  "  # between columns
SECOND, MILLISECOND = 1e6, 1e3  # in microseconds


def time_text(us: float) -> str:
    """A time in the largest unit in which it is 1 or more: s, ms or us."""
    if us >= SECOND:
        return f"{us / SECOND:.3f}s"
    return f"{us / MILLISECOND:.3f}ms" if us >= MILLISECOND else f"{us:.3f}us"


def _bytes_text(count: int) -> str:
    """A number of bytes in the largest unit in which it is 1 or more."""
    for size, unit in ((2**30, "GB"), (2**20, "MB"), (2**10, "KB")):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


def table(
    events: Any,
    sort_by: str | None = None,
    row_limit: int = 100,
    max_name_column_width: int | None = 55,
    max_shapes_column_width: int | None = 80,
) -> str:
    """An EventList as a table in text; "" if it is empty.

    Args:
        sort_by: an attribute, the largest first: "self_cpu_time_total", "cpu_time_total", "cpu_time", "count",
            "cpu_memory_usage", "self_cpu_memory_usage". By default the order of the first calls.
        row_limit: at most so many rows; -1 for all.
        max_name_column_width, max_shapes_column_width: what is longer is cut; None: nothing.

    AttributeError for a `sort_by` that events do not have.
    """
    if not events:
        return ""
    whole = sum([event.self_cpu_time_total for event in events])
    shapes = any(event.input_shapes for event in events)
    memory = any(event.cpu_memory_usage for event in events)

    headers = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    headers += ["CPU Mem", "Self CPU Mem"] if memory else []
    headers += ["# of Calls"]
    widths = [_column([event.key for event in events], max_name_column_width), *[WIDTH] * (len(headers) - 1)]
    if shapes:
        headers.append("Input Shapes")
        widths.append(_column([str(event.input_shapes) for event in events], max_shapes_column_width))

    rule = GAP.join("-" * width for width in widths) + GAP
    lines = [rule, _row(headers, widths), rule]
    rows = list(events) if sort_by is None else sorted(events, key=attrgetter(sort_by), reverse=True)
    for event in rows if row_limit < 0 else rows[:row_limit]:
        cells = [_shorten(event.key, max_name_column_width)]
        for time in (event.self_cpu_time_total, event.cpu_time_total):
            cells += [f"{time * 100 / whole:.2f}%" if whole else "NaN", time_text(time)]
        cells += [time_text(event.cpu_time)]
        cells += [_bytes_text(event.cpu_memory_usage), _bytes_text(event.self_cpu_memory_usage)] if memory else []
        cells += [str(event.count)]
        cells += [str(event.input_shapes)[: widths[-1]]] if shapes else []
        lines.append(_row(cells, widths))
    lines += [rule, f"Self CPU time total: {time_text(whole)}"]
    return "\n".join(lines) + "\n"


def _column(texts: list[str], limit: int | None) -> int:
    width = max(map(len, texts)) + 4
    return width if limit is None else min(width, limit)


def _row(cells: list[str], widths: list[int]) -> str:
    return GAP.join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + GAP


def _shorten(name: str, limit: int | None) -> str:
    return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."
