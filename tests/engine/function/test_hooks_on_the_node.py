"""The node of a Function is a node as others: hooks, retain_grad, inputs of grad(), edges (C09)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import doubling, function, two_outputs
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C09: the gradient that arrives has the output's shape and dtype, and no graph")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(g)
        return g

    x = F.tensor([[1.0], [2.0]], dtype=F.float64, requires_grad=True)
    y = function(F, lambda ctx, x: x * 2, backward).apply(x)
    (y.expand(2, 3) * F.ones(3)).sum().backward()
    return seen, x.grad


@behaviours("C09: a hook on the output changes what backward gets")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.register_hook(lambda gradient: gradient * 100)
    y.sum().backward()
    return x.grad


@behaviours("C09: an output can retain its gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.retain_grad()
    (y * 5).sum().backward()
    return y.grad, x.grad


@behaviours("C09: backward does not run when the output itself is asked for")
def _(F: Any) -> Any:
    x, ran = leaf(F, 1.0, 2.0), []

    def backward(ctx: Any, g: Any) -> Any:
        ran.append("ran")
        return g * 2

    y = function(F, lambda ctx, x: x * 2, backward).apply(x)
    gradient = F.autograd.grad(y.sum(), y)
    return ran, gradient


@behaviours("C09: when only one input is asked for, the other's gradient is dropped")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    function(F, lambda ctx, a, b: a + b, lambda ctx, g: (g * 5, g * 7)).apply(a, b).sum().backward(inputs=[b])
    return a.grad, b.grad


@behaviours("C09: an edge to a Function's output, as input and as root")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first, second = two_outputs(F, []).apply(x)
    edge = F.autograd.graph.get_gradient_edge(second)
    y = (first * second).sum()
    to_edge = F.autograd.grad(y, edge, retain_graph=True)
    return edge.output_nr, edge.node is second.grad_fn, to_edge, F.autograd.grad(edge, x, F.tensor([1.0, 10.0]))


@behaviours("C09: a hook on the node may replace the gradients that backward returned")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.grad_fn.register_hook(lambda inwards, outwards: (inwards[0] * 10,))
    y.sum().backward()
    return x.grad


@behaviours("C09: hooks on the node see one gradient per tensor input and per output")
def _(F: Any) -> Any:
    seen = []
    y = function(F, lambda ctx, a, n, b: (a * n, b * n), lambda ctx, g, h: (g * 2, None, h * 5)).apply(
        leaf(F, 1.0), 3, leaf(F, 2.0)
    )
    y[0].grad_fn.register_prehook(lambda outwards: seen.append(outwards))
    y[0].grad_fn.register_hook(lambda inwards, outwards: seen.append([inwards, outwards]))
    (y[0] + y[1]).backward()
    return seen


@behaviours("C09: a hook on the node sees the gradients of inputs that need none, too, of whatever shape")
def _(F: Any) -> Any:
    class Two(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, c: Any) -> Any:
            return a + b + c

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, g * 3, g.expand(5, 2) * 4

    plain, b, seen = F.ones(2), leaf(F, 1.0, 2.0), []
    y = Two.apply(plain, b, plain)
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs)))
    y.sum().backward()
    return seen, b.grad, y.grad_fn.next_functions


@behaviours("C09: what a hook on the node makes of the gradients of inputs that need none, goes nowhere")
def _(F: Any) -> Any:
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)).apply(F.ones(2), leaf(F, 1.0, 2.0))
    b = y.grad_fn.next_functions[1][0].variable
    y.grad_fn.register_hook(lambda inputs, outputs: tuple(gradient * 10 for gradient in inputs))
    y.sum().backward()
    return b.grad


test_as_in_torch = behaviours.test()
