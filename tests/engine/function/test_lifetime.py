"""Graphs of Functions, and what these keep, die with the last reference: promises of minigrad's own."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from engine.function.probes import exponential, function
from helpers.leaves import leaf

import minigrad


@pytest.fixture
def without_collector() -> Iterator[None]:
    """What dies here dies because nobody refers to it any more."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


KEPT: dict[str, Callable[[Any, Any, Any, Any], None]] = {
    "a saved input": lambda ctx, x, between, y: ctx.save_for_backward(x),
    "a saved intermediate": lambda ctx, x, between, y: ctx.save_for_backward(between),
    "a saved output": lambda ctx, x, between, y: ctx.save_for_backward(y),
    "everything saved": lambda ctx, x, between, y: ctx.save_for_backward(x, between, y, None),
    "an attribute": lambda ctx, x, between, y: setattr(ctx, "kept", [x, between]),
}


def keeping(keep: Callable[[Any, Any, Any, Any], None], watched: list[weakref.ref[Any]]) -> Any:
    """A Function which keeps something on ctx, and lets its tensors be watched."""

    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        y = between * x
        keep(ctx, x, between, y)
        watched.extend(map(weakref.ref, (x, between, y)))
        return y

    return function(minigrad, forward, lambda ctx, g: g * 3)


def alive(watched: list[weakref.ref[Any]]) -> list[Any]:
    return [tensor() for tensor in watched if tensor() is not None]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.usefixtures("without_collector")
def test_a_graph_that_is_dropped_is_gone_at_once(kept: str) -> None:
    watched: list[weakref.ref[Any]] = []
    y = keeping(KEPT[kept], watched).apply(leaf(minigrad, 1.0, 2.0) * 1)
    assert len(alive(watched)) >= 1
    del y
    assert alive(watched) == []


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.usefixtures("without_collector")
def test_so_is_a_graph_that_was_differentiated(kept: str) -> None:
    watched: list[weakref.ref[Any]] = []
    x = leaf(minigrad, 1.0, 2.0)
    y = keeping(KEPT[kept], watched).apply(x * 1)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    del y
    assert alive(watched) == []
    assert x.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("kept", [kept for kept in KEPT if kept != "an attribute"])
@pytest.mark.usefixtures("without_collector")
def test_backward_lets_go_of_what_was_saved(kept: str) -> None:
    watched: list[weakref.ref[Any]] = []
    y = keeping(KEPT[kept], watched).apply(leaf(minigrad, 1.0, 2.0) * 1)
    y.backward(minigrad.ones(2))
    assert [tensor is y for tensor in alive(watched)] == [True]


@pytest.mark.usefixtures("without_collector")
def test_an_error_in_backward_keeps_nothing_alive() -> None:
    watched: list[weakref.ref[Any]] = []

    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(between)
        watched.append(weakref.ref(between))
        return between * x

    def backward(ctx: Any, g: Any) -> Any:
        raise LookupError("in backward")

    y = function(minigrad, forward, backward).apply(leaf(minigrad, 1.0))
    with pytest.raises(LookupError, match="in backward"):
        y.backward()
    del y
    assert alive(watched) == []


@pytest.mark.usefixtures("without_collector")
def test_a_double_backward_is_gone_at_once_too() -> None:
    watched: list[weakref.ref[Any]] = []
    x = leaf(minigrad, 1.0, 2.0)
    y = exponential(minigrad).apply(x)
    (gradient,) = minigrad.autograd.grad(y.sum(), x, create_graph=True)
    watched.extend(map(weakref.ref, (y, gradient)))
    del y, gradient
    assert alive(watched) == []


@pytest.mark.usefixtures("without_collector")
def test_a_cycle_that_the_learner_made_waits_for_the_collector() -> None:
    watched: list[weakref.ref[Any]] = []
    y = keeping(lambda ctx, x, between, y: setattr(ctx, "output", y), watched).apply(leaf(minigrad, 1.0))
    del y
    assert len(alive(watched)) >= 1
    gc.collect()
    assert alive(watched) == []
