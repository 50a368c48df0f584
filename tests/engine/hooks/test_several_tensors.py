"""register_multi_grad_hook, in its modes all and any (E10)."""

from __future__ import annotations

from engine.hooks.loggers import logger, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours(
    "E10: a mode that does not exist",
    error=ValueError,
    says="Expects mode to be one of ('all', 'any') but got foo",
)
def _(F):
    F.autograd.graph.register_multi_grad_hook((leaf(F),), print, mode="foo")


@behaviours("E10: mode all: one call, when all gradients are there, in the order of the tensors")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    z = x * y
    F.autograd.graph.register_multi_grad_hook((y, z, x), lambda grads: seen.append(list(grads)))
    (z * 2).sum().backward()
    return seen


@behaviours("E10: mode all: None for tensors that the pass does not reach, and no wait for them")
def _(F):
    x, y, unused, seen = leaf(F), leaf(F), leaf(F), []
    F.autograd.graph.register_multi_grad_hook((x, unused, y), lambda grads: seen.append(list(grads)))
    (x * y).sum().backward()
    return seen


@behaviours("E10: mode all: called again in each pass, with what that pass reaches")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    a, b = x * y, x + y
    F.autograd.graph.register_multi_grad_hook((x, y, a, b), lambda grads: seen.append([g is not None for g in grads]))
    a.sum().backward(retain_graph=True)
    b.sum().backward(retain_graph=True)
    (a + b).sum().backward(retain_graph=True)
    a.sum().backward(inputs=[x], retain_graph=True)
    return seen


@behaviours("E10: mode all: called in grad() too, if the tensors are results")
def _(F):
    x, seen = leaf(F), []
    a = x * 2
    b = a.exp()
    F.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append(list(grads)))
    F.autograd.grad(b.sum(), x)
    return seen


@behaviours("E10: mode all: what the hook returns is ignored")
def _(F):
    x = leaf(F)
    F.autograd.graph.register_multi_grad_hook((x,), lambda grads: [grads[0] * 100])
    x.sum().backward()
    return x.grad


@behaviours("E10: mode all: a tensor's own hooks are seen if they were registered before")
def _(F):
    x, seen = leaf(F), []
    x.register_hook(lambda g: g * 10)
    F.autograd.graph.register_multi_grad_hook((x,), lambda grads: seen.append(grads[0]))
    x.register_hook(lambda g: g * 7)
    x.sum().backward()
    return seen, x.grad


@behaviours("E10: mode all: a pass that reaches none of them makes no call")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    F.autograd.graph.register_multi_grad_hook((x,), logger(log, "multi"))
    y.sum().backward()
    before = list(log)
    x.sum().backward()
    return before, log


@behaviours("E10: mode all: several outputs of one Function")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    first, second = swap(F).apply(x, y)
    F.autograd.graph.register_multi_grad_hook((first, second), lambda grads: seen.append(list(grads)))
    (first * 5 + second * 7).sum().backward()
    return seen


@behaviours("E10: mode any: one call, with the first gradient that is there")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    z = x * y
    F.autograd.graph.register_multi_grad_hook((x, y, z), lambda g: seen.append(g), mode="any")
    (z * 2).sum().backward(retain_graph=True)
    (z * 3).sum().backward()
    return seen


@behaviours("E10: mode any skips tensors that need no gradient")
def _(F):
    x, seen = leaf(F), []
    F.autograd.graph.register_multi_grad_hook((F.ones(2), x), lambda g: seen.append(g), mode="any")
    x.sum().backward()
    return seen


@behaviours("E10: mode all refuses a tensor that needs no gradient")
def _(F):
    try:
        F.autograd.graph.register_multi_grad_hook((leaf(F), F.ones(2)), print)
    except Exception as error:
        return type(error).__name__
    return None


@behaviours("E10: one handle removes them all, and is a context")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    with F.autograd.graph.register_multi_grad_hook((x, y), logger(log, "multi")):
        (x * y).sum().backward()
    (x * y).sum().backward()
    return log


@behaviours("E10: an exception in it comes through", error=ValueError, says="stop here")
def _(F):
    def refuse(grads):
        raise ValueError("stop here")

    x = leaf(F)
    F.autograd.graph.register_multi_grad_hook((x,), refuse)
    x.sum().backward()


behaviours.table(
    ("all tensors of a hook of several need a gradient",
     lambda F: F.autograd.graph.register_multi_grad_hook([leaf(F), F.ones(2)], print),
     AssertionError, "Expected gradient function to be set"),
    ("a hook of several tensors is for tensors", lambda F: F.autograd.graph.register_multi_grad_hook([3], print),
     AttributeError, "'int' object has no attribute 'requires_grad'"),
)  # fmt: skip


test_as_in_torch = behaviours.test()
