"""The learner's own code beside a picture: which pieces of which cells are shown.

A short cell is shown whole; of a long file only the lines that made something, with a neighbour on each side. The path
of a file says nothing about the code: a source is called "your cell", or by the file's name.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable
from types import FrameType

from minigrad.viz.graph import naming
from minigrad.viz.graph.boxes import Listing
from minigrad.viz.graph.observer import Span

LONGEST_LINE = 1000  # characters of a line of source that are shown
WHOLE_SOURCE = 24  # lines of a cell that are shown from first to last


def source_title(file: str) -> str:
    """ "your cell", or the name of a file; the path of neither is anybody's business."""
    is_cell = file.startswith("<") or "ipykernel" in file or not os.path.exists(file)
    return "your cell" if is_cell else os.path.basename(file)


def listings_of(spans: Iterable[Span | None]) -> tuple[Listing, ...]:
    """The code in which some spans lie, as far as they can be read."""
    wanted: dict[str, set[int]] = {}
    for span in spans:
        if span is not None:
            wanted.setdefault(span.file, set()).update(range(span.first, span.last + 1))
    listings = []
    for file, numbers in wanted.items():
        lines = [line.rstrip("\r\n") for line in linecache.getlines(file)]
        if lines:
            listings.append(Listing(source_title(file), file, _shown_lines(lines, numbers)))
    return tuple(listings)


def first_assignment(name: str, files: Iterable[str], frame: FrameType | None) -> Span | None:
    """The assignment that made a leaf, if it stands in a cell that is shown anyway: in the one that asked for the
    picture, before the line that did, else in one of the files whose lines are in the picture.
    """
    asking = None if frame is None else frame.f_code.co_filename
    for file in dict.fromkeys([asking, *files]):
        places = [place for target, place in naming.assignments(file) if target == name] if file else []
        if file == asking and frame is not None:
            places = [place for place in places if place.first <= frame.f_lineno]
        if places:
            return places[0]
    return None


def only_assignment(name: str | None, frame: FrameType | None) -> Span | None:
    """Where a name gets its value, if that is one place of the cell or file that asked for the picture."""
    if name is None or frame is None or not name.isidentifier():
        return None
    places = [place for target, place in naming.assignments(frame.f_code.co_filename) if target == name]
    return places[0] if len(places) == 1 else None


def _shown_lines(lines: list[str], wanted: set[int]) -> tuple[tuple[int, str], ...]:
    """A short source whole, of a long one the wanted lines with a neighbour on each side."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    if len(lines) <= WHOLE_SOURCE:
        numbers = list(range(1, len(lines) + 1))
    else:
        numbers = sorted({near for line in wanted for near in (line - 1, line, line + 1) if 1 <= near <= len(lines)})
    shown: list[tuple[int, str]] = []
    for position, line in enumerate(numbers):
        if position and line != numbers[position - 1] + 1:
            shown.append((0, ""))
        text = lines[line - 1]
        shown.append((line, text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"))
    return tuple(shown)
