"""Custom Functions to look at, all with the name Probe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.leaves import leaf

MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace operation"


def function(F: Any, forward: Callable[..., Any], backward: Callable[..., Any] | None = None, **others: Any) -> Any:
    """A custom Function called Probe, from its methods."""
    methods = {"forward": forward, **({"backward": backward} if backward else {}), **others}
    return type("Probe", (F.autograd.Function,), {name: staticmethod(method) for name, method in methods.items()})


def doubling(F: Any) -> Any:
    return function(F, lambda ctx, x: x * 2, lambda ctx, g: g * 2)


def saving(F: Any, *extra: Any) -> Any:
    """A Function that saves its input, and `extra` after it."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, *extra)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2 * ctx.saved_tensors[0]

    return function(F, forward, backward)


def exponential(F: Any) -> Any:
    """A Function that saves its output."""

    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx: Any, g: Any) -> Any:
        (y,) = ctx.saved_tensors
        return g * y

    return function(F, forward, backward)


def two_outputs(F: Any, seen: list[Any], **settings: Any) -> Any:
    """A Function with the outputs 2x and 3x, which notes the gradients that come."""

    def forward(ctx: Any, x: Any) -> Any:
        if "materialize" in settings:
            ctx.set_materialize_grads(settings["materialize"])
        return x * 2, x * 3

    def backward(ctx: Any, first: Any, second: Any) -> Any:
        seen.append([first, second])
        return sum((g * factor for g, factor in ((first, 2), (second, 3)) if g is not None), 0 * leaf(F, 1.0, 2.0))

    return function(F, forward, backward)
