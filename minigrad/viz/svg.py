"""The picture itself: one SVG, drawn once.

Each shape goes by a class. Each element carries its
colours as attributes, a palette that reads on white and on black, so that the SVG is complete by itself (a notebook
shows it as an image, which no style sheet reaches). Inside the stepper the style sheet overrides them by class: a step
changes classes and texts, never the drawing.

All text is the learner's or comes from the engine, so all of it is escaped, stripped of characters that XML forbids,
and isolated from the text around it, so that right-to-left names turn nothing around.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from minigrad.viz.boxes import GENERATIONS, Box, Snapshot
from minigrad.viz.layout import Layout, Point, Sized, Wire, arrange
from minigrad.viz.values import Value, shape_text

MONO = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"
MONO_WIDTH, SMALL_WIDTH, NAME_WIDTH = 7.3, 6.4, 8.6  # pixels a character takes at 12, 10.5 and 13 pixels
PAD, HEAD, ROW, EXTRA = 12, 30, 20, 16
MAP_WIDTH, MAP_HEIGHT = 64, 14
LABEL = 44  # width of the words "value" and "grad"
NARROWEST, WIDEST = 150, 300
BESIDE = 18  # pixels between a name and its expression
GAP_LIVE, GAP_LARGE, GAP_STILL, GAP_DOWN = 110, 76, 56, 34  # along an edge: for pills with a sum, with a shape, none
TOO_WIDE = 1000  # pixels: a still picture that would be wider is laid out from top to bottom
NAME_LIMIT = 18  # characters of a name inside a box

INK, QUIET, PAPER, RULE = "#1d2733", "#5f6b7a", "#ffffff", "#c3cad3"
PANEL = "#f4f1f8"
LEAF, WIRE, GRAD, ALARM, DONE, WAIT = "#0072b2", "#8792a0", "#c24e00", "#b3007d", "#00805a", "#b57600"

# What a state looks like without a style sheet: border colour, border width, dashes, fill.
STATES = {
    "idle": (WIRE, 1.2, "", PAPER),
    "waiting": (WAIT, 2.0, "2 4", PAPER),
    "ready": (WAIT, 2.4, "7 4", PAPER),
    "ran": (GRAD, 3.2, "", "#fff3ea"),
    "done": (DONE, 1.6, "", PAPER),
    "failed": (ALARM, 3.2, "", "#fdf0f8"),
    "off": ("#b4bcc6", 1.0, "", "#f2f3f5"),
}


@dataclass(frozen=True)
class Drawing:
    """An SVG. `rooms` says for each box how many characters fit into the rows of its value and gradient."""

    svg: str
    width: float
    height: float
    rooms: dict[str, int]
    sizes: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class State:
    """What a box looks like at one moment: its state, the word on its badge, its gradient, and how many of the
    gradients that it needs have arrived.
    """

    state: str
    badge: str
    grad: Value
    grad_text: str = ""
    arrived: int = 0
    needed: int = 0


def draw_svg(
    graph: Snapshot,
    states: Mapping[str, State] | None = None,
    wires: Mapping[str, str] | None = None,
    chips: Mapping[str, str] | None = None,
    live: bool = False,
) -> Drawing:
    """Draw a snapshot.

    Args:
        states: box id -> what it looks like; without it the picture is of the graph alone, with `.grad` of the leaves.
        wires: edge id -> "idle", "now", "done" or "off".
        chips: edge id -> what flows along it now.
        live: leave out nothing that a later step might show, and let boxes be focused.
    """
    every_grad = states is not None
    several = any(box.graph > 1 for box in graph.boxes)
    sized = tuple(_size(box, every_grad, several) for box in graph.boxes)
    wiring = tuple(Wire(edge.id, edge.source, edge.target) for edge in graph.edges)
    mostly_large = sum(box.value.is_large for box in graph.boxes) * 2 > len(graph.boxes)
    if live or not _too_wide(graph, sized):
        layout = arrange(sized, wiring, (GAP_LARGE if mostly_large else GAP_LIVE) if every_grad else GAP_STILL)
    else:
        layout = arrange(sized, wiring, GAP_DOWN, down=True)
    names = {box.id: box.name for box in graph.boxes}
    middles = _middles(graph, layout)
    edges, chips_on_edges = [], []
    for edge in graph.edges:
        state = (wires or {}).get(edge.id, "idle" if edge.carries else "off")
        title = f"{names[edge.source]} enters {names[edge.target]}"
        edges.append(_wire(edge.id, layout.curves[edge.id], state, edge.carries, title))
        text = (chips or {}).get(edge.id, "")
        if edge.carries and (live or text):
            chips_on_edges.append(_chip(edge.id, middles[edge.id], text))
    boxes = [
        _box(box, size, layout.corners[box.id], (states or {}).get(box.id), every_grad, live)
        for box, size in zip(graph.boxes, sized, strict=True)
    ]
    width, height = _n(layout.width), _n(layout.height)
    extent = f' width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    inside = "".join(_panels(layout)), "".join(edges), "".join(boxes), "".join(chips_on_edges)
    return Drawing(_svg(graph, extent, *inside), layout.width, layout.height, _rooms(sized), _extents(sized))


def draw_parts(graph: Snapshot) -> Drawing:
    """All boxes, each drawn at the upper left corner: where a page opens and closes modules, it places them."""
    sized = tuple(_size(box, True, False) for box in graph.boxes)
    boxes = [_box(box, size, (0.0, 0.0), None, True, True) for box, size in zip(graph.boxes, sized, strict=True)]
    return Drawing(_svg(graph, "", "", "", "".join(boxes), ""), 0, 0, _rooms(sized), _extents(sized))


def _svg(graph: Snapshot, extent: str, panels: str, edges: str, boxes: str, chips: str) -> str:
    root = graph.box(graph.root)
    title = f"The graph of {clean(root.name)}: {len(graph.boxes)} boxes"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mg-graph"{extent} role="group" aria-label={_attribute(title)} '
        f'font-family="{MONO}" font-size="12"><title>{_text(title)}</title>{panels}<g class="mg-edges">{edges}</g>'
        f'<g class="mg-boxes">{boxes}</g><g class="mg-chips">{chips}</g></svg>'
    )


def _extents(sized: tuple[Sized, ...]) -> dict[str, tuple[float, float]]:
    return {item.id: (item.width, item.height) for item in sized}


def _rooms(sized: tuple[Sized, ...]) -> dict[str, int]:
    """How many characters fit into the rows of each box's value and gradient."""
    return {item.id: int((item.width - 2 * PAD - LABEL) / MONO_WIDTH) for item in sized}


def _panels(layout: Layout) -> list[str]:
    """Where there are graphs of gradients, each graph on a panel of its own, with its name."""
    names = {1: "the graph", **GENERATIONS}
    parts = ['<g class="mg-panels">'] if layout.panels else []
    for number, ((left, top), (right, bottom)) in sorted(layout.panels.items()):
        fill = PANEL if number > 1 else "none"
        parts.append(
            f'<g class="mg-panel mg-panel-{number}"><rect x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" '
            f'height="{_n(bottom - top)}" rx="14" fill="{fill}" stroke="{RULE}" stroke-dasharray="2 5"/>'
            f'<text x="{_n(left + 14)}" y="{_n(top + 17)}" font-family="{SANS}" fill="{QUIET}">'
            f"{_text(names.get(number, f'graph {number}'))}</text></g>"
        )
    return [*parts, "</g>"] if parts else []


# ---------------------------------------------------------------- sizes


def _too_wide(graph: Snapshot, sized: tuple[Sized, ...]) -> bool:
    """Whether the longest way through the graph, laid from left to right, is wider than a page."""
    widths = {item.id: item.width for item in sized}
    reach: dict[str, float] = {}
    inputs: dict[str, list[str]] = {}
    for edge in graph.edges:
        inputs.setdefault(edge.target, []).append(edge.source)
    for box in graph.boxes:  # inputs stand before results
        before = max((reach[source] + GAP_STILL for source in inputs.get(box.id, ())), default=0.0)
        reach[box.id] = before + widths[box.id]
    return max(reach.values()) > TOO_WIDE


def columns(text: str) -> int:
    """How many columns a text takes in a monospaced font: wide characters take two, marks on other characters none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return len(text) + wide - marks


def short_name(name: str) -> str:
    """A name as it stands in a box: of a long path, such as net.layer1.0.conv1.weight, the end says most."""
    text = clean(name)
    while columns(text) > NAME_LIMIT and "." in text.removeprefix("…"):
        text = "…" + text.removeprefix("…").split(".", 1)[1]
    return shorten(text, NAME_LIMIT)


def shorten(text: str, limit: int) -> str:
    """The text if it fits into `limit` columns, else its beginning and an ellipsis."""
    if columns(text) <= limit:
        return text
    while text and columns(text) > limit - 1:
        text = text[:-1]
    return text + "…"


def _size(box: Box, every_grad: bool, several: bool) -> Sized:
    """`several`: whether the picture has graphs of gradients, on panels of their own."""
    name, expression = columns(short_name(box.name)), columns(box.expression)
    head = 2 * PAD + name * NAME_WIDTH + BESIDE + expression * MONO_WIDTH
    if box.value.is_large:
        statistics = max(len(" · ".join(box.value.statistics or ())), 30)  # those of a gradient may be longer
        body = max(LABEL + len(box.value.text) * MONO_WIDTH + 12 + MAP_WIDTH, statistics * SMALL_WIDTH)
    else:
        elements = max(1, len(box.value.full.split(","))) if box.value.known else 1
        widest = max(columns(box.value.text), 11 if elements == 1 else 9 * elements)  # a gradient may need more room
        body = LABEL + widest * MONO_WIDTH
    width = min(max(head, body + 2 * PAD, NARROWEST), WIDEST)
    rows = 2 if _shows_grad(box, every_grad) else 1
    height = HEAD + 10 + rows * (ROW + (EXTRA if box.value.is_large else 0))
    return Sized(box.id, round(width), height, box.graph if several else 0)


def _shows_grad(box: Box, every_grad: bool) -> bool:
    return box.kind == "leaf" or (box.kind == "result" and (every_grad or box.grad.known))


# ---------------------------------------------------------------- parts


def _box(box: Box, size: Sized, corner: Point, state: State | None, every_grad: bool, live: bool) -> str:
    width, height = size.width, size.height
    kind = box.kind
    look = state.state if state is not None else ("off" if kind == "constant" else "idle")
    stroke, thick, dashes, fill = STATES[look]
    if kind == "leaf" and look == "idle":
        stroke, thick = LEAF, 2.2
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    focus = f' tabindex="0" role="button" aria-label={_attribute(f"inspect {box.name}")}' if live else ""
    radius = 12 if kind == "leaf" else 5
    name = short_name(box.name)
    beside_name = round((width - 2 * PAD - BESIDE - columns(name) * NAME_WIDTH) / MONO_WIDTH)  # characters
    parts = [
        f'<g class="mg-box mg-{kind} mg-{look}" data-box="{box.id}" transform="translate({_p(corner)})"{focus}>',
        f"<title>{_text(hover(box))}</title>",
        f'<rect class="mg-card" width="{_n(width)}" height="{_n(height)}" rx="{radius}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{thick}"{dash}/>',
        f'<path class="mg-rule" d="M1 {HEAD}H{_n(width - 1)}" stroke="{RULE}"/>',
        f'<text class="mg-name" x="{PAD}" y="20" font-family="{SANS}" font-size="13" font-weight="700" fill="{INK}" '
        f'style="unicode-bidi:isolate">{_text(name)}</text>',
        f'<text class="mg-expression" x="{_n(width - PAD)}" y="20" text-anchor="end" fill="{QUIET}" '
        f'style="unicode-bidi:isolate">{_text(shorten(box.expression, beside_name))}</text>',
    ]
    top = HEAD + 5
    word = "inside" if kind == "module" else "value"
    parts.append(_row(word, box.value, box.value.text, top, width, box.value.is_large))
    if _shows_grad(box, every_grad):
        top += ROW + (EXTRA if box.value.is_large else 0)
        grad = state.grad if state is not None else box.grad
        text = (state.grad_text if state is not None else "") or grad.text
        parts.append(_row("grad", grad, text, top, width, box.value.is_large))
    badge = state.badge if state is not None else ""
    if live or badge:
        parts.append(_badge(badge, width, stroke))
    return "".join([*parts, "</g>"])


def _row(word: str, value: Value, text: str, top: float, width: float, large: bool) -> str:
    """The word "value" or "grad", and what there is to say: for large tensors the shape, a heat map and the
    statistics.
    """
    baseline = top + 15
    fill = ALARM if value.alarm else QUIET if not value.known else GRAD if word == "grad" else INK
    weight = ' font-weight="700"' if value.alarm or (word == "grad" and value.known) else ""
    shown = f"⚠ {value.alarm}" if value.alarm else text
    room = int((width - 2 * PAD - LABEL - (MAP_WIDTH + 10 if value.heat else 0)) / MONO_WIDTH)
    right = width - PAD - (MAP_WIDTH + 8 if value.heat else 0)
    parts = [
        f'<text class="mg-word" x="{PAD}" y="{_n(baseline)}" font-family="{SANS}" fill="{QUIET}">{word}</text>',
        f'<text class="mg-{word}{_marks(value)}" x="{_n(right)}" y="{_n(baseline)}" text-anchor="end" '
        f'fill="{fill}"{weight}>{_text(shorten(shown, room))}</text>',
    ]
    if large:
        address = f' href="{value.heat}"' if value.heat else ""
        absent = "not kept" if word == "value" and not value.known else ""
        statistics = " · ".join(value.statistics) if value.statistics else absent
        parts.append(
            f'<image class="mg-map mg-{word}-map" x="{_n(width - PAD - MAP_WIDTH)}" y="{_n(top + 3)}" '
            f'width="{MAP_WIDTH}" height="{MAP_HEIGHT}" preserveAspectRatio="none" '
            f'style="image-rendering:pixelated"{address}{_hidden(not value.heat)}/>'
            f'<text class="mg-statistics mg-{word}-statistics" x="{_n(width - PAD)}" y="{_n(baseline + 15)}" '
            f'text-anchor="end" font-size="10.5" fill="{QUIET}">'
            f"{_text(shorten(statistics, int((width - 2 * PAD) / SMALL_WIDTH)))}</text>"
        )
    return "".join(parts)


def _marks(value: Value) -> str:
    return (" mg-alarm" if value.alarm else "") + ("" if value.known else " mg-none")


def _badge(text: str, width: float, colour: str) -> str:
    """A little flag on the box's upper edge: the state in a word."""
    length = len(text) * SMALL_WIDTH + 14
    return (
        f'<g class="mg-badge"{_hidden(not text)}><rect class="mg-flag" x="{_n(width - 10 - length)}" y="-13" '
        f'width="{_n(length)}" height="17" rx="8.5" fill="{colour}"/><text class="mg-flag-text" '
        f'x="{_n(width - 10 - length / 2)}" y="-0.5" text-anchor="middle" font-family="{SANS}" font-size="10.5" '
        f'font-weight="600" fill="{PAPER}">{_text(text)}</text></g>'
    )


def _wire(key: str, curve: tuple[Point, ...], state: str, carries: bool, title: str) -> str:
    """A curve with an arrowhead at each end; which of them shows depends on where things flow."""
    path = f"M{_p(curve[0])}C" + " ".join(_p(point) for point in curve[1:])
    colour, width, dash = {
        "now": (GRAD, 3.0, ""),
        "done": (DONE, 1.8, ""),
        "off": (WIRE, 1.2, ' stroke-dasharray="3 4"'),
    }.get(state, (WIRE, 1.6, ""))
    back = state in ("now", "done")
    return (
        f'<g class="mg-edge mg-{state}{"" if carries else " mg-dead"}" data-edge="{key}"><title>{_text(title)}</title>'
        f'<path class="mg-wire" d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'
        f'<path class="mg-forward" d="{_head(curve[-1], curve[-2])}" fill="{colour}"{_hidden(back)}/>'
        f'<path class="mg-backward" d="{_head(curve[0], curve[1])}" fill="{colour}"{_hidden(not back)}/></g>'
    )


def _hidden(hidden: bool) -> str:
    return ' visibility="hidden"' if hidden else ""


def _head(tip: Point, before: Point) -> str:
    """An arrowhead with its point at `tip`, coming from `before`."""
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length, dy / length
    left = (tip[0] - 10 * ux - 4.5 * uy, tip[1] - 10 * uy + 4.5 * ux)
    right = (tip[0] - 10 * ux + 4.5 * uy, tip[1] - 10 * uy - 4.5 * ux)
    return f"M{_p(tip)}L{_p(left)}L{_p(right)}Z"


def _chip(key: str, middle: Point, text: str) -> str:
    """A pill on an edge with what flows along it."""
    length = columns(text) * SMALL_WIDTH + 14
    return (
        f'<g class="mg-chip" data-chip="{key}" transform="translate({_p(middle)})"{_hidden(not text)}>'
        f'<rect x="{_n(-length / 2)}" y="-10" width="{_n(length)}" height="20" rx="10" fill="{PAPER}" stroke="{GRAD}"/>'
        f'<text y="4" text-anchor="middle" font-size="10.5" font-weight="700" fill="{GRAD}" '
        f'style="unicode-bidi:isolate">{_text(text)}</text></g>'
    )


def _middles(graph: Snapshot, layout: Layout) -> dict[str, Point]:
    """The middle of each edge, moved apart where two edges into one box would have their pills on each other."""
    middles: dict[str, Point] = {}
    taken: dict[str, list[Point]] = {}
    for edge in graph.edges:
        x, y = _halfway(layout.curves[edge.id])
        beside = taken.setdefault(edge.target, [])
        while any(abs(x - other[0]) < 120 and abs(y - other[1]) < 23 for other in beside):
            y += 4
        beside.append((x, y))
        middles[edge.id] = (round(x, 1), round(y, 1))
    return middles


def _halfway(curve: tuple[Point, ...]) -> Point:
    pieces = (len(curve) - 1) // 3
    start = 3 * (pieces // 2)
    if pieces % 2 == 0:
        return curve[start]
    a, b, c, d = curve[start : start + 4]
    return ((a[0] + 3 * b[0] + 3 * c[0] + d[0]) / 8, (a[1] + 3 * b[1] + 3 * c[1] + d[1]) / 8)


def hover(box: Box) -> str:
    """All that a box stands for, in lines: shown when the pointer rests on it."""
    kind = {"leaf": "leaf", "constant": "constant: needs no gradient"}.get(box.kind, f"made by {box.op}")
    if box.kind == "module":
        return f"{box.op}: {box.expression}, {box.value.text}"
    lines = [f"{box.name} — {kind}"]
    if box.value.known or box.value.shape:
        lines.append(f"shape {shape_text(box.value.shape)}, {box.value.dtype}")
    lines.append(f"value {box.value.full}")
    if box.value.statistics:
        lines.append("min {} · mean {} · max {}".format(*box.value.statistics))
    return "\n".join(lines)


# ---------------------------------------------------------------- text


def clean(text: str) -> str:
    """Text that XML and a single line allow: control characters become the replacement character, line ends a visible
    mark.
    """
    kept = []
    for character in text:
        code = ord(character)
        if character in "\n\r":
            kept.append("⏎")
        elif character == "\t":
            kept.append(" ")
        elif code < 32 or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF or code & 0xFFFE == 0xFFFE:
            kept.append("\ufffd")
        elif 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x2028, 0x2029):
            kept.append("\ufffd")  # would change the direction or the line of what follows
        else:
            kept.append(character)
    return "".join(kept)


def _text(text: str) -> str:
    return escape("\n".join(clean(line) for line in text.split("\n")) if "\n" in text else clean(text))


def _attribute(text: str) -> str:
    return quoteattr(clean(text))


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")


def _p(point: Point) -> str:
    return f"{_n(point[0])} {_n(point[1])}"
