"""The graph as it stands, copied into immutable records that nothing can change afterwards.

After this module a reader knows what a picture is made of: boxes (leaves, results and the constants that a rule has
saved) and the edges between them. Only public attributes are read: `grad_fn`, `next_functions`, `variable` and
`_saved_*`, so that a graph of any library which has PyTorch's names will do. Ids are n0, n1 ... and e0, e1 ... in the
order in which the learner's code made things: equal graphs give equal ids.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from minigrad.viz import naming, values
from minigrad.viz.naming import LONGEST, Variables, op_word
from minigrad.viz.records import Span, span_of
from minigrad.viz.values import Value

LIMIT = 1000  # boxes: beyond that even a picture of closed groups takes seconds, and each frame a millisecond more
WHOLE_SOURCE = 24  # lines of a cell that are shown from first to last


@dataclass(frozen=True)
class Saved:
    """One value that a node keeps for its rule."""

    parameter: str
    value: Value
    name: str = ""
    array: Any = field(default=None, compare=False, repr=False)  # a copy, where it is small


@dataclass(frozen=True)
class Box:
    """One box of the picture. `kind` is "leaf", "result" or "constant"; `expression` is the text that made it."""

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
class Source:
    """A piece of the learner's code: (line number, text); number 0 stands for lines left out."""

    title: str
    file: str = field(repr=False)
    lines: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """A whole graph. `nodes` are the engine's nodes behind the boxes (None for constants), for those who step through
    it.
    """

    root: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    sources: tuple[Source, ...] = ()
    nodes: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    modules: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)  # id() -> the learner's name

    def box(self, key: str) -> Box:
        """The box with an id. KeyError if there is none."""
        for box in self.boxes:
            if box.id == key:
                return box
        raise KeyError(key)

    def named(self, name: str) -> Box:
        """The box with a name. ValueError, with the names that there are, if there is none."""
        for box in self.boxes:
            if box.name == name and box.kind != "constant":
                return box
        there = ", ".join(box.name for box in self.boxes if box.kind != "constant")
        raise ValueError(f"no box is named {name!r}; there are: {there}")


def snapshot(root: Any, names: Mapping[str, Any] | None = None, frame: FrameType | None = None) -> Snapshot:
    """Copy the graph behind a tensor.

    Args:
        root: the tensor whose graph it is.
        names: name -> tensor, ahead of the variables of `frame`.
        frame: where to look up the learner's variables.

    Raises TypeError if `root` is no tensor, ValueError if it has no graph or one of more than `LIMIT` boxes.
    """
    if not naming.is_tensor(root):
        raise TypeError(
            f"expected a Tensor, but got {type(root).__name__}: {_short(root)}. "
            "Pass the result of a computation, for example loss = (x * x).sum()."
        )
    variables = Variables(names, frame)
    if root.grad_fn is None:
        kind, word = ("leaf", "leaf") if root.requires_grad else ("constant", "no grad")
        value = values.describe(root.detach().numpy())
        alone = Box("n0", kind, variables.leaf(root) or "t0", word, "", value, grad_value(root))
        return Snapshot("n0", (alone,), (), nodes=(None,))
    return _Builder(root, variables, frame).build()


def ordered(start: Any) -> list[Any]:
    """All nodes behind `start`, as the learner's code made them; a leaf stands before its first use.

    ValueError if there are more than `LIMIT`.
    """
    seen, stack = {start}, [start]
    while stack:
        for child, _ in stack.pop().next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                stack.append(child)
        if len(seen) > LIMIT:
            raise ValueError(
                f"this graph has more than {LIMIT} nodes, too many to draw or to step through in one picture. "
                "Draw a smaller one: fewer rounds of the loop, or the graph of one part, such as one layer's result."
            )
    found: dict[Any, None] = {}
    for node in sorted((node for node in seen if not is_leaf(node)), key=lambda node: node._sequence_nr()):
        for child, _ in node.next_functions:
            if child is not None and is_leaf(child):
                found.setdefault(child)
        found.setdefault(node)
    return list(found)


def saved_parameters(node: Any) -> list[str]:
    """What a node can be asked for as `_saved_<parameter>`, its inputs first."""
    found = [name.removeprefix("_saved_") for name in dir(type(node)) if name.startswith("_saved_")]
    inputs = list(getattr(node, "inputs", ()))
    return sorted(found, key=lambda name: (inputs.index(name) if name in inputs else len(inputs), name))


def read_saved(node: Any, parameter: str) -> Any:
    """The saved value, or None where it was freed, changed in place or is not there."""
    try:
        return getattr(node, f"_saved_{parameter}")
    except (AttributeError, RuntimeError):
        return None


def is_leaf(node: Any) -> bool:
    """True for the AccumulateGrad of a leaf."""
    return hasattr(node, "variable")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Builder:
    """Puts a snapshot together: nodes, names, values, expressions, in that order."""

    def __init__(self, root: Any, variables: Variables, frame: FrameType | None) -> None:
        self.root = root
        self.start = root.grad_fn
        self.variables = variables
        self.frame = frame
        self.nodes = ordered(self.start)
        self.spans = {node: span_of(getattr(node, "_creation", None)) for node in self.nodes}
        self.consumers: dict[Any, list[Any]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for child, _ in node.next_functions:
                if child is not None:
                    self.consumers[child].append(node)
        self.names: dict[Any, str] = {}

    def build(self) -> Snapshot:
        self._name()
        constants = self._constants()
        boxes: list[Box] = []
        nodes: list[Any] = []
        ids: dict[Any, str] = {}  # node, or the memory of a constant -> id
        for node in self.nodes:
            for _, key, box in constants.get(node, ()):
                if key not in ids:
                    ids[key] = f"n{len(boxes)}"
                    boxes.append(replace(box, id=ids[key]))
                    nodes.append(None)
            ids[node] = f"n{len(boxes)}"
            boxes.append(self._box(node, ids[node]))
            nodes.append(node)
        edges: list[Edge] = []
        for node in self.nodes:
            keys = {slot: key for slot, key, _ in constants.get(node, ())}
            for slot, (child, output) in enumerate(node.next_functions):
                key = child if child is not None else keys.get(slot)
                if key is not None:
                    edges.append(Edge(f"e{len(edges)}", ids[key], ids[node], slot, output, child is not None))
        return Snapshot(
            ids[self.start], tuple(boxes), tuple(edges), self._sources(boxes), tuple(nodes), self.variables.modules
        )

    # -- names

    def _name(self) -> None:
        taken = set(self.variables.taken)
        unnamed = []
        for node in self.nodes:
            name = self._variable_name(node)
            if name is None:
                unnamed.append(node)
            else:
                self.names[node] = name
        assigned: dict[str, list[Any]] = {}
        for node in unnamed:
            target = self._assigned_name(node)
            if target is not None and target not in taken:
                assigned.setdefault(target, []).append(node)
        for name, claimants in assigned.items():
            if len(claimants) == 1:
                self.names[claimants[0]] = name
                taken.add(name)
        numbers = (f"t{k}" for k in range(len(self.nodes) + len(taken) + 1))
        free = (name for name in numbers if name not in taken)
        for node in self.nodes:
            if node not in self.names:
                self.names[node] = next(free)

    def _variable_name(self, node: Any) -> str | None:
        if is_leaf(node):
            return self.variables.leaf(node.variable)
        found = self.variables.result(node)
        return found[0] if found is not None else None

    def _assigned_name(self, node: Any) -> str | None:
        span = self.spans[node]
        if span is None or self._is_inside(node):
            return None
        return next((name for name, place in naming.assignments(span.file) if naming.same_place(place, span)), None)

    def _is_inside(self, node: Any) -> bool:
        """Whether a node is an inner step of one call of the learner's: a consumer was made by the very same text."""
        span = self.spans[node]
        return span is not None and any(self.spans[consumer] == span for consumer in self.consumers[node])

    # -- boxes

    def _box(self, node: Any, key: str) -> Box:
        if is_leaf(node):
            leaf = node.variable
            value = values.describe(leaf.detach().numpy())
            return Box(
                key, "leaf", self.names[node], "leaf", node.name(), value, grad_value(leaf), self._leaf_span(node)
            )
        saved = tuple(self._kept(node))
        return Box(
            key,
            "result",
            self.names[node],
            self._expression(node),
            node.name(),
            self._value(node),
            self._kept_grad(node),
            self.spans[node],
            saved,
            tuple(getattr(node, "inputs", ())),
        )

    def _value(self, node: Any) -> Value:
        array = self._array(node)
        if array is not None:
            return values.describe(array)
        record = getattr(node, "_creation", None)
        if record is None:
            return values.NOT_KEPT
        lost = replace(values.NOT_KEPT, shape=record.shape, dtype=str(record.dtype))
        return replace(lost, text=values.shape_text(record.shape)) if lost.is_large else lost

    def _array(self, node: Any) -> Any:
        if node is self.start:
            return self.root.detach().numpy()
        found = self.variables.result(node)
        if found is not None:
            return found[1].detach().numpy()
        record = getattr(node, "_creation", None)
        array = record.value() if record is not None else None
        if array is not None:
            return array
        result = read_saved(node, "result") if "result" in saved_parameters(node) else None
        if result is not None:
            return result.detach().numpy()
        for consumer in self.consumers[node]:  # what it saved of its inputs
            for (child, output), name in zip(consumer.next_functions, getattr(consumer, "inputs", ()), strict=False):
                if child is node and output == 0:
                    kept = read_saved(consumer, name)
                    if naming.is_tensor(kept):
                        return kept.detach().numpy()
        return None

    def _kept_grad(self, node: Any) -> Value:
        found = self.variables.result(node)
        if found is not None and getattr(found[1], "retains_grad", False):
            return grad_value(found[1])
        return values.NONE

    def _kept(self, node: Any) -> Iterator[Saved]:
        for parameter in saved_parameters(node):
            kept = read_saved(node, parameter)
            if naming.is_tensor(kept):
                array = kept.detach().numpy()
                small = array.copy() if array.size <= values.LISTED else None
                yield Saved(parameter, values.describe(array), self._saved_name(kept), small)
            elif kept is not None or parameter in ("dim",):
                yield Saved(parameter, Value(_short(kept), _short(kept)), "", kept)

    def _saved_name(self, kept: Any) -> str:
        if kept.grad_fn is not None:
            return self.names.get(kept.grad_fn, "")
        return self.variables.leaf(kept) or ""

    # -- constants

    def _constants(self) -> dict[Any, list[tuple[int, Any, Box]]]:
        """For each node the tensors without grad that enter it: (slot, key, box), as far as its rule saved them.

        Plain numbers stay in the expression. One tensor that enters in several places is one box: its key is its
        memory.
        """
        found: dict[Any, list[tuple[int, Any, Box]]] = {}
        for node in self.nodes:
            for slot, name in enumerate(getattr(node, "inputs", ())):
                if slot >= len(node.next_functions) or node.next_functions[slot][0] is not None:
                    continue
                kept = read_saved(node, name)
                label = self.variables.leaf(kept) if naming.is_tensor(kept) else None
                if not naming.is_tensor(kept) or (kept.ndim == 0 and label is None):
                    continue
                value = values.describe(kept.detach().numpy())
                box = Box("", "constant", label or "constant", "no grad", "", value, values.NONE)
                found.setdefault(node, []).append((slot, naming.memory(kept), box))
        return found

    # -- expressions

    def _expression(self, node: Any) -> str:
        span = self.spans[node]
        if span is not None:
            text = naming.with_names(span, self._parts(node, span))
            if text and (not self._is_inside(node) or naming.says_op(text, node.name())):
                return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        word = op_word(node.name())
        inputs = [self.names[child] for child, _ in node.next_functions if child is not None]
        text = f"{word}({', '.join(inputs)})"
        return text if len(text) <= LONGEST else word

    def _parts(self, node: Any, span: Span) -> list[tuple[Span, str]]:
        """The nearest nodes below that were made by a proper part of the same text."""
        parts, seen = [], {node}
        stack = [child for child, _ in node.next_functions]
        while stack:
            child = stack.pop()
            place = self.spans.get(child)
            if child is None or child in seen or place is None:
                continue
            seen.add(child)
            if span.contains(place):
                parts.append((place, self.names[child]))
            elif place == span:
                stack += [grandchild for grandchild, _ in child.next_functions]
        return parts

    # -- the learner's code

    def _leaf_span(self, node: Any) -> Span | None:
        """The assignment that made a leaf, if it stands in a cell that is shown anyway."""
        name = self.names[node]
        files = dict.fromkeys(span.file for span in self.spans.values() if span is not None)
        if self.frame is not None:
            files.setdefault(self.frame.f_code.co_filename)
        for file in files:
            places = [place for target, place in naming.assignments(file) if target == name]
            if places:
                return places[0]
        return None

    def _sources(self, boxes: list[Box]) -> tuple[Source, ...]:
        wanted: dict[str, set[int]] = {}
        for box in boxes:
            if box.span is not None:
                wanted.setdefault(box.span.file, set()).update(range(box.span.first, box.span.last + 1))
        sources = []
        for file, numbers in wanted.items():
            lines = [line.rstrip("\r\n") for line in linecache.getlines(file)]
            if lines:
                sources.append(Source(_title(file), file, _shown_lines(lines, numbers)))
        return tuple(sources)


def grad_value(tensor: Any) -> Value:
    """What `.grad` of a leaf holds now: a description, or None; never a zero that is not there."""
    gradient = tensor.grad
    return values.NONE if gradient is None else values.describe(gradient.detach().numpy())


def _title(file: str) -> str:
    """ "your cell", or the name of a file; the path of neither is anybody's business."""
    base = os.path.basename(file)
    is_cell = file.startswith("<") or "ipykernel" in file or not os.path.exists(file)
    return "your cell" if is_cell else base


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
        shown.append((line, lines[line - 1]))
    return tuple(shown)
