"""Leaves and requires_grad_ around writes: what is refused, and what no_grad allows (D01)."""

from __future__ import annotations

from engine.inplace.effects import VIEW_OF_LEAF, found, gradients, graph, grid, state, tried
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D05: requires_grad_ of a base after a view was made")
def _(F):
    base = F.ones(2, 3)
    row = base[0]
    base.requires_grad_()
    seen = state(base, row)
    return seen, tried(lambda: state(row.mul_(2)), VIEW_OF_LEAF)


@behaviours("D05: requires_grad_ of a base, whose old view is then part of a computation")
def _(F):
    base = F.tensor([[1.0, 2.0], [3.0, 4.0]])
    row = base[0]
    base.requires_grad_()
    total = (row * 3).sum() + (base * 2).sum()
    total.backward()
    return row.requires_grad, row.is_leaf, base.grad


@behaviours("D05: requires_grad_ of a view of a plain tensor makes the view a leaf")
def _(F):
    base = F.ones(2, 3)
    row = base[0].requires_grad_()
    seen = state(base, row)
    (row * row).sum().backward()
    return seen, row.grad, base.grad


@behaviours(
    "D01: writing into a view that was made a leaf is refused",
    error=RuntimeError,
    says=VIEW_OF_LEAF,
)
def _(F):
    F.ones(2, 3)[0].requires_grad_().mul_(2)


@behaviours("D01: writing into the base of a view that was made a leaf")
def _(F):
    base = F.ones(2, 3)
    row = base[0].requires_grad_()
    base.mul_(2)
    return state(base, row)


@behaviours("D01: a leaf freed of requires_grad may be written to")
def _(F):
    x = grid(F)
    x.requires_grad_(False)
    x.mul_(2)
    x.requires_grad_()
    (x * x).sum().backward()
    return state(x), x.grad


@behaviours("D01: writes to a result under no_grad leave its node, whatever they do")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        y.zero_()
        y[0] = 1.0
        y += 1
    return state(y), gradients(F, y * y, x)


@behaviours("D05: what is written in place under enable_grad within no_grad is recorded")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        y.mul_(2.0)
        with F.enable_grad():
            y.mul_(3.0)
    return state(y), graph(y), gradients(F, y, x)


@behaviours("D01: requires_grad_() asks no view for the node that a write took from it")
def _(F):
    x = F.ones(2, requires_grad=True) * 1
    part = x.chunk(2)[0]
    x.mul_(2.0)
    part.requires_grad_(True)
    return part.requires_grad, found(lambda: part.grad_fn)


test_as_in_torch = behaviours.test()
