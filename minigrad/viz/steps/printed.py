"""What the learner's functions print while a step runs.

What a hook prints on a click belongs to no cell: JupyterLab puts it into its log, which is closed. So while a step
runs, standard output is copied as it passes; it goes where it went before, and the frame tells it, too.
"""

from __future__ import annotations

import sys
from typing import Any, TextIO

from minigrad.stopping import sure_to_begin
from minigrad.viz.picture.markup import clean

KEPT = 20_000  # characters that are copied
LINES, COLUMNS = 20, 200  # what is shown of them


class OutputCopy:
    """A stream that keeps a copy of what is printed while it stands in for standard output, on any thread."""

    def __init__(self) -> None:
        self.stream: TextIO = sys.stdout
        self.copy = ""

    def __enter__(self) -> None:
        sys.stdout = self

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        sys.stdout = self.stream

    def write(self, text: str) -> int:
        """Write to the other stream."""
        if len(self.copy) < KEPT:
            self.copy += text[:KEPT]
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @property
    def shown(self) -> str:
        """What was written, in a few lines without control characters."""
        lines = self.copy.rstrip().splitlines()
        shown = [clean(line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…") for line in lines[:LINES]]
        return "\n".join([*shown, *(["…"] if len(lines) > LINES else [])])
