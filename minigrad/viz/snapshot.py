"""The graph as it stands, copied into immutable records that nothing can change afterwards.

After this module a reader knows what a picture is made of: boxes (leaves, results and the constants that a rule has
saved) and the edges between them. Only public attributes are read: `grad_fn`, `next_functions`, `variable` and
`_saved_*`, so that a graph of any library which has PyTorch's names will do. Ids are n0, n1 ... and e0, e1 ... in the
order in which the learner's code made things: equal graphs give equal ids.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import FrameType, MappingProxyType
from typing import Any

from minigrad.viz import naming, values
from minigrad.viz.kept import Saved, all_kept, read_saved, saved_parameters, short, source_of_backward
from minigrad.viz.naming import LONGEST, Variables, op_word
from minigrad.viz.records import Span, span_of
from minigrad.viz.torch_graphs import seen
from minigrad.viz.values import Value

LIMIT = 1000  # boxes: beyond that even a picture of closed groups takes seconds, and each frame a millisecond more
LONGEST_LINE = 1000  # characters of a line of source that are shown
WHOLE_SOURCE = 24  # lines of a cell that are shown from first to last


@dataclass(frozen=True)
class Box:
    """One box of the picture. `kind` is "leaf", "result" or "constant"; `expression` is the text that made it.

    `outputs` are the values of a node with several. `version` counts the writes to the tensor, `saved_version` those
    that there were when a node saved it; None where that is not known. `graph` is 1 for what the learner computed, 2
    for the graph of its gradient, made by the rule of the box `made_by`; and so on. `backward` is the source of a
    custom Function's own backward.
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
class Source:
    """A piece of the learner's code: (line number, text); number 0 stands for lines left out."""

    title: str
    file: str = field(repr=False)
    lines: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """A whole graph. For those who step through it: `nodes` are the engine's nodes behind the boxes (None for
    constants), `retaining` the named results that keep their `.grad`.
    """

    root: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    sources: tuple[Source, ...] = ()
    nodes: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    modules: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)  # id() -> the learner's name
    retaining: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    def box(self, key: str) -> Box:
        """The box with an id. KeyError if there is none."""
        for box in self.boxes:
            if box.id == key:
                return box
        raise KeyError(key)

    def named(self, name: str) -> Box:
        """The box with a name. ValueError, with the names that there are, if there is none."""
        for box in self.boxes:
            if box.kind != "constant" and name in (box.name, *(box.name.split(", ") if box.outputs else ())):
                return box
        there = ", ".join(box.name for box in self.boxes if box.kind != "constant")
        raise ValueError(f"no box is named {name!r}; there are: {there}")


def snapshot(
    root: Any,
    names: Mapping[str, Any] | None = None,
    frame: FrameType | None = None,
    beside: Any = None,
    called: Mapping[Any, str] = MappingProxyType({}),
) -> Snapshot:
    """Copy the graph behind a tensor.

    Args:
        root: the tensor whose graph it is.
        names: name -> tensor, ahead of the variables of `frame`.
        frame: where to look up the learner's variables.
        beside: another result whose graph is to be in the same picture.
        called: node -> what another picture calls it.

    Raises TypeError if `root` is no tensor, ValueError if it has no graph or one of more than `LIMIT` boxes.
    """
    if not naming.is_tensor(root):
        raise TypeError(
            f"expected a Tensor, but got {type(root).__name__}: {short(root)}. "
            "Pass the result of a computation, for example loss = (x * x).sum()."
        )
    root = seen(root)
    variables = Variables(names, frame)
    if root.grad_fn is None:
        kind, word = ("leaf", "leaf") if root.requires_grad else ("constant", "no grad")
        value = values.describe(root.detach().numpy())
        alone = Box(
            *("n0", kind, variables.leaf(root) or "t0", word, "", value, grad_value(root)),
            needs_grad=root.requires_grad,
            version=_version(root),
        )
        return Snapshot("n0", (alone,), (), nodes=(None,))
    return _Builder(root, variables, frame, beside, called).build()


def ordered(*starts: Any) -> list[Any]:
    """All nodes behind some, as the learner's code made them; a leaf stands before its first use.

    ValueError if there are more than `LIMIT`.
    """
    seen, stack = set(starts), list(starts)
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


def is_leaf(node: Any) -> bool:
    """True for the AccumulateGrad of a leaf."""
    return hasattr(node, "variable")


class _Builder:
    """Puts a snapshot together: nodes, names, values, expressions, in that order."""

    def __init__(
        self, root: Any, variables: Variables, frame: FrameType | None, beside: Any, called: Mapping[Any, str]
    ) -> None:
        self.root = root
        self.start = root.grad_fn
        self.called = {node: name for node, name in called.items() if node is not self.start}
        self.variables = variables
        self.frame = frame
        self.nodes = ordered(self.start) if beside is None else ordered(self.start, beside.grad_fn)
        self.graphs = self._graphs()
        # What a backward made stands in no line of the learner's; it belongs to the line of the node whose rule it is.
        self.spans = {
            node: None if self._by_rule(node) else naming.whole_write(span_of(_creation(node))) for node in self.nodes
        }
        self.consumers: dict[Any, list[Any]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for child, _ in node.next_functions:
                if child is not None:
                    self.consumers[child].append(node)
        self.names: dict[Any, str] = {}

    def _graphs(self) -> dict[Any, int]:
        """Node -> 1 for what the learner computed, 2 for the graph of its gradient, and so on."""
        found: dict[Any, int] = {}
        for node in self.nodes:  # inputs stand before results
            inputs = [found[child] for child, _ in node.next_functions if child is not None and not is_leaf(child)]
            found[node] = max([getattr(_creation(node), "graph", 1), *inputs])
        return found

    def _by_rule(self, node: Any) -> bool:
        return getattr(_creation(node), "graph", 1) > 1

    def build(self) -> Snapshot:
        self._name()
        for node in self.nodes:
            if hasattr(node, "saved_result") and not is_leaf(node):  # PyTorch notes no lines: its names tell some
                self.spans[node] = self._only_assignment(self.names[node])
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
        boxes = self._finished(boxes, edges, nodes)
        named = self.variables.results()
        retaining = tuple(tensor for tensor in named if tensor.retains_grad and tensor.grad_fn in ids)
        sources = self._sources(boxes)
        return Snapshot(
            *(ids[self.start], tuple(boxes), tuple(edges), sources, tuple(nodes), self.variables.modules, retaining)
        )

    def _finished(self, boxes: list[Box], edges: list[Edge], nodes: list[Any]) -> list[Box]:
        """The boxes with what only the whole graph can tell: what saved values are called that are not there to be
        asked, which versions were saved of each, and who made it.
        """
        saved_versions: dict[str, int] = {}
        versions: dict[str, int | None] = {}  # of the tensors that only the node which saved them holds
        places = {box.id: place for place, box in enumerate(boxes)}
        for edge in edges:
            target = boxes[places[edge.target]]
            parameter = target.inputs[edge.slot] if edge.slot < len(target.inputs) else ""
            for saved in target.saved:
                if saved.parameter == parameter and saved.saved_version is not None:
                    known = saved_versions.get(edge.source, saved.saved_version)
                    saved_versions[edge.source] = min(known, saved.saved_version)
                    versions[edge.source] = saved.version
                if saved.parameter == parameter and saved.state != "kept":
                    name = self._output_name(nodes[places[edge.source]], edge) or boxes[places[edge.source]].name
                    named = tuple(replace(one, name=name) if one is saved else one for one in target.saved)
                    boxes[places[edge.target]] = target = replace(target, saved=named)
        records = [_creation(node) for node in nodes]
        makers = {record: box.id for box, record in zip(boxes, records, strict=True) if record is not None}
        return [
            replace(
                box,
                version=versions.get(box.id) if box.version is None else box.version,
                saved_version=saved_versions.get(box.id),
                made_by=makers.get(getattr(record, "parent", None), ""),
            )
            for box, record in zip(boxes, records, strict=True)
        ]

    def _output_name(self, node: Any, edge: Edge) -> str:
        found = self.variables.result(node, edge.output) if node is not None else None
        return found[0] if found is not None else ""

    # -- names

    def _name(self) -> None:
        taken = set(self.variables.taken)
        unnamed = []
        for node in self.nodes:
            name = self.called.get(node) or self._variable_name(node)
            if name is None:
                unnamed.append(node)
            else:
                self.names[node] = name
        taken |= set(self.names.values())
        assigned: dict[str, list[Any]] = {}
        for node in unnamed:
            target = self._assigned_name(node)
            if target is not None and target not in taken:
                assigned.setdefault(target, []).append(node)
        for name, claimants in assigned.items():
            if len(claimants) == 1:
                self.names[claimants[0]] = name
                taken.add(name)
        most = len(self.nodes) + len(taken) + 2
        first = (name for name in (f"t{k}" for k in range(most)) if name not in taken)
        second = (name for name in (f"g{k}" for k in range(1, most)) if name not in taken)
        for node in self.nodes:
            if node not in self.names:
                self.names[node] = next(second if self._by_rule(node) else first)

    def _variable_name(self, node: Any) -> str | None:
        if is_leaf(node):
            return self.variables.leaf(node.variable)
        count = max(len(getattr(_creation(node), "outputs", ())), 1)
        found = [self.variables.result(node, output) for output in range(count)]
        names = [held[0] for held in found if held is not None]
        return ", ".join(names) if len(names) == count else None

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
                *(key, "leaf", self.names[node], "leaf", node.name(), value, grad_value(leaf), self._leaf_span(node)),
                version=_version(leaf),
            )
        found = self.variables.result(node)
        return Box(
            key,
            "result",
            self.names[node],
            self._expression(node),
            node.name(),
            self._value(node),
            self._kept_grad(node),
            span_of(getattr(_creation(node), "parent", None)) if self._by_rule(node) else self.spans[node],
            tuple(all_kept(node, self._saved_name)),
            tuple(getattr(node, "inputs", ())),
            self._outputs(node),
            version=_version(found[1]) if found is not None else None,
            graph=self.graphs[node],
            backward=source_of_backward(node),
        )

    def _outputs(self, node: Any) -> tuple[Value, ...]:
        """The values of a node with several results."""
        copies = getattr(_creation(node), "outputs", ())
        if len(copies) < 2:
            return ()
        arrays = [copy.value() for copy in copies]
        lost = [replace(values.NOT_KEPT, shape=copy.shape, dtype=str(copy.dtype)) for copy in copies]
        return tuple(
            gone if array is None else values.describe(array) for array, gone in zip(arrays, lost, strict=True)
        )

    def _value(self, node: Any) -> Value:
        outputs = self._outputs(node)
        if outputs:
            return values.joined(outputs)
        array = self._array(node)
        if array is not None:
            return values.describe(array)
        record = getattr(node, "_creation", None)
        return values.NOT_KEPT if record is None else _lost(record.shape, record.dtype)

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
        if hasattr(node, "saved_result"):
            kept = node.saved_result(self.consumers[node])
            return None if kept is None else kept.numpy()
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

    def _saved_name(self, kept: Any) -> str:
        if kept.grad_fn is not None:
            found = self.variables.result(kept.grad_fn, kept.output_nr)
            return found[0] if found is not None else self.names.get(kept.grad_fn, "")
        return self.variables.leaf(kept) or ""

    # -- constants

    def _constants(self) -> dict[Any, list[tuple[int, Any, Box]]]:
        """For each node the tensors without grad that enter it: (slot, key, box), as far as its record or its rule
        kept them.

        Plain numbers stay in the expression. One tensor that enters in several places is one box: its key is its
        memory.
        """
        found: dict[Any, list[tuple[int, Any, Box]]] = {}
        for node in self.nodes:
            if self._by_rule(node):
                continue  # the numbers inside a rule are in its text
            for slot, (child, _) in enumerate(node.next_functions):
                constant = self._constant(node, slot) if child is None else None
                if constant is not None:
                    found.setdefault(node, []).append((slot, *constant))
        return found

    def _constant(self, node: Any, slot: int) -> tuple[Any, Box] | None:
        """What enters a node without needing a gradient, if more is known of it than a number in the expression."""
        operands = getattr(_creation(node), "operands", {})
        inputs = getattr(node, "inputs", ())
        kept = read_saved(node, inputs[slot]) if slot < len(inputs) else None
        operand = operands.get(slot)
        tensor = operand.tensor() if operand is not None else None
        if tensor is None and naming.is_tensor(kept):
            tensor = kept
        label = self.variables.leaf(tensor) if tensor is not None else None
        array = operand.value() if operand is not None else None
        if array is None and tensor is not None:
            array = tensor.detach().numpy()
        if array is not None:
            value = values.describe(array)
        elif operand is not None:
            value = _lost(operand.shape, operand.dtype)
        else:
            return None
        if not value.shape and label is None:
            return None
        version = None if operand is None else operand.version
        expression, span = self._made_without_grad(label)
        key = naming.memory(tensor) if tensor is not None else (node, slot)
        return key, Box(
            *("", "constant", label or "constant", expression, "", value, values.NONE, span),
            needs_grad=False,
            version=version,
        )

    def _made_without_grad(self, name: str | None) -> tuple[str, Span | None]:
        """The text of the learner's that made a tensor which needs no grad, and where it stands."""
        place = self._only_assignment(name)
        if place is None:
            return "no grad", None
        text = naming.with_names(place, [])
        return (text if 0 < len(text) <= LONGEST else "no grad"), place

    def _only_assignment(self, name: str | None) -> Span | None:
        """Where a name gets its value, if that is one place of the cell or file that asked for the picture."""
        if name is None or self.frame is None or not name.isidentifier():
            return None
        places = [place for target, place in naming.assignments(self.frame.f_code.co_filename) if target == name]
        return places[0] if len(places) == 1 else None

    # -- expressions

    def _expression(self, node: Any) -> str:
        span = self.spans[node]
        if span is not None:
            text = naming.with_names(span, self._parts(node, span))
            if text and (not self._is_inside(node) or naming.says_op(text, node.name())):
                return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        text = call_text(node, self.names.__getitem__)
        return text if len(text) <= LONGEST else op_word(node.name())

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
                sources.append(Source(source_title(file), file, _shown_lines(lines, numbers)))
        return tuple(sources)


def call_text(node: Any, name_of: Callable[[Any], str]) -> str:
    """A node as the call of an op, mul(g, 3): names for its inputs, and numbers as far as it kept them."""
    parts = []
    for slot, (child, _) in enumerate(node.next_functions):
        inputs = getattr(node, "inputs", ())
        kept = read_saved(node, inputs[slot]) if child is None and slot < len(inputs) else None
        if child is not None:
            parts.append(name_of(child))
        elif kept is not None and naming.is_tensor(kept) and kept.ndim == 0:
            parts.append(values.number(kept.item()))
    return f"{op_word(node.name())}({', '.join(parts)})"


def _creation(node: Any) -> Any:
    """What was noted when a node was made."""
    return getattr(node, "_creation", None)


def _version(tensor: Any) -> int | None:
    """How often a tensor was written to in place; None where nobody counts."""
    is_uncounted = getattr(tensor, "is_inference", None)
    return None if is_uncounted is not None and is_uncounted() else getattr(tensor, "_version", None)


def _lost(shape: tuple[int, ...], dtype: Any) -> Value:
    """A value of which only the shape and the dtype are known."""
    lost = replace(values.NOT_KEPT, shape=shape, dtype=str(dtype))
    return replace(lost, text=values.shape_text(shape)) if lost.is_large else lost


def grad_value(tensor: Any) -> Value:
    """What `.grad` of a leaf holds now: a description, or None; never a zero that is not there."""
    gradient = tensor.grad
    return values.NONE if gradient is None else values.describe(gradient.detach().numpy())


def source_title(file: str) -> str:
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
        text = lines[line - 1]
        shown.append((line, text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"))
    return tuple(shown)
