"""ctx is the node: needs_input_grad, attributes of the learner's own, metadata (C11)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import doubling, function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C11: needs_input_grad has an entry for every input")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, *inputs: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return inputs[0] * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return (g, *[None] * 6)

    probe = function(F, forward, backward)
    y = probe.apply(leaf(F, 1.0), F.ones(1), 3, None, leaf(F, 1.0) * 2, "text", [leaf(F, 1.0)])
    y.backward()
    return seen, y.grad_fn.needs_input_grad, type(seen[0]).__name__


@behaviours("C11: needs_input_grad says what requires grad, under no_grad as well")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return a * b

    probe = function(F, forward, lambda ctx, g: (g, g))
    with F.no_grad():
        probe.apply(leaf(F, 1.0), F.ones(1))
    probe.apply(F.ones(1), F.ones(1))
    return seen


@behaviours("C11: needs_input_grad does not follow what grad() asks for")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g * 2, g * 3

    a, b = leaf(F, 1.0), leaf(F, 2.0)
    gradient = F.autograd.grad(function(F, lambda ctx, a, b: a * 2 + b * 3, backward).apply(a, b), b)
    return seen, gradient


@behaviours("C11: needs_input_grad does not follow a later change of requires_grad")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0), F.ones(1)
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)).apply(a, b)
    b.requires_grad_(True)
    y.backward()
    return y.grad_fn.needs_input_grad, b.grad


@behaviours("C11: ctx is the node, in forward and in backward")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        seen.append(ctx)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx)
        return g * 2

    y = function(F, forward, backward).apply(leaf(F, 1.0))
    y.backward()
    ctx_class = F.autograd.function.FunctionCtx
    return [ctx is y.grad_fn for ctx in seen], isinstance(y.grad_fn, ctx_class), type(seen[0]).__name__


# Names that a learner may well choose, and that an engine may well use itself.
# fmt: off
ATTRIBUTES = (
    "_private", "_saved", "a", "args", "array", "backward_fn", "creation", "ctx", "data", "dim", "dtype", "edges",
    "eps", "freed", "function", "grad", "gradient", "hooks", "index", "inputs", "keeps_tensors", "kwargs", "layer",
    "mask", "module", "next_nodes", "node", "nodes", "output", "output_count", "output_nr", "output_nrs", "outputs",
    "p", "parent", "post_hooks", "pre_hooks", "rules", "saved", "self", "sequence_nr", "shape", "shapes", "size",
    "targets", "tensor", "tensors", "training", "variable", "variables", "version", "x", "y",
)


@behaviours("C11: any attribute may be put on ctx, and is found again in backward and on grad_fn")
def _(F: Any) -> Any:
    def changed(ctx: Any) -> list[str]:
        return [name for number, name in enumerate(ATTRIBUTES) if getattr(ctx, name) != number]

    def forward(ctx: Any, x: Any) -> Any:
        for number, name in enumerate(ATTRIBUTES):
            setattr(ctx, name, number)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(changed(ctx))
        return g * 2

    x, seen = leaf(F, 1.0, 2.0), []
    y = function(F, forward, backward).apply(x)
    (y * x).sum().backward()
    return seen, changed(y.grad_fn), x.grad, repr(y), len(y.grad_fn.next_functions)


@behaviours("C11: an attribute of ctx may hold tensors, lists and functions")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.inputs, ctx.targets, ctx.shape, ctx.rules = (x,), [None, x], x.shape, {"x": lambda g: g * 2}
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return ctx.rules["x"](g) + ctx.inputs[0] + ctx.targets[1]

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, backward).apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn.shape, y.grad_fn.inputs[0] is x


@behaviours("C11: ctx.name may hide the method, and the node still runs and prints")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.name = "my layer"
        return x * 2

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    return y.grad_fn.name, repr(y), x.grad


@behaviours("C11: an attribute that was not set is missing", error=AttributeError, says="'ProbeBackward' object has no")
def _(F: Any) -> Any:
    return doubling(F).apply(leaf(F, 1.0)).grad_fn.factor


@behaviours("C11: attributes can be set from outside and deleted")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x * 2, lambda ctx, g: g * ctx.factor).apply(x)
    y.grad_fn.factor = 7
    y.sum().backward()
    del y.grad_fn.factor
    return x.grad, hasattr(y.grad_fn, "factor")


@behaviours("C11: the attributes live as long as the graph, although nobody holds the node")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.note = ["kept"]
        return x * 2

    x = leaf(F, 1.0)
    y = function(F, forward, lambda ctx, g: g * 2).apply(x) * 3
    return y.grad_fn.next_functions[0][0].note


@behaviours("C11: metadata is a dict of the learner's own")
def _(F: Any) -> Any:
    node = doubling(F).apply(leaf(F, 1.0)).grad_fn
    node.metadata["note"] = 5
    return node.metadata


test_as_in_torch = behaviours.test()
