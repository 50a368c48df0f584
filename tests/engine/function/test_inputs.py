"""Inputs that are no tensors, that occur twice, or that are passed by name (C16)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import function
from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C16: numbers, strings, lists, None and functions are passed as they are")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any, *others: Any) -> Any:
        seen.extend(given is original for given, original in zip(others, inputs, strict=True))
        return x * 2

    inputs = (3, "text", [1, 2], None, len, {"a": 1})
    x = leaf(F, 1.0)
    function(F, forward, lambda ctx, g: (g * 2, *[None] * 6)).apply(x, *inputs).backward()
    return seen, x.grad


@behaviours("C16: None in place of an optional tensor")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, bias: Any) -> Any:
        ctx.save_for_backward(x, bias)
        return x * 2 if bias is None else x * 2 + bias

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2, None if ctx.saved_tensors[1] is None else g

    linear, x, bias = function(F, forward, backward), leaf(F, 1.0), leaf(F, 5.0)
    linear.apply(x, None).backward()
    linear.apply(x, bias).backward()
    return x.grad, bias.grad


@behaviours("C16: tensors within a tuple are not seen by autograd")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, pair: Any, x: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return pair[0] * pair[1] * x

    a, b, x = leaf(F, 2.0), leaf(F, 3.0), leaf(F, 4.0)
    probe = function(F, forward, lambda ctx, g: (None, g * 6))
    y = probe.apply((a, b), x)
    y.backward()
    return seen, a.grad, b.grad, x.grad, probe.apply((a, b), F.ones(1))


@behaviours("C16: the same tensor as two inputs gets the sum")
def _(F: Any) -> Any:
    x = leaf(F, 3.0)
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g * 5, g * 7)).apply(x, x)
    y.backward()
    return x.grad, len(y.grad_fn.next_functions)


@behaviours("C16: keyword arguments are inputs at the place that forward's signature gives them")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any, factor: float = 1.0, weight: Any = None) -> Any:
        seen.append(ctx.needs_input_grad)
        return x * factor * weight

    x, weight = leaf(F, 1.0), leaf(F, 5.0)
    y = function(F, forward, lambda ctx, g: (g * 10, None, g * 20)).apply(x, weight=weight, factor=2.0)
    y.backward()
    return seen, len(y.grad_fn.next_functions), x.grad, weight.grad


@behaviours(
    "C16: keyword arguments need gradients from backward",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 2, got 1)",
)
def _(F: Any) -> Any:
    function(F, lambda ctx, x, factor: x * factor, lambda ctx, g: g).apply(leaf(F, 1.0), factor=2.0).backward()


@behaviours("C16: a default that is not passed is no input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    y = function(F, lambda ctx, x, factor=2.0: x * factor, lambda ctx, g: g * 2).apply(x)
    y.backward()
    return y.grad_fn.needs_input_grad, x.grad


@behaviours("C16: a graph is made when only a keyword argument requires grad")
def _(F: Any) -> Any:
    weight = leaf(F, 5.0)
    y = function(F, lambda ctx, x, weight: x * weight, lambda ctx, g: (None, g)).apply(F.ones(1), weight=weight)
    y.backward()
    return y, weight.grad


@behaviours(
    "C16: parameters that take keywords only cannot be used",
    error=TypeError,
    says="forward() got an unexpected keyword argument 'factor'",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, *, factor: float) -> Any:
        return x * factor

    function(F, forward, lambda ctx, g: (g, None)).apply(leaf(F, 1.0), factor=2.0)


@behaviours("C16: a missing and an unknown argument are TypeErrors of forward")
def _(F: Any) -> Any:
    probe, x = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)), leaf(F, 1.0)
    return error_of(lambda: probe.apply(x)), error_of(lambda: probe.apply(x, x, x)), error_of(lambda: probe.apply(c=x))


test_as_in_torch = behaviours.test()
