"""Results, views and writes under no_grad, and backward there (F01)."""

from __future__ import annotations

from engine.modes.samples import modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("F01: operations are recorded unless something says otherwise")
def _(F):
    return modes(F), (leaf(F) * 2).grad_fn


@behaviours("F01: results under no_grad are leaves that need no grad, with a version of their own")
def _(F):
    x = leaf(F)
    with F.no_grad():
        y = x * 2
        y.add_(1)
    return y, y.is_leaf, y.grad_fn, y.is_inference(), y._version


@behaviours("F01: leaves keep their requires_grad under no_grad")
def _(F):
    x = leaf(F)
    with F.no_grad():
        return x.requires_grad, x.is_leaf, modes(F)


@behaviours("F01: factories with requires_grad=True still work under no_grad")
def _(F):
    with F.no_grad():
        x = F.ones(2, requires_grad=True)
        y = F.tensor([3.0, 4.0]).requires_grad_()
        quiet = x * 2
    (x * y).sum().backward()
    return x, y, quiet, x.grad, y.grad


@behaviours("F01: a constant of the graph is what no_grad computed")
def _(F):
    x = leaf(F)
    with F.no_grad():
        y = x * x
    (x * y).sum().backward()
    return x.grad


@behaviours("F01: results from before stay in the graph under no_grad")
def _(F):
    x = leaf(F)
    y = x * 2
    with F.no_grad():
        inside = y.requires_grad, y.is_leaf, y.grad_fn
        z = y * 3
    return inside, z


@behaviours("F01: leaves may be written to under no_grad, and the write counts")
def _(F):
    x = leaf(F)
    with F.no_grad():
        x -= 0.5
        x[0] = 9
    return x, x.is_leaf, x._version


@behaviours("F01: a write to a result under no_grad is no part of the graph")
def _(F):
    x = leaf(F)
    y = x * 2
    with F.no_grad():
        y.mul_(10)
    y.sum().backward()
    return y, y.grad_fn, x.grad


@behaviours("F01: backward works under no_grad")
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    with F.no_grad():
        y.backward()
    return x.grad


@behaviours("F01: create_graph records the backward pass under no_grad, too")
def _(F):
    x = leaf(F)
    y = (x * x * x).sum()
    with F.no_grad():
        (gradient,) = F.autograd.grad(y, x, create_graph=True)
        inside = modes(F)
    return gradient, inside, F.autograd.grad(gradient.sum(), x)


@behaviours("F01: a hook runs in the mode that create_graph asks for")
def _(F):
    seen = []
    for create_graph in (False, True):
        x = leaf(F)
        x.register_hook(lambda gradient: seen.append(F.is_grad_enabled()))
        F.autograd.grad((x * x).sum(), x, create_graph=create_graph)
    return seen, modes(F)


@behaviours("F01: views made under no_grad keep the requires_grad of a leaf, but have no node")
def _(F):
    x = leaf(F)
    with F.no_grad():
        view = x.view(2, 1)
    return view.requires_grad, view.is_leaf, view.grad_fn, view._is_view(), view._base is x


@behaviours(
    "F01: a view made under no_grad must not be written to outside",
    error=RuntimeError,
    says="A view was created in no_grad mode and is being modified inplace with grad mode enabled.",
)
def _(F):
    x = leaf(F) * 2
    with F.no_grad():
        view = x[0]
    view.add_(1)


@behaviours("F01: a result under no_grad can become a leaf")
def _(F):
    x = leaf(F)
    with F.no_grad():
        y = x * 2
    y.requires_grad_()
    (y * y).sum().backward()
    return y.grad, x.grad


test_as_in_torch = behaviours.test()
