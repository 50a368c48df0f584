"""register_post_accumulate_grad_hook: on leaves, after .grad was written (E08)."""

from __future__ import annotations

from engine.hooks.loggers import logger
from helpers.leaves import leaf
from helpers.refusals import refused
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


behaviours.table(
    ("E08: a result takes no post-accumulate hook", lambda F: (leaf(F) * 2).register_post_accumulate_grad_hook(print),
     RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors"),
    ("E08: a tensor without grad takes no post-accumulate hook",
     lambda F: F.ones(2).register_post_accumulate_grad_hook(print),
     RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"),
)  # fmt: skip


@behaviours(
    "E08: a post-accumulate hook returns nothing",
    error=RuntimeError,
    says="Tensor post accumulate grad hooks should return None.",
)
def _(F):
    x = leaf(F)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor * 2)
    x.sum().backward()


@behaviours(
    "E08: a number from a post-accumulate hook is refused by its type",
    error=TypeError,
    says="expected Variable, but hook returned 'int'",
)
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


@behaviours("E08: a post-accumulate hook gets the leaf itself, and sees the .grad that has just been written")
def _(F):
    x, seen = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.extend([tensor is x, tensor.grad.clone()]))
    (x * 3).sum().backward()
    return seen


@behaviours("E08: a post-accumulate hook runs in each pass, after what was added")
def _(F):
    x, seen = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad.tolist()))
    for _ in range(3):
        (x * 2).sum().backward()
    return seen


@behaviours("E08: a post-accumulate hook runs once, however often the leaf was used")
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


@behaviours("E08: a post-accumulate hook may take the step of an optimizer and clear .grad")
def _(F):
    x = leaf(F, 1.0, 2.0)

    def step(tensor):
        with F.no_grad():
            tensor.sub_(tensor.grad * 0.5)
        tensor.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    return x, x.grad, x._version


@behaviours("E08: a post-accumulate hook runs with recording off, so that it may write to the leaf")
def _(F):
    x, seen = leaf(F), []

    def write(tensor):
        seen.append(F.is_grad_enabled())
        tensor.mul_(0)

    x.register_post_accumulate_grad_hook(write)
    (x * 3).sum().backward()
    return seen, x, x.is_leaf


@behaviours("E08: a post-accumulate hook may change .grad in place")
def _(F):
    x = leaf(F)

    def clip(tensor):
        tensor.grad.mul_(0.5)

    x.register_post_accumulate_grad_hook(clip)
    (x * 3).sum().backward()
    return x.grad


@behaviours("E08: neither grad() nor backward() limited to other inputs runs a post-accumulate hook")
def _(F):
    x, y, log = leaf(F), leaf(F), []
    x.register_post_accumulate_grad_hook(logger(log, "x"))
    z = (x * y).sum()
    F.autograd.grad(z, x, retain_graph=True)
    z.backward(inputs=[y], retain_graph=True)
    before = len(log)
    z.backward(inputs=[x])
    return before, log


@behaviours(
    "E08: an exception in a post-accumulate hook comes through, after .grad was written",
    error=KeyError,
    says="'missing'",
)
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
    "E08: under create_graph a post-accumulate hook sees a .grad with a graph",
    warns=("UserWarning: Using backward() with create_graph=True will create a reference cycle",),
)
def _(F):
    x, seen = leaf(F), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.extend([tensor.grad.requires_grad, F.is_grad_enabled()]))
    (x**3).sum().backward(create_graph=True)
    x.grad = None
    return seen


test_as_in_torch = behaviours.test()
