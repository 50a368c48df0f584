"""`draw`: the graph of a result as a picture in the output, and as a table in text.

A graph can be looked at without running it: boxes for leaves and results, named as in the learner's code, with
expressions and values. The picture is an SVG that is complete by itself, so it shows in JupyterLab, on a page without
a kernel and in a diff.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.groups import groups_of, open_at_first
from minigrad.viz.graph.observer import learner_frame
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.graph.values import Value, shape_text
from minigrad.viz.own_engines.adapter import Engine
from minigrad.viz.page.standalone import check_is_svg, write
from minigrad.viz.picture.markup import clean, columns, shorten
from minigrad.viz.picture.svg import draw_svg
from minigrad.viz.sources import source_of


class Drawing:
    """A drawn graph: shows itself in a notebook. `svg` is the picture, `str(drawing)` the same in text."""

    def __init__(self, graph: Snapshot) -> None:
        self.graph = graph
        groups = groups_of(graph, graph.modules)
        self.svg = draw_svg(graph, groups=groups, shown=open_at_first(graph, groups)).svg

    def save(self, path: Any) -> None:
        """Write the picture to an SVG file.

        Raises ValueError for a name that does not end in `.svg`, and what `BackwardStepper.save_html` raises for a bad
        path.
        """
        check_is_svg(path, "save()")
        write(path, self.svg, "save()")

    def __str__(self) -> str:
        return table(self.graph)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": str(self)}


def draw(root: Any, names: Mapping[str, Any] | None = None, engine: Engine | type[Source] | None = None) -> Drawing:
    """Draw the graph behind a tensor.

    Args:
        root: a result, such as the loss.
        names: name -> tensor or module, ahead of your variables' names.
        engine: how to read the graph, where it is one of your own engine's: an `Engine`, or a class derived from
            `viz.graph.source.Source`, which says more of it.

    Raises TypeError if `root` is no tensor, ValueError if the graph is too large to be drawn; for an engine of your own
    what `source_of` raises.
    """
    return Drawing(snapshot(source_of(root, engine), names, learner_frame(sys._getframe(1))))


def table(graph: Snapshot) -> str:
    """The graph in lines of text, in the order in which it was made."""
    named = {box.id: clean(box.name) for box in graph.boxes}
    rows = [("", "made by", "from", "value", "grad")]
    for box in graph.boxes:
        inputs = ", ".join(named[edge.source] for edge in graph.into[box.id])
        grad = _in_words(box.grad) if box.kind == "leaf" else ""
        rows.append((named[box.id], _maker(box), inputs, _in_words(box.value), grad))
    widths = [min(max(columns(row[column]) for row in rows), 40) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [shorten(cell, width) for cell, width in zip(row, widths, strict=True)]
        padded = [cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _maker(box: Box) -> str:
    if box.kind != "result":
        return "leaf" if box.kind == "leaf" else "needs no grad"
    return f"{box.op}  {clean(box.expression)}"


def _in_words(value: Value) -> str:
    if value.statistics is None:
        return value.text if value.known or not value.dtype else f"{value.text}, not kept"
    return f"{shape_text(value.shape)} " + " · ".join(value.statistics)
