"""The order of all the hooks around one node: at a leaf, at a result, at a node with several outputs (E03)."""

from __future__ import annotations

from engine.hooks.loggers import logger, sink, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("E03: at a leaf: tensor hooks, node prehooks, .grad, post-accumulate hooks, node posthooks")
def _(F):
    x, log = leaf(F), []
    node = sink(x)

    def note(name):
        return lambda *args: log.append((name, None if x.grad is None else x.grad.tolist()))

    node.register_hook(note("posthook"))
    x.register_post_accumulate_grad_hook(note("post-accumulate"))
    node.register_prehook(note("prehook"))
    x.register_hook(note("tensor"))
    x.sum().backward()
    return log


@behaviours("E03: at a result: tensor hooks and retain_grad, node prehooks, the rule, node posthooks")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: log.append(("posthook", inputs[0], outputs[0])))
    y.grad_fn.register_prehook(lambda outputs: (log.append(("prehook", outputs[0])), (outputs[0] * 10,))[1])
    y.retain_grad()
    y.register_hook(lambda g: (log.append(("tensor", g)), g + 1)[1])
    y.sum().backward()
    return log, y.grad, x.grad


@behaviours("E03: retain_grad keeps what the last tensor hook returned, whenever it was called")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.register_hook(lambda g: g * 3)
    y.sum().backward()
    return y.grad


@behaviours("E03: retain_grad does not see what a node's prehook returned")
def _(F):
    x = leaf(F)
    y = x * 2
    y.retain_grad()
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 100,))
    y.sum().backward()
    return y.grad, x.grad


@behaviours("E03: a leaf's tensor hooks come before its prehooks, which see what those returned")
def _(F):
    x, seen = leaf(F), []
    node = sink(x)
    node.register_prehook(lambda outputs: (seen.append(outputs[0]), (outputs[0] + 1,))[1])
    x.register_hook(lambda g: g * 10)
    x.sum().backward()
    return seen, x.grad


@behaviours("E03: a hook on a multi-output node: the tensor hooks of all outputs before the prehooks")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    first, second = swap(F).apply(x, y)
    first.grad_fn.register_prehook(logger(log, "prehook"))
    second.register_hook(logger(log, "second"))
    first.register_hook(logger(log, "first"))
    (first + second).sum().backward()
    return log


test_as_in_torch = behaviours.test()
