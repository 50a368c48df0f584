"""retain_grad and retains_grad: the gradient of a result, kept (A05)."""

from __future__ import annotations

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("A05: retain_grad keeps the gradient of a result")
def _(F):
    x = leaf(F)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad, x.grad, y.retains_grad


@behaviours("A05: retain_grad gives None, and can be repeated")
def _(F):
    y = leaf(F) * 2
    given = y.retain_grad(), y.retain_grad()
    y.sum().backward()
    return given, y.grad


@behaviours("A05: retains_grad is False to begin with")
def _(F):
    return leaf(F).retains_grad, (leaf(F) * 2).retains_grad, F.ones(2).retains_grad


@behaviours("A05: retain_grad does nothing for leaves")
def _(F):
    x = leaf(F)
    x.retain_grad()
    (x * 2).sum().backward()
    return x.retains_grad, x.grad


@behaviours(
    "A05: retain_grad on a tensor without grad",
    error=RuntimeError,
    says="can't retain_grad on Tensor that has requires_grad=False",
)
def _(F):
    F.ones(2).retain_grad()


@behaviours("A05: retain_grad on every result of a chain")
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.exp()
    total = z.sum()
    for result in (y, z, total):
        result.retain_grad()
    total.backward()
    return y.grad, z.grad, total.grad


@behaviours("A05: retain_grad on one of several outputs of a node")
def _(F):
    first, second = (leaf(F) * 2).unbind()
    second.retain_grad()
    (first * second).backward()
    return second.grad, second.retains_grad, first.retains_grad


@behaviours("A05: with create_graph the kept gradient has a graph")
def _(F):
    x = leaf(F)
    y = x * x
    y.retain_grad()
    gradient = F.autograd.grad((y * y).sum(), x, create_graph=True)
    return gradient, y.grad.requires_grad


@behaviours("A05: retain_grad may be asked for under no_grad")
def _(F):
    y = leaf(F) * 2
    with F.no_grad():
        y.retain_grad()
    y.sum().backward()
    return y.grad


test_as_in_torch = behaviours.test()
