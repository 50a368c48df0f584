"""The picture itself: one SVG, drawn once.

Each shape goes by a class. Each element carries its colours as attributes, a palette that reads on white and on black,
so that the SVG is complete by itself (a notebook shows it as an image, which no style sheet reaches). Inside the
stepper the style sheet overrides them by class: a step changes classes and texts, never the drawing. Names and
expressions are isolated from the text around them, so that right-to-left names turn nothing around.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from minigrad.viz.graph.boxes import GENERATIONS, Box, Edge, Snapshot, State
from minigrad.viz.graph.values import Value, shape_text
from minigrad.viz.picture.layout import PANEL_MARGIN, Layout, Point, Sized, arrange
from minigrad.viz.picture.markup import MONO, SANS, attribute, clean, columns, markup, pixels, shorten

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
# The same of an edge: colour, width, dashes.
WIRES = {
    "idle": (WIRE, 1.6, ""),
    "now": (GRAD, 3.0, ""),
    "done": (DONE, 1.8, ""),
    "off": (WIRE, 1.2, ' stroke-dasharray="3 4"'),
}


@dataclass(frozen=True)
class Drawing:
    """An SVG. `rooms` says for each box how many characters fit into the rows of its value and gradient."""

    svg: str
    width: float
    height: float
    rooms: dict[str, int]
    sizes: dict[str, tuple[float, float]]


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
    states, wires, chips = states or {}, wires or {}, chips or {}
    several = any(box.graph > 1 for box in graph.boxes)
    sized = tuple(_size(box, every_grad, several) for box in graph.boxes)
    if live or not _too_wide(graph, sized):
        mostly_large = sum(box.value.is_large for box in graph.boxes) * 2 > len(graph.boxes)
        layout = arrange(sized, graph.edges, (GAP_LARGE if mostly_large else GAP_LIVE) if every_grad else GAP_STILL)
    else:
        layout = arrange(sized, graph.edges, GAP_DOWN, down=True)
    edges = []
    for edge in graph.edges:
        title = f"{graph.by_id[edge.source].name} enters {graph.by_id[edge.target].name}"
        edges.append(_wire(edge, layout.curves[edge.id], wires.get(edge.id, "idle" if edge.carries else "off"), title))
    boxes = [
        _box(box, size, layout.corners[box.id], states.get(box.id), every_grad, live)
        for box, size in zip(graph.boxes, sized, strict=True)
    ]
    parts = "".join(boxes), "".join(edges), _panels(layout), _chips(graph, layout, chips, live)
    return _drawing(graph, sized, layout, *parts)


def draw_parts(graph: Snapshot) -> Drawing:
    """All boxes, each drawn at the upper left corner: where a page opens and closes modules, it places them."""
    sized = tuple(_size(box, True, False) for box in graph.boxes)
    boxes = [_box(box, size, (0.0, 0.0), None, True, True) for box, size in zip(graph.boxes, sized, strict=True)]
    return _drawing(graph, sized, None, "".join(boxes), "", "", "")


def _drawing(
    graph: Snapshot, sized: tuple[Sized, ...], layout: Layout | None, boxes: str, edges: str, panels: str, chips: str
) -> Drawing:
    title, extent = f"The graph of {clean(graph.by_id[graph.root].name)}: {len(graph.boxes)} boxes", ""
    if layout is not None:
        width, height = pixels(layout.width), pixels(layout.height)
        extent = f' width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mg-graph"{extent} role="group" aria-label={attribute(title)} '
        f'font-family="{MONO}" font-size="12"><title>{markup(title)}</title>{panels}<g class="mg-edges">{edges}</g>'
        f'<g class="mg-boxes">{boxes}</g><g class="mg-chips">{chips}</g></svg>'
    )
    rooms = {item.id: int((item.width - 2 * PAD - LABEL) / MONO_WIDTH) for item in sized}
    sizes = {item.id: (item.width, item.height) for item in sized}
    return Drawing(svg, layout.width if layout else 0, layout.height if layout else 0, rooms, sizes)


def _panels(layout: Layout) -> str:
    """Where there are graphs of gradients, each graph on a panel of its own, with its name."""
    names = {1: "the graph", **GENERATIONS}
    parts = []
    for number, ((left, top), (right, bottom)) in sorted(layout.panels.items()):
        fill = PANEL if number > 1 else "none"
        parts.append(
            f'<g class="mg-panel mg-panel-{number}"><rect x="{pixels(left)}" y="{pixels(top)}" '
            f'width="{pixels(right - left)}" height="{pixels(bottom - top)}" rx="14" fill="{fill}" stroke="{RULE}" '
            f'stroke-dasharray="2 5"/><text x="{pixels(left + 14)}" y="{pixels(top + 17)}" font-family="{SANS}" '
            f'fill="{QUIET}">{markup(names.get(number, f"graph {number}"))}</text></g>'
        )
    return f'<g class="mg-panels">{"".join(parts)}</g>' if parts else ""


# ---------------------------------------------------------------- sizes


def _too_wide(graph: Snapshot, sized: tuple[Sized, ...]) -> bool:
    """Whether the longest way through the graph, laid from left to right, is wider than a page."""
    reach: dict[str, float] = {}
    for item in sized:  # inputs stand before results
        before = max((reach[edge.source] + GAP_STILL for edge in graph.into[item.id]), default=0.0)
        reach[item.id] = before + item.width
    panels = {item.panel for item in sized} - {0}
    return max(reach.values()) + 2 * PANEL_MARGIN * len(panels) > TOO_WIDE


def short_name(name: str) -> str:
    """A name as it stands in a box: of a long path, such as net.layer1.0.conv1.weight, the end says most."""
    text = clean(name)
    while columns(text) > NAME_LIMIT and "." in text.removeprefix("…"):
        text = "…" + text.removeprefix("…").split(".", 1)[1]
    return shorten(text, NAME_LIMIT)


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
    width, height, kind = size.width, size.height, box.kind
    state = state or State("off" if kind == "constant" else "idle", "", box.grad)
    stroke, thick, dashes, fill = STATES[state.state]
    if kind == "leaf" and state.state == "idle":
        stroke, thick = LEAF, 2.2
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    focus = f' tabindex="0" role="button" aria-label={attribute(f"inspect {box.name}")}' if live else ""
    radius = 12 if kind == "leaf" else 5
    name = short_name(box.name)
    beside_name = round((width - 2 * PAD - BESIDE - columns(name) * NAME_WIDTH) / MONO_WIDTH)  # characters
    parts = [
        f'<g class="mg-box mg-{kind} mg-{state.state}" data-box="{box.id}" '
        f'transform="translate({_point(corner)})"{focus}>',
        f"<title>{markup(hover(box))}</title>",
        f'<rect class="mg-card" width="{pixels(width)}" height="{pixels(height)}" rx="{radius}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{thick}"{dash}/>',
        f'<path class="mg-rule" d="M1 {HEAD}H{pixels(width - 1)}" stroke="{RULE}"/>',
        f'<text class="mg-name" x="{PAD}" y="20" font-family="{SANS}" font-size="13" font-weight="700" fill="{INK}" '
        f'style="unicode-bidi:isolate">{markup(name)}</text>',
        f'<text class="mg-expression" x="{pixels(width - PAD)}" y="20" text-anchor="end" fill="{QUIET}" '
        f'style="unicode-bidi:isolate">{markup(shorten(box.expression, beside_name))}</text>',
    ]
    top = HEAD + 5
    word = "inside" if kind == "module" else "value"
    parts.append(_row(word, box.value, box.value.text, top, width, box.value.is_large))
    if _shows_grad(box, every_grad):
        top += ROW + (EXTRA if box.value.is_large else 0)
        parts.append(_row("grad", state.grad, state.grad_text or state.grad.text, top, width, box.value.is_large))
    if live or state.badge:
        parts.append(_badge(state.badge, width, stroke))
    return "".join([*parts, "</g>"])


def _row(word: str, value: Value, text: str, top: float, width: float, large: bool) -> str:
    """The word "value" or "grad", and what there is to say: for large tensors the shape, a heat map and the
    statistics.
    """
    baseline = top + 15
    fill = ALARM if value.alarm else QUIET if not value.known else GRAD if word == "grad" else INK
    weight = ' font-weight="700"' if value.alarm or (word == "grad" and value.known) else ""
    marks = (" mg-alarm" if value.alarm else "") + ("" if value.known else " mg-none")
    shown = f"⚠ {value.alarm}" if value.alarm else text
    room = int((width - 2 * PAD - LABEL - (MAP_WIDTH + 10 if value.heat else 0)) / MONO_WIDTH)
    right = width - PAD - (MAP_WIDTH + 8 if value.heat else 0)
    parts = [
        f'<text class="mg-word" x="{PAD}" y="{pixels(baseline)}" font-family="{SANS}" fill="{QUIET}">{word}</text>',
        f'<text class="mg-{word}{marks}" x="{pixels(right)}" y="{pixels(baseline)}" text-anchor="end" '
        f'fill="{fill}"{weight}>{markup(shorten(shown, room))}</text>',
    ]
    if large:
        address = f' href="{value.heat}"' if value.heat else ""
        absent = "not kept" if word == "value" and not value.known else ""
        statistics = " · ".join(value.statistics) if value.statistics else absent
        parts.append(
            f'<image class="mg-map mg-{word}-map" x="{pixels(width - PAD - MAP_WIDTH)}" y="{pixels(top + 3)}" '
            f'width="{MAP_WIDTH}" height="{MAP_HEIGHT}" preserveAspectRatio="none" '
            f'style="image-rendering:pixelated"{address}{_hidden(not value.heat)}/>'
            f'<text class="mg-statistics mg-{word}-statistics" x="{pixels(width - PAD)}" y="{pixels(baseline + 15)}" '
            f'text-anchor="end" font-size="10.5" fill="{QUIET}">'
            f"{markup(shorten(statistics, int((width - 2 * PAD) / SMALL_WIDTH)))}</text>"
        )
    return "".join(parts)


def _badge(text: str, width: float, colour: str) -> str:
    """A little flag on the box's upper edge: the state in a word."""
    length = len(text) * SMALL_WIDTH + 14
    return (
        f'<g class="mg-badge"{_hidden(not text)}><rect class="mg-flag" x="{pixels(width - 10 - length)}" y="-13" '
        f'width="{pixels(length)}" height="17" rx="8.5" fill="{colour}"/><text class="mg-flag-text" '
        f'x="{pixels(width - 10 - length / 2)}" y="-0.5" text-anchor="middle" font-family="{SANS}" font-size="10.5" '
        f'font-weight="600" fill="{PAPER}">{markup(text)}</text></g>'
    )


def _wire(edge: Edge, curve: tuple[Point, ...], state: str, title: str) -> str:
    """A curve with an arrowhead at each end; which of them shows depends on where things flow."""
    path = f"M{_point(curve[0])}C" + " ".join(_point(point) for point in curve[1:])
    colour, width, dash = WIRES.get(state, WIRES["idle"])
    back, dead = state in ("now", "done"), "" if edge.carries else " mg-dead"
    return (
        f'<g class="mg-edge mg-{state}{dead}" data-edge="{edge.id}"><title>{markup(title)}</title>'
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
    return f"M{_point(tip)}L{_point(left)}L{_point(right)}Z"


def _chips(graph: Snapshot, layout: Layout, texts: Mapping[str, str], live: bool) -> str:
    """A pill on each edge with what flows along it, moved apart where two edges into one box would have theirs on each
    other.
    """
    parts = []
    taken: dict[str, list[Point]] = {}
    for edge in graph.edges:
        x, y = _halfway(layout.curves[edge.id])
        beside = taken.setdefault(edge.target, [])
        while any(abs(x - other[0]) < 120 and abs(y - other[1]) < 23 for other in beside):
            y += 4
        beside.append((x, y))
        text = texts.get(edge.id, "")
        if not edge.carries or not (live or text):
            continue
        length = columns(text) * SMALL_WIDTH + 14
        parts.append(
            f'<g class="mg-chip" data-chip="{edge.id}" transform="translate({_point((x, y))})"{_hidden(not text)}>'
            f'<rect x="{pixels(-length / 2)}" y="-10" width="{pixels(length)}" height="20" rx="10" fill="{PAPER}" '
            f'stroke="{GRAD}"/><text y="4" text-anchor="middle" font-size="10.5" font-weight="700" fill="{GRAD}" '
            f'style="unicode-bidi:isolate">{markup(text)}</text></g>'
        )
    return "".join(parts)


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


def _point(point: Point) -> str:
    return f"{pixels(point[0])} {pixels(point[1])}"
