"""The picture itself: one SVG, drawn once.

Each shape goes by a class. Each element carries its colours as attributes, and the SVG says itself what they are on a
dark page, so that it is complete by itself (a notebook shows it as an image, which no style sheet reaches). Inside the
stepper the style sheet overrides them by class: a step changes classes and texts, never the drawing. Names and
expressions are isolated from the text around them, so that right-to-left names turn nothing around.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from minigrad.viz.graph.boxes import Box, BoxState, Snapshot
from minigrad.viz.graph.calls import RECORDED
from minigrad.viz.graph.groups import Group
from minigrad.viz.graph.naming import beginning_in_words, short_code
from minigrad.viz.graph.values import Value, shape_text
from minigrad.viz.picture.layered import Point
from minigrad.viz.picture.layout import BoxSizes, GroupFrame, Layout, Wire, kind_beside, lay_out
from minigrad.viz.picture.markup import (
    MONO,
    SANS,
    attribute,
    clean,
    columns,
    markup,
    pixels,
    shorten,
    shorten_words,
    value_text,
)
from minigrad.viz.picture.measures import (
    ABOVE_BOX,
    BESIDE_MAP,
    BESIDE_TIP,
    CHIP_HEIGHT,
    CHIP_ROUND,
    FLAG_WIDTH,
    MAP_HEIGHT,
    MAP_WIDTH,
    MONO_WIDTH,
    NAME_ROW,
    PAD,
    ROW,
    TITLE_MOST,
)
from minigrad.viz.picture.palette import dark_style, light

NAME_WIDTH = 8.6  # pixels of a character in a name, at the mean
WIDE_LETTERS, MORE_OF_WIDE = re.compile(r"[mwMW@%]"), 5.2  # by how much these are wider
CAPITALS, MORE_OF_CAPITALS = re.compile(r"[A-LN-VX-ZΑ-Ω]"), 1.8
LABEL = 42  # width of the words "value" and "grad"
NARROWEST, WIDEST = 138, 280
CUT = 184  # what a value takes in which not all of the numbers are written: its shape, and the first
BESIDE_NAME = 16  # pixels between a name and its expression
PAGE = 944  # pixels of a notebook's output, from left to right
SMALLEST = 0.84  # of its size: what is wider than a page is moved under it, rather than have letters below 10 pixels
NAME_LIMIT = 18.7 * NAME_WIDTH  # pixels of a name inside a box, at most

COLOURS = ["ink", "quiet", "paper", "line", "second", "module", "leaf", "wire", "around"]
COLOURS += ["hot", "alarm", "done", "wait", "glow", "alarm-back", "bar"]
INK, QUIET, PAPER, RULE, PANEL, MODULE, LEAF, WIRE, FRAME, GRAD, ALARM, DONE, WAIT, GLOW, FAILED, BAR = map(
    light, COLOURS
)
# What is the same in every text of a kind is said once.
STYLE = (
    f"{dark_style(COLOURS)}.mg-graph :is(.mg-name,.mg-word,.mg-flag-text){{font-family:{SANS}}}"
    ".mg-graph .mg-name{font-size:13px;font-weight:700}.mg-graph .mg-flag-text{font-weight:600}"
    ".mg-graph text{unicode-bidi:isolate}"
)

# What a state looks like without a style sheet: border colour, border width, dashes, fill.
STATES = {
    "idle": (WIRE, 1.2, "", PAPER),
    "waiting": (WAIT, 2.0, "2 4", PAPER),
    "ready": (WAIT, 2.4, "7 4", PAPER),
    "ran": (GRAD, 3.2, "", GLOW),
    "done": (DONE, 1.6, "", PAPER),
    "failed": (ALARM, 3.2, "", FAILED),
    "off": (RULE, 1.0, "", BAR),
}
# The same of an edge: colour, width, dashes.
WIRES = {
    "now": (GRAD, 3.0, ""),
    "idle": (WIRE, 1.6, ""),
    "done": (DONE, 1.8, ""),
    "off": (WIRE, 1.2, ' stroke-dasharray="3 4"'),
}
UPWARDS = ("off", "idle", "done", "now")  # edges that run together: what runs lies on what ran, and that on what waits


@dataclass(frozen=True)
class SvgDrawing:
    """An SVG. `rooms` says for each box how many characters fit into the rows of its value and gradient."""

    svg: str
    rooms: dict[str, int]
    sizes: BoxSizes


def draw_svg(
    graph: Snapshot,
    states: Mapping[str, BoxState] | None = None,
    wires: Mapping[str, str] | None = None,
    chips: Mapping[str, str] | None = None,
    groups: Sequence[Group] = (),
    shown: Collection[str] = (),
    placed: Layout | None = None,
) -> SvgDrawing:
    """Draw a snapshot.

    Args:
        states: box id -> what it looks like; without it the picture is of the graph alone, with `.grad` of the leaves.
        wires: edge id -> "idle", "now", "done" or "off".
        chips: edge id -> what flows along it now.
        groups: those that open and close, outer ones first.
        shown: the ids of those that are open.
        placed: where everything stands, from `places_of`, where that is known.
    """
    every_grad = states is not None
    layout = placed or places_of(graph, every_grad, groups, shown)
    states, wires, chips = states or {}, wires or {}, chips or {}
    sizes = {box.id: box_size(box, every_grad) for box in graph.boxes}
    names = {group.id: group.name for group in groups} | {box.id: box.name for box in graph.boxes}
    edges = {edge.id: edge for edge in graph.edges}
    lines = dict.fromkeys(UPWARDS, "")
    sides = _sides(layout.wires)
    for wire in layout.wires:
        members = [edges[key] for key in wire.members]
        states_of = {wires.get(edge.id, "idle" if edge.carries else "off") for edge in members}
        flow = next(flow for flow in WIRES if flow in states_of)
        title = f"{names[wire.source]} enters {names[wire.target]}"
        has_chip = any(chips.get(edge.id) for edge in members)
        mark = "" if has_chip or wire.target not in layout.corners else _mark(wire, sides[wire.id], graph)
        lines[flow] += _wire(wire, flow, any(edge.carries for edge in members), title, mark)
    seen = [box for box in graph.boxes if box.id in layout.corners]
    boxes = [_box(box, sizes[box.id], layout.corners[box.id], states.get(box.id), every_grad) for box in seen]
    looks = _looks(groups, states)
    parts = [_frame(group, layout.frames[group.id], looks[group.id]) for group in groups if group.id in layout.frames]
    frames, titles = ("".join(part[above] for part in parts) for above in (0, 1))
    layers = frames, "".join(lines.values()), titles + "".join(boxes), _chips(layout, chips)
    return _drawing(graph, sizes, layout, layers)


def places_of(graph: Snapshot, every_grad: bool, groups: Sequence[Group], shown: Collection[str]) -> Layout:
    """Where everything stands; with `every_grad`, results have a row for their gradient, too."""
    sizes = {box.id: box_size(box, every_grad) for box in graph.boxes}
    return lay_out(sizes, graph.edges, groups, shown)


def empty_drawing(graph: Snapshot) -> SvgDrawing:
    """A drawing with nothing in it yet, and how large the boxes will be: the page makes those that are seen, places
    them, and draws the edges. So a graph of thousands opens as fast as the few boxes that are seen of it.
    """
    return _drawing(graph, {box.id: box_size(box, True) for box in graph.boxes})


def _drawing(
    graph: Snapshot, sizes: BoxSizes, layout: Layout | None = None, layers: Sequence[str] = [""] * 4
) -> SvgDrawing:
    """`layers` is what is drawn already: groups, edges, boxes and chips."""
    title, extent, back = f"The graph of {clean(graph.by_id[graph.root].name)}: {len(graph.boxes)} boxes", "", ""
    if layout is not None:
        scale = max(SMALLEST, min(1.0, PAGE / layout.width))
        size = [pixels(side) for side in (layout.width * scale, layout.height * scale, layout.width, layout.height)]
        extent = ' width="{}" height="{}" viewBox="0 0 {} {}"'.format(*size)
        paper = f'<rect class="mg-back" width="{size[2]}" height="{size[3]}" rx="8" fill="{PAPER}"/>'
        back = f"<style>{STYLE}</style>{paper}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mg-graph"{extent} role="group" aria-label={attribute(title)} '
        f'font-family="{MONO}" font-size="12"><title>{markup(title)}</title>'
        f'{back}<g class="mg-groups">{layers[0]}</g><g class="mg-edges">{layers[1]}</g>'
        f'<g class="mg-boxes">{layers[2]}</g><g class="mg-chips">{layers[3]}</g></svg>'
    )
    return SvgDrawing(svg, {key: _room(width) for key, (width, _) in sizes.items()}, sizes)


def _looks(groups: Sequence[Group], states: Mapping[str, BoxState]) -> dict[str, str]:
    """Group -> the state of what lies in it: that of the box that ran or failed, "done" if all are."""
    inside: dict[str, set[str]] = {}
    for group in reversed(groups):  # inner ones before those around them
        own = {states[key].state for key in group.boxes if key in states}
        inside[group.id] = inside.get(group.id, set()) | own
        if group.parent:
            inside[group.parent] = inside.get(group.parent, set()) | inside[group.id]
    told = {key: [state for state in ("failed", "ran") if state in found] for key, found in inside.items()}
    return {key: [*told[key], "done" if found - {"off"} == {"done"} else "idle"][0] for key, found in inside.items()}


def _frame(group: Group, frame: GroupFrame, state: str) -> tuple[str, str]:
    """An open group as a frame around its boxes, a closed one as a pile; and its title, which lies above the edges that
    come in below it.
    """
    sheet = group.kind == RECORDED
    fill = (PANEL if sheet else MODULE) if frame.is_open else PAPER
    stroke, thick, _, glow = STATES[state]
    fill = glow if glow != PAPER and not frame.is_open else fill
    if frame.is_open:  # no edge has its colour; and the box that ran stands out, not what is around
        stroke, thick = FRAME if state != "failed" else ALARM, min(thick, STATES["done"][1])
    thick = thick if state != "idle" else 1 if frame.is_open else 1.4
    look = f'rx="8" fill="{fill}" stroke="{stroke}" stroke-width="{thick}"'
    look += ' stroke-dasharray="2 5"' if sheet and frame.is_open else ""
    card = f'<rect width="{pixels(frame.width)}" height="{pixels(frame.height)}" {look}/>'
    pile = "" if frame.is_open else card.replace("/>", ' transform="translate(4 4)"/>')
    name, kind, room = clean(group.name), kind_beside(group), min(frame.width - frame.title, TITLE_MOST + 40)
    if columns(name) * NAME_WIDTH + columns(kind) * MONO_WIDTH > room - 40:
        kind = ""  # rather than a part of the name
    place, aside = (
        f'data-group="{group.id}" transform="translate({_point((x, frame.y))})"'
        for x in (frame.x, frame.x + frame.title)
    )
    look = f'y="{20 if frame.is_open else 34}" paint-order="stroke" stroke="{fill}" stroke-width="4"'
    return (
        f'<g class="mg-group" {place}><title>{markup(group.about)}</title>{pile}{card}</g>',
        f'<g class="mg-group-title" {aside} pointer-events="none">'
        f'<text class="mg-name" x="12" {look} fill="{INK}">'
        f"{markup(shorten_words(name, max(int((room - 24) / NAME_WIDTH), 4)))}</text>"
        f'<text x="{pixels(22 + columns(name) * NAME_WIDTH)}" {look} fill="{QUIET}">{markup(kind)}</text></g>',
    )


# ---------------------------------------------------------------- sizes


@functools.lru_cache(maxsize=8192)
def short_name(name: str) -> str:
    """A name as it stands in a box: of a path, such as net.layer1.0.conv1.weight, the end says most; of code not."""
    text = clean(name)
    while name_width(text) > NAME_LIMIT and "." in text.removeprefix("…") and "(" not in text:
        text = "…" + text.removeprefix("…").split(".", 1)[1]
    if name_width(text) <= NAME_LIMIT:
        return text
    beginning = text
    while name_width(beginning + "…") > NAME_LIMIT:
        beginning = beginning[:-1]
    return beginning_in_words(beginning, text) + "…"


def name_width(text: str) -> float:
    """What a name takes in a box, in pixels: its letters are bold, and no two are equally wide."""
    wide, capitals = len(WIDE_LETTERS.findall(text)), len(CAPITALS.findall(text))
    return columns(text) * NAME_WIDTH + wide * MORE_OF_WIDE + capitals * MORE_OF_CAPITALS


def box_size(box: Box, every_grad: bool) -> tuple[float, float]:
    """Width and height in pixels. `every_grad`: whether results have a row for their gradient, too."""
    name, expression = name_width(short_name(box.name)), columns(box.expression) * MONO_WIDTH
    head = 2 * PAD + name + BESIDE_NAME + expression
    if box.value.is_large:
        body = LABEL + len(box.value.text) * MONO_WIDTH + 10 + MAP_WIDTH
    else:
        elements = max(1, len(box.value.full.split(","))) if box.value.known else 1
        widest = max(columns(box.value.text), 10 if elements == 1 else 8 * elements)  # a gradient may need more room
        body = LABEL + widest * MONO_WIDTH
        if columns(box.value.text) > _room(WIDEST):
            body = CUT  # no room is enough
    width = min(max(head, body + 2 * PAD, NARROWEST), WIDEST)
    return round(width), NAME_ROW + 6 + ROW * (2 if _shows_grad(box, every_grad) else 1)


def _room(width: float, beside: int = 0) -> int:
    """The characters that fit into a row of a box: its width was rounded, and half a pixel cuts nothing off."""
    return int((width + 0.5 - 2 * PAD - LABEL - beside) / MONO_WIDTH)


def _shows_grad(box: Box, every_grad: bool) -> bool:
    return box.kind == "leaf" or (box.kind == "result" and (every_grad or box.grad.known))


# ---------------------------------------------------------------- parts


def texts_in_box(box: Box, width: float) -> dict[str, str]:
    """What is written in a box, as it has room: its name, its expression and its value."""
    label = short_name(box.name)
    beside = round((width - 2 * PAD - BESIDE_NAME - name_width(label)) / MONO_WIDTH)  # characters
    return {
        "label": label,
        "beside": clean(short_code(box.expression, box.op, beside + len(box.expression) - columns(box.expression))),
        "text": row_text(box.value, width),
    }


def row_text(value: Value, width: float, text: str = "") -> str:
    """A value or a gradient as it fits into its row, or a `text` that stands for it; what is wrong with it first."""
    room = _room(width, MAP_WIDTH + 10 if value.heat else 0)
    if value.alarm:
        text = f"⚠ {value.alarm}"
        text = text if columns(text) <= room else value.alarm  # its colour warns, too
    return clean(shorten(text, room) if text else value_text(value.text, value.shape, room))


def _box(box: Box, size: tuple[float, float], corner: Point, state: BoxState | None, every_grad: bool) -> str:
    """A box as it is on a page that does not run the widget; static/boxes.mjs makes the same shapes in it."""
    (width, height), kind = size, box.kind
    state = state or BoxState("off" if kind == "constant" else "idle", "", box.grad)
    stroke, thick, dashes, fill = STATES[state.state]
    if kind == "leaf" and state.state == "idle":
        stroke, thick = LEAF, 2.2
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    radius = 12 if kind == "leaf" else 5
    words = texts_in_box(box, width)
    parts = [
        f'<g class="mg-box mg-{kind} mg-{state.state}" data-box="{box.id}" '
        f'transform="translate({_point(corner)})"><title>{markup(hover(box))}</title>',
        f'<rect class="mg-card" width="{pixels(width)}" height="{pixels(height)}" rx="{radius}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{thick}"{dash}/>',
        f'<path class="mg-rule" d="M1 {NAME_ROW}H{pixels(width - 1)}" stroke="{RULE}"/>',
        f'<text class="mg-name" x="{PAD}" y="17" fill="{INK}">{markup(words["label"])}</text>',
        f'<text class="mg-expression" x="{pixels(width - PAD)}" y="17" text-anchor="end" fill="{QUIET}">'
        f"{markup(words['beside'])}</text>",
    ]
    top = NAME_ROW + 2
    parts.append(_row("value", box.value, words["text"], top, width, box.value.is_large))
    if _shows_grad(box, every_grad):
        text = row_text(state.grad, width, state.grad_text)
        parts.append(_row("grad", state.grad, text, top + ROW, width, box.value.is_large, state.word))
    if state.badge:
        parts.append(_badge(state.badge, width, stroke))
    return "".join([*parts, "</g>"])


def _row(word: str, value: Value, text: str, top: float, width: float, large: bool, shown: str = "value") -> str:
    """The word "value" or "grad", or what is shown in its place, and what there is to say: for large tensors shape,
    heat map and statistics.
    """
    baseline = top + 13
    fill = ALARM if value.alarm else QUIET if not value.known else GRAD if word == "grad" else INK
    weight = ' font-weight="700"' if value.alarm or (word == "grad" and value.known) else ""
    marks = (" mg-alarm" if value.alarm else "") + ("" if value.known else " mg-none")
    right = width - PAD - (MAP_WIDTH + BESIDE_MAP if value.heat else 0)
    parts = [
        f'<text class="mg-word" x="{PAD}" y="{pixels(baseline)}" fill="{QUIET}">{shown}</text>',
        f'<text class="mg-{word}{marks}" x="{pixels(right)}" y="{pixels(baseline)}" text-anchor="end" '
        f'fill="{fill}"{weight}>{markup(text)}</text>',
    ]
    if large:
        address = f' href="{value.heat}"' if value.heat else ""
        parts.append(
            f'<image class="mg-map mg-{word}-map" x="{pixels(width - PAD - MAP_WIDTH)}" y="{pixels(top + 2)}" '
            f'width="{MAP_WIDTH}" height="{MAP_HEIGHT}" preserveAspectRatio="none" '
            f'style="image-rendering:pixelated"{address}{_visibility(not value.heat)}/>'
        )
    return "".join(parts)


def _badge(text: str, width: float, colour: str) -> str:
    """A little flag on the box's upper edge: the state in a word."""
    length = columns(text) * FLAG_WIDTH + 13
    return (
        f'<g class="mg-badge"><rect class="mg-flag" x="{pixels(width - 8 - length)}" y="-12" '
        f'width="{pixels(length)}" height="18" rx="9" fill="{colour}"/><text class="mg-flag-text" '
        f'x="{pixels(width - 8 - length / 2)}" y="1" text-anchor="middle" '
        f'fill="{PAPER}">{markup(text)}</text></g>'
    )


def _wire(wire: Wire, flow: str, carries: bool, title: str, mark: str) -> str:
    """An edge with an arrowhead at each end; which of them shows depends on where things flow."""
    colour, width, dash = WIRES[flow]
    back, dead = flow in ("now", "done"), "" if carries else " mg-dead"
    return (
        f'<g class="mg-edge mg-{flow}{dead}" data-edge="{" ".join(wire.members)}"><title>{markup(title)}</title>'
        f'<path class="mg-wire" d="{path_of(wire.points)}" fill="none" stroke="{colour}" '
        f'stroke-width="{width}"{dash}/>'
        f'<path class="mg-forward" d="{_head(wire.points[-1], 1)}" fill="{colour}"{_visibility(back)}/>'
        f'<path class="mg-backward" d="{_head(wire.points[0], -1)}" fill="{colour}"{_visibility(not back)}/>{mark}</g>'
    )


def _sides(wires: Sequence[Wire]) -> dict[str, int]:
    """On which side of others between the same two boxes an edge ends: -1 left, 1 right, 0 between them or alone."""
    ends: dict[tuple[str, str], list[float]] = {}
    for wire in wires:
        ends.setdefault((wire.source, wire.target), []).append(wire.points[-1][0])
    found = {}
    for wire in wires:
        x, all_ends = wire.points[-1][0], ends[wire.source, wire.target]
        found[wire.id] = (x > min(all_ends)) - (x < max(all_ends))
    return found


def _mark(wire: Wire, side: int, graph: Snapshot) -> str:
    """Beside an edge's end, on the outer side, what tells it from the others between the same two boxes; or how many of
    them it stands for.
    """
    many = len(wire.members) > 1
    text = f"×{len(wire.members)}" if many else clean(graph.edge_marks.get(wire.members[0], ""))
    if not text or not (many or side) or wire.source not in graph.by_id:
        return ""
    x, y = wire.points[-1]
    anchor = "end" if side < 0 else "start"
    place = f'x="{pixels(x + (side or 1) * BESIDE_TIP)}" y="{pixels(y - ABOVE_BOX)}" text-anchor="{anchor}"'
    return f'<text class="mg-mark" {place} fill="{QUIET}">{markup(text)}</text>'


def path_of(points: Sequence[Point]) -> str:
    """An edge's way as a path: curves that leave downwards and arrive so."""
    path = f"M{_point(points[0])}"
    for one, other in pairwise(points):
        middle = max(one[1] + (other[1] - one[1]) / 2, one[1])
        path += f"C{_point((one[0], middle))} {_point((other[0], other[1] - middle + one[1]))} {_point(other)}"
    return path


def _visibility(hidden: bool) -> str:
    return ' visibility="hidden"' if hidden else ""


def _head(tip: Point, way: int) -> str:
    """An arrowhead with its point at `tip`, downwards or, where `way` is -1, upwards."""
    return f"M{_point(tip)}l4.5 {-10 * way}h-9z"


def _chips(layout: Layout, texts: Mapping[str, str]) -> str:
    """A chip on each edge with what flows along it."""
    parts = []
    sides = _sides(layout.wires)
    for wire in layout.wires:
        flowing = [texts[key] for key in wire.members if texts.get(key)]
        if not flowing:
            continue
        text = flowing[0] if len(flowing) == 1 else f"{flowing[0]} and {len(flowing) - 1} more"
        length = columns(text) * MONO_WIDTH + CHIP_ROUND
        place = _middle(wire)
        if side := sides[wire.id]:
            x, y = wire.points[-1]
            place = x + side * (BESIDE_TIP + length / 2), y - ABOVE_BOX - CHIP_HEIGHT / 2
        parts.append(
            f'<g class="mg-chip" data-chip="{" ".join(wire.members)}" transform="translate({_point(place)})">'
            f'<rect x="{pixels(-length / 2)}" y="{-CHIP_HEIGHT / 2:g}" width="{pixels(length)}" '
            f'height="{CHIP_HEIGHT}" rx="{CHIP_HEIGHT / 2:g}" fill="{PAPER}" '
            f'stroke="{GRAD}"/><text y="4" text-anchor="middle" font-weight="700" fill="{GRAD}">'
            f"{markup(text)}</text></g>"
        )
    return "".join(parts)


def _middle(wire: Wire) -> Point:
    """The middle of an edge's longest piece."""
    one, other = max(
        pairwise(wire.points), key=lambda piece: abs(piece[0][0] - piece[1][0]) + abs(piece[0][1] - piece[1][1])
    )
    return ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)


def hover(box: Box) -> str:
    """All that a box stands for, in lines: shown when the pointer rests on it."""
    kind = {"leaf": "leaf", "constant": "constant: needs no gradient"}.get(box.kind, f"made by {box.op}")
    lines = [f"{box.name} — {kind}"]
    if box.value.known or box.value.shape:
        lines.append(f"shape {shape_text(box.value.shape)}, {box.value.dtype}")
    lines.append(f"value {box.value.full}")
    if box.value.statistics:
        lines.append("min {} · mean {} · max {}".format(*box.value.statistics))
    return "\n".join(lines)


def _point(point: Point) -> str:
    return f"{pixels(point[0])} {pixels(point[1])}"
