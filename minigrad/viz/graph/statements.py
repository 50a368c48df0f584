"""The statements of the learner's code, and the variables that they assign.

Where neither a module nor a loop nor a function holds what a line has made, the statement does, and has the name of its
variable: `scores` for `scores = q @ k.T / d ** 0.5`.
"""

from __future__ import annotations

import ast
import functools
from bisect import bisect_right
from collections.abc import Sequence
from types import CodeType
from typing import Any

from minigrad.viz.graph.calls import Place, is_learners
from minigrad.viz.graph.observer import NO_PLACE, span_at, syntax_tree

KNOWN = 32_768  # statements that are remembered: more than a learner writes
LONGEST = 26  # characters of what a statement assigns to

Statement = tuple[str, int, int]  # its file, and the line and column at which it begins


def statements_around(way: Sequence[Place]) -> list[Statement]:
    """The statements of the learner's that were under way in some calls, the outermost first."""
    places = [(code, at) for code, at, _ in way if at != NO_PLACE and is_learners(code)]
    return [found for code, at in places if (found := statement_at(code, at)) is not None]


@functools.lru_cache(maxsize=KNOWN)
def statement_at(code: CodeType, instruction: int) -> Statement | None:
    """The innermost statement that an instruction belongs to; None where the source is not known."""
    span = span_at(code, instruction)
    tree = None if span is None else syntax_tree(span.file)
    if span is None or tree is None:
        return None
    begins, statements = _places(tree), _statements(tree)
    # The last that begins before it and is not over: of thousands beside each other it is the first that is looked at.
    for number in range(bisect_right(begins, (span.first, span.start)) - 1, -1, -1):
        line, column = begins[number]
        if span.first <= (statements[line, column].end_lineno or line):
            return span.file, line, column
    return None


@functools.lru_cache(maxsize=64)
def _statements(tree: ast.Module) -> dict[tuple[int, int], ast.stmt]:
    """The statements of a file by the line and column at which they begin."""
    return {(node.lineno, node.col_offset): node for node in ast.walk(tree) if isinstance(node, ast.stmt)}


@functools.lru_cache(maxsize=64)
def _places(tree: ast.Module) -> list[tuple[int, int]]:
    """Where the statements of a file begin, in order."""
    return sorted(_statements(tree))


@functools.lru_cache(maxsize=KNOWN)
def assigned_by(statement: Statement) -> str:
    """What a statement gives a value to, as the code writes it: `mu, logvar`; "" where it gives none, or a long one."""
    file, *place = statement
    tree = syntax_tree(file)
    node: Any = None if tree is None else _statements(tree).get((place[0], place[1]))
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    parts = getattr(targets[0], "elts", targets[:1])
    text = ", ".join(ast.unparse(part) for part in parts if part is not None)
    return text if len(text) <= LONGEST else ""
