"""The table in text, as PyTorch's profiler prints it.

After this module a reader knows where each number of the table comes from: the columns are attributes of the events,
and the percentages are shares of the sum of all self times, which the last line gives.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.profiler.units import bytes_text, share_text, time_text

WIDTH, GAP = 12, 2  # characters of a column of numbers, and between columns
SORT_KEYS = ("self_cpu_time_total", "cpu_time_total", "cpu_time", "count", "cpu_memory_usage", "self_cpu_memory_usage")


def table(
    events: list[Any],
    memory: bool,
    sort_by: str | None,
    row_limit: int,
    longest_line: int | None,
    longest_name: int | None,
    longest_shapes: int | None,
    header: str | None,
    top_level_only: bool,
    unit: str | None,
) -> str:
    """See EventList.table; "" if there are no events."""
    if not events:
        return ""
    whole = sum([event.self_cpu_time_total for event in events])
    rows = ordered(events, sort_by)
    stacks = [event.stack for event in events if event.stack]
    shapes = any(event.input_shapes is not None and len(event.input_shapes) > 0 for event in events)

    headers = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    headers += ["CPU Mem", "Self CPU Mem"] if memory else []
    headers += ["# of Calls"]
    widths = [_column([event.key for event in events], longest_name), *[WIDTH] * (len(headers) - 1)]
    if shapes:
        headers.append("Input Shapes")
        widths.append(_column([str(event.input_shapes) for event in events], longest_shapes))
    if stacks:
        headers.append("Source Location")
        widths.append(_column([line for stack in stacks for line in stack], longest_line))

    gap = " " * GAP
    rule = gap.join("-" * width for width in widths) + gap
    double = "=" * (len(rule) - GAP)
    lines = [double, header] if header is not None else []
    lines += [double, "This report only display top-level ops statistics"] if top_level_only else []
    lines += [rule, _row(headers, widths, bool(stacks)), rule]
    shown = [event for event in rows if not top_level_only or event.cpu_parent is None]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        event.self_cpu_percent = share_text(event.self_cpu_time_total, whole)
        event.total_cpu_percent = share_text(event.cpu_time_total, whole)
        cells = [
            _cut(event.key, longest_name),
            event.self_cpu_percent,
            time_text(event.self_cpu_time_total, unit),
            event.total_cpu_percent,
            time_text(event.cpu_time_total, unit),
            time_text(event.cpu_time, unit),
        ]
        cells += [bytes_text(event.cpu_memory_usage), bytes_text(event.self_cpu_memory_usage)] if memory else []
        cells += [str(event.count)]
        cells += [str(event.input_shapes)[: widths[len(cells)]]] if shapes else []
        if not stacks:
            lines.append(_row(cells, widths, False))
            continue
        where = [_end_of(line, widths[-1]) for line in event.stack]
        lines.append(_row([*cells, where[0] if where else ""], widths, True))
        for line in [*where[1:], ""]:
            lines.append(_row([*[""] * len(cells), line], widths, True))
    lines += [rule, f"Self CPU time total: {time_text(whole, unit)}"]
    return "\n".join(lines) + "\n"


def ordered(events: list[Any], sort_by: str | None) -> list[Any]:
    """The events with the largest value of an attribute first."""
    if sort_by is None:
        return list(events)
    name = str(sort_by).replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
    for event in events:
        if not hasattr(event, name):
            raise AttributeError(
                f"'{type(event).__name__}' object has no attribute '{name}': sort by one of {', '.join(SORT_KEYS)}"
            )
    return sorted(events, key=lambda event: getattr(event, name), reverse=True)


def _column(texts: list[str], limit: int | None) -> int:
    width = max(map(len, texts)) + 4
    return width if limit is None else min(width, limit)


def _row(cells: list[str], widths: list[int], last_to_the_left: bool) -> str:
    aligned = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
    if last_to_the_left:
        aligned[-1] = cells[-1].ljust(widths[-1])
    return (" " * GAP).join(aligned) + " " * GAP


def _cut(name: str, limit: int | None) -> str:
    return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."


def _end_of(line: str, width: int) -> str:
    """The end of a line of code's place, which says more than its beginning."""
    return line if len(line) <= width else "..." + line[len(line) - width + 3 :]
