"""The numbers of the learner's tensors, watched while a picture shows them.

A picture is drawn once, and says what each leaf and result held then. Where that is written to later (`.data`, an
optimizer's step, a hook), the picture has to say what is there now; what it was computed with it goes on to say in the
rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from minigrad.viz.graph.boxes import NO_SOURCE, Box, Snapshot
from minigrad.viz.graph.values import describe
from minigrad.viz.picture.markup import clean, clean_lines, value_text
from minigrad.viz.picture.svg import hover
from minigrad.viz.steps.marks import Mark, memory_of
from minigrad.viz.steps.pass_progress import ROOM


class ValuesNow:
    """What the boxes of a graph held when it was drawn, and what they hold now. `rooms` are the drawing's: how many
    characters fit into a row of each.
    """

    def __init__(self, graph: Snapshot, rooms: Mapping[str, int]) -> None:
        self._rooms = rooms
        source = self._source = graph.source
        boxes = {node: key for key, node in graph.node_of.items()}
        found = {key: leaf for key, node in graph.node_of.items() if (leaf := source.leaf(node)) is not None}
        for tensor in graph.results:
            if not graph.by_id[key := boxes[source.node(tensor)]].outputs:
                found[key] = tensor
        self._nodes = {key: graph.node_of[key] for key in found}
        self._was = {key: graph.by_id[key] for key in found}
        self._known = {key: (tensor, Mark(source, tensor)) for key, tensor in found.items()}
        self._now: dict[str, dict[str, Any]] = {}

    def clear(self) -> None:
        """Let go of all tensors."""
        self._known, self._nodes, self._source = {}, {}, NO_SOURCE

    def memory(self) -> set[int]:
        """What its tensors are written in: see `memory_of`."""
        return {memory_of(self._source.array(tensor)) for tensor, _ in self._known.values()}

    def now(self) -> dict[str, dict[str, Any]]:
        """Box -> what it holds now, of those that no longer hold what the picture was drawn with."""
        source = self._source
        for key, (tensor, mark) in self._known.items():
            # A result that was written to in a recorded way is another box's from then on.
            is_this = source.is_leaf(self._nodes[key]) or source.node(tensor) is self._nodes[key]
            if is_this and not mark.is_of(tensor):
                self._known[key] = tensor, Mark(source, tensor)
                was = self._was[key]
                box = replace(was, value=describe(source.array(tensor)), version=source.version(tensor))
                self._now.pop(key, None)
                if box.value != was.value:
                    before = f"{clean(was.value.full)} when the graph was made"
                    said = changed_value(box, self._rooms.get(key, ROOM))
                    self._now[key] = said | {"was": before, "hover": f"{said['hover']}\nwritten to since: {before}"}
        return dict(self._now)


def changed_value(box: Box, room: int) -> dict[str, Any]:
    """The value of a box as the page knows it, when it is another than the one that was drawn."""
    value = box.value
    text = f"⚠ {value.alarm}" if value.alarm else value_text(value.text, value.shape, room)
    return {"text": text, "heat": value.heat, "cells": "", **value_of(box)}


def value_of(box: Box) -> dict[str, Any]:
    """The value of a box, as the page knows it."""
    value = box.value
    return {
        "value": clean(value.full),
        "hover": clean_lines(hover(box)),
        "statistics": list(value.statistics or ()),
        "alarm": value.alarm,
        "where": value.where,
        "exact": value.python,
        **({"cells": value.cells} if value.cells else {}),
        "version": box.version,
    }
