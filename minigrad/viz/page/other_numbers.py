"""What the page gets of a pass with other numbers (steps/what_if.py), which it shows in the place of what ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.page.recording import texts_of, trouble
from minigrad.viz.page.widget_picture import saved_of
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps.kept_values import told
from minigrad.viz.steps.progress import ROOM
from minigrad.viz.steps.what_if import WhatIf


def what_if_json(made: WhatIf, graph: Snapshot, rooms: Mapping[str, int]) -> dict[str, Any]:
    """A pass with other numbers over `graph`, as the widget's `whatif`; `rooms` is the drawing's."""
    pairs = zip(made.boxes, graph.boxes, strict=True)
    return {
        "changes": list(made.changes),
        "changed": list(made.changed),
        "note": made.note,
        "frames": texts_of(made.frames),
        "forward": [frame.to_json(made.frames[0]) for frame in made.forward],
        "now": {box.id: _told(box, before, rooms) for box, before in pairs if _differ(box, before)},
        "problem": {} if made.failure is None else trouble(made.failure, made.frames[-1].box),
    }


def _told(box: Box, before: Box, rooms: Mapping[str, int]) -> dict[str, Any]:
    """A box with other numbers, as the page gets it."""
    outputs = {"outputs": [value.to_json() for value in box.outputs]} if box.outputs else {}
    ran = {"ran": clean(before.value.full)} if box.value != before.value else {}
    return told(box, rooms.get(box.id, ROOM)) | outputs | ran | {"saved": saved_of(box)}


def _differ(box: Box, before: Box) -> bool:
    return box.value != before.value or saved_of(box) != saved_of(before)
