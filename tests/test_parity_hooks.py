"""Hooks, handles and the graph's own attributes, as in torch.

After this file a reader knows what can be attached to a tensor, to a leaf and to a node, in which order these run, what
they are given, what they may return, and what a node tells about itself. Each function below runs on both.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
from side_by_side import Behaviours

behaviours = Behaviours()


def leaf(F: Any, *values: float) -> Any:
    return F.tensor(values or (1.0, 2.0), requires_grad=True)


def number(F: Any, value: float = 3.0) -> Any:
    return F.tensor(value, requires_grad=True)


def sink(x: Any) -> Any:
    """The node in which the gradient of a leaf ends."""
    return (x * 1).grad_fn.next_functions[0][0]


def kind(node: Any) -> str:
    return type(node).__name__


def refused(call: Any, kind: type[Exception], says: str) -> bool:
    """True if a call raises this error with a message that begins like this; otherwise the scenario fails."""
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(says)
    return True


def logger(log: list[Any], name: str, result: Any = None) -> Any:
    """A hook that writes its name down and returns `result`."""

    def hook(*args: Any) -> Any:
        log.append(name)
        return result

    return hook


def swap(F: Any) -> Any:
    """A Function with two inputs and two outputs: (x, y) -> (2 y, 3 x)."""

    class Swap(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return y * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            return second * 3, first * 2

    return Swap


# ---------------------------------------------------------------- tensor hooks: registering


@behaviours(
    "E01: a tensor that needs no gradient takes no hook",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    F.ones(2).register_hook(print)


@behaviours(
    "E01: nor does a result made under no_grad",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    with F.no_grad():
        y = leaf(F) * 2
    y.register_hook(print)


@behaviours(
    "E01: nor does a detached tensor",
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


# ---------------------------------------------------------------- tensor hooks: what they may return


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


# ---------------------------------------------------------------- tensor hooks: when they run


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
    return log


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
    "E05: such a hook cannot make a gradient of it",
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


@behaviours("E05: hooks stay with the value that they were registered on when a result is written to")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    y.register_hook(lambda g: seen.append(("before", g)))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("after", g)))
    (y * 5).sum().backward()
    return seen


@behaviours("E05: two tensors' hooks run in the order of the pass, the later result first")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    z = y.exp()
    for name, tensor in (("x", x), ("y", y), ("z", z)):
        tensor.register_hook(logger(log, name))
    z.sum().backward()
    return log


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
    for handle in handles + handles:
        handle.remove()
    y.sum().backward()
    return log


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


# ---------------------------------------------------------------- the order at a leaf


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


# ---------------------------------------------------------------- post-accumulate hooks


@behaviours(
    "E08: a result takes no post-accumulate hook",
    error=RuntimeError,
    says="post accumulate grad hooks cannot be registered on non-leaf tensors",
)
def _(F):
    (leaf(F) * 2).register_post_accumulate_grad_hook(print)


@behaviours(
    "E08: nor does a tensor without grad",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    F.ones(2).register_post_accumulate_grad_hook(print)


@behaviours(
    "E08: a post-accumulate hook returns nothing",
    error=RuntimeError,
    says="Tensor post accumulate grad hooks should return None.",
)
def _(F):
    x = leaf(F)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor * 2)
    x.sum().backward()


@behaviours("E08: a number is refused first", error=TypeError, says="expected Variable, but hook returned 'int'")
def _(F):
    x = leaf(F)
    x.register_post_accumulate_grad_hook(lambda tensor: 1)
    x.sum().backward()


@behaviours(
    "E08: a tensor of another size too", error=RuntimeError, says="hook '<lambda>' has changed the size of value"
)
def _(F):
    x = leaf(F)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor.sum())
    x.sum().backward()


@behaviours("E08: the leaf itself may be returned: that changes nothing")
def _(F):
    x = leaf(F)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor)
    x.sum().backward()
    return x, x.grad


@behaviours("E08: by the time of that error .grad was written, and later hooks are not run")
def _(F):
    x, log = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: 1)
    x.register_post_accumulate_grad_hook(logger(log, "later"))
    return refused(x.sum().backward, TypeError, "expected Variable, but hook returned 'int'"), x.grad, log


@behaviours("E08: it gets the leaf itself, and sees the .grad that has just been written")
def _(F):
    x, seen = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.extend([tensor is x, tensor.grad.clone()]))
    (x * 3).sum().backward()
    return seen


@behaviours("E08: it runs in each pass, after what was added")
def _(F):
    x, seen = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad.tolist()))
    for _ in range(3):
        (x * 2).sum().backward()
    return seen


@behaviours("E08: it runs once, however often the leaf was used")
def _(F):
    x, log = leaf(F), []
    x.register_post_accumulate_grad_hook(logger(log, "post"))
    (x * x + x * 2 + x).sum().backward()
    return log, x.grad


@behaviours("E08: post-accumulate hooks run in the order of registration, and can be removed")
def _(F):
    x, log = leaf(F), []
    handle = x.register_post_accumulate_grad_hook(logger(log, "a"))
    x.register_post_accumulate_grad_hook(logger(log, "b"))
    x.sum().backward()
    handle.remove()
    handle.remove()
    x.sum().backward()
    return log


@behaviours("E08: it may take the step of an optimizer and clear .grad")
def _(F):
    x = leaf(F, 1.0, 2.0)

    def step(tensor):
        with F.no_grad():
            tensor.sub_(tensor.grad * 0.5)
        tensor.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    return x, x.grad, x._version


@behaviours("E08: it runs with recording off, so that it may write to the leaf")
def _(F):
    x, seen = leaf(F), []

    def write(tensor):
        seen.append(F.is_grad_enabled())
        tensor.mul_(0)

    x.register_post_accumulate_grad_hook(write)
    (x * 3).sum().backward()
    return seen, x, x.is_leaf


@behaviours("E08: it may change .grad in place")
def _(F):
    x = leaf(F)

    def clip(tensor):
        tensor.grad.mul_(0.5)

    x.register_post_accumulate_grad_hook(clip)
    (x * 3).sum().backward()
    return x.grad


@behaviours("E08: grad() does not run it, backward() limited to other inputs neither")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    x.register_post_accumulate_grad_hook(logger(log, "x"))
    z = (x * y).sum()
    F.autograd.grad(z, x, retain_graph=True)
    z.backward(inputs=[y], retain_graph=True)
    before = len(log)
    z.backward(inputs=[x])
    return before, log


@behaviours("E08: an exception in it comes through, after .grad was written", error=KeyError, says="'missing'")
def _(F):
    x = leaf(F)
    x.register_post_accumulate_grad_hook(lambda tensor: {}["missing"])
    x.sum().backward()


@behaviours("E08: leaves that share a pass run their hooks as soon as each is done")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: log.append(("x", y.grad is None)))
    y.register_post_accumulate_grad_hook(lambda tensor: log.append(("y", x.grad is None)))
    ((x * 2).exp() * y).sum().backward()
    return log


@behaviours(
    "E08: under create_graph it sees a .grad with a graph",
    warns=("UserWarning: Using backward() with create_graph=True will create a reference cycle",),
)
def _(F):
    x, seen = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.extend([tensor.grad.requires_grad, F.is_grad_enabled()]))
    (x**3).sum().backward(create_graph=True)
    x.grad = None
    return seen


# ---------------------------------------------------------------- hooks with grad() and inputs=


@behaviours("E09: grad() runs the tensor hooks of its inputs and returns what they made of it")
def _(F):
    x = leaf(F)
    x.register_hook(lambda g: g * 10)
    return F.autograd.grad((x * 3).sum(), x), x.grad


@behaviours("E09: also where the input is a result")
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


@behaviours("E09: but backward(inputs=...) keeps in its .grad what its hook made, as retain_grad does")
def _(F):
    x = leaf(F)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    (y * 3).sum().backward(inputs=[y, x])
    return y.grad, x.grad


@behaviours("E09: also where the input is the output itself")
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


@behaviours("E09: so a prehook of the input's node does not change what grad() returns")
def _(F):
    x = leaf(F)
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 100,))
    return F.autograd.grad((y * 3).sum(), y)


@behaviours("E09: nor do the prehooks of a leaf's end")
def _(F):
    x = leaf(F)
    node = sink(x)
    node.register_prehook(lambda outputs: (outputs[0] * 100,))
    return F.autograd.grad((x * 3).sum(), x), x.grad


@behaviours("E09: the posthooks of a leaf's node are not run by grad()")
def _(F):
    x, log = leaf(F), []
    node = sink(x)
    node.register_hook(logger(log, "posthook"))
    F.autograd.grad((x * 3).sum(), x)
    return log


@behaviours("E09: grad() runs the retain_grad of the results on its way")
def _(F):
    x = leaf(F)
    y = x * 2
    y.retain_grad()
    F.autograd.grad((y * 3).sum(), x)
    return y.grad


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


# ---------------------------------------------------------------- node hooks


@behaviours("E07: a node's hook gets the gradients of the inputs and of the outputs, as tuples")
def _(F):
    x, y, seen = leaf(F), leaf(F, 3.0, 4.0), []
    z = x * y
    z.grad_fn.register_hook(
        lambda inputs, outputs: seen.extend([type(inputs).__name__, type(outputs).__name__, inputs, outputs])
    )
    (z * 10).sum().backward()
    return seen


@behaviours("E07: one slot for each next function: None for a number and for a tensor without grad")
def _(F):
    x, seen = leaf(F), []
    for z in (x * 3, F.ones(2) * x, x + 1, x.exp()):
        z.grad_fn.register_hook(lambda inputs, outputs: seen.append(inputs))
        z.sum().backward()
    return seen


@behaviours("E07: what it returns replaces the gradients of the inputs")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, outputs[0]))
    z.sum().backward()
    return x.grad, y.grad


@behaviours("E07: None in its place stops the gradient there")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    z.grad_fn.register_hook(lambda inputs, outputs: (None, inputs[1]))
    z.sum().backward()
    return x.grad, y.grad


@behaviours("E07: hooks of a node run in order, each on what the one before returned")
def _(F):
    x, seen = leaf(F), []
    y = x.exp()
    node = y.grad_fn
    node.register_hook(lambda inputs, outputs: (inputs[0] * 0 + 5,))
    node.register_hook(lambda inputs, outputs: seen.append(inputs))
    node.register_hook(lambda inputs, outputs: (inputs[0] + 1,))
    y.sum().backward()
    return seen, x.grad


@behaviours(
    "E07: too few gradients from a hook",
    error=RuntimeError,
    says="hook '<lambda>' has returned an incorrect number of values (got 1, but expected 2)",
)
def _(F):
    z = leaf(F) * 3
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0],))
    z.sum().backward()


@behaviours(
    "E07: too many gradients from a hook",
    error=RuntimeError,
    says="hook '<lambda>' has returned an incorrect number of values (got 2, but expected 1)",
)
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], None))
    z.sum().backward()


@behaviours("E07: a number among them", error=TypeError, says="expected Variable, but hook returned 'int'")
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: (1,))
    z.sum().backward()


@behaviours("E07: a tensor of another size", error=RuntimeError, says="hook '<lambda>' has changed the size of value")
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0].sum(),))
    z.sum().backward()


@behaviours(
    "E07: a tensor where None stood", error=RuntimeError, says="can't replace a None gradient with a non-None value"
)
def _(F):
    z = leaf(F) * 3
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], inputs[0]))
    z.sum().backward()


@behaviours("E07: a tensor in place of a tuple", error=TypeError, says="expected tuple, but hook returned 'Tensor'")
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: inputs[0] * 2)
    z.sum().backward()


@behaviours("E07: a list in place of a tuple", error=TypeError, says="expected tuple, but hook returned 'list'")
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: [inputs[0]])
    z.sum().backward()


@behaviours(
    "E07: a leaf's end has no gradients of inputs to replace",
    error=RuntimeError,
    says="hook '<lambda>' has returned an incorrect number of values (got 1, but expected 0)",
)
def _(F):
    x = leaf(F)
    node = sink(x)
    node.register_hook(lambda inputs, outputs: outputs)
    x.sum().backward()


@behaviours("E07: an exception in a node's hook comes through", error=ValueError, says="no more")
def _(F):
    def refuse(inputs, outputs):
        raise ValueError("no more")

    z = leaf(F).exp()
    z.grad_fn.register_hook(refuse)
    z.sum().backward()


@behaviours("E07: a node's hook can be removed")
def _(F):
    x = leaf(F)
    y = x.exp()
    with y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 0,)):
        y.sum().backward(retain_graph=True)
    zero = x.grad.clone()
    y.sum().backward()
    return zero, x.grad


@behaviours("E07: a node is kept by its results, and its hooks with it")
def _(F):
    x, log = leaf(F), []
    y = x * 2
    y.grad_fn.register_hook(logger(log, "node"))
    total = y.sum()
    same = y.grad_fn is y.grad_fn
    del y
    total.backward()
    return log, same


@behaviours("E07: a node on a leaf's end: no gradients of inputs, one of the output")
def _(F):
    x, seen = leaf(F), []
    node = sink(x)
    node.register_hook(lambda inputs, outputs: seen.extend([inputs, outputs]))
    (x * 3).sum().backward()
    return seen, kind(node)


@behaviours("E07: hooks on a leaf's end are lost with it if nobody holds the node")
def _(F):
    x, log = leaf(F), []
    sink(x).register_hook(logger(log, "node"))
    x.sum().backward()
    return log


@behaviours("E07: a node's hook on a custom Function: one slot per argument that is a tensor")
def _(F):
    class Scale(F.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.factor = factor
            return x * factor + y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None, g

    x, y, seen = leaf(F), leaf(F), []
    z = Scale.apply(x, 3, y)
    z.grad_fn.register_hook(lambda inputs, outputs: (seen.append((inputs, outputs)), (inputs[0] * 2, None))[1])
    z.sum().backward()
    return seen, x.grad, y.grad, z.grad_fn.name()


@behaviours("E07: the hook of a node with several outputs sees all their gradients, None where one was not used")
def _(F):
    x, y, seen = leaf(F), leaf(F), []
    first, _ = swap(F).apply(x, y)
    first.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs)))
    (first * 5).sum().backward()
    return seen


@behaviours("E07: under create_graph a node's hook sees gradients with a graph")
def _(F):
    x, seen = leaf(F), []
    y = x**3
    y.grad_fn.register_hook(
        lambda inputs, outputs: seen.extend([inputs[0].requires_grad, outputs[0].requires_grad, F.is_grad_enabled()])
    )
    F.autograd.grad(y.sum(), x, create_graph=True)
    return seen


# ---------------------------------------------------------------- node prehooks


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
    z.register_hook(lambda g: handle.remove())
    z.sum().backward()
    return log


# ---------------------------------------------------------------- hooks on several tensors


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
    return log


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


# ---------------------------------------------------------------- gradient edges


@behaviours("the edge of a result: its node and which output of it")
def _(F):
    x, y = leaf(F), leaf(F)
    _, second = swap(F).apply(x, y)
    product = x * y
    edge, other = F.autograd.graph.get_gradient_edge(second), F.autograd.graph.get_gradient_edge(product)
    return [edge.node is second.grad_fn, edge.output_nr, other.node is product.grad_fn, other.output_nr, other[1]]


@behaviours("the edge of a leaf: the node where its gradient ends")
def _(F):
    x = leaf(F)
    edge = F.autograd.graph.get_gradient_edge(x)
    return kind(edge.node), edge.output_nr, edge.node.variable is x, sink(x) is edge.node


@behaviours("the type of an edge is a named tuple")
def _(F):
    edge = F.autograd.graph.get_gradient_edge(leaf(F))
    return (
        type(edge).__name__,
        isinstance(edge, tuple),
        isinstance(edge, F.autograd.graph.GradientEdge),
        edge._fields[:2],
    )


@behaviours(
    "a tensor without grad has no edge",
    error=RuntimeError,
    says="It is not possible to get the gradient edge for a Tensor that does not require gradients",
)
def _(F):
    F.autograd.graph.get_gradient_edge(F.ones(2))


@behaviours("grad() takes edges in place of its inputs")
def _(F):
    x = leaf(F)
    y = x * 2
    z = (y * 3).sum()
    edges = [F.autograd.graph.get_gradient_edge(tensor) for tensor in (x, y)]
    return F.autograd.grad(z, edges)


@behaviours("grad() and backward() take an edge in place of an output")
def _(F):
    x = leaf(F)
    y = x * 2
    edge = F.autograd.graph.get_gradient_edge(y)
    del y
    result = F.autograd.grad(edge, x, grad_outputs=F.tensor([5.0, 6.0]), retain_graph=True)
    F.autograd.backward(edge, F.tensor([1.0, 1.0]))
    return result, x.grad


@behaviours("backward() takes a leaf's edge among its inputs")
def _(F):
    x, y = leaf(F), leaf(F)
    (x * y).sum().backward(inputs=F.autograd.graph.get_gradient_edge(x))
    return x.grad, y.grad


@behaviours("an edge's node takes hooks as any node does")
def _(F):
    x, log = leaf(F), []
    edge = F.autograd.graph.get_gradient_edge(x)
    edge.node.register_prehook(logger(log, "prehook"))
    x.sum().backward()
    return log


# ---------------------------------------------------------------- what a node tells


@behaviours("nodes are named after the op, in the order of backward")
def _(F):
    x = leaf(F)
    names, node = [], ((x * x).exp() - 1).sum().grad_fn
    while node is not None and node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names, kind(node), node.name().endswith("AccumulateGrad")


@behaviours("a node is a Node, and its class bears its name")
def _(F):
    x = leaf(F)
    y = x.exp()
    first, _ = swap(F).apply(x, x)
    nodes = (y.grad_fn, first.grad_fn)
    return [isinstance(node, F.autograd.graph.Node) for node in nodes], [kind(node) for node in nodes]


@behaviours("next_functions is a tuple of (node, which output), with None for what needs no gradient")
def _(F):
    x, y = leaf(F), leaf(F)
    first, second = swap(F).apply(x, y)
    z = second * F.ones(2)
    edges = z.grad_fn.next_functions
    return type(edges).__name__, edges, first.grad_fn.next_functions[0][1], kind(first.grad_fn.next_functions[1][0])


@behaviours("one leaf, one end: all paths arrive at the same node, which knows the leaf")
def _(F):
    x = leaf(F)
    (first, _), (second, _) = (x * x).grad_fn.next_functions
    return first is second, first.variable is x, first.next_functions


@behaviours("a node's metadata is a dict that stays with the node")
def _(F):
    y = leaf(F).exp()
    empty = dict(y.grad_fn.metadata)
    y.grad_fn.metadata["note"] = [1, 2]
    z = y.sum()
    return empty, y.grad_fn.metadata, z.grad_fn.next_functions[0][0].metadata["note"]


@behaviours("nodes have dicts of their own: another node's metadata stays empty")
def _(F):
    x = leaf(F)
    y, z = x.exp(), x.exp()
    y.grad_fn.metadata["note"] = 1
    end = sink(x)
    end.metadata["end"] = 2
    return z.grad_fn.metadata, end.metadata


@behaviours("a custom Function's node has metadata too")
def _(F):
    x = leaf(F)
    first, second = swap(F).apply(x, x)
    first.grad_fn.metadata["who"] = "swap"
    return second.grad_fn.metadata


@behaviours("a later node has a larger sequence number, and a leaf's end the largest")
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.exp()
    numbers = [node._sequence_nr() for node in (y.grad_fn, z.grad_fn, sink(x))]
    return numbers == sorted(numbers)


@behaviours("a node called by hand gives the gradients of its inputs and touches no .grad")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    return z.grad_fn(F.tensor([1.0, 10.0])), x.grad, y.grad, x.exp().grad_fn(F.ones(2))


@behaviours("a node called by hand frees nothing")
def _(F):
    x = leaf(F)
    y = x.exp()
    with F.no_grad():
        results = [y.grad_fn(F.ones(2)) for _ in range(2)]
    y.sum().backward()
    return results, x.grad


@behaviours("a node with several outputs called by hand takes None where no gradient has come")
def _(F):
    part = matrix(F).unbind()[1]
    with F.no_grad():
        return part.grad_fn(F.ones(2), None)


@behaviours("a node called by hand wants one gradient per output", error=TypeError, says="expected 1 argument")
def _(F):
    return leaf(F).exp().grad_fn()


@behaviours(
    "the node of a custom Function cannot be called by hand",
    error=TypeError,
    says="'SwapBackward' object is not callable",
)
def _(F):
    x = leaf(F)
    return swap(F).apply(x, x)[0].grad_fn(F.ones(2), F.ones(2))


@behaviours("a leaf's end called by hand adds to .grad")
def _(F):
    x = leaf(F)
    end = sink(x)
    with F.no_grad():
        results = [end(F.ones(2)), end(F.ones(2))]
    return x.grad, results


@behaviours("a node called by hand runs no hooks")
def _(F):
    x, log = leaf(F), []
    y = x.exp()
    y.register_hook(logger(log, "tensor"))
    y.grad_fn.register_prehook(logger(log, "prehook"))
    y.grad_fn.register_hook(lambda inputs, outputs: (log.append("posthook"), (inputs[0] * 0,))[1])
    with F.no_grad():
        result = y.grad_fn(F.ones(2))
    return log, result


# ---------------------------------------------------------------- what a node saved


def saved(title: str, make: Any, *names: str) -> None:
    """A behaviour: what the node of `make(F)` shows under these names."""

    def scenario(F: Any) -> Any:
        node = make(F).grad_fn
        return node.name(), {name: getattr(node, "_saved_" + name) for name in names}

    behaviours(f"saved: {title}")(scenario)


def matrix(F: Any) -> Any:
    return F.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)


saved("mul keeps both factors", lambda F: leaf(F) * leaf(F, 3.0, 4.0), "self", "other")
saved("mul with a constant tensor keeps the constant only", lambda F: leaf(F) * F.tensor([5.0, 6.0]), "self", "other")
saved("mul by a number keeps it as a tensor", lambda F: leaf(F) * 3.0, "self", "other")
saved("div keeps what it needs", lambda F: leaf(F) / leaf(F, 3.0, 4.0), "self", "other")
saved("div by a number keeps it as a tensor", lambda F: leaf(F) / 4, "self", "other")
saved("pow with a number keeps base and exponent", lambda F: leaf(F) ** 2, "self", "exponent")
saved("pow keeps the exponent as it was given", lambda F: leaf(F) ** 0.5, "exponent")
saved("pow of two tensors keeps all three", lambda F: leaf(F) ** leaf(F, 3.0, 2.0), "self", "exponent", "result")
saved("pow of a number keeps exponent and result", lambda F: 2.0 ** leaf(F), "exponent", "result")
saved("exp keeps its result", lambda F: leaf(F).exp(), "result")
saved("log keeps its input", lambda F: leaf(F).log(), "self")
saved("sqrt keeps its result", lambda F: leaf(F, 4.0, 9.0).sqrt(), "result")
saved("sin keeps its input", lambda F: leaf(F).sin(), "self")
saved("cos keeps its input", lambda F: leaf(F).cos(), "self")
saved("tanh keeps its result", lambda F: leaf(F).tanh(), "result")
saved("sigmoid keeps its result", lambda F: leaf(F).sigmoid(), "result")
saved("relu keeps its result", lambda F: leaf(F, -1.0, 2.0).relu(), "result")
saved("reciprocal keeps its result", lambda F: leaf(F).reciprocal(), "result")
saved("abs keeps its input", lambda F: leaf(F).abs(), "self")
saved("where keeps the condition", lambda F: F.where(F.tensor([True, False]), leaf(F), 0.0), "condition")
saved("sum over a dim keeps dim and keepdim", lambda F: matrix(F).sum(1), "dim", "keepdim")
saved("mean over a dim keeps dim and keepdim", lambda F: matrix(F).mean(1, keepdim=True), "dim", "keepdim")
saved("max of all keeps input and result", lambda F: matrix(F).max(), "self", "result")
saved("max over a dim keeps the indices", lambda F: matrix(F).max(1).values, "dim", "indices", "keepdim")
saved("mm keeps both matrices", lambda F: matrix(F) @ matrix(F), "self", "mat2")
saved("mv keeps the matrix and the vector", lambda F: matrix(F) @ leaf(F), "self", "vec")
saved("dot keeps both vectors", lambda F: leaf(F) @ leaf(F, 3.0, 4.0), "self", "tensor")
saved("transpose keeps the dims", lambda F: matrix(F).transpose(0, 1), "dim0", "dim1")
saved("permute keeps the dims", lambda F: matrix(F).permute(1, 0), "dims")
saved("unsqueeze keeps the dim", lambda F: matrix(F).unsqueeze(1), "dim")
saved("select keeps dim and index", lambda F: matrix(F)[1], "dim", "index")
saved("cat keeps the dim", lambda F: F.cat([matrix(F), matrix(F)], 1), "dim")
saved("stack keeps the dim", lambda F: F.stack([matrix(F), matrix(F)], 1), "dim")


@behaviours("saved: the names of a node's saved tensors")
def _(F):
    x = leaf(F)
    return {
        node.name(): sorted(
            name for name in dir(node) if name.startswith("_kept") and F.Tensor is type(getattr(node, name))
        )
        for node in ((x * x).grad_fn, (x**2).grad_fn, x.exp().grad_fn, x.sin().grad_fn, (x / x).grad_fn)
    }


@behaviours("saved: an input that was saved is the same object")
def _(F):
    x = leaf(F)
    y = x * 2
    return (x.sin()).grad_fn._saved_self is x, y.sin().grad_fn._saved_self is y, (x * y).grad_fn._saved_other is y


@behaviours("saved: a result that was saved comes back as another tensor with the same node")
def _(F):
    y = leaf(F).exp()
    again = y.grad_fn._saved_result
    return again is y, again.grad_fn is y.grad_fn, again, again.is_leaf


@behaviours(
    "saved: after backward they are gone",
    error=RuntimeError,
    says="Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True",
)
def _(F):
    y = leaf(F).exp()
    y.sum().backward()
    return y.grad_fn._saved_result


@behaviours("saved: with retain_graph they stay; numbers stay in any case")
def _(F):
    x = leaf(F)
    y, z = x.exp(), matrix(F).sum(1)
    y.sum().backward(retain_graph=True)
    z.sum().backward()
    return y.grad_fn._saved_result, z.grad_fn._saved_dim


@behaviours(
    "saved: one that was written to since is refused",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.sin()
    y.add_(1)
    return z.grad_fn._saved_self


@behaviours(
    "saved: a name that the op does not have", error=AttributeError, says="'ExpBackward0' object has no attribute"
)
def _(F):
    return leaf(F).exp().grad_fn._saved_self


@behaviours("saved: _raw_saved_self takes hooks: packed at once, unpacked at each use")
def _(F):
    x, log = leaf(F), []
    y = x.sin()
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: (log.append("pack"), t * 1)[1], lambda t: (log.append("unpack"), t * 0)[1])
    at_once = list(log)
    seen = y.grad_fn._saved_self.detach()
    y.sum().backward()
    return at_once, seen, x.grad, log, type(raw).__name__


@behaviours(
    "saved: hooks on a raw saved tensor can be given once",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor whose hooks have already been set.",
)
def _(F):
    y = leaf(F).sin()
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: t * 1, lambda t: t)
    raw.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours("saved: the raw hooks of one factor leave the other alone")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    z.grad_fn._raw_saved_other.register_hooks(lambda t: t * 1, lambda t: t * 10)
    z.sum().backward()
    return x.grad, y.grad


@behaviours(
    "saved: a raw saved tensor cannot be given hooks once freed",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor after it has been freed.",
)
def _(F):
    y = leaf(F).sin()
    raw = y.grad_fn._raw_saved_self
    y.sum().backward()
    raw.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours(
    "saved: saved_tensors_hooks count as given",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor whose hooks have already been set.",
)
def _(F):
    x = leaf(F)
    with F.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
        y = x.sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours(
    "saved: what was not needed cannot be given hooks",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor with value None is forbidden",
)
def _(F):
    y = leaf(F) * 3
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours(
    "saved: a raw pack hook may not write to what it packs",
    error=RuntimeError,
    says="A saved tensor pack hook is modifying its input in place.",
)
def _(F):
    y = leaf(F).clone().sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t.mul_(2), lambda t: t)


@behaviours(
    "saved: a raw hook's result has to be a tensor",
    error=TypeError,
    says="Output of saved tensor unpack_hook expected to be a Tensor but got result of type int",
)
def _(F):
    y = leaf(F).sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda t: 1, lambda packed: packed)
    y.sum().backward()


@behaviours(
    "saved: raw hooks are functions of one argument",
    error=TypeError,
    says="_.<locals>.<lambda>() takes 0 positional arguments but 1 was given",
)
def _(F):
    y = leaf(F).sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda: 1, lambda: 1)


@behaviours("saved: a custom Function's node shows what forward saved, and its attributes")
def _(F):
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.note = "kept"
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(F)
    y = Square.apply(x)
    return y.grad_fn.saved_tensors[0] is x, y.grad_fn.note, y.grad_fn.name(), kind(y.grad_fn)


@behaviours("E06: a node's hook sees the gradients of its inputs as they arrive there: summed to the inputs' shapes")
def _(F):
    x, y = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.tensor(2.0, requires_grad=True)
    z, seen = x * y, []
    z.grad_fn.register_hook(lambda inputs, outputs: seen.append([list(g.shape) for g in inputs]))
    z.sum().backward()
    return seen


@behaviours("E06: retain_grad() of a node's other output is served when grad() stops at that node")
def _(F):
    first, second = F.tensor([1.0, 2.0], requires_grad=True).split(1)
    first.retain_grad()
    gradient = F.autograd.grad((first * 3).sum() + second.sum(), [second])
    return gradient, first.grad


@behaviours("E06: the hooks of a root run even if nothing is asked of it")
def _(F):
    x, y, seen = F.tensor(1.0, requires_grad=True), F.tensor(2.0, requires_grad=True), []
    x.register_hook(lambda gradient: seen.append(gradient.item()))
    x.backward(inputs=[y])
    return seen, x.grad, y.grad


@behaviours("E06: the hook of a custom Function's node sees all that backward gave, wanted or not")
def _(F):
    class Doubled(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    y, seen = Doubled.apply(F.tensor([1.0], requires_grad=True)), []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append([g.tolist() for g in inputs]))
    y.backward(inputs=[y])
    return seen


test_as_in_torch = behaviours.test()
