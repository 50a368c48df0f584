"""What custom Functions save is packed and unpacked too (G01, G04)."""

from __future__ import annotations

from engine.saved_tensors.packing import hooks, noted, square
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("G01: save_for_backward is packed after forward, saved_tensors unpacks at each reading")
def _(F):
    log = []

    class Twice(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            log.append("forward")
            return x * x

        @staticmethod
        def backward(ctx, g):
            log.append("backward")
            x, nothing = ctx.saved_tensors
            x, nothing = ctx.saved_tensors
            return 2 * x * g if nothing is None else None

    x = leaf(F)
    with hooks(F, lambda t: (log.append("pack"), t.detach())[1], lambda t: (log.append("unpack"), t)[1]):
        y = Twice.apply(x)
    y.sum().backward()
    return log, x.grad


@behaviours("G01: a Function's own output can be packed too")
def _(F):
    class Exp(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return result * g

    x, packed, unpacked = leaf(F), [], []
    with noted(F, packed, unpacked):
        y = Exp.apply(x)
    y.sum().backward()
    return packed, unpacked, x.grad


@behaviours("G01: a tensor that is neither input nor output can be packed")
def _(F):
    class Scaled(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            weights = F.tensor([5.0, 6.0])
            ctx.save_for_backward(weights)
            return x * weights

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0] * g

    x, packed = leaf(F), []
    with noted(F, packed):
        y = Scaled.apply(x)
    y.sum().backward()
    return packed, x.grad


@behaviours("G01: a Function without anything to differentiate: what it saved is not packed")
def _(F):
    packed = []
    with noted(F, packed):
        square(F).apply(F.ones(2))
    return packed


@behaviours("G01: double backward of a Function through packed tensors")
def _(F):
    x, unpacked = leaf(F), []
    with noted(F, [], unpacked):
        y = square(F).apply(x)
    (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return g.detach(), F.autograd.grad(g.sum(), x), len(unpacked)


@behaviours("G01: a Function's saved tensors that the hook changed")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.detach(), lambda t: t * 10):
        y = square(F).apply(x)
    y.sum().backward()
    return x.grad


@behaviours(
    "G04: a pack hook may not write to what a Function saved", error=RuntimeError, says="A saved tensor pack hook"
)
def _(F):
    with hooks(F, lambda t: t.detach().mul_(2), lambda t: t):
        square(F).apply(leaf(F) * 1)


@behaviours("G01: a leaf that is neither input nor output gets its gradient when the backward is differentiated")
def _(F):
    x, w = leaf(F), leaf(F)

    class Weighted(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(w)
            return x * w

        @staticmethod
        def backward(ctx, g):
            (w,) = ctx.saved_tensors
            return g * w

    with noted(F, []):
        y = Weighted.apply(x)
    (gradient,) = F.autograd.grad(y.sum(), x, create_graph=True)
    gradient.sum().backward()
    return gradient, w.grad, x.grad


@behaviours(
    "G01: a tensor of inference mode cannot be packed", error=RuntimeError, says="Inference tensors cannot be saved"
)
def _(F):
    with F.inference_mode():
        constant = F.ones(2)

    class Weighted(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(constant)
            return x * constant

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    with noted(F, []):
        Weighted.apply(leaf(F))


test_as_in_torch = behaviours.test()
