"""register_prehook of a node: it sees and may replace the gradients of the outputs (E07)."""

from __future__ import annotations

from engine.hooks.loggers import logger, sink, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("E07: a prehook gets a tuple of the gradients of the outputs")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: seen.extend([type(outputs).__name__, outputs]))
    (y * 3).sum().backward()
    return seen


@behaviours("E07: what a prehook returns is what the rule gets")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] + 1,))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(outputs))
    y.sum().backward()
    return x.grad, seen


@behaviours("E07: a prehook sees None for an output that was not used")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    first, _ = swap(F).apply(x, y)
    first.grad_fn.register_prehook(lambda outputs: seen.append(outputs))
    first.sum().backward()
    return seen


@behaviours("E07: a tensor from a prehook", error=TypeError, says="expected tuple, but hook returned 'Tensor'")
def _(F):
    y = leaf(F) * 2
    y.grad_fn.register_prehook(lambda outputs: outputs[0] * 10)
    y.sum().backward()


@behaviours(
    "E07: the wrong number from a prehook",
    error=RuntimeError,
    says="hook '<lambda>' has returned an incorrect number of values (got 2, but expected 1)",
)
def _(F):
    y = leaf(F) * 2
    y.grad_fn.register_prehook(lambda outputs: (outputs[0], outputs[0]))
    y.sum().backward()


@behaviours("E07: not a tensor from a prehook", error=TypeError, says="expected Variable, but hook returned 'str'")
def _(F):
    y = leaf(F) * 2
    y.grad_fn.register_prehook(lambda outputs: ("g",))
    y.sum().backward()


@behaviours(
    "E07: another size from a prehook", error=RuntimeError, says="hook '<lambda>' has changed the size of value"
)
def _(F):
    y = leaf(F) * 2
    y.grad_fn.register_prehook(lambda outputs: (outputs[0].sum(),))
    y.sum().backward()


@behaviours("E07: None from a prehook in place of a gradient stops it there")
def _(F):
    x = leaf(F)
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: (None,))
    y.sum().backward()
    return x.grad


@behaviours("E07: a prehook of a leaf's end changes what is added to .grad")
def _(F):
    x = leaf(F)
    node = sink(x)
    handle = node.register_prehook(lambda outputs: (outputs[0] * 100,))
    x.sum().backward()
    handle.remove()
    handle.remove()
    x.sum().backward()
    return x.grad


@behaviours("E07: a prehook of a custom Function's node")
def _(F):
    x, y = leaf(F), leaf(F)
    first, second = swap(F).apply(x, y)
    first.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10, outputs[1] * 100))
    (first + second).sum().backward()
    return x.grad, y.grad


@behaviours("E07: a prehook removed by an earlier hook of the same pass")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    z = y.exp()
    handle = y.grad_fn.register_prehook(logger(log, "prehook"))
    y.sum().backward(retain_graph=True)
    before = list(log)
    z.register_hook(lambda g: handle.remove())
    z.sum().backward()
    return before, log


test_as_in_torch = behaviours.test()
