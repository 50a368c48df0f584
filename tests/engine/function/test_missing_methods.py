"""forward, backward or vjp missing or doubled, and Functions that are instantiated (C04, C19)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import doubling, function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


NOT_INSTANTIATED = "DeprecationWarning: <class '"


@behaviours(
    "C04: no forward",
    error=NotImplementedError,
    says="You must implement the forward function for custom autograd.Function.",
)
def _(F: Any) -> Any:
    class Empty(F.autograd.Function):
        pass

    Empty.apply(leaf(F, 1.0))


@behaviours(
    "C04: the base class itself",
    error=NotImplementedError,
    says="You must implement the forward function for custom autograd.Function.",
)
def _(F: Any) -> Any:
    F.autograd.Function.apply(leaf(F, 1.0))


@behaviours(
    "C04: setup_context alone",
    error=NotImplementedError,
    says="You must implement the forward function for custom autograd.Function.",
)
def _(F: Any) -> Any:
    class Half(F.autograd.Function):
        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

    Half.apply(leaf(F, 1.0))


@behaviours("C04: no backward is no matter until it is needed")
def _(F: Any) -> Any:
    return function(F, lambda ctx, x: x * 2).apply(leaf(F, 1.0))


@behaviours(
    "C04: no backward is an error when it is needed",
    error=NotImplementedError,
    says="You must implement either the backward or vjp method for your custom autograd.Function to use it with",
)
def _(F: Any) -> Any:
    function(F, lambda ctx, x: x * 2).apply(leaf(F, 1.0)).backward()


@behaviours("C04: vjp is another name for backward")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x * 2, vjp=lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn


@behaviours(
    "C04: backward and vjp at once",
    error=RuntimeError,
    says="Implementing both 'backward' and 'vjp' for a custom Function is not allowed.",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, x: x * 2, lambda ctx, g: g * 2, vjp=lambda ctx, g: g * 2)
    probe.apply(leaf(F, 1.0)).backward()


@behaviours(
    "C19: instantiating a Function warns", warns=("DeprecationWarning: <class 'side_by_side.Old'> should not be",)
)
def _(F: Any) -> Any:
    old = type("Old", (F.autograd.Function,), {"__module__": "side_by_side"})
    return isinstance(old(), F.autograd.Function)


@behaviours(
    "C19: calling an instance",
    error=RuntimeError,
    says="Legacy autograd function with non-static forward method is deprecated.",
    warns=(NOT_INSTANTIATED,),
)
def _(F: Any) -> Any:
    doubling(F)()(leaf(F, 1.0))


@behaviours("C19: static methods can be called through the class, outside any graph")
def _(F: Any) -> Any:
    probe = doubling(F)
    return probe.forward(None, F.ones(2)), probe.backward(None, F.ones(2))


test_as_in_torch = behaviours.test()
