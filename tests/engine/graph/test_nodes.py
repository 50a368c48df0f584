"""What a node tells: name, next_functions, metadata, sequence number; and a node called by hand."""

from __future__ import annotations

from typing import Any

from engine.backward.graphs import graph_of
from engine.hooks.loggers import kind, logger, matrix, sink, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("nodes are named after the op, in the order of backward")
def _(F):
    x = leaf(F)
    names, node = [], ((x * x).exp() - 1).sum().grad_fn
    while node is not None and node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names, kind(node), node.name().endswith("AccumulateGrad")


@behaviours("a node is a Node, and its class bears its name")
def _(F):
    x = leaf(F)
    y = x.exp()
    first, _ = swap(F).apply(x, x)
    nodes = (y.grad_fn, first.grad_fn)
    return [isinstance(node, F.autograd.graph.Node) for node in nodes], [kind(node) for node in nodes]


@behaviours("next_functions is a tuple of (node, which output), with None for what needs no gradient")
def _(F):
    x, y = leaf(F), leaf(F)
    first, second = swap(F).apply(x, y)
    z = second * F.ones(2)
    edges = z.grad_fn.next_functions
    return type(edges).__name__, edges, first.grad_fn.next_functions[0][1], kind(first.grad_fn.next_functions[1][0])


@behaviours("a node's metadata is a dict that stays with the node")
def _(F):
    y = leaf(F).exp()
    empty = dict(y.grad_fn.metadata)
    y.grad_fn.metadata["note"] = [1, 2]
    z = y.sum()
    return empty, y.grad_fn.metadata, z.grad_fn.next_functions[0][0].metadata["note"]


@behaviours("nodes have dicts of their own: another node's metadata stays empty")
def _(F):
    x = leaf(F)
    y, z = x.exp(), x.exp()
    y.grad_fn.metadata["note"] = 1
    end = sink(x)
    end.metadata["end"] = 2
    return z.grad_fn.metadata, end.metadata


@behaviours("a custom Function's node has metadata too")
def _(F):
    x = leaf(F)
    first, second = swap(F).apply(x, x)
    first.grad_fn.metadata["who"] = "swap"
    return second.grad_fn.metadata


@behaviours("a later node has a larger sequence number, and a leaf's end the largest")
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.exp()
    numbers = [node._sequence_nr() for node in (y.grad_fn, z.grad_fn, sink(x))]
    return numbers == sorted(numbers)


@behaviours("a node called by hand gives the gradients of its inputs and touches no .grad")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    return z.grad_fn(F.tensor([1.0, 10.0])), x.grad, y.grad, x.exp().grad_fn(F.ones(2))


@behaviours("a node called by hand frees nothing")
def _(F):
    x = leaf(F)
    y = x.exp()
    with F.no_grad():
        results = [y.grad_fn(F.ones(2)) for _ in range(2)]
    y.sum().backward()
    return results, x.grad


@behaviours("a node with several outputs called by hand takes None where no gradient has come")
def _(F):
    part = matrix(F).unbind()[1]
    with F.no_grad():
        return part.grad_fn(F.ones(2), None)


@behaviours("a node called by hand wants one gradient per output", error=TypeError, says="expected 1 argument")
def _(F):
    return leaf(F).exp().grad_fn()


@behaviours(
    "the node of a custom Function cannot be called by hand",
    error=TypeError,
    says="'SwapBackward' object is not callable",
)
def _(F):
    x = leaf(F)
    return swap(F).apply(x, x)[0].grad_fn(F.ones(2), F.ones(2))


@behaviours("a leaf's end called by hand adds to .grad")
def _(F):
    x = leaf(F)
    end = sink(x)
    with F.no_grad():
        results = [end(F.ones(2)), end(F.ones(2))]
    return x.grad, results


@behaviours("a node called by hand runs no hooks")
def _(F):
    x, log = leaf(F), []
    y = x.exp()
    y.register_hook(logger(log, "tensor"))
    y.grad_fn.register_prehook(logger(log, "prehook"))
    y.grad_fn.register_hook(lambda inputs, outputs: (log.append("posthook"), (inputs[0] * 0,))[1])
    with F.no_grad():
        result = y.grad_fn(F.ones(2))
    return log, result


@behaviours("B19: next_functions of a small graph")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    middle = x * w
    return graph_of((middle.exp() + middle * 2 + F.ones(2)).sum())


@behaviours("B19: next_functions say which output of a node was used")
def _(F: Any) -> Any:
    first, second = (leaf(F, 1.0, 2.0) * 1).unbind()
    return graph_of(second - first)


@behaviours("B19: a leaf has one AccumulateGrad, and a result's grad_fn is always the same object")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y, z = x * 2, x * 3
    return (
        y.grad_fn is y.grad_fn,
        y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0],
        y.grad_fn is z.grad_fn,
        y.grad_fn.next_functions[0][0].next_functions,
    )


@behaviours("E07: a node called by hand with a number", error=TypeError, says="argument 0 is not a Variable")
def _(F):
    (leaf(F) * leaf(F)).grad_fn(1.0)


@behaviours("E07: a node called by hand with no gradient gives none")
def _(F):
    x = leaf(F)
    several = x.unbind()[0].grad_fn
    nodes = [(x * x).grad_fn, x.exp().grad_fn, x.sum().grad_fn, (x * 1).grad_fn.next_functions[0][0]]
    with F.no_grad():
        unrecorded = [node(None) for node in nodes]
    return unrecorded, [node(None) for node in nodes], several(*[None] * len(x)), x.grad


OPERATIONS: dict[str, Any] = {
    "+": lambda F, a, b: a + b,
    "-": lambda F, a, b: a - b,
    "*": lambda F, a, b: a * b,
    "/": lambda F, a, b: a / b,
    "**": lambda F, a, b: a**b,
    "%": lambda F, a, b: a % b,
    "add(alpha)": lambda F, a, b: F.add(a, b, alpha=2),
    "maximum": lambda F, a, b: F.maximum(a, b),
    "where": lambda F, a, b: F.where(F.tensor([True, False, True]), a, b),
    "mul_": lambda F, a, b: (b * 1).mul_(a),
}
for _name, _operation in OPERATIONS.items():

    @behaviours(f"a node called by hand gives what its rule gives, not summed to what was broadcast: {_name}")
    def _(F, operation=_operation):
        row, table = F.tensor([[1.0], [2.0]], requires_grad=True), F.full((2, 3), 2.0, requires_grad=True)
        double = F.ones(3, dtype=F.float64, requires_grad=True)
        found = []
        for first, second in ((row, table), (F.tensor(3.0, requires_grad=True), table), (double, table)):
            y = operation(F, first, second)
            g = F.arange(6.0, dtype=y.dtype).reshape(2, 3)
            with F.no_grad():
                found.append(y.grad_fn(g))
            found.append([gradient.shape for gradient in y.grad_fn(g.clone().requires_grad_())])
        return found


@behaviours("a node's hooks see the gradient of what was broadcast summed up")
def _(F):
    row, table, seen = F.ones(2, 1, requires_grad=True), F.ones(2, 3, requires_grad=True), []
    y = row * table
    y.grad_fn.register_hook(lambda inputs, outputs: seen.extend([inputs, outputs]))
    y.sum().backward()
    return seen, row.grad


test_as_in_torch = behaviours.test()
