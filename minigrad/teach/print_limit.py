"""A limit for code that prints without end: what goes beyond is left out, so that the page stays readable.

After this module a reader knows how a loop that never ends and prints can leave a notebook that still opens: the first
lines are the ones that help.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

MOST = 4_000  # characters, of one call of the learner's function


class _Beginning:
    """What stands in for `sys.stdout`: the beginning goes on to it, and one line says that there was more."""

    def __init__(self) -> None:
        self.to = sys.stdout
        self.left = MOST

    def write(self, text: str) -> int:
        if self.left > 0:
            self.to.write(text[: self.left])
            self.left -= len(text)
            if self.left <= 0:
                self.to.write(f"\n… (more was printed than {MOST} characters: the rest is left out)\n")
        return len(text)

    def flush(self) -> None:
        self.to.flush()


@contextlib.contextmanager
def print_limit() -> Iterator[None]:
    """Inside, no more than the first MOST characters are printed."""
    with contextlib.redirect_stdout(_Beginning()):
        yield
