"""A backward that differentiates its own output would never end: minigrad explains it, PyTorch overflows the stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from engine.function.probes import function
from helpers.leaves import leaf

import minigrad
from minigrad.autograd.function import MOST_RETURNS

ENTRIES = 3_000  # far more than it takes to see that backward comes back to itself; then the test gives up


def trap(again: Callable[[Any, Any], Any], name: str, entries: list[int]) -> Any:
    """A Function whose backward does `again(ctx, gradient)`, which leads back to it; `entries` counts how often."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.x, ctx.output = x, x * x
        ctx.save_for_backward(ctx.output)
        return ctx.output

    def backward(ctx: Any, g: Any) -> Any:
        entries.append(1)
        if len(entries) > ENTRIES:
            raise OverflowError("backward called itself, and nothing stopped it")
        again(ctx, g)
        return ctx.x.grad

    return type(name, (function(minigrad, forward, backward),), {})


def through_the_recomputed_output(ctx: Any, g: Any) -> None:
    with minigrad.enable_grad():
        (ctx.output * g).sum().backward(retain_graph=True)


TRAPS: dict[str, Callable[[Any, Any], Any]] = {
    "output.backward(gradient)": lambda ctx, g: ctx.output.backward(g),
    "output.backward(gradient, retain_graph=True)": lambda ctx, g: ctx.output.backward(g, retain_graph=True),
    "a saved output's backward": lambda ctx, g: ctx.saved_tensors[0].backward(g),
    "grad() of the output": lambda ctx, g: minigrad.autograd.grad(ctx.output, ctx.x, g, retain_graph=True),
    "something computed from the output": through_the_recomputed_output,
}


@pytest.mark.parametrize("how", TRAPS)
def test_a_backward_that_differentiates_its_own_output_is_explained(how: str) -> None:
    x = leaf(minigrad, 1.0, 2.0)
    entries: list[int] = []
    y = trap(TRAPS[how], "Trap", entries).apply(x).sum()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    assert len(entries) <= MOST_RETURNS + 1
    assert type(caught.value) is RuntimeError
    assert "Trap" in str(caught.value)
    assert "itself" in str(caught.value)
    assert minigrad.is_grad_enabled()
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("count", [2, 25])  # 25 is deeper than one thread may nest
def test_functions_in_a_ring_that_call_the_next_ones_backward_are_explained(count: int) -> None:
    outputs: list[Any] = []
    entries: list[int] = []
    x = leaf(minigrad, 1.0, 2.0)
    for number in range(count):

        def pass_on(ctx: Any, g: Any, following: int = (number + 1) % count) -> None:
            outputs[following].backward(g, retain_graph=True)

        outputs.append(trap(pass_on, f"Ring{number}", entries).apply(x))
    with pytest.raises(RuntimeError, match="itself") as caught:
        outputs[0].sum().backward()
    assert len(entries) <= (MOST_RETURNS + 1) * count
    assert type(caught.value) is RuntimeError
    assert "Ring" in str(caught.value)
    assert minigrad.is_grad_enabled()
