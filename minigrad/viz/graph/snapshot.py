"""The graph as it stands, copied into immutable boxes that nothing can change afterwards.

A picture's boxes (leaves, results and the constants that a rule has saved) come from a graph, of which only its
`Source` is asked. Ids are n0, n1 ... and e0, e1 ... in the order in which the learner's code made things: equal graphs
give equal ids.
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
from minigrad.viz.graph.constants import constants_of, shape_only
from minigrad.viz.graph.expressions import NodeNames
from minigrad.viz.graph.learner_code import first_assignment, listings_of, only_assignment
from minigrad.viz.graph.naming import Variables
from minigrad.viz.graph.nodes import backwards, consumers, nodes_behind
from minigrad.viz.graph.observer import NO_PLACE, NOT_NOTED, Making, Span, span_of
from minigrad.viz.graph.source import Node, Source, Tensor
from minigrad.viz.graph.values import Value


def snapshot(
    source: Source,
    names: Mapping[str, Any] | None = None,
    frame: FrameType | None = None,
    beside: Tensor | None = None,
    called: Mapping[Node, str] = MappingProxyType({}),
) -> Snapshot:
    """Copy the graph behind the root of a source.

    Args:
        source: what is asked of the graph.
        names: name -> tensor or module, ahead of the variables of `frame`.
        frame: where to look up the learner's variables.
        beside: another result whose graph is to be in the same picture.
        called: node -> what another picture calls it.

    Raises ValueError for a graph of more than `MOST_NODES`, TypeError for `names` of what is no tensor and no module.
    """
    variables, root = Variables(source, names, frame), source.root
    if source.node(root) is None:
        needs_grad = source.needs_grad(root)
        kind, word = ("leaf", "leaf") if needs_grad else ("constant", "no grad")
        value = values.describe(source.array(root))
        about = "n0", kind, variables.leaf(root) or "t0", word, "", value, grad_value(source, root)
        alone = Box(*about, needs_grad=needs_grad, version=source.version(root))
        return Snapshot("n0", (alone,), (), source=source, nodes=(None,))
    return _Builder(source, variables, frame, beside, called).build()


class _Builder:
    """Puts a snapshot together: nodes, names, values, expressions, in that order."""

    def __init__(
        self,
        source: Source,
        variables: Variables,
        frame: FrameType | None,
        beside: Tensor | None,
        called: Mapping[Node, str],
    ) -> None:
        self.source = source
        self.root_node = source.node(source.root)
        known = {node: name for node, name in called.items() if node is not self.root_node}
        self.variables = variables
        self.frame = frame
        roots = [self.root_node] if beside is None else [self.root_node, source.node(beside)]
        self.nodes = nodes_behind(source, *roots)
        self.made = {node: source.making(node) for node in self.nodes}
        # What a backward made stands in no line of the learner's; it belongs to the line of the node whose rule it is.
        self.spans: dict[Any, Span | None] = {
            node: None if made.by_rule else naming.whole_write(span_of(made)) for node, made in self.made.items()
        }
        self.consumers = consumers(source, self.nodes)
        self.leaves = {node: leaf for node in self.nodes if (leaf := source.leaf(node)) is not None}
        self.ways = self._ways()
        variables.look_deeper(self.leaves.values())
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
        return {self.source.tensor(parameter): name for parameter, name in found.items()}

    def build(self) -> Snapshot:
        source = self.source
        source.call(self.names)
        for node in self.nodes if not source.notes_lines else ():
            if self.spans[node] is None and node not in self.leaves:  # its name tells some
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
            for slot, (child, output) in enumerate(source.edges(node)):
                key = child if child is not None else constants.get(node, {}).get(slot)
                if key is not None:
                    edges.append(Edge(f"e{len(edges)}", ids[key], ids[node], slot, output, child is not None))
        boxes = self._completed_boxes(boxes, edges, nodes)
        tensors = [*self.variables.results(), *(source.result(node) for node in self.nodes)]
        results = tuple(dict.fromkeys(one for one in tensors if one is not None and source.node(one) in ids))
        listings = listings_of(box.span for box in boxes)
        return Snapshot(
            *(ids[self.root_node], tuple(boxes), tuple(edges), listings, source, tuple(nodes)),
            ways={ids[node]: way for node, way in self.ways.items() if way},
            backwards={ids[node]: number for node, number in backwards(source, self.nodes).items()},
            modules=self.modules,
            plain={name: ids[node] for name, node in self.called.plain.items()},
            results=results,
            reached=self._reachable_leaves(),
        )

    def _reachable_leaves(self) -> dict[str, Any]:
        """Name -> leaf, of all that a custom Function in the graph could reach by a backward of its own."""
        source, customs = self.source, [node for node in self.nodes if self.source.is_custom(node)]
        if not customs:
            return {}
        found = {self.names[node]: leaf for node, leaf in self.leaves.items()} | self.variables.leaves()
        for node in customs:
            for module in filter(naming.has_parameters, source.noted_by_learner(node)):
                leaves = [(path, source.tensor(parameter)) for path, parameter in module.named_parameters()]
                found |= {self.variables.leaf(leaf) or path: leaf for path, leaf in leaves} | found
        return {name: leaf for name, leaf in found.items() if source.needs_grad(leaf)}

    def _ways(self) -> dict[Any, tuple[Place, ...]]:
        """Node -> the calls in which it was made, the outermost first; where they were not noted, those of modules."""
        makings = {node: made for node, made in self.made.items() if made.way is not Making.way}
        ways: dict[Any, Any] = {}  # the very same for all nodes that one call has made
        noted = {node: ways.setdefault(made.call or node, way_of(made)) for node, made in makings.items()}
        return {**self.source.module_calls(self.nodes, self.variables.modules.values()), **noted}

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
                    name = found[edge.source].name_of_result(edge.output)
                    named = tuple(replace(one, name=name) if one is saved else one for one in target.saved)
                    found[edge.target] = target = replace(target, saved=named)
        makings = {key: self.made.get(node, NOT_NOTED) for key, node in behind.items()}
        makers = {making: key for key, making in makings.items() if making is not NOT_NOTED}
        return [
            replace(
                box,
                version=versions.get(key) if box.version is None else box.version,
                saved_version=saved_versions.get(key),
                made_by=makers.get(parent, "") if (parent := makings[key].parent) is not None else "",
            )
            for key, box in found.items()
        ]

    def _box(self, node: Any, key: str) -> Box:
        source, made, name, span = self.source, self.made[node], self.names[node], self.spans[node]
        leaf, op = self.leaves.get(node), source.name(node)
        if leaf is not None:
            value = values.describe(source.array(leaf))
            # A name of a function's own may be given something else in another one.
            span = None if node in self.called.by_text else first_assignment(name, self.files, self.frame)
            about = key, "leaf", name, "leaf", op, value, grad_value(source, leaf), span
            return Box(*about, version=source.version(leaf))
        _, tensor = self.variables.result(node) or ("", source.result(node))
        outputs = self._outputs(node)
        return Box(
            key,
            "result",
            name,
            self.called.expression(node),
            op,
            values.value_of_outputs(outputs) if outputs else self._value(node),
            grad_value(source, tensor) if tensor is not None and source.keeps_grad(tensor) else values.NONE,
            span_of(made.parent) if made.by_rule else span,
            tuple(source.saved_values(node, self.called.name_of_saved)),
            source.inputs(node),
            outputs,
            version=None if tensor is None else source.version(tensor),
            graph=self.made[node].graph,
            backward=source.backward_source(node),
            output_names=tuple(self.called.name_of_result(node, number) for number in range(len(outputs))),
        )

    def _outputs(self, node: Any) -> tuple[Value, ...]:
        """The values of a node with several results."""
        copies = self.made[node].outputs
        described = []
        for copy in copies if len(copies) > 1 else ():
            array, gone = copy.value(), replace(values.NOT_KEPT, shape=copy.shape, dtype=str(copy.dtype))
            described.append(gone if array is None else values.describe(array))
        return tuple(described)

    def _value(self, node: Any) -> Value:
        array, outputs = self._array(node), self.made[node].outputs
        if array is not None:
            return values.describe(array)
        return shape_only(outputs[0]) if outputs else values.NOT_KEPT

    def _array(self, node: Any) -> Any:
        """The numbers of a node's result, from the first that still holds them."""
        held: Any = next((one for one in self._holders(node) if one is not None), None)
        return None if held is None else self.source.array(held)

    def _holders(self, node: Any) -> Iterator[Any]:
        """What may hold the result of a node: a variable, what was noted of it, the nodes that have saved it."""
        if node is self.root_node:
            yield self.source.root
        yield (self.variables.result(node) or ("", None))[1]
        yield next((copy.value() for copy in self.made[node].outputs), None)
        yield self.source.known_result(node, self.consumers[node])


def grad_value(source: Source, tensor: Tensor) -> Value:
    """What `.grad` of a leaf holds now: a description, or None; never a zero that is not there."""
    gradient = source.grad(tensor)
    return values.NONE if gradient is None else values.describe(source.array(gradient))
