"""Which hooks run in grad() and in backward(inputs=...), and what these then return or keep (E09)."""

from __future__ import annotations

from engine.hooks.loggers import logger, number, sink
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("E09: grad() runs the tensor hooks of its inputs and returns what they made of it")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g * 10)
    return F.autograd.grad((x * 3).sum(), x), x.grad


@behaviours("E09: grad() runs the tensor hooks of an input that is a result")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    return F.autograd.grad((y * 3).sum(), y)


@behaviours("E09: of a result on the way to another input the gradient is taken before its hook, which runs once")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: (log.append("y"), g * 10)[1])
    return F.autograd.grad((y * 3).sum(), [y, x]), log


@behaviours("E09: backward(inputs=...) keeps in a result's .grad what its hook made, as retain_grad does")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    (y * 3).sum().backward(inputs=[y, x])
    return y.grad, x.grad


@behaviours("E09: grad() runs the tensor hooks of an input that is the output itself")
def _(F):
    y = number(F) * 2
    y.register_hook(lambda g: g * 10)
    return F.autograd.grad(y, y)


@behaviours("E09: an input that is asked for twice has its hook run once")
def _(F):
    x, log = leaf(F), []
    x.register_hook(lambda g: (log.append("x"), g * 2)[1])
    return F.autograd.grad(x.sum(), [x, x]), log


@behaviours("E09: the node of an input that is a result does not run, nor do its hooks and prehooks")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.grad_fn.register_prehook(logger(log, "prehook"))
    y.grad_fn.register_hook(logger(log, "posthook"))
    x.register_hook(logger(log, "x"))
    return F.autograd.grad((y * 3).sum(), y), log


@behaviours("E09: a prehook of the input's node does not change what grad() returns")
def _(F):
    x = leaf(F)
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 100,))
    return F.autograd.grad((y * 3).sum(), y)


@behaviours("E09: the prehooks of a leaf's end do not change what grad() returns")
def _(F):
    x = leaf(F)
    node = sink(x)
    node.register_prehook(lambda outputs: (outputs[0] * 100,))
    return F.autograd.grad((x * 3).sum(), x), x.grad


@behaviours("E09: the posthooks of a leaf's node are run by backward(), not by grad()")
def _(F):
    x, log = leaf(F), []
    node = sink(x)
    node.register_hook(logger(log, "posthook"))
    F.autograd.grad((x * 3).sum(), x)
    by_grad = list(log)
    (x * 3).sum().backward()
    return by_grad, log


@behaviours("E09: backward(inputs=[result]) runs the result's hooks and adds to its .grad once, also after retain_grad")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(logger(log, "x"))
    y.retain_grad()
    (y * 3).sum().backward(inputs=[y])
    return y.grad, x.grad, log


@behaviours("E09: backward(inputs=[result]) is a retain_grad for the result, also for later passes")
def _(F):
    x = leaf(F)
    y = x * 2
    z = (y * 3).sum()
    z.backward(inputs=[y], retain_graph=True)
    retains = y.retains_grad
    z.backward()
    return retains, y.grad, x.grad


@behaviours("E09: hooks of nodes that lead to no input asked for are not run")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    a, b = x * 2, y * 3
    a.register_hook(logger(log, "a"))
    b.register_hook(logger(log, "b"))
    b.grad_fn.register_hook(logger(log, "b's node"))
    (a + b).sum().backward(inputs=[x])
    return log, x.grad, y.grad


@behaviours("E09: with create_graph the changed gradient can be differentiated")
def _(F):
    x = leaf(F, 2.0, 3.0)
    x.register_hook(lambda g: g * x)
    (g,) = F.autograd.grad((x**2).sum(), x, create_graph=True)
    return g.detach(), F.autograd.grad(g.sum(), x)


@behaviours("E09: retain_grad() of a node's other output is served when grad() stops at that node")
def _(F):
    first, second = F.tensor([1.0, 2.0], requires_grad=True).split(1)
    first.retain_grad()
    gradient = F.autograd.grad((first * 3).sum() + second.sum(), [second])
    return gradient, first.grad


@behaviours("E09: the hooks of a root run even if nothing is asked of it")
def _(F):
    x, y, seen = F.tensor(1.0, requires_grad=True), F.tensor(2.0, requires_grad=True), []
    x.register_hook(lambda gradient: seen.append(gradient.item()))
    x.backward(inputs=[y])
    return seen, x.grad, y.grad


test_as_in_torch = behaviours.test()
