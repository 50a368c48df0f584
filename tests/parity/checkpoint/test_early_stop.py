"""The second run of a checkpoint stops as soon as the last saved tensor is there, unless told otherwise."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from parity.checkpoint.runs import checkpoint
from parity.leaves import leaf
from side_by_side import Behaviours

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


@behaviours("with early_stop=False it goes on to the end")
def _(F):
    x, log = leaf(F), []
    checkpoint(F, passing(log), x, early_stop=False).sum().backward()
    return log, x.grad


@behaviours("set_checkpoint_early_stop decides when the first run is made, and outdoes the argument")
def _(F):
    x, log = leaf(F), []
    with F.utils.checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint(F, passing(log), x, early_stop=True)
    y.sum().backward()
    lengths = [len(log)]
    with F.utils.checkpoint.set_checkpoint_early_stop(True):
        y = checkpoint(F, passing(log), x, early_stop=False)
    y.sum().backward()
    lengths.append(len(log))
    checkpoint(F, passing(log), x).sum().backward()
    return [*lengths, len(log)]


@behaviours("set_checkpoint_early_stop contexts nest, and are undone after an error")
def _(F):
    x, log, lengths = leaf(F), [], []
    with contextlib.suppress(KeyError), F.utils.checkpoint.set_checkpoint_early_stop(False):
        with F.utils.checkpoint.set_checkpoint_early_stop(True):
            checkpoint(F, passing(log), x).sum().backward()
            lengths.append(len(log))
        checkpoint(F, passing(log), x).sum().backward()
        lengths.append(len(log))
        raise KeyError
    checkpoint(F, passing(log), x).sum().backward()
    return [*lengths, len(log)]


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
