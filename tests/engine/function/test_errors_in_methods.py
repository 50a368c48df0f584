"""Errors in forward, setup_context and backward come out as they are, and the grad mode is restored (C08, C09)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import function
from helpers.leaves import leaf
from helpers.refusals import error_of, message_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C08: an error in forward comes out as it is, and recording goes on")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        raise LookupError("in forward")

    x = leaf(F, 1.0)
    error = message_of(lambda: function(F, forward, lambda ctx, g: g).apply(x))
    return error, F.is_grad_enabled(), x * 2


@behaviours("C08: an error in setup_context as well")
def _(F: Any) -> Any:
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        raise LookupError("in setup_context")

    error = message_of(
        lambda: function(F, lambda x: x * 2, lambda ctx, g: g, setup_context=setup_context).apply(leaf(F, 1.0))
    )
    return error, F.is_grad_enabled()


@behaviours("C09: an error in backward comes out as it is, the mode is restored, and the node can run again")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.broken = True
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.broken:
            raise LookupError("in backward")
        return g * 2 * ctx.saved_tensors[0]

    x = leaf(F, 3.0)
    y = function(F, forward, backward).apply(x)
    first = message_of(y.backward)
    y.grad_fn.broken = False
    second = message_of(y.backward)
    return first, F.is_grad_enabled(), second, x.grad


@behaviours("C09: an error under create_graph restores the mode too")
def _(F: Any) -> Any:
    def backward(ctx: Any, g: Any) -> Any:
        raise LookupError("in backward")

    x = leaf(F, 3.0)
    y = function(F, lambda ctx, x: x * 2, backward).apply(x)
    with F.no_grad():
        error = message_of(lambda: F.autograd.grad(y, x, create_graph=True))
        mode = F.is_grad_enabled()
    return error, mode, F.is_grad_enabled()


@behaviours("C09: a wrong number of arguments in backward is a TypeError")
def _(F: Any) -> Any:
    x = leaf(F, 3.0)
    y = function(F, lambda ctx, x: (x * 2, x * 3), lambda ctx, g: g).apply(x)
    return error_of(y[0].backward)


test_as_in_torch = behaviours.test()
