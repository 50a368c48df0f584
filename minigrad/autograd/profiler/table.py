"""The table in text, as PyTorch's profiler prints it.

The columns are attributes of the events, and the percentages are shares of the sum of all self times, which the last
line gives.
"""

from __future__ import annotations

from typing import Any

WIDTH, GAP = 12, 2  # characters of a column of numbers, and between columns
SORT_KEYS = ("self_cpu_time_total", "cpu_time_total", "cpu_time", "count", "cpu_memory_usage", "self_cpu_memory_usage")
SECOND, MILLISECOND = 1e6, 1e3  # in microseconds


def time_text(us: float, unit: str | None = None) -> str:
    """A time with its unit: "s", "ms" or "us", or else the largest in which it is 1 or more."""
    if unit == "s" or (unit is None and us >= SECOND):
        return f"{us / SECOND:.3f}s"
    if unit == "ms" or (unit is None and us >= MILLISECOND):
        return f"{us / MILLISECOND:.3f}ms"
    return f"{us:.3f}us"


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
    header: str | None = None,
    top_level_events_only: bool = False,
    time_unit: str | None = None,
) -> str:
    """An EventList as a table in text; "" if it is empty.

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
    if not events:
        return ""
    whole = sum([event.self_cpu_time_total for event in events])
    rows = _ordered(events, sort_by)
    shapes = any(event.input_shapes for event in events)

    headers = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    memory = any(event.cpu_memory_usage for event in events)
    headers += ["CPU Mem", "Self CPU Mem"] if memory else []
    headers += ["# of Calls"]
    widths = [_column([event.key for event in events], max_name_column_width), *[WIDTH] * (len(headers) - 1)]
    if shapes:
        headers.append("Input Shapes")
        widths.append(_column([str(event.input_shapes) for event in events], max_shapes_column_width))

    gap = " " * GAP
    rule = gap.join("-" * width for width in widths) + gap
    double = "=" * (len(rule) - GAP)
    lines = [double, header] if header is not None else []
    lines += [double, "This report only display top-level ops statistics"] if top_level_events_only else []
    lines += [rule, _row(headers, widths), rule]
    shown = [event for event in rows if not top_level_events_only or event.cpu_parent is None]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        own, total = event.self_cpu_time_total, event.cpu_time_total
        shares = [f"{time * 100 / whole:.2f}%" if whole else "NaN" for time in (own, total)]
        cells = [
            _cut(event.key, max_name_column_width),
            shares[0],
            time_text(own, time_unit),
            shares[1],
            time_text(total, time_unit),
            time_text(event.cpu_time, time_unit),
        ]
        cells += [_bytes_text(event.cpu_memory_usage), _bytes_text(event.self_cpu_memory_usage)] if memory else []
        cells += [str(event.count)]
        cells += [str(event.input_shapes)[: widths[-1]]] if shapes else []
        lines.append(_row(cells, widths))
    lines += [rule, f"Self CPU time total: {time_text(whole, time_unit)}"]
    return "\n".join(lines) + "\n"


def _ordered(events: list[Any], sort_by: str | None) -> list[Any]:
    """The events with the largest value of an attribute first."""
    if sort_by is None:
        return list(events)
    for event in events:
        if not hasattr(event, sort_by):
            raise AttributeError(
                f"'{type(event).__name__}' object has no attribute '{sort_by}': sort by one of {', '.join(SORT_KEYS)}"
            )
    return sorted(events, key=lambda event: getattr(event, sort_by), reverse=True)


def _column(texts: list[str], limit: int | None) -> int:
    width = max(map(len, texts)) + 4
    return width if limit is None else min(width, limit)


def _row(cells: list[str], widths: list[int]) -> str:
    gap = " " * GAP
    return gap.join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + gap


def _cut(name: str, limit: int | None) -> str:
    return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."
