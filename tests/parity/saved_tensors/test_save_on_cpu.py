"""save_on_cpu: the same gradients."""

from __future__ import annotations

from parity.leaves import leaf
from parity.saved_tensors.packing import noted, square
from side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("save_on_cpu: the same gradients")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    with F.autograd.graph.save_on_cpu():
        z = (x * y).exp() / y
    z.sum().backward()
    return x.grad, y.grad


@behaviours("save_on_cpu: pin_memory is accepted")
def _(F):
    x = leaf(F)
    with F.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x**3).sin()
    y.sum().backward()
    return x.grad, isinstance(F.autograd.graph.save_on_cpu(), F.autograd.graph.saved_tensors_hooks)


@behaviours("save_on_cpu: double backward")
def _(F):
    x = leaf(F)
    with F.autograd.graph.save_on_cpu():
        y = (x**3).sum()
    (g,) = F.autograd.grad(y, x, create_graph=True)
    return g, F.autograd.grad(g.sum(), x)


@behaviours("save_on_cpu: the outer hooks do not see what it saves")
def _(F):
    x, packed = leaf(F), []
    with noted(F, packed), F.autograd.graph.save_on_cpu():
        y = x.exp()
    y.sum().backward()
    return packed, x.grad


@behaviours("save_on_cpu: a Function's saved tensors come back equal")
def _(F):
    x = leaf(F)
    with F.autograd.graph.save_on_cpu():
        y = square(F).apply(x)
    y.sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()
