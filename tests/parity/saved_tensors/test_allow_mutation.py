"""allow_mutation_on_saved_tensors: gradients use the values from before a write."""

from __future__ import annotations

from parity.leaves import leaf
from parity.saved_tensors.packing import square
from side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("mutation: gradients use the values of before, values are those of after")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        out = (y**2).sum()
        y.sin_()
        out.backward()
    return y, out, x.grad


@behaviours("mutation: the written tensor can be used on, and both parts add up")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 2
        first = (y * y).sum()
        y.mul_(3)
        second = (y * y).sum()
        y.add_(1)
        (first + second).backward()
    return y, x.grad


@behaviours("mutation: an op's own result may be written to")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.exp()
        y.mul_(2)
        y.sum().backward()
    return y, x.grad


@behaviours("mutation: through a view")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y**2).sum()
        y[0].mul_(100)
        out.backward()
    return y, x.grad


@behaviours("mutation: of the base of a saved view")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y[:1] ** 2).sum()
        y.mul_(100)
        out.backward()
    return y, x.grad


@behaviours("mutation: by assignment to elements")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y**2).sum()
        y[0] = 50.0
        out.backward()
    return y, x.grad


@behaviours("mutation: of a leaf under no_grad")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = (x**2).sum()
        with F.no_grad():
            x.zero_()
        out.backward()
    return x, x.grad


@behaviours("mutation: what a Function saved")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = square(F).apply(y).sum()
        y.zero_()
        out.backward()
    return y, x.grad


@behaviours("mutation: of a tensor that needs no gradient itself")
def _(F):
    x, weights = leaf(F), F.tensor([5.0, 6.0])
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = (x * weights).sum()
        weights.zero_()
        out.backward()
    return weights, x.grad


@behaviours("mutation: double backward through what was written to")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y**3).sum()
        y.zero_()
        (g,) = F.autograd.grad(out, x, create_graph=True)
        (h,) = F.autograd.grad(g.sum(), x)
    return g.detach(), h


@behaviours("mutation: two tensors of the same memory, saved before and after a write")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y.detach()
        first = (y**2).sum()
        z.mul_(10)
        second = (y**2).sum()
        z.zero_()
        (first + second).backward()
    return y.detach(), x.grad


@behaviours("mutation: the object of the context says what it copied, and what it holds")
def _(F):
    x, counts = leaf(F), []
    with F.autograd.graph.allow_mutation_on_saved_tensors() as held:
        y = x * 1
        out = (y**2).sum()
        counts.append((len(held.original), len(held.cloned)))
        y.zero_()
        counts.append((len(held.original), len(held.cloned)))
        y.zero_()
        counts.append((len(held.original), len(held.cloned)))
        out.backward()
        counts.append((len(held.original), len(held.cloned)))
    return counts


@behaviours("mutation: after a backward a write copies nothing")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors() as held:
        y = x * 1
        (y**2).sum().backward()
        y.zero_()
        return len(held.original), len(held.cloned), x.grad


OUTSIDE = "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"


@behaviours("mutation: backward outside of the context", error=AssertionError, says=OUTSIDE)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = leaf(F).exp().sum()
    out.backward()


@behaviours("mutation: backward in another context", error=AssertionError, says=OUTSIDE)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = leaf(F).exp().sum()
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out.backward()


@behaviours("mutation: backward after clear()", error=AssertionError, says=OUTSIDE)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors() as held:
        out = leaf(F).exp().sum()
        held.clear()
        out.backward()


@behaviours(
    "mutation: contexts cannot be nested",
    error=RuntimeError,
    says="allow_mutation_on_saved_tensors contexts cannot be nested",
)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors(), F.autograd.graph.allow_mutation_on_saved_tensors():
        pass


@behaviours("mutation: a graph from before the context is used in it as ever")
def _(F):
    x = leaf(F)
    y = x * 1
    out = (y**2).sum()
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out.backward()
    return x.grad


@behaviours(
    "mutation: what was saved before the context is not copied",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    y = x * 1
    out = (y**2).sum()
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y.zero_()
        out.backward()


@behaviours(
    "mutation: after the context writes are refused as ever, also if it ended with an error",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    try:
        with F.autograd.graph.allow_mutation_on_saved_tensors():
            raise ValueError("stop")
    except ValueError:
        y = x * 1
    out = (y**2).sum()
    y.zero_()
    out.backward()


@behaviours(
    "mutation: a leaf that requires grad is still not written to", error=RuntimeError, says="a leaf Variable that"
)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        leaf(F).zero_()


test_as_in_torch = behaviours.test()
