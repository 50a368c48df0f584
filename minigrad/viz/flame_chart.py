"""`flame(profile, loss)`: a profile as bars over time, each of which lights its boxes in the picture of the graph.

A bar is a call: as long as it took, below the call that it was made in, and the fuller its colour, the more of the time
was its own. One bar is chosen at a time. That is a group of radio buttons, so that it works by pointer and by keyboard,
and a style sheet does the rest (`:has(:checked)`): no kernel is needed.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from minigrad.autograd.profiler import FunctionEvent, profile
from minigrad.autograd.profiler.events import link_events
from minigrad.autograd.profiler.names import BACKWARD, WRITING
from minigrad.autograd.profiler.table import time_text
from minigrad.tensor import Tensor
from minigrad.viz.drawing import Drawing
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.groups import groups_of
from minigrad.viz.graph.observer import learner_frame, source_line
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
from minigrad.viz.picture.markup import MONO, SANS, attribute, clean, markup
from minigrad.viz.picture.palette import light_dark

THIN = 0.004  # of the whole time: shorter calls that follow one another are one bar
ROW = 24  # pixels from a bar to the one below
TALL, SMALLEST = 480, 0.75  # pixels; a higher graph is drawn smaller, as far as it can be read
LINES = 60  # of the profile in text
# The arrow keys choose a bar: JupyterLab, which listens further out, would go to another cell. The other keys it gets.
OWN_KEYS = "event.key.startsWith('Arrow') && !(event.ctrlKey || event.altKey || event.metaKey || event.shiftKey)"
STYLE = (
    f".minigrad-flame{{color-scheme:light dark;--mgb-ink:{light_dark('ink')};"
    f"--mgb-quiet:{light_dark('quiet')};--mgb-line:{light_dark('line')};"
    f"--mgb-paper:{light_dark('paper')};--mgb-chosen:{light_dark('alarm')};"
    f"position:relative;min-width:280px;margin:4px 2px;font:13px/1.5 {SANS};color:var(--mgb-ink)}}"
    '[data-jp-theme-light="true"] .minigrad-flame{color-scheme:light}'
    '[data-jp-theme-light="false"] .minigrad-flame{color-scheme:dark}'
    ".minigrad-flame :is(input,.mgb-bar){position:absolute;left:var(--left);top:var(--top);width:var(--width);"
    f"height:{ROW - 3}px;margin:0;box-sizing:border-box}}"
    ".minigrad-flame input{opacity:0}.minigrad-flame label{display:contents}"
    ".minigrad-flame .mgb-bar{min-width:2px;text-indent:4px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;"
    f"border-radius:3px;border:1px solid var(--mgb-kind);font:11px/{ROW - 5}px {MONO};cursor:pointer;"
    "background:color-mix(in srgb,var(--mgb-kind) var(--own),var(--mgb-paper))}"
    ".minigrad-flame .mgb-thin{border-width:0 1px;background:var(--mgb-kind)}"
    ".minigrad-flame .mgb-forward{--mgb-kind:light-dark(#4ba3d8,#3a89bd)}"
    ".minigrad-flame .mgb-backward{--mgb-kind:light-dark(#ef8a3c,#c66a22)}"
    f".minigrad-flame .mgb-named{{--mgb-kind:{light_dark('wire')}}}"
    ".minigrad-flame .mgb-several{border-style:dashed}"
    ".minigrad-flame label:has(:checked) .mgb-bar{outline:3px solid var(--mgb-chosen);z-index:1}"
    ".minigrad-flame label:has(:focus-visible) .mgb-bar{outline-style:double;outline-width:5px}"
    ".minigrad-flame .mgb-said{position:absolute;left:0;right:0;top:var(--below);max-height:63px;overflow:auto;"
    "display:none}"
    ".minigrad-flame label:has(:checked) .mgb-said,.minigrad-flame:not(:has(:checked)) .mgb-hint{display:block}"
    f".minigrad-flame .mgb-said code{{font:12px {MONO};background:none;color:inherit}}"
    ".minigrad-flame .mgb-quiet,.minigrad-flame .mgb-hint{color:var(--mgb-quiet)}"
    ".minigrad-flame .mgb-bars{position:relative;margin-top:6px;height:var(--tall)}"
    ".minigrad-flame .mgb-graph{overflow-x:auto}"
    ".minigrad-flame svg{display:block;width:var(--wide);max-width:max(100%,calc(var(--wide)*.7));height:auto;margin:0}"
)


class Flame:
    """A profile over time: shows itself in a notebook. `str(flame)` is the same in text."""

    def __init__(self, html: str, text: str) -> None:
        self.html, self.text = html, text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.html


def flame(recorded: Any, root: Any = None, names: Mapping[str, Any] | None = None) -> Flame:
    """Draw a profile as bars over time; below them the graph of a result, in which a chosen bar lights its boxes.

    Args:
        recorded: what `with profile() as prof:` has recorded; the block is to be over.
        root: a result that was computed in the block, such as the loss. Without it there are only the bars.
        names: name -> tensor or module, ahead of your variables' names.

    Raises TypeError if the first argument is no profile or `root` no tensor of minigrad's, RuntimeError if the block is
    not over, ValueError if nothing was recorded; and what `draw` raises.
    """
    if not isinstance(recorded, profile):
        kind = type(recorded).__name__
        raise TypeError(f"flame() takes a profile, as in `with profile() as prof:`, and not a {kind}")
    if not isinstance(root, Tensor | None):
        raise TypeError(f"flame() takes a Tensor of minigrad's, whose calls are recorded, not a {type(root).__name__}")
    events = recorded.function_events
    if all(event.name == WRITING for event in events):  # what `op.source` had to write, too
        raise ValueError("the profile holds nothing: no operation ran in its block, or it was made with enabled=False")
    return Flame(*_Picture(events, root, names, sys._getframe(1)).parts())


class _Picture:
    """The bars of a profile, and which boxes of the graph belong to each of its events."""

    def __init__(self, all_events: list[FunctionEvent], root: Any, names: Any, frame: Any) -> None:
        self.events = events = _without_writing(all_events)
        self.began = min(event.time_range.start for event in events)
        self.whole = max(event.time_range.end for event in events) - self.began or 1.0
        self.written = _time_of_writing([event for event in all_events if event.name == WRITING]) / 1000
        self.longest = max(event.self_cpu_time_total for event in events) or 1.0
        self.graph = None if root is None else snapshot(MinigradSource(root), names, learner_frame(frame))
        self.svg = "" if self.graph is None else Drawing(self.graph).svg
        self.box_of = {} if self.graph is None else _boxes_of_nodes(self.graph)
        self.boxes, self.backward, self.depth = self._places()

    def _places(self) -> tuple[dict[Any, list[str]], dict[Any, bool], dict[Any, int]]:
        """Of each event: its boxes, whether it belongs to a backward, and its row. Parents come before children."""
        boxes: dict[Any, list[str]] = {}
        backward: dict[Any, bool] = {}
        depth: dict[Any, int] = {}
        for thread in dict.fromkeys(event.thread for event in self.events):
            first = max(depth.values(), default=-1) + 1
            for event in [event for event in self.events if event.thread == thread]:
                number = event.sequence_nr if event.sequence_nr >= 0 else event.node
                above, own = event.cpu_parent, self.box_of.get(number)
                boxes[event] = [own] if own else boxes.get(above, [])
                backward[event] = event.scope == BACKWARD or event.run is not None or backward.get(above, False)
                depth[event] = first if above is None else depth[above] + 1
        for event in reversed(self.events):  # what is in no box lights those of the calls in it
            if not boxes[event]:
                boxes[event] = list(dict.fromkeys(key for child in event.cpu_children for key in boxes[child]))
        return boxes, backward, depth

    def parts(self) -> tuple[str, str]:
        """The HTML, and the text."""
        bars = "".join(self._bar(calls) for calls in self._bars())
        tall = (max(self.depth.values()) + 1) * ROW + 66
        head = f"{time_text(self.whole)} from left to right, {len(self.events)} call{'s' * (len(self.events) > 1)}"
        if self.written:
            head += f"; {time_text(self.written)} more, in which minigrad wrote operations at first calls, are left out"
        caption = (
            f"{head}. The fuller the colour of a bar, the more of its time is its own. "
            "Blue: forward; orange: backward; grey: a part that was named."
        )
        hint = "Click a bar, then the arrow keys go on: what it is, how long it took, and its boxes in the graph."
        html = (
            f'<form method="dialog" class="minigrad-flame" '  # which Enter sends nowhere
            f'onkeydown="if ({OWN_KEYS}) event.stopPropagation()">'
            f'<style>{STYLE}{"".join(self._lights())}</style><div class="mgb-quiet">{caption}</div>'
            f'<div class="mgb-bars" role="radiogroup" aria-label="The calls of the profile" '
            f'style="--tall:{tall}px;--below:{tall - 64}px">{bars}<span class="mgb-said mgb-hint">{hint}</span></div>'
            f"{self._graph_html()}</form>"
        )
        return html, self._text(caption)

    def _graph_html(self) -> str:
        found = re.search(r'width="([\d.]+)" height="([\d.]+)"', self.svg)
        if found is None:
            return ""
        width, height = map(float, found.groups())
        scale = min(1, max(TALL / height, SMALLEST))
        return f'<div class="mgb-graph" style="--wide:{width * scale:.0f}px">{self.svg}</div>'

    def _bars(self) -> Iterator[list[FunctionEvent]]:
        """What each bar stands for, parents before children: a call, or several short ones in a row."""
        threads = dict.fromkeys(event.thread for event in self.events)
        tops = [[event for event in self.events if (event.cpu_parent, event.thread) == (None, one)] for one in threads]
        waiting = [calls for top in reversed(tops) for calls in reversed(self._rows(top))]
        while waiting:
            calls = waiting.pop()
            yield calls
            if len(calls) == 1:
                waiting += reversed(self._rows(calls[0].cpu_children))

    def _rows(self, siblings: Iterable[FunctionEvent]) -> list[list[FunctionEvent]]:
        """Calls of one row: each by itself, and several together that are too short to be seen and close together."""
        least = THIN * self.whole
        rows: list[list[FunctionEvent]] = [[]]
        for event in siblings:
            before = rows[-1]
            is_short = all(one.cpu_time_total < least for one in [event, *before[-1:]])
            if before and not (is_short and event.time_range.start - before[-1].time_range.end < least):
                rows.append([])
            rows[-1].append(event)
        return [row for row in rows if row]

    def _bar(self, calls: list[FunctionEvent]) -> str:
        """A bar, its button, and what is said when it is chosen."""
        first, last = calls[0], calls[-1]
        left = (first.time_range.start - self.began) / self.whole
        width = (last.time_range.end - first.time_range.start) / self.whole
        own = min(sum(call.self_cpu_time_total for call in calls) / self.longest, 1)
        place = f"--left:{left:.3%};--width:{width:.3%};--top:{self.depth[first] * ROW}px;--own:{10 + 60 * own:.0f}%"
        keys = dict.fromkeys(key for call in calls for key in self.boxes[call])
        kind = "named" if first.is_user_annotation else "backward" if self.backward[first] else "forward"
        looks = f"mgb-bar mgb-{kind}" + " mgb-several" * (len(calls) > 1) + " mgb-thin" * (width < THIN)
        name = _name(calls)
        short = "" if width < THIN else name.rpartition("evaluate_function: ")[2].removeprefix("aten::")
        times = f"total {time_text(sum(call.cpu_time_total for call in calls))}, "
        times += f"self {time_text(sum(call.self_cpu_time_total for call in calls))}"
        return (
            f'<label style="{place}"><input type="radio" name="bar" class="{" ".join(keys)}">'
            f'<span class="{looks}" title={attribute(f"{name}: {times}")}>{markup(short)}</span>'
            f'<span class="mgb-said"><b>{markup(name)}</b> <span class="mgb-quiet">{kind}</span><br>{times}'
            f"{self._line(list(keys))}</span></label>"
        )

    def _line(self, keys: list[str]) -> str:
        """The learner's line that made the one box of a bar."""
        span = self.graph.by_id[keys[0]].span if self.graph is not None and len(keys) == 1 else None
        if span is None or self.graph is None:
            return f"; {len(keys)} box{'es' * (len(keys) > 1)}" if keys else ""
        titles = {listing.file: listing.title for listing in self.graph.listings}
        where = f"{titles.get(span.file, '')} line {span.first}".strip()
        return f"<br>{markup(where)}: <code>{markup(source_line(span.file, span.first).strip())}</code>"

    def _lights(self) -> Iterator[str]:
        """For each box of the picture the rule that lights it, and what is around it where it lies in a closed part."""
        if self.graph is None:
            return
        drawn = set(re.findall(r'data-(?:box|group)="(\w+)"', self.svg))
        groups = groups_of(self.graph, self.graph.modules)
        outer = {group.id: group.parent for group in groups}
        outer |= {key: group.id for group in groups for key in group.boxes}
        look = "stroke:var(--mgb-chosen);stroke-width:5px"
        for key in dict.fromkeys(key for keys in self.boxes.values() for key in keys):
            seen: str | None = key
            while seen is not None and seen not in drawn:
                seen = outer.get(seen)
            place = f'[data-box="{seen}"] .mg-card' if seen == key else f'[data-group="{seen}"]>rect'
            yield f".minigrad-flame:has(.{key}:checked) {place}{{{look}}}"

    def _text(self, caption: str) -> str:
        """The calls in lines, those within others indented."""
        rows = [
            f"{time_text(call.cpu_time_total):>10}  {time_text(call.self_cpu_time_total):>10}  "
            f"{'  ' * self.depth[call]}{clean(call.name)}"
            for call in self.events[:LINES]
        ]
        more = [f"... and {len(self.events) - LINES} more calls"] if len(self.events) > LINES else []
        return "\n".join([caption.partition(". ")[0] + ".", f"{'total':>10}  {'self':>10}", *rows, *more])


def _without_writing(events: list[FunctionEvent]) -> list[FunctionEvent]:
    """The events as they were if each operation had been called before: the time in which minigrad wrote the text of
    one, at its first call, is taken out of the clock. What is given stays as it is.
    """
    written = [event for event in events if event.name == WRITING]
    copies: dict[FunctionEvent | None, FunctionEvent] = {}
    for event in events:
        if event.name != WRITING:
            copies[event] = again = copy(event)
            again.began, again.ended = (
                time - _time_of_writing(written, time) for time in (event.began, event.ended or 0)
            )
            again.cpu_parent, again.cpu_children = copies.get(event.cpu_parent), []
    found = copies.values()
    return link_events(found, min(event.began for event in found), max(event.ended or 0 for event in found))


def _time_of_writing(written: list[FunctionEvent], until: float = math.inf) -> int:
    """How many nanoseconds up to a time went into writing, by events in the order in which they began."""
    total = last = 0
    for event in written:  # two threads may write at once
        end = event.began + event.nanoseconds
        total += max(0, int(min(until, end)) - max(event.began, last))
        last = max(last, end)
    return total


def _name(calls: list[FunctionEvent]) -> str:
    """What a bar is called: its call, or how many there are of each."""
    if len(calls) == 1:
        return calls[0].name
    counted = Counter(call.name for call in calls).most_common()
    listed = ", ".join(f"{count} × {name}" for name, count in counted[:4])
    return f"{len(calls)} calls: {listed}{', ...' if len(counted) > 4 else ''}"


def _boxes_of_nodes(graph: Snapshot) -> dict[int, str]:
    """The box of each node, by the node's number; leaves have none, and are known by their id()."""
    return {id(node) if graph.source.is_leaf(node) else node._sequence: key for key, node in graph.node_of.items()}
