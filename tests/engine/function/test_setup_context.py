"""forward without ctx, and setup_context(ctx, inputs, output) (C17)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def with_setup(F: Any, seen: list[Any] | None = None) -> Any:
    """forward(x, factor=3.0) without ctx, and setup_context beside it."""

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, factor = inputs
        ctx.save_for_backward(x, output)
        ctx.factor = factor
        if seen is not None:
            seen.append([type(inputs).__name__, inputs, output, output.requires_grad, F.is_grad_enabled()])

    def backward(ctx: Any, g: Any) -> Any:
        x, _ = ctx.saved_tensors
        return g * ctx.factor * 2 * x, None

    return function(F, lambda x, factor=3.0: x * x * factor, backward, setup_context=setup_context)


@behaviours("C17: setup_context gets ctx, the tuple of inputs and the output")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    y = with_setup(F, seen).apply(x, 5.0)
    y.sum().backward()
    return seen, y, x.grad


@behaviours("C17: defaults are filled in, and keyword arguments become inputs")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    probe = with_setup(F, seen)
    probe.apply(x).sum().backward()
    probe.apply(x, factor=7.0).sum().backward()
    probe.apply(factor=1.0, x=x).sum().backward()
    return [[inputs[1] for _, inputs, *_ in seen]], x.grad


@behaviours("C17: saved outputs are linked to the node there too")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = with_setup(F).apply(x)
    saved = y.grad_fn.saved_tensors
    return saved[0] is x, saved[1].grad_fn is y.grad_fn, saved


@behaviours("C17: several outputs come as the tuple that forward returned")
def _(F: Any) -> Any:
    seen = []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append([type(output).__name__, len(output)])
        ctx.mark_non_differentiable(output[1])

    x = leaf(F, 1.0, 2.0)
    probe = function(F, lambda x: (x * 2, x * 0), lambda ctx, g, _: g * 2, setup_context=setup_context)
    value, zeros = probe.apply(x)
    value.sum().backward()
    return seen, value, zeros, x.grad


@behaviours("C17: ctx knows needs_input_grad there")
def _(F: Any) -> Any:
    seen = []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append(ctx.needs_input_grad)
        ctx.set_materialize_grads(False)

    function(F, lambda x, n, c: x * n, lambda ctx, g: (g, None, None), setup_context=setup_context).apply(
        leaf(F, 1.0), 3, F.ones(1)
    )
    return seen


@behaviours("C17: what setup_context returns does not matter")
def _(F: Any) -> Any:
    probe = function(F, lambda x: x * 2, lambda ctx, g: g * 2, setup_context=lambda ctx, inputs, output: "ignored")
    return probe.apply(leaf(F, 1.0))


@behaviours("C17: setup_context is called under no_grad and without any graph as well")
def _(F: Any) -> Any:
    seen = []
    probe = with_setup(F, seen)
    with F.no_grad():
        probe.apply(leaf(F, 1.0))
    probe.apply(F.ones(1))
    return len(seen)


@behaviours("C17: with setup_context, forward gets no ctx", error=TypeError, says="missing a required argument: 'x'")
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, x: x * 2, lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None)
    probe.apply(leaf(F, 1.0))


@behaviours("C17: mark_dirty in setup_context")
def _(F: Any) -> Any:
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_dirty(inputs[0])

    x = leaf(F, 1.0, 2.0)
    middle = x * 1
    probe = function(F, lambda x: x.mul_(2), lambda ctx, g: g * 2, setup_context=setup_context)
    y = probe.apply(middle)
    y.sum().backward()
    return y is middle, y, x.grad


@behaviours(
    "C17: setup_context of Function itself", error=NotImplementedError, says="setup_context is not implemented."
)
def _(F: Any) -> None:
    F.autograd.Function.setup_context(None, (), None)


test_as_in_torch = behaviours.test()
