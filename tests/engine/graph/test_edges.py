"""Gradient edges: the node and the output where a tensor's gradient arrives; edges in place of tensors (B01 to B10)."""

from __future__ import annotations

from typing import Any

import pytest
from engine.hooks.loggers import kind, logger, sink, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


@behaviours("B09: the edge of a result: its node and which output of it")
def _(F):
    x, y = leaf(F), leaf(F)
    _, second = swap(F).apply(x, y)
    product = x * y
    edge, other = F.autograd.graph.get_gradient_edge(second), F.autograd.graph.get_gradient_edge(product)
    return [edge.node is second.grad_fn, edge.output_nr, other.node is product.grad_fn, other.output_nr, other[1]]


@behaviours("B09: the edge of a leaf: the node where its gradient ends")
def _(F):
    x = leaf(F)
    edge = F.autograd.graph.get_gradient_edge(x)
    return kind(edge.node), edge.output_nr, edge.node.variable is x, sink(x) is edge.node


@behaviours("B09: the type of an edge is a named tuple")
def _(F):
    edge = F.autograd.graph.get_gradient_edge(leaf(F))
    return (
        type(edge).__name__,
        isinstance(edge, tuple),
        isinstance(edge, F.autograd.graph.GradientEdge),
        edge._fields[:2],
    )


@behaviours(
    "B09: a tensor without grad has no edge",
    error=RuntimeError,
    says="It is not possible to get the gradient edge for a Tensor that does not require gradients",
)
def _(F):
    F.autograd.graph.get_gradient_edge(F.ones(2))


@behaviours("B09: an edge's node takes hooks as any node does")
def _(F):
    x, log = leaf(F), []
    edge = F.autograd.graph.get_gradient_edge(x)
    edge.node.register_prehook(logger(log, "prehook"))
    x.sum().backward()
    return log


@behaviours("B09: an edge stands for its tensor among the inputs of grad()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    edges = [F.autograd.graph.get_gradient_edge(tensor) for tensor in (middle, x)]
    y = (middle * middle).sum()
    del middle
    return F.autograd.grad(y, edges, retain_graph=True), F.autograd.grad(y, [edges[0], x])


@behaviours("B09: a bare edge is an input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad((x * x).sum(), F.autograd.graph.get_gradient_edge(x))


@behaviours("B09: an edge as output, with and without gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    edge = F.autograd.graph.get_gradient_edge
    return F.autograd.grad(edge((x * x).sum()), x), F.autograd.grad(edge(x * x), x, F.tensor([1.0, 10.0]))


@behaviours("B09: edges and tensors as roots of backward()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward(F.autograd.graph.get_gradient_edge((x * x).sum()))
    F.autograd.backward([F.autograd.graph.get_gradient_edge(x * 10), x.sum()], [F.ones(2), None])
    return x.grad


@behaviours("B10: an edge among the inputs of backward() adds to its leaf's .grad")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward(inputs=F.autograd.graph.get_gradient_edge(x))
    return x.grad, w.grad


@behaviours(
    "B01: an edge to several elements needs a gradient",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(F.autograd.graph.get_gradient_edge(x * 2), x)


@behaviours(
    "B05: the gradient of an edge is checked",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
    "torch.Size([2]).",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(F.autograd.graph.get_gradient_edge(x * 2), x, F.ones(3))


@behaviours(
    "B06: an unused edge has no zeros to give",
    error=RuntimeError,
    says="materialize_grads cannot be used when the given input is a GradientEdge",
)
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    F.autograd.grad(x.sum(), F.autograd.graph.get_gradient_edge(unused), materialize_grads=True)


@behaviours("B09: an edge that is made by hand is an input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x * x
    return F.autograd.grad((y * y).sum(), F.autograd.graph.GradientEdge(y.grad_fn, 0))


@behaviours(
    "B10: nothing is kept for an edge to a result", warns=("UserWarning: The .grad attribute of a Tensor that is",)
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x * x
    y.sum().backward(inputs=[F.autograd.graph.get_gradient_edge(y)])
    return y.grad, x.grad


@behaviours("B06: an unused edge is None where that is allowed")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    return F.autograd.grad(x.sum(), F.autograd.graph.get_gradient_edge(unused), allow_unused=True)


@behaviours("B09: a batch of gradients for an edge")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad(F.autograd.graph.get_gradient_edge(x * x), x, F.eye(2), is_grads_batched=True)


for _stranger in (3, None, "x", [1]):

    @behaviours(
        f"B09: {_stranger!r} has no edge",
        error=AttributeError,
        says=f"'{type(_stranger).__name__}' object has no attribute 'requires_grad'",
    )
    def _(F: Any, stranger: Any = _stranger) -> Any:
        F.autograd.graph.get_gradient_edge(stranger)


def test_a_root_that_is_an_edge_made_by_hand_is_refused_in_words() -> None:
    """PyTorch asks the node for the shape of its output; these nodes do not know it."""
    x = minigrad.ones(2, requires_grad=True)
    edge = minigrad.autograd.graph.GradientEdge((x * x).grad_fn, 0)
    with pytest.raises(RuntimeError, match=r"^This edge was made by hand, and knows no shape"):
        minigrad.autograd.grad(edge, x, minigrad.ones(2))


test_as_in_torch = behaviours.test()
