"""A profile in a notebook: a picture of who called whom and when, and a table that can be sorted.

After this module a reader knows how a time line is drawn without a picture format: each event is a button, placed in
per cent of the time that is shown, below the event it was called in. It is one piece of HTML with its style and its
script, which asks nothing of a network or of the kernel; where scripts do not run, picture and table stand still.

The texts are the learner's or come from the program, so all of them are escaped, cut to a length that can be read, and
freed of characters that do not print.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from minigrad.autograd.profiler.events import FunctionEvent, line_source, line_text, own_lines
from minigrad.autograd.profiler.units import bytes_text, share_text, time_text

STATIC = Path(__file__).parent / "static"
MOST_BARS, MOST_ROWS = 600, 200
BAR, GAP = 21, 2  # pixels: the height of a bar, and what is between two
LONGEST_NAME, LONGEST_TEXT = 120, 300  # characters
EVALUATE = "autograd::engine::evaluate_function: "
KINDS = {"forward": "forward", "backward": "backward", "engine": "the engine around it", "user": "named by you"}


def page(events: Sequence[FunctionEvent], averages: Sequence[Any], own_cost: object = None) -> str:
    """HTML for events, where there are single ones, and for their averages.

    Args:
        events: drawn in time; the longest of them, if there are many.
        averages: the rows of the table; those with the largest self time, if there are many.
        own_cost: a sentence on what the profiler itself took.
    """
    rows = sorted(averages, key=lambda row: -row.self_cpu_time_total)
    keys = {row.key: number for number, row in reversed(list(enumerate(rows)))}
    whole = sum([row.self_cpu_time_total for row in rows])
    calls = sum([row.count for row in rows])
    said = f"{calls:,} events, {time_text(whole)} of self time"
    parts = [
        f'<div class="minigrad-profile"><style>{_static("page.css")}</style>',
        f'<div class="mg-head"><b>Profile</b> <span>{said}</span></div>',
    ]
    drawn = [event for event in events if event.trace_name is not None]
    if drawn:
        parts.append(_picture(drawn, keys))
    parts.append(_table(rows, whole))
    if own_cost is not None:
        parts.append(f'<p class="mg-foot">{_text(f"{own_cost}")}.</p>')
    parts.append(f"<script>{_static('page.js')}</script></div>")
    return "\n".join(parts)


@cache
def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


# ---------------------------------------------------------------- the picture


def _picture(events: list[FunctionEvent], keys: dict[str, int]) -> str:
    """The events in time: a strip for each thread, in it a row for each depth of calls."""
    longest = sorted(events, key=lambda event: -event.cpu_time_total)[:MOST_BARS]  # so parents are among them
    chosen = {id(event) for event in longest}
    shown = [event for event in events if id(event) in chosen]
    begin = min(event.time_range.start for event in shown)
    span = max(event.time_range.end for event in shown) - begin or 1.0
    depths: dict[int, int] = {}
    strips: dict[int, list[str]] = {}
    rows: dict[int, int] = {}
    names: dict[int, str] = {}
    for number, event in enumerate(shown):
        parent = event.cpu_parent
        depth = depths[id(event)] = 0 if parent is None else depths[id(parent)] + 1
        names.setdefault(event.thread, event.thread_name)
        rows[event.thread] = max(rows.get(event.thread, 0), depth + 1)
        bar = _bar(event, number, depth, begin, span, keys.get(event.name, -1))
        strips.setdefault(event.thread, []).append(bar)
    legend = "".join(f'<span class="mg-key mg-{kind}">{name}</span>' for kind, name in KINDS.items())
    parts = [
        f'<div class="mg-picture" data-span="{span:.3f}">',
        f'<div class="mg-bar-above"><div class="mg-legend">{legend}</div>',
        '<button type="button" class="mg-all" hidden>show all <kbd>Esc</kbd></button></div>',
        f'<div class="mg-ruler" aria-hidden="true">{_ruler(span)}</div>',
    ]
    for thread, bars in strips.items():
        height = rows[thread] * (BAR + GAP)
        label = (
            f"time line of thread {thread}, {_text(names[thread])}: arrow keys move, Enter enlarges, Escape shows all"
        )
        if len(strips) > 1:
            parts.append(f'<div class="mg-thread">{_text(names[thread])}</div>')
        parts.append(f'<div class="mg-strip" role="group" aria-label="{label}" style="height:{height}px">')
        parts += [*bars, "</div>"]
    parts.append(
        '<div class="mg-about" aria-live="polite"><i>Point at a bar, or go there with Tab and the arrow keys.</i></div>'
    )
    if len(shown) < len(events):
        bound = time_text(longest[-1].cpu_time_total)
        parts.append(f'<p class="mg-foot">{len(events) - len(shown):,} events of {bound} or less are not drawn.</p>')
    return "\n".join([*parts, "</div>"])


def _bar(event: FunctionEvent, number: int, depth: int, begin: float, span: float, row: int) -> str:
    left = 100 * (event.time_range.start - begin) / span
    width = 100 * event.cpu_time_total / span
    about = _text("\n".join(_about(event)), limit=4 * LONGEST_TEXT, lines=True)
    return (
        f'<button type="button" class="mg-bar mg-{_kind(event)}" tabindex="{-1 if number else 0}" data-row="{row}" '
        f'data-depth="{depth}" style="left:{left:.4f}%;width:{width:.4f}%;top:{depth * (BAR + GAP)}px" '
        f'title="{about}">{_text(_label(event.name), limit=LONGEST_NAME)}</button>'
    )


def _kind(event: Any) -> str:
    if event.is_user_annotation:
        return "user"
    if event.key.startswith(EVALUATE):
        return "engine"
    while event is not None and not event.is_backward:
        event = event.cpu_parent
    return "forward" if event is None else "backward"


def _label(name: str) -> str:
    """What fits on a bar: the name without what all names have."""
    for prefix in (EVALUATE, "torch::autograd::", "aten::"):
        name = name.removeprefix(prefix)
    return name


def _about(event: FunctionEvent) -> list[str]:
    """What is known of an event, in lines."""
    lines = [
        _plain(event.name, LONGEST_TEXT),
        f"total {time_text(event.cpu_time_total)}, self {time_text(event.self_cpu_time_total)}",
    ]
    if event.input_shapes:
        lines.append(f"shapes {_plain(str(event.input_shapes), LONGEST_TEXT)}")
    if event.cpu_memory_usage or event.self_cpu_memory_usage:
        lines.append(f"memory {bytes_text(event.cpu_memory_usage)}, self {bytes_text(event.self_cpu_memory_usage)}")
    if event.forward is not None:
        lines.append(f"backward of {_plain(event.forward.name, LONGEST_NAME)}")
    for line in own_lines(event.lines)[:1]:
        source = line_source(line)
        lines.append(f"line {_plain(line_text(line), LONGEST_TEXT)}" + (f"  {_plain(source, 120)}" if source else ""))
    return lines


def _ruler(span: float) -> str:
    """Five marks along the time that is shown, from its beginning; the script writes them anew."""
    marks = [
        f'<span style="left:{20 * number}%">{time_text(span * number / 5) if number else 0}</span>'
        for number in range(5)
    ]
    return "".join(marks)


# ---------------------------------------------------------------- the table


def _table(rows: list[Any], whole: float) -> str:
    """The averages; what is sorted by is kept beside each cell's text, as a number."""
    shapes = any(row.input_shapes for row in rows)
    stacks = any(row.stack for row in rows)
    memory = any(row.cpu_memory_usage or row.self_cpu_memory_usage for row in rows)
    headers = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    headers += ["CPU Mem", "Self CPU Mem"] if memory else []
    headers += ["# of Calls"]
    headers += ["Input Shapes"] if shapes else []
    headers += ["Source Location"] if stacks else []
    cells = "".join(
        f'<th scope="col"{_SORTED if header == "Self CPU" else ""}><button type="button">{header}</button></th>'
        for header in headers
    )
    parts = [f'<div class="mg-scroll"><table><thead><tr>{cells}</tr></thead><tbody>']
    for number, row in enumerate(rows[:MOST_ROWS]):
        own, total = row.self_cpu_time_total, row.cpu_time_total
        name = _text(row.key, limit=LONGEST_NAME)
        shown = name.replace("::", "::<wbr>").replace("_", "_<wbr>")  # where a long one may go on in the next line
        swatch = f'<button type="button" class="mg-find mg-{_kind(row)}" data-row="{number}" aria-pressed="false">'
        parts += [
            f'<tr><th scope="row" data-v="{name}">{swatch}{shown}</button></th>',
            _share(own, whole),
            _number(own, time_text(own)),
            _share(total, whole),
            _number(total, time_text(total)),
            _number(row.cpu_time, time_text(row.cpu_time)),
        ]
        if memory:
            parts += [_number(count, bytes_text(count)) for count in (row.cpu_memory_usage, row.self_cpu_memory_usage)]
        parts.append(_number(row.count, f"{row.count:,}"))
        parts += [f"<td class=mg-words>{_text(str(row.input_shapes))}</td>"] if shapes else []
        parts += [f"<td class=mg-words>{_text(chr(10).join(row.stack), lines=True)}</td>"] if stacks else []
        parts.append("</tr>")
    parts.append("</tbody></table></div>")
    if len(rows) > MOST_ROWS:
        parts.append(f'<p class="mg-foot">{len(rows) - MOST_ROWS:,} rows with less self time are left out.</p>')
    return "\n".join(parts)


_SORTED = ' aria-sort="descending"'


def _number(value: float, text: str) -> str:
    return f'<td data-v="{value}">{text}</td>'


def _share(us: float, whole: float) -> str:
    """A percentage, and behind it a bar of that length."""
    percent = min(100 * us / whole, 100) if whole else 0
    return f'<td data-v="{us}" class="mg-share" style="--share:{percent:.2f}%">{share_text(us, whole)}</td>'


# ---------------------------------------------------------------- text


def _text(text: str, limit: int = LONGEST_TEXT, lines: bool = False) -> str:
    """Any text as HTML, on one line unless it is made of `lines`."""
    kept: Iterable[str] = text[: limit * 10].split("\n") if lines else [text]
    return escape("\n".join([_plain(line, limit) for line in kept]))


def _plain(text: str, limit: int) -> str:
    """The text up to a length, without characters that do not print or that turn around what follows."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join([c if c.isprintable() else "⏎" if c == "\n" else "\ufffd" for c in short])
