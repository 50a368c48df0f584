"""What the page gets to know of a graph once, before any frame: its drawing, its boxes and the learner's code.

These are the fields of the widget's `picture`; those of `whatif` are of the same graph with other numbers. Where a
graph is large it is drawn in parts, which open and close; what learners wrote (names, code, values) is text without
control characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minigrad.viz.graph.boxes import Box, Edge, Snapshot
from minigrad.viz.graph.groups import Group, notice
from minigrad.viz.graph.saved_values import Saved
from minigrad.viz.graph.values import shape_text
from minigrad.viz.page.packing import texts_of, trouble
from minigrad.viz.picture.markup import clean
from minigrad.viz.picture.svg import SvgDrawing, draw_svg, places_of, texts_in_box
from minigrad.viz.steps.frames import Frame
from minigrad.viz.steps.pass_progress import ROOM
from minigrad.viz.steps.session import Session
from minigrad.viz.steps.values_now import changed_value, value_of
from minigrad.viz.steps.what_if import WhatIf


def picture_of(session: Session, drawing: SvgDrawing) -> dict[str, Any]:
    """All that the page needs once: the drawing, whose parts it puts in place, the groups that open and close in it,
    and what each box is.
    """
    graph, groups, progress = session.graph, session.groups, session.maker.progress
    steps = progress.plan.runs  # each box as often as it will run
    runs = set(steps)
    paths = {box: group.path for group in groups for box in group.boxes}
    return {
        "svg": drawing.svg,
        "total": len(steps),
        "runs": list(steps),
        "root": clean(graph.by_id[graph.root].name),
        "edges": [_edge(edge, clean(graph.edge_marks.get(edge.id, ""))) for edge in graph.edges],
        "groups": [vars(one) | {key: clean(getattr(one, key)) for key in ("name", "path", "kind")} for one in groups],
        "open": session.open,
        "note": notice(graph, groups, session.open),
        "boxes": {
            box.id: {
                "name": clean(box.name),
                "kind": box.kind,
                "path": clean(paths.get(box.id, "")),
                "size": drawing.sizes[box.id],
                "op": box.op,
                "expression": clean(box.expression),
                "shape": shape_text(box.value.shape) if box.value.known or box.value.shape else "",
                "dtype": box.value.dtype,
                **value_of(box),
                **_parts_to_draw(box, drawing),
                "saved": saved_of(box),
                "needs_grad": box.needs_grad,
                "pruned": box.kind != "constant" and box.id not in runs and not progress.is_planned,
                "freed": bool(box.freed),
                "saved_version": box.saved_version,
                "graph": box.graph,
                "made_by": box.made_by,
                "outputs": [value.to_json() for value in box.outputs],
            }
            for box in graph.boxes
        },
        **({} if graph.gradient_name == "g" else {"gradient": graph.gradient_name}),
        **({} if graph.source.notes_lines else {"unlined": graph.source.no_lines}),
        **({} if graph.source.sorts_by_number else {"own": True}),
        "sources": [
            {"title": clean(one.title), "lines": [[number, _visible_line(text)] for number, text in one.lines]}
            for one in graph.listings
        ],
        # by which the page marks where they lie among the steps
        **({"order": progress.expected_order()} if groups else {}),
    }


def _edge(edge: Edge, mark: str) -> list[str]:
    return [edge.id, edge.source, edge.target, *([mark] if mark else [])]


def _parts_to_draw(box: Box, drawing: SvgDrawing) -> dict[str, Any]:
    """What the page needs to make a box, where it is not what is said of the box anyway."""
    said = {"label": clean(box.name), "beside": clean(box.expression), "text": clean(box.value.full)}
    words = {key: text for key, text in texts_in_box(box, drawing.sizes[box.id][0]).items() if text != said[key]}
    marks = {"heat": box.value.heat, "large": box.value.is_large, "unknown": not box.value.known}
    return words | {key: mark for key, mark in marks.items() if mark}


def still_of(graph: Snapshot, groups: tuple[Group, ...], shown: list[str], frame: Frame) -> str:
    """One frame as an SVG, for a page on which no widget runs; `shown` are the groups that are open."""
    return draw_svg(graph, frame.states, frame.edges, frame.chips, groups, shown).svg


def stills_of(graph: Snapshot, groups: tuple[Group, ...], shown: list[str], frames: Sequence[Frame]) -> list[str]:
    """Several frames, for which the graph is laid out once."""
    placed = places_of(graph, True, groups, shown)
    return [draw_svg(graph, one.states, one.edges, one.chips, groups, shown, placed).svg for one in frames]


def what_if_json(made: WhatIf, graph: Snapshot, rooms: Mapping[str, int]) -> dict[str, Any]:
    """A pass with other numbers over `graph`, as the widget's `whatif`; `rooms` is the drawing's."""
    pairs = zip(made.boxes, graph.boxes, strict=True)
    return {
        "changes": list(made.changes),
        "changed": list(made.changed),
        "note": made.note,
        "frames": texts_of(made.frames),
        "forward": [frame.to_json(made.frames[0]) for frame in made.forward],
        "now": {box.id: _changed_box(box, before, rooms) for box, before in pairs if _differ(box, before)},
        "problem": {} if made.failure is None else trouble(made.failure, made.frames[-1].box),
    }


def saved_of(box: Box) -> list[list[str]]:
    """What a box keeps for its rule: parameter, name, and the value in a few words."""
    return [[saved.parameter, clean(saved.name), clean(_saved_text(saved))] for saved in box.saved]


def _saved_text(saved: Saved) -> str:
    """A saved value in a few words, with what became of it."""
    if saved.state == "changed":
        return f"written to since: saved at version {saved.saved_version}, now at {saved.version}"
    return ("packed as " if saved.state == "packed" else "") + saved.value.text


def _visible_line(line: str) -> str:
    """A line of source: tabs stay, other control characters become visible."""
    return "\t".join(clean(part) for part in line.split("\t"))


def _changed_box(box: Box, before: Box, rooms: Mapping[str, int]) -> dict[str, Any]:
    """A box with other numbers, as the page gets it."""
    outputs = {"outputs": [value.to_json() for value in box.outputs]} if box.outputs else {}
    ran = {"ran": clean(before.value.full)} if box.value != before.value else {}
    return changed_value(box, rooms.get(box.id, ROOM)) | outputs | ran | {"saved": saved_of(box)}


def _differ(box: Box, before: Box) -> bool:
    return box.value != before.value or saved_of(box) != saved_of(before)
