"""What the pictures have to know of an engine that somebody else has written: ten short questions.

Whoever has answered them has said what an automatic differentiation engine is: a graph (`inputs`, `value`, `op`), a
place for gradients (`gradient`, `set_gradient`), and a backward (`start`, `order`, `run`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from minigrad.viz.graph.nodes import MOST_NODES
from minigrad.viz.graph.values import short


class Engine:
    """How the pictures read and run an engine of your own. Derive from it, and answer for your engine.

    A *node* is whatever your graph is made of: anything that has a value and a gradient, and inputs if an operation
    made it. What stands here are the answers for micrograd, so an engine with its names needs no more than
    `viz.Engine()`. One with others, for tensors whose nodes are apart from them:

        class Mine(viz.Engine):
            def inputs(self, tensor):
                return tensor.node.inputs if tensor.node else []

            def value(self, tensor):
                return tensor.array

            def op(self, tensor):
                return tensor.node.name

            def start(self, root):
                self.gradients = {root: np.ones_like(root.array)}

            def gradient(self, tensor):
                return self.gradients.get(tensor)

            def set_gradient(self, tensor, gradient):
                self.gradients[tensor] = gradient

            def order(self, root):
                return my_topological_sort(root)

            def run(self, tensor):
                given = tensor.node.backward(self.gradients[tensor])
                for one, gradient in zip(tensor.node.inputs, given):
                    self.gradients[one] = self.gradients.get(one, 0) + gradient

            def rule(self, tensor):
                return tensor.node.backward

            gradients = {}

        viz.BackwardStepper(loss, engine=Mine())

    What a method raises, and an answer that cannot be, is said with the name of the method; an error in `run` is the
    picture's last step. What a node sends to an input is what `run` changes that input's gradient by.
    """

    def inputs(self, node: Any) -> Iterable[Any]:
        """The nodes that it was computed from, in the order of the operation; none for a leaf."""
        return node._prev

    def value(self, node: Any) -> Any:
        """Its number or array."""
        return node.data

    def op(self, node: Any) -> str:
        """What its operation is called, "mul" or "*"."""
        return node._op

    def gradient(self, node: Any) -> Any:
        """The gradient that it holds now, of the shape of its value; None if it holds none."""
        return node.grad

    def set_gradient(self, node: Any, gradient: Any) -> None:
        """Put back what `gradient` gave earlier: for stepping back."""
        node.grad = gradient

    def start(self, root: Any) -> None:
        """What your backward does before it runs a node: here it gives the root the gradient 1."""
        value = self.value(root)
        root.grad = np.ones_like(value) if hasattr(value, "shape") else 1.0

    def order(self, root: Any) -> Iterable[Any]:
        """The nodes in the order in which your backward runs them, one as often as it does; leaves may be among them,
        and are not run. Let your own code say so, if you want to see what it does: this is micrograd's order.
        """
        return reversed(inputs_first(root, self.inputs))

    def run(self, node: Any) -> None:
        """Run the backward of one node: add what it sends to the gradients of its inputs."""
        node._backward()

    def rule(self, node: Any) -> Callable[..., Any] | str | None:
        """The function that is its rule, or that function's source, for those who ask why; None if it has none."""
        return getattr(node, "_backward", None)

    def name(self, node: Any) -> str | None:
        """What it is called, ahead of the variables that hold it; None or "" to leave it to those."""
        return getattr(node, "label", None)


def inputs_first(root: Any, inputs: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """All that leads to a root, each after its inputs. ValueError for a circle and for more than `MOST_NODES` nodes."""
    found: list[Any] = []
    way: list[tuple[Any, Iterator[Any]]] = [(root, iter(inputs(root)))]
    known, open_ones = {id(root)}, {id(root)}
    while way:
        node, rest = way[-1]
        for one in rest:
            if id(one) in open_ones:
                raise ValueError(f"inputs() gave a circle: {short(one)} is one of those that it was computed from")
            if id(one) not in known:
                known.add(id(one))
                open_ones.add(id(one))
                way.append((one, iter(inputs(one))))
                break
        else:
            way.pop()
            open_ones.discard(id(node))
            found.append(node)
        if len(found) + len(way) > MOST_NODES:
            raise ValueError(
                f"inputs() led to more than {MOST_NODES} nodes: does it make new objects each time it is asked?"
            )
    return found
