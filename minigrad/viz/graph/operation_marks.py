"""Which pieces of the learner's code are one operation, without the operations inside it: what a step marks.

Of `torch.sigmoid(a @ b + c)` the sigmoid is `torch.sigmoid(` and `)`, of `(x - m) / s` the division is its sign. Python
knows the place of the whole expression; its syntax tree says which parts of it are operations, too.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
from typing import Any

from minigrad.viz.graph.naming import syntax_span, whole_call
from minigrad.viz.graph.observer import Span, syntax_tree
from minigrad.viz.graph.one_line import Point, places_of_tokens

KNOWN = 4096  # pieces of source whose marks are remembered
OPERATIONS = ("T", "mT", "H", "mH", "real", "imag")  # among the attributes

CodeMark = tuple[int, int, int]  # a line, and the first and last column in it


def operation_marks(span: Span, operand: str = "") -> tuple[CodeMark, ...]:
    """The pieces of a span that belong to its own operation; of one with an operand that is written as `operand`, that
    operand alone.
    """
    whole = whole_call(span) or span
    return _marks(whole, syntax_tree(whole.file), operand)


@functools.lru_cache(maxsize=KNOWN)
def _marks(span: Span, tree: ast.Module | None, operand: str) -> tuple[CodeMark, ...]:
    tokens = places_of_tokens(span)
    nodes = _nodes_by_lines(tree).get((span.first, span.last), ())
    node = next(
        (node for node in nodes if _extent(span, node) == ((span.first, span.start), (span.last, span.end))), None
    )
    parts = _operands(node)
    wanted = [_extent(span, part) for part in parts if operand and ast.unparse(part) == operand]
    inner = [] if wanted else [_extent(span, part) for part in parts if _is_operation(part)]
    is_sign = bool(inner) and isinstance(node, ast.BinOp | ast.UnaryOp | ast.AugAssign)
    if is_sign:
        inner = [_extent(span, part) for part in parts]
    owner = getattr(getattr(node, "func", node), "value", None)
    if not (wanted or is_sign) and isinstance(node, ast.expr) and isinstance(owner, ast.expr):
        end = _extent(span, owner)[1]
        # The point, or the bracket.
        behind = next((start for start, _, text in tokens if start >= end and text != ")"), end)
        if behind[0] > end[0] or _is_operation(owner):
            inner.append(((span.first, span.start), behind))

    def is_own(token: tuple[Point, Point, str]) -> bool:
        start, _, text = token
        is_inside = any(first <= start < last for first, last in wanted or inner)
        return is_inside if wanted else not (is_inside or (is_sign and text in ("(", ")")))

    marks: list[CodeMark] = []
    for (line, own), group in itertools.groupby(tokens, lambda token: (token[0][0], is_own(token))):
        run = [token for token in group if token[2] != ","] if own else []
        # A bracket alone on its line says nothing.
        if any(text != ")" for _, _, text in run) or (run and marks and marks[-1][0] == line):
            marks.append((line, run[0][0][1], run[-1][1][1]))
    return tuple(marks)


@functools.lru_cache(maxsize=64)
def _nodes_by_lines(tree: ast.Module | None) -> dict[tuple[int, int | None], list[Any]]:
    """The expressions and writes (`y[0] = a`, `y *= b`) of a file by their first and last line."""
    found: dict[tuple[int, int | None], list[Any]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.expr | ast.AugAssign) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        ):
            found.setdefault((node.lineno, node.end_lineno), []).append(node)
    return found


def _extent(span: Span, node: ast.AST) -> tuple[Point, Point]:
    """Where a part of the syntax tree begins and ends."""
    place = syntax_span(span.file, node)
    return (place.first, place.start), (place.last, place.end)


def _operands(node: Any) -> list[ast.expr]:
    """What an operation is applied to, in the order of the code; of a list what is in it."""
    names = ("left", "right", "operand", "target", "value")
    parts = [getattr(node, name, None) for name in names]
    if isinstance(node, ast.Call):
        parts = [getattr(node.func, "value", None), *node.args, *(keyword.value for keyword in node.keywords)]
    listed = [part.elts if isinstance(part, ast.Tuple | ast.List) else [part] for part in parts]
    return [part for some in listed for part in some if isinstance(part, ast.expr)]


def _is_operation(part: ast.expr) -> bool:
    """Whether a part computes something by itself: not a name, an attribute of one, or a number, as float("inf")."""
    while isinstance(part, ast.Attribute) and part.attr not in OPERATIONS:
        part = part.value
    is_plain = isinstance(part, ast.Name | ast.Constant)
    names = {inner.id for inner in ast.walk(part) if isinstance(inner, ast.Name)}
    return not is_plain and not names <= vars(builtins).keys()
