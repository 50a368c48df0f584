"""What a checkpoint keeps, and when it is released."""

from __future__ import annotations

import gc
import weakref

from engine.checkpoint.runs import checkpoint
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


class Mark:
    """Something that a weak reference can watch."""


@behaviours("what the function computed on its way is not kept after the first run")
def _(F):
    watched = []

    def function(x):
        y = x.sin()
        watched.append(weakref.ref(y))
        return y.exp().sin()

    y = checkpoint(F, function, leaf(F))
    kept = watched[0]() is not None
    y.sum().backward()
    return kept, len(watched), [reference() is not None for reference in watched]


@behaviours("the function and its arguments are released by backward, the garbage collector off")
def _(F):
    was_on = gc.isenabled()
    gc.disable()
    try:
        mark, x = Mark(), leaf(F)
        inner = x * 1
        alive = weakref.ref(mark), weakref.ref(inner)
        y = checkpoint(F, lambda x, mark=mark: x.sin().exp(), inner).sum()
        del mark, inner
        before = [reference() is not None for reference in alive]
        y.backward()
        del y
        return before, [reference() is not None for reference in alive]
    finally:
        if was_on:
            gc.enable()


@behaviours("the function and its arguments are released with the result if backward never came, the collector off")
def _(F):
    was_on = gc.isenabled()
    gc.disable()
    try:
        mark, x = Mark(), leaf(F)
        inner = x * 1
        alive = weakref.ref(mark), weakref.ref(inner)
        y = checkpoint(F, lambda x, mark=mark: x.sin().exp(), inner)
        del mark, inner, y
        return [reference() is not None for reference in alive]
    finally:
        if was_on:
            gc.enable()


test_as_in_torch = behaviours.test()
