"""Derivatives of derivatives of Functions, through what they saved (C18)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import exponential, function, saving
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C18: saved inputs give the second derivative")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (first,) = F.autograd.grad(saving(F).apply(x).sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


@behaviours("C18: saved inputs give the third derivative")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    cube, x = function(F, forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0] * ctx.saved_tensors[0]), leaf(F, 2.0)
    gradient, orders = cube.apply(x), []
    for _ in range(3):
        (gradient,) = F.autograd.grad(gradient, x, create_graph=True)
        orders.append(gradient)
    return orders


@behaviours("C18: saved outputs give the second derivative")
def _(F: Any) -> Any:
    x = leaf(F, 0.0, 1.0)
    (first,) = F.autograd.grad(exponential(F).apply(x).sum(), x, create_graph=True)
    (second,) = F.autograd.grad(first.sum(), x, create_graph=True)
    return first, second, F.autograd.grad(second.sum(), x)


@behaviours("C18: the second graph goes through the Function's own operations")
def _(F: Any) -> Any:
    x = leaf(F, 0.0, 1.0)
    (first,) = F.autograd.grad(exponential(F).apply(x).sum(), x, create_graph=True)
    return first.grad_fn, [type(node).__name__ for node, _ in first.grad_fn.next_functions if node is not None]


@behaviours("C18: with respect to the gradient that came in")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 5.0, 6.0)
    (first,) = F.autograd.grad(saving(F).apply(x), x, v, create_graph=True)
    return first, F.autograd.grad(first.sum(), [v, x])


@behaviours("C18: a backward made of other Functions")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    inner = saving(F)
    outer = function(F, forward, lambda ctx, g: g * inner.apply(ctx.saved_tensors[0]))
    x = leaf(F, 1.0, 3.0)
    (first,) = F.autograd.grad(outer.apply(x).sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


@behaviours(
    "C18: a saved intermediate has no second derivative",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(between)
        return between * x

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0]).apply(x)
    (first,) = F.autograd.grad(y.sum(), x, create_graph=True)
    F.autograd.grad(first.sum(), x)


@behaviours("C18: an intermediate that is returned as an output has one")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(x, between)
        return between * x, between

    def backward(ctx: Any, g: Any, of_between: Any) -> Any:
        x, between = ctx.saved_tensors
        return g * 3 * between + of_between * 2 * x

    x = leaf(F, 1.0, 2.0)
    y, _ = function(F, forward, backward).apply(x)
    (first,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


@behaviours("C18: gradients that the Function broadcast are summed with a graph")
def _(F: Any) -> Any:
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b

    def backward(ctx: Any, g: Any) -> Any:
        a, b = ctx.saved_tensors
        return g * b, g * a

    a, b = leaf(F, 2.0), leaf(F, 1.0, 2.0, 3.0)
    (first,) = F.autograd.grad((function(F, forward, backward).apply(a, b) ** 2).sum(), a, create_graph=True)
    return first, F.autograd.grad(first.sum(), [a, b])


@behaviours("C18: a plain backward through the first gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (first,) = F.autograd.grad(saving(F).apply(x).sum(), x, create_graph=True)
    (first * first).sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()
