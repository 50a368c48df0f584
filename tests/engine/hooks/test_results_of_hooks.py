"""What a tensor's hook may return, what is refused, and what becomes of its result (E02)."""

from __future__ import annotations

import functools

from helpers.leaves import leaf
from helpers.refusals import refused
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("E02: a number is no gradient", error=TypeError, says="expected Variable, but hook returned 'int'")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: 1)
    x.sum().backward()


@behaviours("E02: a list is no gradient", error=TypeError, says="expected Variable, but hook returned 'list'")
def _(F):
    y = leaf(F) * 2
    y.register_hook(lambda g: [g])
    y.sum().backward()


@behaviours(
    "E02: another size is refused, and the hook named",
    error=RuntimeError,
    says="hook '<lambda>' has changed the size of value",
)
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g.sum())
    x.sum().backward()


@behaviours(
    "E02: a size that would broadcast is refused too",
    error=RuntimeError,
    says="hook 'widened' has changed the size of value",
)
def _(F):
    def widened(g):
        return g.reshape(1, 2)

    y = leaf(F) * 2
    y.register_hook(widened)
    y.sum().backward()


@behaviours(
    "E02: another dtype is refused", error=RuntimeError, says="hook '<lambda>' has changed the type of value (was "
)
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g.double())
    x.sum().backward()


@behaviours("E02: the type is checked before the size", error=RuntimeError, says="hook '<lambda>' has changed the type")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g.double().sum())
    x.sum().backward()


@behaviours("E02: a hook without a name is refused by another name")
def _(F):
    class Sized:
        def __call__(self, g):
            return g.sum()

    x = leaf(F)
    x.register_hook(Sized())
    try:
        x.sum().backward()
    except RuntimeError as error:
        return "' has changed the size of value" in str(error)
    return None


@behaviours("E02: a partial function works as a hook")
def _(F):
    x = leaf(F)
    x.register_hook(functools.partial(F.mul, other=4.0))
    x.sum().backward()
    return x.grad


@behaviours("E02: the refused pass leaves no gradient behind at that leaf")
def _(F):
    x = leaf(F)
    handle = x.register_hook(lambda g: 1)
    y = (x * 2).sum()
    error = refused(lambda: y.backward(retain_graph=True), TypeError, "expected Variable, but hook returned 'int'")
    before = x.grad
    handle.remove()
    y.backward()
    return error, before, x.grad


@behaviours("E02: an exception in a hook comes through as it is", error=ZeroDivisionError, says="division by zero")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: 1 / 0)
    x.sum().backward()


@behaviours("E02: an exception in a hook of a result keeps the nodes behind it from running")
def _(F):
    x, z = leaf(F), leaf(F)
    y = x * 2
    y.register_hook(lambda g: {}["missing"])
    total = (y + z).sum()
    return refused(total.backward, KeyError, "'missing'"), x.grad


@behaviours("E02: a hook's result may be a fresh tensor, that needs no gradient")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: F.tensor([7.0, 8.0]))
    x.sum().backward()
    return x.grad


@behaviours("E02: a hook's result may have a graph; .grad does not take it over")
def _(F):
    x, w = leaf(F), leaf(F)

    def weighted(g):
        with F.enable_grad():
            return g * w

    x.register_hook(weighted)
    x.sum().backward()
    return x.grad.requires_grad, x.grad.detach()


@behaviours("E02: .grad is not the tensor that the hook returned if someone else holds that")
def _(F):
    x, kept = leaf(F), F.tensor([7.0, 8.0])
    x.register_hook(lambda g: kept)
    x.sum().backward()
    x.sum().backward()
    return x.grad is kept, kept, x.grad


@behaviours("E02: with hooks too, .grad stays the same object from pass to pass")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g * 10)
    x.sum().backward()
    first = x.grad
    x.sum().backward()
    return x.grad is first, first


@behaviours("E02: where a hook returns its argument, .grad is still a copy of the gradient that was passed in")
def _(F):
    x, given = leaf(F), F.tensor([5.0, 6.0])
    x.register_hook(lambda g: g)
    x.backward(given)
    x.backward(given)
    return x.grad, given, x.grad is given


@behaviours("E02: what is no function fails when it is called", error=TypeError, says="'int' object is not callable")
def _(F):
    x = leaf(F)
    x.register_hook(3)
    x.sum().backward()


test_as_in_torch = behaviours.test()
