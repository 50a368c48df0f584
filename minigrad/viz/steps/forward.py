"""The forward pass, told again: what the learner's lines made, one result after the other.

Nothing is run. The graph knows what was made, in which order and by which line, so each result gets a frame of its own
before the first of the backward pass, at the indices -n ... -1. What else a line of the code made, such as a leaf, has
a frame, too; parameters appear with the first result that uses them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from minigrad.viz.graph import naming
from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.formula_text import FormulaWriter, name_text
from minigrad.viz.graph.meanings import PHRASES
from minigrad.viz.graph.observer import Span
from minigrad.viz.steps.events import enumeration
from minigrad.viz.steps.frames import Frame, Piece, StoryLine, Turn
from minigrad.viz.steps.story import line

MODULES = ("torch", "minigrad", "mg", "F", "nn")  # whose functions stand behind a point, as a tensor's methods do


def forward_frames(graph: Snapshot, first: Frame) -> list[Frame]:
    """The frames before `first`, the moment at which all is computed and no gradient has flowed yet."""
    order = _order(graph)
    turns = [Turn(key, graph.by_id[key].name, 0, 0) for key in order]
    made: set[str] = set()
    frames = []
    for place, key in enumerate(order):
        box = graph.by_id[key]
        new = [edge.source for edge in graph.into[key] if edge.source not in made and edge.source not in order]
        made.update(new := [*dict.fromkeys(new), key])
        upcoming = turns[place + 1 : place + 2]
        frame = replace(
            first,
            index=place - len(order),
            box=key,
            name=box.name,
            story=tuple(_story(graph, box, [graph.by_id[one] for one in new[:-1]])),
            ready=tuple(upcoming),
            next=upcoming[0] if upcoming else None,
            marks=graph.marks_of(key),
            events=(),
            made=tuple(new),
        )
        frames.append(frame)
    return frames


def _order(graph: Snapshot) -> list[str]:
    """The boxes that have a frame: results as they were made, and before each what other lines above it made, and
    what it needs.
    """
    leaves = [box for box in graph.boxes if box.kind != "result" and box.span is not None]
    leaves.sort(key=lambda box: (box.span.file, box.span.first) if box.span else ("", 0))
    order: dict[str, None] = {}
    for box in graph.boxes:
        if box.kind == "result":
            used = {edge.source for edge in graph.into[box.id]}
            order |= {leaf.id: None for leaf in leaves if leaf.id in used or _stands_before(leaf.span, box.span)}
            order[box.id] = None
    return list(order)


def _stands_before(one: Span | None, other: Span | None) -> bool:
    """Whether a line stands above another, in the same cell, outside of functions."""
    if one is None or other is None or one.function or other.function:
        return False
    return one.file == other.file and one.first < other.first


def _story(graph: Snapshot, box: Box, new: Iterable[Box]) -> list[StoryLine]:
    name = ("name", box.name)
    if box.kind != "result":
        value = f" of shape {box.value.text}" if box.value.is_large else f" = {box.value.text}"
        will = ", a leaf: backward() will put its gradient into ", name, ("code", ".grad"), "."
        no_gradient = (", which asks for no gradient.",)
        return [line("sentence", name, value, *(will if box.kind == "leaf" else no_gradient))]
    story = [line("sentence", name, *_equation(graph, box), ".")]
    for one in new:
        kind = "a leaf" if one.kind == "leaf" else "no gradient goes to it"
        story.append(line("item", ("name", one.name), " comes in: ", ("value", one.value.text), f", {kind}", why=True))
    if not graph.source.shows_rules:
        return story  # what the engine keeps is not known
    kept = dict.fromkeys(
        saved.value.text
        if not saved.name and saved.value.text and saved.parameter != "result"
        else saved.name_beside(box.name)
        for saved in box.saved
        if saved.is_tensor
    )
    keeps: tuple[Any, ...] = (", which needs to keep nothing",)
    if kept:
        keeps = ", which keeps ", ("code", enumeration(kept)), " for the way back"
    story.append(line("say", "This left the node ", ("op", box.op), *keeps, ".", why=True))
    return story


def _equation(graph: Snapshot, box: Box) -> list[Piece | str]:
    """` = A × B = 2 × 3 = 6`, or as much of it as is known: the learner's expression, with numbers, and the value."""
    if not naming.is_expression(box.expression):  # a write, as y += 1
        return [" is what ", ("code", box.expression), " left: ", ("value", box.value.text)]
    inputs = [graph.by_id[edge.source] for edge in graph.into[box.id]]
    called = {one.name.rstrip(naming.SUBSCRIPTS): one for one in inputs} | {one.name: one for one in inputs}
    expression = box.expression
    if expression == naming.op_word(box.op):  # inside a module there is no code of the learner's
        expression = f"{expression}({', '.join(one.name for one in inputs)})"
    texts = _as_in_textbooks(expression, called) or (expression, "")
    parts = list(dict.fromkeys(text for text in texts if text))
    pieces: list[Piece | str] = [piece for text in parts for piece in (" = ", ("code", text))]
    if box.value.is_large or not box.value.known:
        return [*pieces, ", of shape ", ("value", box.value.text)] if box.value.text else pieces
    return pieces if box.value.text in parts else [*pieces, " = ", ("value", box.value.text)]


def _as_in_textbooks(expression: str, called: Mapping[str, Box]) -> tuple[str, str] | None:
    """A piece of the learner's code as in a textbook, and the same with numbers for names, where all have one; None
    for what no textbook writes. A name that no input has (y = x; y = y * 3) is that of the input that it does not name.
    """
    try:
        tree = _PlainCode().visit(ast.parse(expression, mode="eval").body)
        names = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)} - _functions(tree)
        unknown, absent = names - called.keys(), {one.id: one for one in called.values()}
        for name in names & called.keys():
            absent.pop(called[name].id, None)
        if len(unknown) == len(absent) == 1:
            called = {**called, unknown.pop(): next(iter(absent.values()))}
        numbers = {name: one.value.text for name, one in called.items() if one.value.known and not one.value.is_large}
        named = FormulaWriter(
            lambda name, turned: name_text(called[name].name if name in called else name, turned)
        ).text
        with_numbers = FormulaWriter(lambda name, turned: numbers[name] + "ᵀ" * turned).text
        return named(tree), with_numbers(tree) if names <= numbers.keys() else ""
    except (SyntaxError, ValueError):
        return None


def _functions(tree: ast.expr) -> set[str]:
    calls = [part.func for part in ast.walk(tree) if isinstance(part, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


class _PlainCode(ast.NodeTransformer):
    """Writes `x.exp()` and `torch.exp(x)` as exp(x); refuses what is more than arithmetic."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function, args = node.func, [self.visit(one) for one in node.args]
        if isinstance(function, ast.Attribute):
            is_module = isinstance(function.value, ast.Name) and function.value.id in MODULES
            args = args if is_module else [self.visit(function.value), *args]
            function = ast.Name(function.attr, ast.Load())
        if isinstance(function, ast.Name) and function.id == "pow" and len(args) == 2:
            return ast.BinOp(args[0], ast.Pow(), args[1])
        if not isinstance(function, ast.Name) or function.id in PHRASES or node.keywords or len(args) != 1:
            raise ValueError(f"no textbook writes {ast.dump(node)}")
        return ast.Call(function, args, [])
