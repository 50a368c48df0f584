"""When tensor hooks run: in order, once per pass, on the summed gradient, and in the second pass (E04, E05)."""

from __future__ import annotations

from engine.hooks.loggers import logger, number, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("E04: hooks run in the order of registration")
def _(F):
    x, log = leaf(F), []
    for name in "abc":
        x.register_hook(logger(log, name))
    x.sum().backward()
    return log


@behaviours("E04: each hook sees what the one before returned; None leaves it as it was")
def _(F):
    x, seen = leaf(F), []
    x.register_hook(lambda g: seen.append(g))
    x.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: seen.append(g))
    x.register_hook(lambda g: g + 1)
    x.sum().backward()
    return seen, x.grad


@behaviours("E04: a result's hook changes what flows on")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    (y * 3).sum().backward()
    return x.grad


@behaviours("E04: the same function may be registered twice")
def _(F):
    x = leaf(F)

    def double(g):
        return g * 2

    first = x.register_hook(double)
    x.register_hook(double)
    x.sum().backward(retain_graph=True)
    both, x.grad = x.grad, None
    first.remove()
    x.sum().backward()
    return both, x.grad


@behaviours("E05: a hook runs once, on the sum, however often the tensor was used")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g))
    x.register_hook(lambda g: seen.append(g))
    (y * y + y + x * 3).sum().backward()
    return seen


@behaviours("E05: a hook runs again in each pass, on that pass alone")
def _(F):
    x, seen = leaf(F), []
    x.register_hook(lambda g: seen.append(g.tolist()))
    for factor in (1.0, 2.0):
        (x * factor).sum().backward()
    return seen, x.grad


@behaviours("E05: a hook of the root sees the gradient that was given")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g))
    y.backward(F.tensor([3.0, 4.0]))
    number(F).register_hook(lambda g: seen.append(g))
    z = number(F) * 2
    z.register_hook(lambda g: seen.append(g))
    z.backward()
    return seen


@behaviours("E05: a leaf that is the root runs its hooks")
def _(F):
    x = number(F)
    x.register_hook(lambda g: g * 6)
    x.backward()
    return x.grad


@behaviours("E05: a result that is a root and is used as well has its hook run once, on both parts")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g))
    F.autograd.backward([y, (y * 3).sum()], [F.ones(2), None])
    return seen, x.grad


@behaviours("E05: a hook outlives the variable that it was registered by")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = y.sum()
    del y
    z.backward()
    return x.grad


@behaviours("E05: a gradient seen by a hook needs no gradient, and nothing is recorded in it")
def _(F):
    x, seen = leaf(F), []
    x.register_hook(lambda g: seen.extend([g.requires_grad, F.is_grad_enabled()]))
    (x * x).sum().backward()
    return seen


@behaviours("E05: under create_graph hooks see gradients with a graph, and recording is on")
def _(F):
    x, seen = leaf(F), []
    x.register_hook(lambda g: seen.extend([g.requires_grad, F.is_grad_enabled()]))
    F.autograd.grad((x**3).sum(), x, create_graph=True)
    return seen


@behaviours("E05: what a hook did under create_graph is differentiated in the second pass")
def _(F):
    x = leaf(F, 2.0, 3.0)
    y = x * x
    y.register_hook(lambda g: g * y)
    (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return g, F.autograd.grad(g.sum(), x)


@behaviours("E05: hooks run in the second pass too, on what flows through the tensor then")
def _(F):
    x, seen = number(F, 2.0), []
    x.register_hook(lambda g: seen.append(g.detach()))
    (g,) = F.autograd.grad(x**3, x, create_graph=True)
    F.autograd.grad(g, x)
    return seen


@behaviours("E05: a hook that changes the gradient in place changes what flows on")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g.mul_(10))
    (y * 3).sum().backward()
    return x.grad


@behaviours("E05: a hook may change the gradient in place and return nothing")
def _(F):
    x = leaf(F)

    def scale(g):
        g.mul_(10)

    x.register_hook(scale)
    (x * 3).sum().backward()
    return x.grad


@behaviours("E05: a hook does not run where no gradient arrives")
def _(F):
    x, unused, log = leaf(F), leaf(F), []
    unused.register_hook(logger(log, "unused"))
    side = unused * 2
    side.register_hook(logger(log, "side"))
    x.sum().backward()
    before = list(log)
    (x + side).sum().backward()
    return before, log


@behaviours("E05: a hook may run a backward of its own")
def _(F):
    x, w = leaf(F), leaf(F)

    def inner(g):
        with F.enable_grad():
            (w * w).sum().backward()

    y = x * 2
    y.register_hook(inner)
    y.sum().backward()
    return x.grad, w.grad


@behaviours("E05: each output of a Function has hooks of its own")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    first, second = swap(F).apply(x, y)
    second.register_hook(lambda g: seen.append(("second", g)))
    first.register_hook(lambda g: seen.append(("first", g)))
    (first * 5 + second * 7).sum().backward()
    return seen, x.grad, y.grad


@behaviours("E05: the hook of one output changes the gradient of that output only")
def _(F):
    x, y = leaf(F), leaf(F)
    first, second = swap(F).apply(x, y)
    first.register_hook(lambda g: g * 100)
    (first + second).sum().backward()
    return x.grad, y.grad


@behaviours("E05: the hook of an output that was not used runs as well, on None")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    first, second = swap(F).apply(x, y)
    first.register_hook(lambda g: seen.append(("first", g)))
    second.register_hook(lambda g: seen.append(("second", g)))
    second.sum().backward()
    return seen, x.grad, y.grad


@behaviours(
    "E05: the hook of an unused output cannot make a gradient of None",
    error=RuntimeError,
    says="can't replace a None gradient with a non-None value",
)
def _(F):
    x, y = leaf(F), leaf(F)
    first, second = swap(F).apply(x, y)
    first.register_hook(lambda g: F.ones(2))
    second.sum().backward()


@behaviours("E05: of an op with several outputs, all hooks run, in the order of the outputs")
def _(F):
    x, seen = F.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True), []
    parts = x.unbind()
    for number_, part in enumerate(parts):
        part.register_hook(lambda g, number_=number_: seen.append((number_, g)))
    (parts[1] * 4).sum().backward()
    return seen, x.grad


@behaviours("E05: two tensors' hooks run in the order of the pass, the later result first")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    z = y.exp()
    for name, tensor in (("x", x), ("y", y), ("z", z)):
        tensor.register_hook(logger(log, name))
    z.sum().backward()
    return log


test_as_in_torch = behaviours.test()
