"""An engine that nobody has foreseen, after HIPS/autograd: what graph/source.py asks is all that the pictures need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph.nodes import reachable
from minigrad.viz.graph.source import Pass, Source, attribute


class Node:
    def __init__(self, value: Any, name: str = "", parents: tuple[Node, ...] = (), vjp: Any = None) -> None:
        self.value, self.name, self.parents, self.vjp = np.asarray(value, float), name, parents, vjp
        self.depth = 1 + max((parent.depth for parent in parents), default=0)


class Box:
    def __init__(self, node: Any) -> None:
        self._node = node if isinstance(node, Node) else Node(node)

    def __mul__(self, other: Box) -> Box:
        x, y = self._node, other._node
        return Box(Node(x.value * y.value, "mul", (x, y), lambda g: (g * y.value, g * x.value)))


class HipsSource(Source):
    number, name = attribute("depth"), attribute("name")

    def __init__(self, root: Box) -> None:
        super().__init__(root._node)
        self.grads: dict[Node, Any] = {}
        self.grad, self.put_grad = self.grads.get, self.grads.__setitem__  # type: ignore[method-assign]

    def edges(self, node: Node) -> Any:
        return [(parent, 0) for parent in node.parents]

    def leaf(self, node: Node) -> Any:
        return None if node.parents else node

    def node(self, tensor: Node) -> Any:
        return tensor if tensor.parents else None

    def array(self, tensor: Any) -> Any:
        return tensor.value if isinstance(tensor, Node) else np.asarray(tensor)

    def tensor(self, value: Any) -> Any:
        return value._node if isinstance(value, Box) else None

    def is_plain(self, node: Node) -> bool:
        return True

    def steps(self, *_: Any) -> Any:
        return HipsPass(self)


class HipsPass(Pass):
    def __init__(self, source: HipsSource) -> None:
        self.source, self.outgrads = source, {source.root: np.ones_like(source.root.value)}
        self.todo = sorted(reachable(source.edges, [source.root]), key=source.number)

    def __next__(self) -> Any:
        if not self.todo:
            raise StopIteration
        node = self.todo.pop()
        g = self.outgrads[node]
        sent = node.vjp(g) if node.vjp else ()
        for parent, gradient in zip(node.parents, sent, strict=True):
            self.outgrads[parent] = self.outgrads.get(parent, 0.0) + gradient
        if not node.parents:
            self.source.grads[node] = (self.source.grads.get(node, 0.0) or 0.0) + g
        return node, (g,), sent

    def plan(self, graph: Any) -> list[str]:
        self.boxes = {node: key for key, node in graph.node_of.items()}
        return self.order()

    def order(self) -> list[str]:
        return [self.boxes[node] for node in reversed(self.todo)]


def test_it_is_drawn_and_stepped() -> None:
    a, b = Box(2.0), Box(3.0)
    c = a * b
    loss = c * a
    drawing = viz.draw(loss, engine=HipsSource)
    rows = [(box.name, box.expression, box.value.text) for box in drawing.graph.boxes]
    assert rows == [("a", "leaf", "2"), ("b", "leaf", "3"), ("c", "a * b", "6"), ("loss", "c * a", "12")]
    stepper = viz.BackwardStepper(loss, engine=HipsSource)
    assert '"minigrad-' in stepper.output_html()
    assert stepper.session.graph.source.grads == {}  # what could not be put back was not run ahead of time
    frames = [stepper.next() for _ in range(4)]
    assert [(frame.name, frame.incoming) for frame in frames] == [("loss", "1"), ("c", "2"), ("b", "4"), ("a", "12")]
    assert [one.value.text for one in frames[1].contributions] == ["6", "4"]
    grads = stepper.session.graph.source.grads
    assert (grads[a._node], grads[b._node]) == (12.0, 4.0)
    stepper.first()
    assert grads[a._node] is None
    stepper.last()
    assert grads[a._node] == 12.0
    x, y = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)
    assert viz.compare(loss, x * y * x, engine=HipsSource).summary == "No difference in 2 nodes."


def test_what_is_neither_an_engine_nor_a_source_is_refused() -> None:
    with pytest.raises(TypeError, match=r"engine= must be an object of a class derived from viz\.Engine, not 'Hips'"):
        viz.draw(Box(1.0), engine="Hips")  # type: ignore[arg-type]
