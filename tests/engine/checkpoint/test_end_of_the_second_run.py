"""The second run of a checkpoint stops as soon as the last saved tensor is there, unless told otherwise."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from engine.checkpoint.runs import checkpoint
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def passing(log: list[Any]) -> Callable[[Any], Any]:
    """A function that writes down how far it came."""

    def function(x: Any) -> Any:
        y = x.sin()
        log.append("saved the last tensor")
        z = y + 1
        log.append("reached the end")
        return z

    return function


@behaviours("the second run stops as soon as the last tensor is saved")
def _(F):
    x, log = leaf(F), []
    checkpoint(F, passing(log), x).sum().backward()
    return log, x.grad


@behaviours("stopping early passes through contexts of the function as an error would")
def _(F):
    x, log = leaf(F), []

    @contextlib.contextmanager
    def noted():
        try:
            yield
        finally:
            log.append("left")

    def function(x):
        with noted():
            y = x.sin()
            log.append("in")
        return y + 1

    checkpoint(F, function, x).sum().backward()
    return log, x.grad


test_as_in_torch = behaviours.test()
