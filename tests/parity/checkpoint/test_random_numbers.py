"""The second run of a checkpoint draws the random numbers of the first, and leaves those after it alone."""

from __future__ import annotations

from typing import Any

from parity.checkpoint.runs import checkpoint, of_both_kinds
from side_by_side import Behaviours

behaviours = Behaviours()
both = of_both_kinds(behaviours)


def masked(F: Any, x: Any) -> Any:
    return x * (F.rand(8) > 0.5).float() * x


@both("the second run draws the same random numbers as the first")
def _(F, use_reentrant):
    F.manual_seed(3)
    x = F.ones(8, requires_grad=True)
    y = checkpoint(F, lambda x: x * F.rand(8) * x, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return F.all((x.grad - 2 * y).abs() < 1e-6)


@both("with preserve_rng_state=False it draws new ones")
def _(F, use_reentrant):
    F.manual_seed(3)
    x = F.ones(8, requires_grad=True)
    y = checkpoint(F, lambda x: x * F.rand(8) * x, x, use_reentrant=use_reentrant, preserve_rng_state=False)
    y.sum().backward()
    return F.all((x.grad - 2 * y).abs() < 1e-6)


@both("the second run leaves the random numbers after it as they would have been")
def _(F, use_reentrant):
    following = []
    for backward in (True, False):
        F.manual_seed(3)
        y = checkpoint(F, lambda x: masked(F, x), F.ones(8, requires_grad=True), use_reentrant=use_reentrant)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


@both("the random numbers after it are left alone also if the function seeds them itself")
def _(F, use_reentrant):
    def function(x):
        F.manual_seed(5)
        return masked(F, x)

    following = []
    for backward in (True, False):
        y = checkpoint(F, function, F.ones(8, requires_grad=True), use_reentrant=use_reentrant)
        F.manual_seed(6)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


@both("with preserve_rng_state=False the second run uses up random numbers")
def _(F, use_reentrant):
    following = []
    for backward in (True, False):
        F.manual_seed(3)
        x = F.ones(8, requires_grad=True)
        y = checkpoint(F, lambda x: masked(F, x), x, use_reentrant=use_reentrant, preserve_rng_state=False)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


test_as_in_torch = behaviours.test()
