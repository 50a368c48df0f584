"""forward runs with recording off; backward with recording on exactly when create_graph is (C08, C09)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import doubling, function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C08: a Function within the forward of another leaves no trace in the graph")
def _(F: Any) -> Any:
    inner, seen = doubling(F), []

    def forward(ctx: Any, x: Any) -> Any:
        y = inner.apply(x)
        seen.append(y.requires_grad)
        return y

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: inner.apply(g)).apply(x)
    y.sum().backward()
    return seen, [type(node).__name__ for node, _ in y.grad_fn.next_functions], x.grad


@behaviours("C09: backward runs with recording on exactly when create_graph is")
def _(F: Any) -> Any:
    modes: list[bool] = []

    def backward(ctx: Any, g: Any) -> Any:
        modes.append(F.is_grad_enabled())
        return g * 2

    probe, x = function(F, lambda ctx, x: x * 2, backward), leaf(F, 1.0, 2.0)
    probe.apply(x).sum().backward()
    y = probe.apply(x).sum()
    with F.no_grad():
        y.backward()
    F.autograd.grad(probe.apply(x).sum(), x, create_graph=True)
    y = probe.apply(x).sum()
    with F.no_grad():
        F.autograd.grad(y, x, create_graph=True)
    return modes, F.is_grad_enabled()


@behaviours("C09: a grad mode that backward sets is taken back")
def _(F: Any) -> Any:
    def backward(ctx: Any, g: Any) -> Any:
        F.set_grad_enabled(True)
        return g * 2

    seen = []
    x = leaf(F, 1.0, 2.0)
    x.register_hook(lambda gradient: seen.append(F.is_grad_enabled()))
    function(F, lambda ctx, x: x * 2, backward).apply(x).sum().backward()
    return seen, F.is_grad_enabled()


test_as_in_torch = behaviours.test()
