"""`Function.apply`: forward is called once; the result's node is the Function, its edges lead to the inputs (C08)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import doubling, function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C08: forward and backward are called, and the gradient arrives")
def _(F: Any) -> Any:
    class Cube(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x * x * gradient

    x = leaf(F, 1.0, 2.0)
    y = Cube.apply(x)
    y.backward(F.tensor([1.0, 10.0]))
    return y, x.grad


@behaviours("C08: the result's grad_fn has the Function's name, without a number")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    return repr(y), y.grad_fn.name(), type(y.grad_fn).__name__, y.is_leaf, y.output_nr


@behaviours("C08: grad_fn is a Node, its edges lead to the inputs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 3
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)).apply(middle, x)
    edges = y.grad_fn.next_functions
    return (
        isinstance(y.grad_fn, F.autograd.graph.Node),
        edges[0][0] is middle.grad_fn,
        [type(node).__name__ for node, _ in edges],
        [number for _, number in edges],
    )


@behaviours("C08: numbers have no edge, tensors without grad have an empty one")
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, *inputs: inputs[0] * 2, lambda ctx, g: (g, None, None, None, None))
    y = probe.apply(leaf(F, 1.0), 3, F.ones(1), None, leaf(F, 2.0))
    edges = y.grad_fn.next_functions
    return [type(node).__name__ for node, _ in edges]


@behaviours("C08: next_functions say which output of another node was used")
def _(F: Any) -> Any:
    first, second = (leaf(F, 1.0, 2.0) * 2).unbind()
    y = doubling(F).apply(second)
    return [[node is first.grad_fn, number] for node, number in y.grad_fn.next_functions]


@behaviours("C08: forward sees no recording, and the tensors that were passed")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []

    def forward(ctx: Any, given: Any) -> Any:
        seen.extend([F.is_grad_enabled(), given is x, given.requires_grad, given.is_leaf, (given * 2).requires_grad])
        return given * 2

    y = function(F, forward, lambda ctx, g: g * 2).apply(x)
    return seen, F.is_grad_enabled(), y


@behaviours("C08: the output is the tensor that forward made")
def _(F: Any) -> Any:
    made = []

    def forward(ctx: Any, x: Any) -> Any:
        made.append(x * 2)
        return made[0]

    y = function(F, forward, lambda ctx, g: g * 2).apply(leaf(F, 1.0, 2.0))
    return made[0] is y, made[0].requires_grad


@behaviours("C08: a tensor from outside, returned, becomes a result")
def _(F: Any) -> Any:
    constant, x = F.tensor([5.0, 6.0]), leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: constant, lambda ctx, g: g * 7).apply(x)
    y.sum().backward()
    return constant is y, constant.requires_grad, constant.grad_fn, x.grad


@behaviours("C08: without an input that requires grad no graph is made")
def _(F: Any) -> Any:
    y = doubling(F).apply(F.tensor([1.0, 2.0]))
    return y, y.grad_fn, y.is_leaf


@behaviours("C08: without any input no graph is made")
def _(F: Any) -> Any:
    return function(F, lambda ctx: F.ones(2), lambda ctx, g: None).apply()


@behaviours("C08: under no_grad no graph is made")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        y = doubling(F).apply(x)
    return y, y.grad_fn


@behaviours("C08: @staticmethod may be missing")
def _(F: Any) -> Any:
    class Plain(F.autograd.Function):
        def forward(ctx: Any, x: Any) -> Any:  # noqa: N805
            return x * 2

        def backward(ctx: Any, gradient: Any) -> Any:  # noqa: N805
            return gradient * 2

    x = leaf(F, 1.0, 2.0)
    Plain.apply(x).sum().backward()
    return x.grad


@behaviours("C08: a Function may derive from another Function, and is called by its own name")
def _(F: Any) -> Any:
    class Base(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.factor = 2
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * ctx.factor

    class Derived(Base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return Base.forward(ctx, x) + 1

    x = leaf(F, 1.0, 2.0)
    y = Derived.apply(x)
    y.sum().backward()
    return y, y.grad_fn, x.grad


@behaviours("C08: a Function may be applied often, each time with a ctx of its own")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, factor: float) -> Any:
        ctx.factor = factor
        return x * factor

    scaling = function(F, forward, lambda ctx, g: (g * ctx.factor, None))
    x = leaf(F, 1.0, 2.0)
    first, second = scaling.apply(x, 3.0), scaling.apply(x, 5.0)
    (first * second).sum().backward()
    return x.grad, first.grad_fn is second.grad_fn, first.grad_fn.factor, second.grad_fn.factor


@behaviours("C08: apply may be kept under another name")
def _(F: Any) -> Any:
    double = doubling(F).apply
    x = leaf(F, 1.0, 2.0)
    double(double(x)).sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()
