"""Which results are views, what `_base` and `_is_view()` tell, and when view and reshape need no copy (D12, D13)."""

from __future__ import annotations

from engine.inplace.effects import gradients, graph, grid, state
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D12: _base of a view, and of a view of a view, is the root, whatever that is")
def _(F):
    x, y = F.zeros(2, 3), grid(F) * 1
    roots = x._base, x[0]._base is x, x.view(6)[1:].view(5, 1)._base is x, x.T[0][1]._base is x
    return roots, y[0]._base is y, y.t()[0].unsqueeze(0)._base is y, x[0].detach()[1:]._base is x


@behaviours("D12: what is a view and what is not")
def _(F):
    x = F.zeros(2, 3)
    views = (x[0], x[:], x.view(6), x.T, x.reshape(6), x.expand(4, 2, 3), x.view_as(x), x[None], x.unbind()[0])
    others = (x, x.clone(), x.detach(), x.data, x[[0, 1]], x[x > 0], x + 0, x.T.reshape(6), x.contiguous())
    results = (x.to(F.float64), x.sum(0), x.exp())
    return [[[t._is_view(), t._base is x, t._version] for t in made] for made in (views, others, results)]


@behaviours("D12: a view of a leaf that requires grad is one, too")
def _(F):
    x = leaf(F)
    y = x.view(2, 1)
    return y._is_view(), y._base is x, y.is_leaf, y.grad_fn


@behaviours("D13: reshape that has to copy is no view, and a write to it leaves the base")
def _(F):
    x = grid(F)
    y = x * 1
    copy = y.t().reshape(6)
    copy.mul_(2.0)
    return state(y, copy), copy._base is None, graph(copy), gradients(F, copy, x)


@behaviours("D13: reshape of a transposed tensor that needs no copy is a view of the root")
def _(F):
    x = grid(F)
    y = x * 1
    same = y.t().reshape(3, 1, 2)
    same.mul_(2.0)
    return state(y, same), same._base is y, gradients(F, y, x)


@behaviours(
    "D13: contiguous memory decides whether view is possible", error=RuntimeError, says="view size is not compatible"
)
def _(F):
    F.ones(2, 3).t().view(6)


@behaviours("D12: a base lives as long as a view of it")
def _(F):
    part = (grid(F) * 2).view(-1)[1:3]
    return part._base, part, part._base.grad_fn


test_as_in_torch = behaviours.test()
