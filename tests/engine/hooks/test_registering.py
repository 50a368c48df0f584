"""register_hook: on which tensors; handles and how hooks are removed (E01, E06)."""

from __future__ import annotations

from engine.hooks.loggers import logger
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


# ---------------------------------------------------------------- registering


@behaviours(
    "E01: a tensor that needs no gradient takes no hook",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    F.ones(2).register_hook(print)


@behaviours(
    "E01: a result made under no_grad takes no hook",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    with F.no_grad():
        y = leaf(F) * 2
    y.register_hook(print)


@behaviours(
    "E01: a detached tensor takes no hook",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    leaf(F).detach().register_hook(print)


@behaviours("E01: a hook can be registered under no_grad")
def _(F):
    x = leaf(F)
    with F.no_grad():
        x.register_hook(lambda g: g * 5)
    x.sum().backward()
    return x.grad


@behaviours("E01: a hook belongs to one tensor: not to its clone, its detach() or its view")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.register_hook(logger(log, "y"))
    y.clone().sum().backward(retain_graph=True)
    once = len(log)
    y.detach().requires_grad_().sum().backward()
    F.autograd.grad(y[0], x)
    return once, log


@behaviours("E01: hooks outlast a time without requires_grad")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g * 5)
    x.requires_grad_(False)
    x.requires_grad_(True)
    x.sum().backward()
    return x.grad


# ---------------------------------------------------------------- handles


@behaviours("E06: a removed hook no longer runs; removing it again does nothing")
def _(F):
    x, log = leaf(F), []
    handle = x.register_hook(logger(log, "a"))
    x.register_hook(logger(log, "b"))
    returned = handle.remove(), handle.remove()
    x.sum().backward()
    return log, returned


@behaviours("E06: a hook of a result is removed before and between passes")
def _(F):
    x = leaf(F)
    y = x * 2
    handle = y.register_hook(lambda g: g * 10)
    z = y.sum()
    z.backward(retain_graph=True)
    handle.remove()
    z.backward()
    return x.grad


@behaviours("E06: a handle is a context that removes the hook at its end, also after an error")
def _(F):
    x, log = leaf(F), []
    with x.register_hook(logger(log, "inside")) as handle:
        x.sum().backward()
    x.sum().backward()
    error = ""
    try:
        with x.register_hook(logger(log, "never")):
            raise ValueError("stop")
    except ValueError as raised:
        error = str(raised)
    x.sum().backward()
    return log, error, hasattr(handle, "remove")


@behaviours("E06: each handle has an id of its own, and later ones are larger")
def _(F):
    x = leaf(F)
    handles = [
        x.register_hook(abs),
        (x * 2).register_hook(abs),
        x.register_post_accumulate_grad_hook(abs),
        (x * 2).grad_fn.register_hook(abs),
        (x * 2).grad_fn.register_prehook(abs),
    ]
    ids = [handle.id for handle in handles]
    return ids == sorted(set(ids)), {type(handle).__name__ for handle in handles} == {"RemovableHandle"}


@behaviours("E06: all kinds of handles can be removed twice")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    handles = [
        y.register_hook(logger(log, "tensor")),
        x.register_post_accumulate_grad_hook(logger(log, "post")),
        y.grad_fn.register_hook(logger(log, "node")),
        y.grad_fn.register_prehook(logger(log, "pre")),
        F.autograd.graph.register_multi_grad_hook((x, y), logger(log, "multi")),
        F.autograd.graph.register_multi_grad_hook((x, y), logger(log, "any"), mode="any"),
    ]
    y.sum().backward(retain_graph=True)
    ran = list(log)
    for handle in handles + handles:
        handle.remove()
    (y * 1).sum().backward()
    return ran, log[len(ran) :]


@behaviours("E06: a handle may be dropped; the hook stays")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g * 2)
    x.sum().backward()
    return x.grad


@behaviours("E06: a handle can be removed after its tensor is gone")
def _(F):
    x = leaf(F)
    y = x * 2
    handle = y.register_hook(lambda g: g)
    del y
    return handle.remove()


@behaviours("E06: a hook that removes itself runs once")
def _(F):
    x, log = leaf(F), []

    def once(g):
        log.append("once")
        handle.remove()

    handle = x.register_hook(once)
    x.sum().backward()
    x.sum().backward()
    return log


@behaviours("E06: a hook that removes another one during the run keeps it from running in the next pass")
def _(F):
    x, log = leaf(F), []

    def remover(g):
        handle.remove()

    x.register_hook(remover)
    handle = x.register_hook(logger(log, "later"))
    x.sum().backward()
    in_the_same_pass = len(log)
    x.sum().backward()
    return in_the_same_pass, log


@behaviours("E06: a hook registered by a hook runs from the next pass on")
def _(F):
    x, log = leaf(F), []
    x.register_hook(lambda g: (x.register_hook(logger(log, "new")), None)[1])
    x.sum().backward()
    in_the_same_pass = len(log)
    x.sum().backward()
    return in_the_same_pass, log


@behaviours("E06: a hook registered by a result's hook on a tensor still to come runs in the same pass")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: (x.register_hook(logger(log, "x")), None)[1])
    y.sum().backward()
    return log


test_as_in_torch = behaviours.test()
