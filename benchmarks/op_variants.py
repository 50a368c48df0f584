"""Why an op's call is generated code, why rules run on arrays, why the engine sorts: the alternatives, on W1.

minigrad writes out the call and the backward of each op when they are first used. The alternatives here use the same
tensors, kernels and rules: one generic call for all ops, which looks up at each call what the op is; rules that run on
tensors in every backward; an engine that counts how many gradients each node waits for, with a heap for the order,
where minigrad sorts by sequence number.
"""

from __future__ import annotations

import heapq
import inspect
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np
from per_op import W, X
from rounds import Row, fastest, main

import minigrad as mg
from minigrad.autograd.node import AccumulateGrad, Node, edge_node, next_sequence_nr
from minigrad.op import arrays
from minigrad.tensor import Tensor, from_array

ROWS = [Row("variants of W1", "1,000 operations on 4 float64 numbers, forward and backward", "µs per op")]
OPS = ("mul", "add", "sin", "tanh")


class Generic:
    """An op whose call is the same code as every other's: a loop over whatever arguments and rules it has."""

    def __init__(self, name: str) -> None:
        self.kernel = getattr(arrays, name)
        self.parameters = list(inspect.signature(self.kernel).parameters)
        node = getattr(mg, name)(*[mg.ones(1, requires_grad=True) for _ in self.parameters]).grad_fn
        self.rules = list(type(node).rules.values())
        self.wants = [list(inspect.signature(rule).parameters)[2:] for rule in self.rules]

    def __call__(self, *inputs: Any) -> Tensor:
        inputs = tuple([value if isinstance(value, Tensor) else mg.tensor(value) for value in inputs])
        out = self.kernel(*[tensor._array for tensor in inputs])
        made = from_array(out)
        next_nodes = tuple([edge_node(tensor) for tensor in inputs])
        if mg.is_grad_enabled() and any(next_nodes):
            values = dict(zip(self.parameters, inputs, strict=True))
            values["result"] = from_array(out)
            made._node = node = GenericNode()
            node.op, node._next_nodes, node._sequence = self, next_nodes, next_sequence_nr()
            node._kept = {want: values[want] for wants in self.wants for want in wants}
            node._output_nrs = node._targets = node._hooks = node._metadata = None
        return made


class GenericNode(Node):
    __slots__ = ("op",)
    _keeps_tensors = True

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        outgoing = []
        for next_node, rule, wants in zip(self._next_nodes, self.op.rules, self.op.wants, strict=True):
            values = [self._kept[want]._array for want in wants]
            outgoing.append(None if next_node is None else rule(arrays, *gradients, *values))
        return tuple(outgoing)


def reached(root: Node) -> dict[Node, int]:
    """All nodes from the root down, with the number of gradients that each will get."""
    counts = {root: 0}
    order = [root]
    for node in order:
        for next_node in node._next_nodes:
            if next_node is not None:
                if next_node not in counts:
                    counts[next_node] = 0
                    order.append(next_node)
                counts[next_node] += 1
    return counts


def by_sorting(root: Node) -> Iterable[Node]:
    """The nodes, latest first; the leaves, whose turn never matters, at the end."""
    nodes, seen = [root], {root}
    for node in nodes:
        for next_node in node._next_nodes:
            if next_node is not None and next_node not in seen:
                seen.add(next_node)
                nodes.append(next_node)
    leaves = [node for node in nodes if node.__class__ is AccumulateGrad]
    others = [node for node in nodes if node.__class__ is not AccumulateGrad]
    return sorted(others, key=attrgetter("_sequence"), reverse=True) + leaves


def by_counting(root: Node) -> Iterator[Node]:
    """The nodes as they become ready, the latest of them first."""
    counts = reached(root)
    ready = [(-root._sequence, 0, root)]
    ties = 0  # leaves all have the same number
    while ready:
        _, _, node = heapq.heappop(ready)
        yield node
        for next_node in node._next_nodes:
            if next_node is not None:
                counts[next_node] -= 1
                if not counts[next_node]:
                    ties += 1
                    heapq.heappush(ready, (-next_node._sequence, ties, next_node))


def small_engine(order: Callable[[Node], Iterable[Node]], on_tensors: bool = False) -> Callable[[Tensor], None]:
    """A backward without hooks, broadcasting or freeing, so that little else than the variant is measured."""

    def backward(root: Tensor) -> None:
        waiting: dict[Node, Any] = {root._node: from_array(np.float64(1)) if on_tensors else np.float64(1)}
        with mg.no_grad():
            for node in order(root._node):
                gradient = waiting.pop(node)
                outgoing = node.apply_recorded(gradient) if on_tensors else node.apply(gradient)
                for next_node, passed in zip(node._next_nodes, outgoing, strict=False):
                    if passed is not None:
                        held = waiting.get(next_node)
                        waiting[next_node] = passed if held is None else held + passed

    return backward


def variant(backward: Callable[[Tensor], None], generic: bool = False) -> Callable[[bool], dict[str, float]]:
    def run(quick: bool) -> dict[str, float]:
        mul, add, sin, tanh = [Generic(name) if generic else getattr(mg, name) for name in OPS]
        count = 40 if quick else 1_000

        def chain() -> Any:
            x, w = (mg.tensor(values, dtype=mg.float64, requires_grad=True) for values in (X, W))
            y = x
            for _ in range(count // 4):
                y = tanh(sin(add(mul(y, w), x)))
            backward(y.sum())
            return w.grad.numpy()

        return {ROWS[0].name: fastest(1 if quick else 100, chain) / count * 1e6, "agree": float(chain().sum())}

    return run


CONTENDERS = {
    "as it is": variant(lambda root: root.backward()),
    "generic call and backward": variant(lambda root: root.backward(), generic=True),
    "small engine, sorting": variant(small_engine(by_sorting)),
    "small engine, counts and heap": variant(small_engine(by_counting)),
    "small engine, sorting, rules on tensors": variant(small_engine(by_sorting, on_tensors=True)),
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS, base="as it is")
