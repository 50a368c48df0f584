"""What is a leaf, and what a tensor tells of its place in the graph (A01)."""

from __future__ import annotations

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import raised

behaviours = Behaviours()


@behaviours("A01: a tensor made by hand is a leaf, whether or not it requires grad")
def _(F):
    x, y = F.tensor([1.0]), F.tensor([1.0], requires_grad=True)
    return [(z.is_leaf, z.grad_fn, z.output_nr, z.requires_grad, z.grad) for z in (x, y)]


@behaviours("A01: a result is no leaf, and knows its node")
def _(F):
    y = leaf(F) * 2
    return y.is_leaf, y.requires_grad, y.grad_fn, y.output_nr


@behaviours("A01: the result of tensors that need no grad is a leaf")
def _(F):
    y = F.ones(2) * 2
    return y.is_leaf, y.requires_grad, y.grad_fn


@behaviours("A01: a result requires grad if any of its inputs does")
def _(F):
    x, y = F.ones(2), leaf(F)
    return [z.requires_grad for z in (x + x, x + y, y + x, y + y, F.stack([x, y, x]), F.where(x > 0, x, y))]


@behaviours("A01: detach gives a leaf that needs no grad")
def _(F):
    y = (leaf(F) * 2).detach()
    return y, y.is_leaf, y.grad_fn


@behaviours("A01: a detached result can become a leaf of its own, whose gradient ends there")
def _(F):
    x = leaf(F)
    y = (x * 2).detach().requires_grad_()
    (y * y).sum().backward()
    return y.is_leaf, y.grad, x.grad


@behaviours("A01: what has no derivative is a leaf: comparisons, positions, integers, bools")
def _(F):
    x = leaf(F)
    results = (x > 1, x == x, x.argmax(), x.long(), x.bool(), x.int())
    return [(y, y.is_leaf, y.grad_fn) for y in results]


@behaviours("A01: a conversion to float64 is no leaf; one to the dtype that is there is the tensor itself")
def _(F):
    x = leaf(F)
    return x.double().is_leaf, x.double().grad_fn, x.float() is x, x.to(F.float32) is x


@behaviours("A01: every factory makes a leaf, also with requires_grad=True")
def _(F):
    made = [
        F.zeros(2, requires_grad=True),
        F.ones(2, requires_grad=True),
        F.full((2,), 3.0, requires_grad=True),
        F.arange(2.0, requires_grad=True),
        F.linspace(0, 1, 2, requires_grad=True),
        F.eye(2, requires_grad=True),
        F.zeros_like(F.ones(2), requires_grad=True),
        F.ones_like(F.ones(2), requires_grad=True),
        F.full_like(F.ones(2), 3, requires_grad=True),
        F.tensor(2.0, requires_grad=True),
    ]
    return [(x, x.is_leaf, x.grad_fn) for x in made]


@behaviours("A01: random and empty tensors are leaves of the right shape and dtype")
def _(F):
    made = [maker(2, 3, requires_grad=True) for maker in (F.rand, F.randn, F.empty)]
    made.append(F.empty_like(F.zeros(2, 3), requires_grad=True))
    return [(x.shape, x.dtype, x.is_leaf, x.requires_grad) for x in made]


@behaviours("A01: zeros_like of a tensor that requires grad does not")
def _(F):
    x = leaf(F)
    return F.zeros_like(x), F.ones_like(x), F.zeros_like(x * 2), F.full_like(x, 2.0)


@behaviours("A01: a leaf that a graph is written into is no leaf any more")
def _(F):
    x, y = F.zeros(2), leaf(F)
    x.add_(y)
    return x, x.is_leaf, x.grad_fn


@behaviours("A01: what a tensor tells about the graph cannot be set")
def _(F):
    x = leaf(F)
    attributes = ("is_leaf", "grad_fn", "output_nr", "retains_grad", "_version", "_base", "shape", "dtype")
    return [raised(lambda name=name: setattr(x, name, getattr(x, name))) for name in attributes]


@behaviours("A01: output_nr counts the outputs of a node")
def _(F):
    first, second = leaf(F).unbind()
    return first.output_nr, second.output_nr, first.grad_fn is second.grad_fn, first.grad_fn


test_as_in_torch = behaviours.test()
