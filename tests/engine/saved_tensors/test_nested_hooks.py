"""Of nested pairs of hooks only the innermost applies (G05)."""

from __future__ import annotations

from engine.saved_tensors.packing import hooks, noted
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("G05: only the innermost pair applies; the outer one is back after it")
def _(F):
    x, outer, inner = leaf(F), [], []
    with noted(F, outer):
        a = x.sin()
        with noted(F, inner):
            b = a.cos()
        c = b.sin()
    c.sum().backward()
    return len(outer), len(inner), x.grad


@behaviours("G05: what was packed by a pair is unpacked by that pair, whatever is in force then")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: "mine", lambda packed: F.tensor([len(packed), 0.0])):
        y = x**2
    with hooks(F, lambda t: "other", lambda packed: F.ones(2)):
        y.sum().backward()
    return x.grad


@behaviours("G05: an error in the inner context restores the outer pair")
def _(F):
    x, outer, inner = leaf(F), [], []
    with noted(F, outer):
        try:
            with noted(F, inner):
                x.sin()
                raise ValueError("stop")
        except ValueError:
            x.cos()
    x.sin()
    return len(outer), len(inner)


test_as_in_torch = behaviours.test()
