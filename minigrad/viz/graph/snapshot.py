"""The graph as it stands, copied into immutable records that nothing can change afterwards.

A picture's boxes (leaves, results and the constants that a rule has saved) come from a graph. It is read under the
names of PyTorch's graphs (`grad_fn`, `next_functions`, `variable`) and under a few that minigrad's nodes have beside
them, such as `_creation` (see records.py) and `_kept` (see kept.py). torch_graphs/ and own_engines/ show the graphs of
others so, as far as these have it. Ids are n0, n1 ... and e0, e1 ... in the order in which the learner's code made
things: equal graphs give equal ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import FrameType, MappingProxyType
from typing import Any

from minigrad.viz.graph import naming, values
from minigrad.viz.graph.boxes import Box, Edge, Snapshot
from minigrad.viz.graph.calls import Place, way_of
from minigrad.viz.graph.constants import constants_of, lost
from minigrad.viz.graph.expressions import NodeNames
from minigrad.viz.graph.kept import all_kept, read_saved, source_of_backward
from minigrad.viz.graph.learner_code import first_assignment, only_assignment, sources_of
from minigrad.viz.graph.naming import Variables
from minigrad.viz.graph.nodes import by_rule, consumers, creation, is_leaf, nodes_behind, stages, version_of
from minigrad.viz.graph.records import NO_PLACE, Record, Span, span_of
from minigrad.viz.graph.values import Value
from minigrad.viz.torch_graphs import mirror_of
from minigrad.viz.torch_graphs.modules import calls_of


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
        names: name -> tensor or module, ahead of the variables of `frame`.
        frame: where to look up the learner's variables.
        beside: another result whose graph is to be in the same picture.
        called: node -> what another picture calls it.

    Raises TypeError if `root` is no tensor, ValueError if it has no graph or one of more than `LIMIT` boxes.
    """
    naming.check_tensor(root, "expected a Tensor")
    root = mirror_of(root)
    variables = Variables({**(names or {}), **getattr(root, "labels", {})}, frame)
    if root.grad_fn is None:
        kind, word = ("leaf", "leaf") if root.requires_grad else ("constant", "no grad")
        value = values.describe(root.detach().numpy())
        alone = Box(
            *("n0", kind, variables.leaf(root) or "t0", word, "", value, grad_value(root)),
            needs_grad=root.requires_grad,
            version=version_of(root),
        )
        return Snapshot("n0", (alone,), (), nodes=(None,))
    return _Builder(root, variables, frame, beside, called).build()


class _Builder:
    """Puts a snapshot together: nodes, names, values, expressions, in that order."""

    def __init__(
        self, root: Any, variables: Variables, frame: FrameType | None, beside: Any, called: Mapping[Any, str]
    ) -> None:
        self.root = root
        self.start = root.grad_fn
        known = {node: name for node, name in called.items() if node is not self.start}
        self.variables = variables
        self.frame = frame
        self.nodes = nodes_behind(self.start) if beside is None else nodes_behind(self.start, beside.grad_fn)
        self.stages = stages(self.nodes)
        # What a backward made stands in no line of the learner's; it belongs to the line of the node whose rule it is.
        self.spans: dict[Any, Span | None] = {
            node: None if by_rule(node) else naming.whole_write(span_of(creation(node))) for node in self.nodes
        }
        self.consumers = consumers(self.nodes)
        self.ways = self._ways()
        variables.look_deeper(node.variable for node in self.nodes if is_leaf(node))
        self.modules = {id(module): name for name, module in variables.modules.items()}
        parameters = self._parameter_names()
        self.called = NodeNames(self.nodes, self.spans, self.consumers, self.ways, variables, known, parameters)
        self.names = self.called.names

    def _parameter_names(self) -> dict[Any, str]:
        """Leaf -> its path, for parameters of the outermost modules in whose calls nodes were made. A module that no
        variable holds is called by its class: Linear, Linear 2.
        """
        calls = [[place[0] for place in way if place[1] == NO_PLACE] for way in self.ways.values()]
        modules = {id(around[0]): around[0] for around in calls if around}
        taken = Counter[str]()
        found: dict[Any, str] = {}
        for key, module in modules.items():
            kind = type(module).__name__
            if key not in self.modules:
                taken[kind] += 1
                self.modules[key] = f"{kind} {taken[kind]}" if taken[kind] > 1 else kind
            found |= {parameter: f"{self.modules[key]}.{path}" for path, parameter in module.named_parameters()} | found
        return {mirror_of(parameter): name for parameter, name in found.items()}

    def build(self) -> Snapshot:
        for node in self.nodes:
            if hasattr(node, "is_own"):  # for the messages about the engine
                node.tensor.text = self.names[node]
            if self.spans[node] is None and hasattr(node, "saved_result") and not is_leaf(node):  # its name tells some
                name = None if node in self.called.numbered else self.names[node]
                self.spans[node] = self.called.spans[node] = only_assignment(name, self.frame)
        self.files = dict.fromkeys(span.file for span in self.spans.values() if span is not None)
        taken = set(self.names.values())
        constants, found = constants_of(self.nodes, self.variables, self.frame, self.called.spans, taken)
        boxes: list[Box] = []
        nodes: list[Any] = []
        ids: dict[Any, str] = {}  # node, or the memory of a constant -> id
        for node in self.nodes:
            for key in constants.get(node, {}).values():
                if key not in ids:
                    ids[key] = f"n{len(boxes)}"
                    boxes.append(replace(found[key], id=ids[key]))
                    nodes.append(None)
            ids[node] = f"n{len(boxes)}"
            boxes.append(self._box(node, ids[node]))
            nodes.append(node)
        edges: list[Edge] = []
        for node in self.nodes:
            for slot, (child, output) in enumerate(node.next_functions):
                key = child if child is not None else constants.get(node, {}).get(slot)
                if key is not None:
                    edges.append(Edge(f"e{len(edges)}", ids[key], ids[node], slot, output, child is not None))
        boxes = self._completed_boxes(boxes, edges, nodes)
        tensors = [*self.variables.results(), *(node.tensor for node in self.nodes if hasattr(node, "is_own"))]
        results = tuple(dict.fromkeys(tensor for tensor in tensors if tensor.grad_fn in ids))
        sources = sources_of(box.span for box in boxes)
        return Snapshot(
            *(ids[self.start], tuple(boxes), tuple(edges), sources, tuple(nodes)),
            ways={ids[node]: way for node, way in self.ways.items() if way},
            modules=self.modules,
            plain={name: ids[node] for node, name in self.called.plain.items()},
            results=results,
            reached=self._reached(),
        )

    def _reached(self) -> dict[str, Any]:
        """Name -> leaf, of all that a custom Function in the graph could reach by a backward of its own."""
        customs = [node for node in self.nodes if getattr(node, "_is_custom", False)]
        if not customs:
            return {}
        found = {self.names[node]: node.variable for node in self.nodes if is_leaf(node)} | self.variables.leaves()
        for node in customs:
            for module in filter(naming.has_parameters, vars(getattr(node, "raw", node)).values()):
                leaves = [(path, mirror_of(parameter)) for path, parameter in module.named_parameters()]
                found |= {self.variables.leaf(leaf) or path: leaf for path, leaf in leaves} | found
        return {name: leaf for name, leaf in found.items() if leaf.requires_grad}

    def _ways(self) -> dict[Any, tuple[Place, ...]]:
        """Node -> the calls in which it was made, the outermost first; of PyTorch's nodes that `watch()` did not note,
        those of modules.
        """
        records = {node: made for node in self.nodes if isinstance(made := creation(node), Record)}
        ways: dict[Any, Any] = {}  # the very same for all nodes that one call of PyTorch's has made
        noted = {node: ways.setdefault(getattr(made, "call", node), way_of(made)) for node, made in records.items()}
        return calls_of(self.nodes, self.variables.modules.values()) | noted

    def _completed_boxes(self, boxes: list[Box], edges: list[Edge], nodes: list[Any]) -> list[Box]:
        """The boxes with what only the whole graph can tell: what saved values are called that are not there to be
        asked, which versions were saved of each, and who made it.
        """
        saved_versions: dict[str, int] = {}
        versions: dict[str, int | None] = {}  # of the tensors that only the node which saved them holds
        found = {box.id: box for box in boxes}
        behind = dict(zip(found, nodes, strict=True))
        for edge in edges:
            target = found[edge.target]
            parameter = target.inputs[edge.slot] if edge.slot < len(target.inputs) else ""
            for saved in target.saved:
                if saved.parameter == parameter and saved.saved_version is not None:
                    known = saved_versions.get(edge.source, saved.saved_version)
                    saved_versions[edge.source] = min(known, saved.saved_version)
                    versions[edge.source] = saved.version
                if saved.parameter == parameter and saved.state != "kept":
                    held = self.variables.result(behind[edge.source], edge.output)
                    name = held[0] if held is not None else found[edge.source].name
                    named = tuple(replace(one, name=name) if one is saved else one for one in target.saved)
                    found[edge.target] = target = replace(target, saved=named)
        records = {key: creation(node) for key, node in behind.items()}
        makers = {record: key for key, record in records.items() if record is not None}
        return [
            replace(
                box,
                version=versions.get(key) if box.version is None else box.version,
                saved_version=saved_versions.get(key),
                made_by=makers.get(getattr(records[key], "parent", None), ""),
            )
            for key, box in found.items()
        ]

    def _box(self, node: Any, key: str) -> Box:
        name, span = self.names[node], self.spans[node]
        if is_leaf(node):
            leaf = node.variable
            value = values.describe(leaf.detach().numpy())
            # A name of a function's own may be given something else in another one.
            span = None if node in self.called.by_text else first_assignment(name, self.files, self.frame)
            about = key, "leaf", name, "leaf", node.name(), value, grad_value(leaf), span
            return Box(*about, version=version_of(leaf))
        _, tensor = self.variables.result(node) or ("", getattr(node, "tensor", None))
        outputs = self._outputs(node)
        return Box(
            key,
            "result",
            name,
            self.called.expression(node),
            node.name(),
            values.value_of_outputs(outputs) if outputs else self._value(node),
            grad_value(tensor) if getattr(tensor, "retains_grad", False) else values.NONE,
            span_of(getattr(creation(node), "parent", None)) if by_rule(node) else span,
            tuple(all_kept(node, self.called.of_saved)),
            tuple(getattr(node, "inputs", ())),
            outputs,
            version=None if tensor is None else version_of(tensor),
            stage=self.stages[node],
            backward=source_of_backward(node),
        )

    def _outputs(self, node: Any) -> tuple[Value, ...]:
        """The values of a node with several results."""
        copies = getattr(creation(node), "outputs", ())
        described = []
        for copy in copies if len(copies) > 1 else ():
            array, gone = copy.value(), replace(values.NOT_KEPT, shape=copy.shape, dtype=str(copy.dtype))
            described.append(gone if array is None else values.describe(array))
        return tuple(described)

    def _value(self, node: Any) -> Value:
        array, record = self._array(node), creation(node)
        if array is not None:
            return values.describe(array)
        return values.NOT_KEPT if record is None else lost(record.outputs[0])

    def _array(self, node: Any) -> Any:
        """The numbers of a node's result, from the first that still holds them."""
        held: Any = next((one for one in self._holders(node) if one is not None), None)
        return held.detach().numpy() if naming.is_tensor(held) else held

    def _holders(self, node: Any) -> Iterator[Any]:
        """What may hold the result of a node: a variable, what was noted of it, the nodes that have saved it."""
        if node is self.start:
            yield self.root
        yield (self.variables.result(node) or ("", None))[1]
        record = creation(node)
        yield record.outputs[0].value() if record is not None else None
        yield read_saved(node, "result")
        if hasattr(node, "saved_result"):
            yield node.saved_result(self.consumers[node])
            return
        for consumer in self.consumers[node]:  # what it saved of its inputs
            for (child, output), name in zip(consumer.next_functions, getattr(consumer, "inputs", ()), strict=False):
                if child is node and output == 0:
                    kept = read_saved(consumer, name)
                    yield kept if naming.is_tensor(kept) else None


def grad_value(tensor: Any) -> Value:
    """What `.grad` of a leaf holds now: a description, or None; never a zero that is not there."""
    gradient = tensor.grad
    return values.NONE if gradient is None else values.describe(gradient.detach().numpy())
