"""`draw`: the graph of a result as a picture in the output, and as a table in text.

A graph can be looked at without running it: boxes for leaves and results, named as in the learner's code, with
expressions and values. The picture is an SVG that is complete by itself, so it shows in JupyterLab, on a page without
a kernel and in a diff. Up to 60 nodes are drawn one by one; of a larger graph parts are closed, and a line below the
picture says how they are opened.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from minigrad.autograd.blame import short
from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.groups import Group, groups_of, open_at_first
from minigrad.viz.graph.observer import learner_frame
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.graph.values import Value, shape_text
from minigrad.viz.own_engines.adapter import Engine
from minigrad.viz.page.standalone import check_is_svg, write
from minigrad.viz.picture.image import image_html
from minigrad.viz.picture.layout import kind_beside
from minigrad.viz.picture.markup import clean, columns, markup, shorten
from minigrad.viz.picture.svg import draw_svg
from minigrad.viz.sources import source_of

NAMED = 12  # names of parts that are told where one is unknown


class Drawing:
    """A drawn graph: shows itself in a notebook. `svg` is the picture, `str(drawing)` the same in text; `note` says how
    to open what is closed in it, and is "" where nothing is.
    """

    def __init__(self, graph: Snapshot, open: str | Collection[str] | None = None) -> None:
        self.graph = graph
        groups = groups_of(graph, graph.modules)
        shown = open_at_first(graph, groups) if open is None else open_by_name(groups, open)
        self.svg = draw_svg(graph, groups=groups, shown=shown).svg
        self.note = clean(_how_to_open(len(graph.boxes), groups, shown))

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
        html = image_html(self.svg, str(self), "minigrad-drawing")
        if self.note:
            html = f'<figure style="margin:0">{html}<figcaption>{markup(self.note)}</figcaption></figure>'
        return {"text/html": html, "image/svg+xml": self.svg, "text/plain": str(self)}


def draw(
    root: Any,
    names: Mapping[str, Any] | None = None,
    engine: Engine | type[Source] | None = None,
    *,
    open: str | Collection[str] | None = None,
) -> Drawing:
    """Draw the graph behind a tensor.

    Args:
        root: a result, such as the loss.
        names: name -> tensor or module, ahead of your variables' names.
        engine: how to read the graph, where it is one of your own engine's: an `Engine`, or a class derived from
            `viz.graph.source.Source`, which says more of it.
        open: which parts (modules, loops, functions) are open: "all", "none", or a list of names as the picture shows
            them, such as `["net", "for t in range(25): ×25"]`, which opens these and those that they lie in, no
            others. A name that several parts have opens them all. Without it all are open in a graph of up to 60
            nodes, and in a larger one as many as can be seen at a glance.

    Raises TypeError if `root` is no tensor, or `open` no name or list of names; ValueError if the graph is too large to
    be drawn, or has no part of that name: then the names that there are are told. For an engine of your own what
    `source_of` raises.
    """
    return Drawing(snapshot(source_of(root, engine), names, learner_frame(sys._getframe(1))), open)


# ---------------------------------------------------------------- what is open


def open_by_name(groups: Sequence[Group], asked: Any) -> list[str]:
    """The ids of the groups that `draw(open=asked)` opens."""
    if isinstance(asked, str) and asked in ("all", "none"):
        return [group.id for group in groups if asked == "all"]
    names = [asked] if isinstance(asked, str) else asked
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f'open must be "all", "none" or a list of names of parts, such as open=["net"], but got {short(asked)}'
        )
    wanted = []
    for name in names:
        found = [group for group in groups if _is_called(group, name)]
        if not found:
            raise ValueError(f"open has {name!r}, but no part of this picture is called so. {_parts_of(groups)}")
        wanted += found
    return with_those_around(groups, wanted)


def with_those_around(groups: Sequence[Group], wanted: Iterable[Group]) -> list[str]:
    """The ids of groups and of those that they lie in: a picture shows nothing of what lies in a closed one."""
    by_id = {group.id: group for group in groups}
    shown = set()
    for group in wanted:
        place: str | None = group.id
        while place is not None and place not in shown:
            shown.add(place)
            place = by_id[place].parent
    return [group.id for group in groups if group.id in shown]


def _is_called(group: Group, name: str) -> bool:
    """Whether a group has this name: as it stands in the picture, cut or with its kind beside it; or, of a module, as
    code has it (`net[2]`) or `named_modules()` (`net.2`).
    """
    whole = clean(group.name)
    is_path = group.is_module and re.sub(r"\[(\d+)\]", r".\1", name) == clean(group.path)
    is_cut = name.endswith("…") and whole.startswith(name[:-1])
    return is_path or is_cut or name in (group.name, whole, f"{whole} {kind_beside(group)}")


def _parts_of(groups: Sequence[Group]) -> str:
    names = list(dict.fromkeys(group.name for group in groups))
    if not names:
        return "It has no parts that open: all of it is drawn."
    more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"Its parts are {', '.join(map(repr, names[:NAMED]))}{more}."


def _how_to_open(count: int, groups: Sequence[Group], shown: Collection[str]) -> str:
    """What is said below a picture in which something is closed, in one line."""
    seen = [group for group in groups if group.parent is None or group.parent in shown]
    closed = [group for group in seen if group.id not in shown]
    if not closed:
        return ""
    names = list(dict.fromkeys(group.name for group in closed))[:2]
    what = "1 part is" if len(closed) == 1 else f"{len(closed)} parts are"
    return f'{count} boxes, {what} closed. draw(…, open="all") opens all, open={names} those alone.'


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
