"""What a picture of a graph is made of: boxes and the edges between them.

A `Snapshot` holds a `Box` for each leaf, result and constant, an `Edge` for each input of a result, and each `Listing`
of the learner's lines. All are immutable, and are found by id: n0, n1 ... for boxes and e0, e1 ... for edges.
`BoxState` is what a step makes of a box.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from minigrad.viz.graph.naming import is_expression, op_word, plain_digits
from minigrad.viz.graph.observer import Span
from minigrad.viz.graph.operation_marks import operation_marks
from minigrad.viz.graph.saved_values import Saved
from minigrad.viz.graph.source import Source
from minigrad.viz.graph.values import Value

WORD = re.compile(r"[^\W\d]\w*")

NO_SOURCE = Source(None)  # of a graph that was let go of
SYMMETRIC = frozenset({"add", "mul", "maximum", "minimum", "hypot", "logaddexp"})  # of two inputs
MOST_IN_MARK = 8  # characters
GENERATIONS = {2: "the graph of the gradient", 3: "the graph of the gradient's gradient"}  # by `Box.graph`


@dataclass(frozen=True)
class Box:
    """One box of the picture. `kind` is "leaf", "result" or "constant"; `expression` is the text that made it.

    `outputs` are the values of a node with several, `output_names` what each is called. `version` counts the writes to
    the tensor, `saved_version` those that there were when a node saved it; None where that is not known. `graph` is 1
    for what the learner computed, 2 for the graph of a gradient, made by the rule of the box `made_by`, 3 for that of a
    gradient's gradient; and so on. `backward` is the source of a custom Function's own backward.
    """

    id: str
    kind: str
    name: str
    expression: str
    op: str
    value: Value
    grad: Value
    span: Span | None = None
    saved: tuple[Saved, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[Value, ...] = ()
    needs_grad: bool = True
    version: int | None = None
    saved_version: int | None = None
    graph: int = 1
    made_by: str = ""
    backward: str = ""
    output_names: tuple[str, ...] = ()

    def name_of_result(self, output: int) -> str:
        """What one of its results is called, where it has several."""
        return self.output_names[output] if output < len(self.output_names) else self.name

    @property
    def equation(self) -> tuple[str, str, str]:
        """Its name, the code that made it, and what stands between: `h = x @ W`, `h: h += 1`, `t0: addmm`."""
        is_code = is_expression(self.expression) and self.expression != op_word(self.op)
        return self.name, " = " if is_code else ": ", self.expression

    @property
    def freed(self) -> tuple[str, ...]:
        """What this node had saved, and what a backward that used the graph has freed."""
        return tuple(saved.parameter for saved in self.saved if saved.state == "freed")


@dataclass(frozen=True)
class Edge:
    """From the box of an input to the box of the result. `slot` counts the result's inputs; `output` the input's
    outputs.
    """

    id: str
    source: str
    target: str
    slot: int
    output: int = 0
    carries: bool = True  # False for constants: no gradient goes back along it


@dataclass(frozen=True)
class BoxState:
    """What a box looks like at one moment: its state, the word on its badge, its gradient, and how many of the
    gradients that it needs have arrived. `word` stands before the gradient. `mark` says of two passes beside each other
    that they part here ("first", "parts") or differ ("follows").
    """

    state: str
    badge: str
    grad: Value
    grad_text: str = ""
    arrived: int = 0
    needed: int = 0
    mark: str = ""
    word: str = "grad"


@dataclass(frozen=True)
class Listing:
    """A piece of the learner's code: (line number, text); number 0 stands for lines left out."""

    title: str
    file: str = field(repr=False)
    lines: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """A whole graph. For those who step through it: `source` is asked about the engine's `nodes`, which are those
    behind the boxes (None for constants), and about `results`, the tensors that a name was found for; `reached` are
    leaves, with their names, that a custom Function may reach by a backward of its own. `ways` maps a box to the calls
    in which it was made, the outermost first (see `calls`), `backwards` what a recorded backward made to the number of
    that backward, `modules` the id() of a module to the learner's name for it, `plain` a name that several results
    have, with numbers behind it, to the box that it means alone.
    """

    root: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    listings: tuple[Listing, ...] = ()
    source: Source = field(default=NO_SOURCE, compare=False, repr=False)
    nodes: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    ways: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, compare=False, repr=False)
    backwards: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    plain: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    modules: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)
    results: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    reached: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def by_id(self) -> dict[str, Box]:
        """Each box under its id."""
        return {box.id: box for box in self.boxes}

    @cached_property
    def order(self) -> dict[str, int]:
        """Where each box stands in the order of making."""
        return {box.id: place for place, box in enumerate(self.boxes)}

    @cached_property
    def into(self) -> dict[str, list[Edge]]:
        """The edges into each box, in the order of its inputs; none into leaves and constants."""
        found: dict[str, list[Edge]] = {box.id: [] for box in self.boxes}
        for edge in self.edges:
            found[edge.target].append(edge)
        return found

    @cached_property
    def edge_marks(self) -> dict[str, str]:
        """What tells the edges between the same two boxes apart, by their ids: the result that each carries, or which
        input each is. Where these may change places, there is nothing to tell.
        """
        found: dict[str, str] = {}
        for box in self.boxes:
            between: dict[str, list[Edge]] = {}
            for edge in self.into[box.id]:
                between.setdefault(edge.source, []).append(edge)
            for source, edges in between.items():
                if len({edge.output for edge in edges}) > 1:
                    names = {edge: self.by_id[source].name_of_result(edge.output) for edge in edges}
                    found |= {
                        edge.id: name if len(name) <= MOST_IN_MARK else f"[{edge.output}]"
                        for edge, name in names.items()
                    }
                elif len(edges) > 1 and op_word(box.op) not in SYMMETRIC:
                    found |= {edge.id: _ordinal(edge.slot + 1) for edge in edges}
        return found

    @cached_property
    def node_of(self) -> dict[str, Any]:
        """The engine's node behind each box, but for constants."""
        return {box.id: node for box, node in zip(self.boxes, self.nodes, strict=True) if node is not None}

    @cached_property
    def gradient_name(self) -> str:
        """What sentences call the gradient that came to a node: g, or grad and so on where a tensor has that name."""
        first_words = {WORD.match(part) for box in self.boxes for part in box.name.split(", ")}
        taken = {word[0] for word in first_words if word is not None}
        names = itertools.chain(("g", "grad"), (f"grad{number}" for number in itertools.count(1)))
        return next(name for name in names if name not in taken)

    def marks_of(self, key: str | None, users: Iterable[Box] = ()) -> tuple[tuple[int, int, int, int], ...]:
        """Number of the source, line, first and last column of each piece of code that is the operation of a box; of a
        leaf, the places at which its `users` have it, or the one that made it.
        """
        box = self.by_id[key] if key else None
        used = [(user.span, box.name) for user in users if box is not None]
        files = {listing.file: number for number, listing in enumerate(self.listings)}
        for places in (used, [(box.span, "")] if box is not None else []):
            marks = [
                (files[span.file], *mark)
                for span, operand in places
                if span is not None and span.file in files
                for mark in operation_marks(span, operand)
            ]
            if marks:
                return tuple(sorted(set(marks)))
        return ()

    def box_named(self, name: str) -> Box:
        """The box with a name; h30 will do for h₃₀. ValueError, with the names that there are, if there is none."""
        for ask in (str, plain_digits):
            for box in self.boxes:
                names = box.name, *box.output_names
                if box.kind != "constant" and name in map(ask, names):
                    return box
            if name in self.plain:
                return self.by_id[self.plain[name]]
        there = ", ".join(box.name for box in self.boxes if box.kind != "constant")
        raise ValueError(f"no box is named {name!r}; there are: {there}")


def _ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th ... 11th."""
    last = 0 if number // 10 % 10 == 1 else number % 10
    return f"{number}{['st', 'nd', 'rd'][last - 1] if last in (1, 2, 3) else 'th'}"
