"""Where boxes and edges go: the one module that knows the layout program.

Graphviz is asked for positions of boxes of known size, and curves between them; not one letter of text. The program is
`graphviz-pure`, a port of Graphviz in one file that a package brings along: it gives the same bytes on every machine,
so a drawing can be compared with the one stored in a notebook. The variable MINIGRAD_LAYOUT may name another program
that takes `dot`'s arguments. A layout that fails or takes longer than `SECONDS` ends in a `LayoutError` that says so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from minigrad.viz.graph.boxes import Edge

SECONDS = 20.0
PER_INCH = 72  # one of our pixels is one of Graphviz's points
GAP_BESIDE = 40  # pixels between boxes beside each other
MARGIN = 16
PANEL_MARGIN = 36  # between a panel's edge and the boxes in it
MANY = 60  # boxes: beyond that the search for the fewest crossings is cut short, else it takes most of a second
ADVICE = "Install it with `pip install graphviz-pure`, or set MINIGRAD_LAYOUT=dot to use a Graphviz of your own."
HURRY = " nslimit=1; nslimit1=2; mclimit=0.3;"

Point = tuple[float, float]


class LayoutError(RuntimeError):
    """The layout program is missing, failed, or took too long."""


@dataclass(frozen=True)
class Sized:
    """A box to place: its size in pixels, and the panel that it stands in (0: in none)."""

    id: str
    width: float
    height: float
    panel: int = 0


@dataclass(frozen=True)
class Layout:
    """Top left corners of the boxes, and the points of each edge's Bezier curve (1 + 3n of them), in pixels; the
    corners of each panel.
    """

    width: float
    height: float
    corners: dict[str, Point]
    curves: dict[str, tuple[Point, ...]]
    panels: dict[int, tuple[Point, Point]] = field(default_factory=dict)


@lru_cache(maxsize=16)
def arrange(boxes: tuple[Sized, ...], edges: tuple[Edge, ...], gap: float, down: bool = False) -> Layout:
    """Place boxes so that each edge goes to the right, or down.

    Args:
        gap: pixels between an input and its result: room for what flows along the edge.
        down: lay out from top to bottom.

    Raises LayoutError, with what to do.
    """
    answer = json.loads(run(_question(boxes, edges, gap, down), "json0"))
    left, bottom, right, top = (float(number) for number in answer["bb"].split(","))

    def place(point: str) -> Point:
        x, y = (float(number) for number in point.split(","))
        return (round(x - left + MARGIN, 1), round(top - y + MARGIN, 1))

    corners, panels = {}, {}
    sizes = {box.id: box for box in boxes}
    for item in answer["objects"]:
        if item["name"].startswith("cluster"):
            x0, y0, x1, y1 = item["bb"].split(",")
            (left_side, foot), (right_side, head) = place(f"{x0},{y0}"), place(f"{x1},{y1}")
            panels[int(item["name"].removeprefix("cluster"))] = ((left_side, head), (right_side, foot))
        else:
            (x, y), box = place(item["pos"]), sizes[item["name"]]
            corners[box.id] = (round(x - box.width / 2, 1), round(y - box.height / 2, 1))
    curves = {item["id"]: [place(point) for point in item["pos"].split()] for item in answer.get("edges", ())}
    _spread(boxes, edges, curves, down)
    return Layout(
        round(right - left + 2 * MARGIN, 1),
        round(top - bottom + 2 * MARGIN, 1),
        corners,
        {key: tuple(points) for key, points in curves.items()},
        panels,
    )


def _question(boxes: Sequence[Sized], edges: Sequence[Edge], gap: float, down: bool) -> str:
    lines = [
        f"digraph {{ rankdir={'TB' if down else 'LR'};{HURRY if len(boxes) > MANY else ''}",
        f"ranksep={gap / PER_INCH:.4f}; nodesep={GAP_BESIDE / PER_INCH:.4f};",
        'node [shape=box fixedsize=true label=""]; edge [dir=none];',
    ]
    for panel in sorted({box.panel for box in boxes}):
        inside = [box for box in boxes if box.panel == panel]
        size = "width={:.4f} height={:.4f}"
        placed = [f"{box.id} [{size.format(box.width / PER_INCH, box.height / PER_INCH)}];" for box in inside]
        lines += [f"subgraph cluster{panel} {{ margin={PANEL_MARGIN};", *placed, "}"] if panel else placed
    out, into = ("s", "n") if down else ("e", "w")
    lines += [f"{edge.source}:{out} -> {edge.target}:{into} [id={edge.id}];" for edge in edges]
    return "\n".join([*lines, "}"])


def _spread(boxes: Sequence[Sized], edges: Sequence[Edge], curves: dict[str, list[Point]], down: bool) -> None:
    """Let the edges into one box end beside each other, in the order in which they come in, not all in one point.

    Graphviz has them all end in the middle of a side; the order is that of the directions from which they come.
    """
    across = 0 if down else 1
    for box in boxes:
        ends = [edge.id for edge in edges if edge.target == box.id and edge.id in curves]
        side = box.width if down else box.height
        ends.sort(key=lambda key: (curves[key][-2][across], curves[key][0][across]))
        for position, key in enumerate(ends):
            shift = side * ((position + 1) / (len(ends) + 1) - 0.5) * 0.8
            points = curves[key]
            for index in (-2, -1):
                moved = list(points[index])
                moved[across] = round(moved[across] + shift, 1)
                points[index] = (moved[0], moved[1])


def run(source: str, form: str, engine: str = "dot") -> bytes:
    """Have the layout program turn DOT text into `form` ("svg", "json0", ...).

    Raises LayoutError, with what the program said.
    """
    # -q: without it each character that its fonts lack ends as a warning in the cell's output.
    command = [program(), "-q", f"-K{engine}", f"-T{form}"]
    try:
        done = subprocess.run(command, input=source.encode("utf-8"), capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise LayoutError(
            f"laying out this graph took longer than {SECONDS:.0f} seconds, so it was stopped. Draw a smaller graph."
        ) from None
    except OSError as error:
        raise LayoutError(f"the layout program could not be started: {error.strerror or error}. {ADVICE}") from None
    if done.returncode != 0:  # a bad graph exits with 1 and writes a picture all the same
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise LayoutError(f"the layout program failed: {said[0] if said else f'exit code {done.returncode}'}")
    return done.stdout


def program() -> str:
    """The path of the layout program. LayoutError if there is none."""
    chosen = os.environ.get("MINIGRAD_LAYOUT")
    found = shutil.which(chosen) if chosen else _bundled()
    if found is None and chosen:
        raise LayoutError(f"the variable MINIGRAD_LAYOUT names the layout program {chosen!r}, which is not there")
    if found is None:
        raise LayoutError(f"the layout program graphviz-pure is not installed. {ADVICE}")
    return found


@lru_cache(maxsize=1)
def _bundled() -> str | None:
    """The program that the package graphviz-pure brought; it need not be on PATH."""
    try:
        files = metadata.distribution("graphviz-pure").files or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if Path(file).stem == "graphviz-pure" and Path(file).suffix in ("", ".exe"):
            path = Path(str(file.locate())).resolve()
            if path.is_file():
                return str(path)
    return shutil.which("graphviz-pure", path=str(Path(sys.executable).parent)) or shutil.which("graphviz-pure")
