"""register_hook of a node: gradients of inputs and outputs as tuples, and what may replace them (E07)."""

from __future__ import annotations

from engine.hooks.loggers import kind, logger, sink, swap
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


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


@behaviours("E07: what a node's hook returns replaces the gradients of the inputs")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, outputs[0]))
    z.sum().backward()
    return x.grad, y.grad


@behaviours("E07: None in place of a gradient, from a node's hook, stops it there")
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


@behaviours(
    "E07: a number from a node's hook, among the gradients",
    error=TypeError,
    says="expected Variable, but hook returned 'int'",
)
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: (1,))
    z.sum().backward()


@behaviours(
    "E07: a tensor of another size from a node's hook",
    error=RuntimeError,
    says="hook '<lambda>' has changed the size of value",
)
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0].sum(),))
    z.sum().backward()


@behaviours(
    "E07: a tensor from a node's hook where None stood",
    error=RuntimeError,
    says="can't replace a None gradient with a non-None value",
)
def _(F):
    z = leaf(F) * 3
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], inputs[0]))
    z.sum().backward()


@behaviours(
    "E07: a tensor from a node's hook in place of a tuple",
    error=TypeError,
    says="expected tuple, but hook returned 'Tensor'",
)
def _(F):
    z = leaf(F).exp()
    z.grad_fn.register_hook(lambda inputs, outputs: inputs[0] * 2)
    z.sum().backward()


@behaviours(
    "E07: a list from a node's hook in place of a tuple",
    error=TypeError,
    says="expected tuple, but hook returned 'list'",
)
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


@behaviours("E07: a node's hook sees the gradients of its inputs as they arrive there: summed to the inputs' shapes")
def _(F):
    x, y = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.tensor(2.0, requires_grad=True)
    z, seen = x * y, []
    z.grad_fn.register_hook(lambda inputs, outputs: seen.append([list(g.shape) for g in inputs]))
    z.sum().backward()
    return seen


@behaviours("E07: the hook of a custom Function's node sees all that backward gave, wanted or not")
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


@behaviours("E07: a node of a list of tensors shows the gradients of all, if one of them is wanted")
def _(F):
    x, other, seen = leaf(F), F.ones(2), []
    for z in (F.stack([x, other]), F.cat([other, x])):
        z.grad_fn.register_hook(lambda inputs, outputs: seen.append(inputs))
        z.sum().backward()
        z = z * 1
    return seen


@behaviours("E07: a node of a list of tensors shows none, if none is wanted")
def _(F):
    x, seen = leaf(F), []
    z = F.stack([x, F.ones(2)])
    z.grad_fn.register_hook(lambda inputs, outputs: seen.append(inputs))
    z.sum().backward(inputs=[z])
    return seen


test_as_in_torch = behaviours.test()
