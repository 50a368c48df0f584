"""Several outputs, outputs that were not used, that have no derivative, or that are no tensors (C12, C13, C16)."""

from __future__ import annotations

from typing import Any

import numpy as np
from engine.function.probes import function, two_outputs
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("C12: the gradient of an output that was not used comes as zeros")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    first.sum().backward()
    second.sum().backward()
    return seen, x.grad


@behaviours("C12: after set_materialize_grads(False) the gradient of an unused output comes as None")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen, materialize=False).apply(x)
    first.sum().backward()
    second.sum().backward()
    return seen, x.grad


@behaviours("C12: set_materialize_grads(True) is the default")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    two_outputs(F, seen, materialize=True).apply(x)[1].sum().backward()
    return seen


@behaviours("C12: both outputs used, backward runs once with both gradients")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    (first * second).sum().backward()
    return seen, x.grad


@behaviours("C12: outputs have the same node and numbers of their own")
def _(F: Any) -> Any:
    outputs = two_outputs(F, []).apply(leaf(F, 1.0, 2.0))
    return (
        type(outputs).__name__,
        outputs[0].grad_fn is outputs[1].grad_fn,
        [output.output_nr for output in outputs],
        repr(outputs),
    )


@behaviours("C12: the zeros have the shape and dtype of their output")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, *gradients: Any) -> Any:
        seen.append(gradients)
        return gradients[0]

    probe = function(F, lambda ctx, x: (x * 2, x.sum(), x.double().reshape(2, 1)), backward)
    probe.apply(leaf(F, 1.0, 2.0))[0].sum().backward()
    return seen


@behaviours("C12: materialized zeros under create_graph need no grad")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, _ = two_outputs(F, seen).apply(x)
    F.autograd.grad(first.sum(), x, create_graph=True)
    return seen


@behaviours("C12: a tuple of one output stays a tuple")
def _(F: Any) -> Any:
    outputs = function(F, lambda ctx, x: (x * 2,), lambda ctx, g: g * 2).apply(leaf(F, 1.0))
    return type(outputs).__name__, outputs, outputs[0].grad_fn


@behaviours("C12: each output can be asked for by grad()")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    return F.autograd.grad((first * 5 + second * 7).sum(), [second, first, x]), seen


@behaviours("C13: an output marked as non-differentiable has no graph")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        value, mask = x * 2, x * 0 + 1
        ctx.mark_non_differentiable(mask)
        return value, mask

    def backward(ctx: Any, g: Any, of_mask: Any) -> Any:
        seen.append(of_mask)
        return g * 2

    x = leaf(F, 1.0, 2.0)
    value, mask = function(F, forward, backward).apply(x)
    (value * mask).sum().backward()
    return value, mask, mask.grad_fn, mask.is_leaf, seen, x.grad


@behaviours("C13: integer outputs are non-differentiable without being marked")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any, of_index: Any) -> Any:
        seen.append(of_index)
        return g * 2

    x = leaf(F, 1.0, 2.0)
    value, index = function(F, lambda ctx, x: (x * 2, F.tensor([1, 0])), backward).apply(x)
    value.sum().backward()
    return index, index.grad_fn, seen, x.grad


@behaviours("C13: with set_materialize_grads(False) the marked output has None as gradient")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        value, mask = x * 2, x * 0 + 1
        ctx.mark_non_differentiable(mask)
        ctx.set_materialize_grads(False)
        return value, mask

    def backward(ctx: Any, g: Any, of_mask: Any) -> Any:
        seen.append([g, of_mask])
        return g * 2

    x = leaf(F, 1.0, 2.0)
    function(F, forward, backward).apply(x)[0].sum().backward()
    return seen, x.grad


@behaviours("C13: the only output, marked")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    y = function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))
    return y, y.grad_fn


@behaviours(
    "C13: a list of outputs is not marked",
    error=RuntimeError,
    says="mark_non_differentiable only accepts variable arguments, but got",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_non_differentiable([y])
        return y

    function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))


@behaviours("C13: an input returned and marked")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(x)
        return x

    x = leaf(F, 1.0)
    y = function(F, forward, lambda ctx, g: g).apply(x)
    return y is x, y, y.grad_fn, x.requires_grad


@behaviours("C13: marking what is not an output does nothing")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(x)
        return x * 2

    x = leaf(F, 1.0)
    function(F, forward, lambda ctx, g: g * 2).apply(x).backward()
    return x.grad


@behaviours("C16: outputs that are no tensors pass through, and backward has a slot for each")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, *gradients: Any) -> Any:
        seen.append(gradients)
        return gradients[1] * 2

    x = leaf(F, 1.0, 2.0)
    outputs = function(F, lambda ctx, x: ("text", x * 2, None, 3.5, x.shape), backward).apply(x)
    outputs[1].sum().backward()
    return outputs, seen, x.grad


@behaviours("C16: an output that is no tensor at all")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    return [
        function(F, lambda ctx, x, value=value: value, lambda ctx, g: g).apply(x)
        for value in (None, 3, "text", (), (1, 2), {"a": 1}, np.ones(2))
    ]


@behaviours("C16: tensors within a list or dict are not outputs, and have no graph")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    in_list = function(F, lambda ctx, x: [x * 2, x * 3], lambda ctx, g: g).apply(x)
    in_dict = function(F, lambda ctx, x: {"double": x * 2}, lambda ctx, g: g).apply(x)
    nested, beside = function(F, lambda ctx, x: ((x * 2,), x * 3), lambda ctx, none, g: g * 3).apply(x)
    return in_list, in_dict, nested, beside


@behaviours("C16: the same tensor returned twice")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        return y, y

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append([g, h])
        return (g + h) * 2

    x = leaf(F, 1.0, 2.0)
    first, second = function(F, forward, backward).apply(x)
    (first * 5 + second * 7).sum().backward()
    return first is second, [first.output_nr, second.output_nr], seen, x.grad


test_as_in_torch = behaviours.test()
