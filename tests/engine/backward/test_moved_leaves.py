"""Leaves that became results, or took another shape, between forward and backward (D11, D14)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours(
    "D11: a leaf that a recorded write has made a result", error=RuntimeError, says="leaf variable has been moved"
)
def _(F: Any) -> Any:
    x, y = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    total = x.sum()
    x.detach_()
    x.add_(y)
    total.backward()


@behaviours(
    "D06: a leaf that is a view, after a recorded write to its base, whether or not its node was looked at",
    error=RuntimeError,
    says="leaf variable has been moved",
)
def _(F: Any) -> Any:
    base, factor = F.ones(3), leaf(F, 1.0, 2.0, 3.0)
    view = base[:2].requires_grad_()
    total = (view * 2).sum()
    base.mul_(factor)
    total.backward()


@behaviours("D14: `.data = ` of another shape in between is a RuntimeError")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    y = x * x
    x.data = F.zeros(1, 2)
    try:
        y.sum().backward()
    except RuntimeError:
        return x.grad
    raise AssertionError("it went through")


test_as_in_torch = behaviours.test()
