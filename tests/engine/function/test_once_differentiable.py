"""@once_differentiable: a plain backward is as ever, a second derivative is refused (C10)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


def once(F: Any, seen: list[Any] | None = None) -> Any:
    """y = x * x with a backward that may be differentiated no further."""

    @F.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        """Twice the input."""
        if seen is not None:
            seen.append(F.is_grad_enabled())
        return g * 2 * ctx.saved_tensors[0]

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    return function(F, forward, backward)


@behaviours("C10: once_differentiable changes nothing for a plain backward")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    once(F, seen).apply(x).sum().backward()
    return x.grad, seen


@behaviours("C10: once_differentiable keeps the name and text of the function")
def _(F: Any) -> Any:
    backward = once(F).backward
    return backward.__name__, backward.__doc__


@behaviours("C10: recording is off within a once_differentiable backward, under create_graph too")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    F.autograd.grad(once(F, seen).apply(x).sum(), x, create_graph=True)
    return seen


@behaviours("C10: under create_graph the gradient has no graph if the incoming one has none")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad(once(F).apply(x).sum(), x, create_graph=True)


@behaviours(
    "C10: a gradient without a graph cannot be differentiated",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad(once(F).apply(x).sum(), x, create_graph=True)
    gradient.sum().backward()


@behaviours("C10: under create_graph the gradient has a graph if the incoming one has")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 5.0, 6.0)
    return F.autograd.grad(once(F).apply(x), x, v, create_graph=True)


@behaviours("C10: a graph of a once_differentiable gradient raises when it is used", error=RuntimeError, says=ONCE)
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 5.0, 6.0)
    (gradient,) = F.autograd.grad(once(F).apply(x), x, v, create_graph=True)
    gradient.sum().backward()


@behaviours("C10: a second derivative through once_differentiable in a longer chain", error=RuntimeError, says=ONCE)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = once(F).apply(x)
    (gradient,) = F.autograd.grad((y * y).sum(), x, create_graph=True)
    gradient.sum().backward()


@behaviours("C10: another path can still be differentiated twice")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (gradient,) = F.autograd.grad((once(F).apply(x) + w * w * w).sum(), w, create_graph=True)
    return gradient, F.autograd.grad(gradient.sum(), w)


@behaviours("C10: once_differentiable with None and several gradients")
def _(F: Any) -> Any:
    @F.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2, None, g * 5

    probe = function(F, lambda ctx, a, n, b: a * 2 + b * 5, backward)
    a, b, v = leaf(F, 1.0), leaf(F, 2.0), leaf(F, 3.0)
    return F.autograd.grad(probe.apply(a, 7, b), [a, b], v, create_graph=True)


@behaviours("C10: once_differentiable on vjp")
def _(F: Any) -> Any:
    @F.autograd.function.once_differentiable
    def vjp(ctx: Any, g: Any) -> Any:
        return g * 2

    x = leaf(F, 1.0)
    function(F, lambda ctx, x: x * 2, vjp=vjp).apply(x).backward()
    return x.grad


test_as_in_torch = behaviours.test()
