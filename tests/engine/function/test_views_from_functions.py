"""Writes to views that a custom Function returned, and Functions that write into views (C14, C15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.inplace.effects import MADE_IN_NO_GRAD, SEVERAL_VIEWS, gradients, graph, grid, number, state, tried
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def custom(F: Any, forward: Callable[..., Any], backward: Callable[..., Any], title: str = "Custom") -> Any:
    """A Function of one tensor."""
    return type(
        title,
        (F.autograd.Function,),
        {
            "forward": staticmethod(lambda ctx, t: forward(t)),
            "backward": staticmethod(lambda ctx, *gradients: backward(*gradients)),
        },
    )


CUSTOM: dict[str, Callable[[Any], Any]] = {
    "its input as is": lambda F: custom(F, lambda t: t, lambda g: g * 2),
    "a view of its input": lambda F: custom(F, lambda t: t.view(-1), lambda g: g.view(2, 3) * 2),
    "a view of something new": lambda F: custom(F, lambda t: t.clone()[:], lambda g: g * 2),
    "two views of its input": lambda F: custom(F, lambda t: (t[0], t[1]), lambda g, h: F.stack([g, h]) * 2),
}
IN_CUSTOM = "This view was created inside a custom Function (or because an input was returned as-is)"


def first_of(outcome: Any) -> Any:
    return outcome[0] if isinstance(outcome, tuple) else outcome


def view_from_custom(text: str, function: Callable[[Any], Any]) -> None:
    reason = SEVERAL_VIEWS if text.startswith("two") else IN_CUSTOM

    @behaviours(f"C15: what a Function is that returns {text}")
    def _(F):
        x = grid(F)
        y = x * 1
        part = first_of(function(F).apply(y))
        return state(part), part is y, part._base is y, graph(part), gradients(F, part, x)

    for of, base in {"a result": lambda F: grid(F) * 1, "a leaf": grid}.items():

        @behaviours(
            f"C15: a write is refused where a Function of {of} returns {text}",
            error=RuntimeError,
            says=f"Output 0 of Custom is a view and is being modified inplace. {reason}",
        )
        def _(F, base=base):
            first_of(function(F).apply(base(F))).mul_(2.0)

    @behaviours(f"C15: a write to the input where a Function returns {text}")
    def _(F):
        x = grid(F)
        y = x * 1
        part = first_of(function(F).apply(y))
        y.mul_(2.0)
        beginning = "Output 0 of Custom is a view and its base or another view of its base has been modified inplace."
        return state(y), tried(lambda: (part.grad_fn, gradients(F, part, x)), f"{beginning} {reason}")

    @behaviours(f"C15: a Function that returns {text}, called under no_grad")
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = first_of(function(F).apply(y))
        return state(part), part._base is y, tried(lambda: state(part.mul_(2.0)), f"{MADE_IN_NO_GRAD} {IN_CUSTOM}")

    @behaviours(f"C15: a Function of a plain tensor that returns {text}")
    def _(F):
        base, w = F.ones(2, 3), number(F)
        part = first_of(function(F).apply(base))
        before = state(part)
        part.mul_(2.0)
        return before, state(base, part), tried(lambda: state(part.mul_(w)), f"{MADE_IN_NO_GRAD} {IN_CUSTOM}")


for text, function in CUSTOM.items():
    view_from_custom(text, function)


@behaviours("C15: a write to a new tensor that a Function returned is fine")
def _(F):
    x = grid(F)
    y = custom(F, lambda t: t.clone(), lambda g: g * 2).apply(x * 1)
    y.mul_(3.0)
    y[0] = 1.0
    return state(y), graph(y), gradients(F, y, x)


def doubling(F: Any) -> Any:
    """A Function that writes into its input and says so."""

    class Doubling(F.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.mark_dirty(t)
            return t.mul_(2.0)

        @staticmethod
        def backward(ctx, g):
            return g * 10

    return Doubling


@behaviours("C14: a Function that writes into a result")
def _(F):
    x = grid(F)
    y = x * 1
    returned = doubling(F).apply(y)
    return returned is y, state(y), graph(y), gradients(F, y, x)


@behaviours("C14: a Function that writes into a result with views")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    doubling(F).apply(y)
    return state(y, row), graph(row), gradients(F, row, x)


@behaviours("C14: a Function that writes into a view")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    returned = doubling(F).apply(row)
    return returned is row, state(y, row), graph(y), gradients(F, y, x), gradients(F, row, x)


test_as_in_torch = behaviours.test()
