"""The second run of a checkpoint draws the random numbers of the first, and leaves those after it alone."""

from __future__ import annotations

from typing import Any

from engine.checkpoint.runs import checkpoint
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def masked(F: Any, x: Any) -> Any:
    return x * (F.rand(8) > 0.5).float() * x


@behaviours("the second run draws the same random numbers as the first")
def _(F):
    F.manual_seed(3)
    x = F.ones(8, requires_grad=True)
    y = checkpoint(F, lambda x: x * F.rand(8) * x, x)
    y.sum().backward()
    return F.all((x.grad - 2 * y).abs() < 1e-6)


@behaviours("with preserve_rng_state=False it draws new ones")
def _(F):
    F.manual_seed(3)
    x = F.ones(8, requires_grad=True)
    y = checkpoint(F, lambda x: x * F.rand(8) * x, x, preserve_rng_state=False)
    y.sum().backward()
    return F.all((x.grad - 2 * y).abs() < 1e-6)


@behaviours("the second run leaves the random numbers after it as they would have been")
def _(F):
    following = []
    for backward in (True, False):
        F.manual_seed(3)
        y = checkpoint(F, lambda x: masked(F, x), F.ones(8, requires_grad=True))
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


@behaviours("the random numbers after it are left alone also if the function seeds them itself")
def _(F):
    def function(x):
        F.manual_seed(5)
        return masked(F, x)

    following = []
    for backward in (True, False):
        y = checkpoint(F, function, F.ones(8, requires_grad=True))
        F.manual_seed(6)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


@behaviours("with preserve_rng_state=False the second run uses up random numbers")
def _(F):
    following = []
    for backward in (True, False):
        F.manual_seed(3)
        x = F.ones(8, requires_grad=True)
        y = checkpoint(F, lambda x: masked(F, x), x, preserve_rng_state=False)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


test_as_in_torch = behaviours.test()
