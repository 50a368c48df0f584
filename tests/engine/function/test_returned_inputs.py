"""An input, or a view, that forward returns: a new tensor with a history, which may not be written to (C15)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import doubling, function, two_outputs
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


VIEW_OF_FUNCTION = "Output 0 of Probe is a view and is being modified inplace. This view was created inside a"


@behaviours("C15: an input returned as it is becomes a new tensor with the Function as its history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g * 7).apply(x)
    y.sum().backward()
    return y is x, y, y.grad_fn, y._is_view(), y._base is x, x.grad, x.is_leaf


@behaviours("C15: an input returned as it is shares memory and version with the input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g).apply(x)
    with F.no_grad():
        x.mul_(10)
    return y, y._version, x._version


@behaviours("C15: without a graph an input returned is the input itself or its alias, and needs no grad")
def _(F: Any) -> Any:
    constant = F.ones(2)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g).apply(constant)
    y.mul_(3)
    return y, constant


@behaviours("C15: writing into an input that was returned as it is", error=RuntimeError, says=VIEW_OF_FUNCTION)
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: x, lambda ctx, g: g).apply(leaf(F, 1.0, 2.0) * 1)
    y.add_(1)


@behaviours("C15: writing into a view of the input that was returned", error=RuntimeError, says=VIEW_OF_FUNCTION)
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2)).apply(leaf(F, 1.0, 2.0) * 1)
    y.add_(1)


@behaviours("C15: writing into a view of a returned view", error=RuntimeError, says="Output 0 of")
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2)).apply(leaf(F, 1.0, 2.0) * 1)
    y[0].add_(1)


@behaviours("C15: writing into an output that is a view of an intermediate", error=RuntimeError, says=VIEW_OF_FUNCTION)
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: (x * 2).view(2, 1), lambda ctx, g: g.view(2) * 2).apply(leaf(F, 1.0, 2.0))
    y.add_(1)


@behaviours("C15: a clone of a returned input may be written to")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g * 7).apply(x).clone()
    y.mul_(2)
    y.sum().backward()
    return y, x.grad


@behaviours("C15: a view of the input that was returned has the Function as its history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2) * 7).apply(x)
    y.sum().backward()
    return y, y.grad_fn, y._is_view(), x.grad


@behaviours("C15: writing to the input shows in a returned view, under no_grad")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2)).apply(x)
    with F.no_grad():
        x.mul_(10)
    return y


@behaviours("C15: a view of the input returned under no_grad is like any view made there")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        y = function(F, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2)).apply(x)
    return y, y._is_view(), y.is_leaf, y.grad_fn


@behaviours("C15: of two inputs, the one returned is a view, the result is not")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    same, product = function(F, lambda ctx, a, b: (a, a * b), lambda ctx, g, h: (g * 5 + h, h * 7)).apply(a, b)
    (same + product).sum().backward()
    return same is a, same._is_view(), product._is_view(), a.grad, b.grad


@behaviours("C15: an input returned twice")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first, second = function(F, lambda ctx, x: (x, x), lambda ctx, g, h: g * 5 + h * 7).apply(x)
    (first + second).sum().backward()
    return first is x, [first.output_nr, second.output_nr], x.grad


@behaviours("C15: a saved input that was also returned comes back")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    y.sum().backward()
    return y, x.grad


@behaviours("C15: one of several outputs may be written to")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    first.mul_(5)
    (first + second).sum().backward()
    return first, first.grad_fn, x.grad


@behaviours("C15: views of a Function's output, and writes through them")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    view = y[:1]
    view.mul_(5)
    y.sum().backward()
    return y, x.grad


def returned_in(mode: str) -> None:
    @behaviours(
        f"C15: an input returned as it is in {mode}, whose base was written to",
        error=RuntimeError,
        says="A view was created in no_grad mode and its base or another view of its base has been modified inplace "
        "with grad mode enabled. This view was created inside a custom Function",
    )
    def _(F):
        class AsIs(F.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, g):
                return g

        base, x = F.ones(2), F.ones(1, requires_grad=True)
        with getattr(F, mode)():
            same = AsIs.apply(base)
        base[0:1] = x
        _ = same.grad_fn


for mode in ("no_grad", "enable_grad", "inference_mode"):
    returned_in(mode)


test_as_in_torch = behaviours.test()
