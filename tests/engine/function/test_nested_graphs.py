"""Graphs within Functions: backward() and grad() called by forward and backward, at any depth (C08, C09)."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from engine.function.probes import function, saving
from helpers.leaves import leaf
from helpers.refusals import message_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def checkpointed(F: Any, inner: Callable[[Any], Any], accumulate: bool) -> Any:
    """Runs `inner` under enable_grad within forward; backward goes through that inner graph."""

    def forward(ctx: Any, x: Any) -> Any:
        with F.enable_grad():
            ctx.start = x.detach().requires_grad_()
            ctx.end = inner(ctx.start)
        return ctx.end.detach()

    def backward(ctx: Any, g: Any) -> Any:
        if not accumulate:
            return F.autograd.grad(ctx.end, ctx.start, g)[0]
        ctx.end.backward(g)
        return ctx.start.grad

    return function(F, forward, backward)


@behaviours("C08: a graph built under enable_grad within forward, and grad() through it within backward")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = checkpointed(F, lambda start: (start * start).sin(), accumulate=False).apply(x * 3)
    y.sum().backward()
    return y, y.grad_fn, x.grad


@behaviours("C08: backward() through it within backward also reaches the leaves used there")
def _(F: Any) -> Any:
    x, weight = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = checkpointed(F, lambda start: (start * weight).exp(), accumulate=True).apply(x)
    (y * y).sum().backward()
    return x.grad, weight.grad


@behaviours("C08: a leaf used within and outside gets both gradients")
def _(F: Any) -> Any:
    x, weight = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = checkpointed(F, lambda start: start * weight, accumulate=True).apply(x * weight)
    (y + weight * 100).sum().backward()
    return x.grad, weight.grad


@behaviours("C08: backward that computes forward again under enable_grad")
def _(F: Any) -> Any:
    weight = leaf(F, 3.0, 4.0)

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return (x * weight).exp()

    def backward(ctx: Any, g: Any) -> Any:
        start = ctx.saved_tensors[0].detach().requires_grad_()
        with F.enable_grad():
            end = (start * weight).exp()
        F.autograd.backward(end, g)
        return start.grad

    x = leaf(F, 0.1, 0.2)
    function(F, forward, backward).apply(x).sum().backward()
    return x.grad, weight.grad


@behaviours("C08: an operation within forward under enable_grad is recorded, yet the output has the Function's history")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        with F.enable_grad():
            y = x * 5
        seen.append([y.requires_grad, y.grad_fn])
        return y

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 7).apply(x)
    y.sum().backward()
    return seen, y.grad_fn, x.grad


@behaviours("C09: grad() with create_graph within backward gives second derivatives")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        with F.enable_grad():
            (inner,) = F.autograd.grad((x * x * x).sum(), x, create_graph=True)
        return g * inner

    x = leaf(F, 1.0, 2.0)
    (first,) = F.autograd.grad(function(F, forward, backward).apply(x).sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


def nested(F: Any, ran: list[int]) -> Any:
    """A Function whose backward builds and runs the same Function one level deeper, `depth` times."""

    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        ran.append(ctx.depth)
        if ctx.depth == 0:
            return g * 2, None
        start = F.ones(1, requires_grad=True)
        with F.enable_grad():
            deeper = made.apply(start, ctx.depth - 1)
        deeper.backward()
        return g * start.grad, None

    made = function(F, forward, backward)
    return made


@behaviours("C09: backward within backward within backward")
def _(F: Any) -> Any:
    x, ran = leaf(F, 1.0), []
    nested(F, ran).apply(x, 3).backward()
    return ran, x.grad


@behaviours("C09: 2,000 levels deep")
def _(F: Any) -> Any:
    x, ran = leaf(F, 1.0), []
    nested(F, ran).apply(x, 2_000).backward()
    return ran[0], ran[-1], len(ran), x.grad


@behaviours("C09: at every depth backward runs without recording")
def _(F: Any) -> Any:
    modes = []

    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        modes.append(F.is_grad_enabled())
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        modes.append(F.is_grad_enabled())
        if ctx.depth > 0:
            start = F.ones(1, requires_grad=True)
            with F.enable_grad():
                made.apply(start, ctx.depth - 1).backward()
            modes.append(F.is_grad_enabled())
        return g * 2, None

    made = function(F, forward, backward)
    made.apply(leaf(F, 1.0), 100).backward()
    return len(modes), any(modes), F.is_grad_enabled()


@behaviours("C09: a nested run has the mode that it was asked for, and gives the outer one's back")
def _(F: Any) -> Any:
    modes = []

    def inner_backward(ctx: Any, g: Any) -> Any:
        modes.append(["inner", F.is_grad_enabled()])
        return g * 2

    inner = function(F, lambda ctx, x: x * 2, inner_backward)

    def backward(ctx: Any, g: Any) -> Any:
        start = F.ones(1, requires_grad=True)
        modes.append(["outer", F.is_grad_enabled()])
        with F.enable_grad():
            inner.apply(start).backward()
        with F.enable_grad():
            end = inner.apply(start)
        F.autograd.grad(end, start, create_graph=True)
        modes.append(["outer", F.is_grad_enabled()])
        return g * 3

    outer, x = function(F, lambda ctx, x: x * 3, backward), leaf(F, 1.0)
    F.autograd.grad(outer.apply(x), x, create_graph=True)
    F.autograd.grad(outer.apply(x), x)
    return modes, F.is_grad_enabled()


@behaviours("C09: one node can be run any number of times, one after the other")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    y = function(F, lambda ctx, x: x * 2, lambda ctx, g: g * 2).apply(x)
    for _ in range(150):
        y.backward(retain_graph=True)
    return x.grad


@behaviours("C09: hooks on what is saved hold at every depth")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.depth > 0:
            start = F.ones(1, requires_grad=True)
            with F.enable_grad():
                made.apply(start.exp(), ctx.depth - 1).backward()
        return g * 2, None

    made, packed = function(F, forward, backward), []
    with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(1), t)[1], lambda t: t):
        made.apply(leaf(F, 1.0), 50).backward()
    return len(packed)


@behaviours("C09: an error at the bottom of 300 levels comes out as it is")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.depth == 0:
            raise LookupError("at the bottom")
        start = F.ones(1, requires_grad=True)
        with F.enable_grad():
            made.apply(start, ctx.depth - 1).backward()
        return g, None

    made = function(F, forward, backward)
    x = leaf(F, 1.0)
    first = message_of(made.apply(x, 300).backward)
    return first, F.is_grad_enabled(), message_of((x * x).backward), x.grad


@behaviours("C09: a chain of 20,000 Functions is built, differentiated and dropped")
def _(F: Any) -> Any:
    x, probe = leaf(F, 1.0), saving(F)
    y = x
    for _ in range(20_000):
        y = probe.apply(y)
    y.backward(F.zeros(1))
    del y
    return x.grad


@behaviours("C09: a chain of 10,000 Functions that nobody differentiates is dropped at once")
def _(F: Any) -> Any:
    probe = saving(F)
    y = first = probe.apply(leaf(F, 1.0))
    for _ in range(10_000):
        y = probe.apply(y)
    dropped = [weakref.ref(first), weakref.ref(y)]
    del first, y
    return [tensor() is None for tensor in dropped]


@behaviours("C09: a nested run does not hold up the outer one's other branches")
def _(F: Any) -> Any:
    order = []

    def backward(ctx: Any, g: Any) -> Any:
        order.append("outer")
        inner = F.ones(1, requires_grad=True)
        inner.register_hook(lambda gradient: order.append("inner"))
        with F.enable_grad():
            (inner * 2).backward()
        order.append("outer again")
        return g

    x = leaf(F, 1.0)
    older = x * 3
    older.register_hook(lambda gradient: order.append("older branch"))
    y = function(F, lambda ctx, x: x * 1, backward).apply(x)
    (older + y).backward()
    return order, x.grad


@behaviours("C09: a nested run on a part of the outer graph that is retained")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    shared = x * x
    aside = (shared * 10).sum()

    def backward(ctx: Any, g: Any) -> Any:
        aside.backward(retain_graph=True)
        return g

    function(F, lambda ctx, x: x * 1, backward).apply(shared).sum().backward()
    return x.grad


@behaviours("C09: a backward that comes back to its own node once")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.again = True
        ctx.output = x * 2
        return ctx.output

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.again:
            ctx.again = False
            ctx.output.backward(g * 100)
        return g * 2

    x = leaf(F, 1.0)
    y = function(F, forward, backward).apply(x)
    y.backward()
    y.grad_fn.output = None
    return x.grad


test_as_in_torch = behaviours.test()
