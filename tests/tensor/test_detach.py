"""detach() and detach_(): sharing memory, stopping the gradient, and why views are not detached in place (A01, D11)."""

from __future__ import annotations

from engine.inplace.effects import gradients, grid, number, state, tried
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("A01: detach shares the memory")
def _(F):
    x = F.zeros(2)
    x.detach()[0] = 5
    return x, x.detach() is x, x.detach().data_ptr() == x.data_ptr()


@behaviours("A01: what is written to a detached tensor is noticed by the graph")
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    x.detach().add_(1)
    try:
        y.backward()
    except RuntimeError as error:
        return str(error).partition(":")[0]


@behaviours("A01: detach stops the gradient")
def _(F):
    x = leaf(F)
    (x * x.detach()).sum().backward()
    return x.grad


@behaviours("A01: the function detach does the same")
def _(F):
    return F.detach(leaf(F) * 2)


@behaviours("D11: detach_ makes a result a leaf, in place")
def _(F):
    y = leaf(F) * 2
    same = y.detach_() is y
    return y, same, y.is_leaf, y.grad_fn, y.output_nr, y._version


@behaviours(
    "D11: detach_ of a view without grad", error=RuntimeError, says="Can't detach views in-place. Use detach() ins"
)
def _(F):
    F.ones(2).view(2, 1).detach_()


@behaviours("D11: a tensor after detach_ can become a leaf of its own")
def _(F):
    y = (leaf(F) * 2).detach_().requires_grad_()
    (y * 3).sum().backward()
    return y.grad


@behaviours("D05: detach_ of a leaf takes its requires_grad")
def _(F):
    x = grid(F)
    return x.detach_() is x, state(x)


@behaviours("D05: detach_ of a plain tensor is nothing")
def _(F):
    x = F.ones(2)
    return x.detach_() is x, state(x)


@behaviours("D05: detach_ leaves alone what was computed before")
def _(F):
    x = grid(F)
    y = x * 1
    z = y + y
    y.detach_()
    z.sum().backward()
    return state(y), x.grad


@behaviours(
    "D05: detach_ of a tensor that a node saved is found",
    error=RuntimeError,
    says="Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().",
)
def _(F):
    y = grid(F) * 1
    z = y * y
    y.detach_()
    z.sum().backward()


@behaviours("D05: detach_ makes hidden states start afresh in a loop")
def _(F):
    w = number(F)
    hidden, seen = F.ones(2), []
    for _ in range(3):
        hidden = hidden * w
        hidden.sum().backward()
        seen.append([hidden.tolist(), w.grad.item()])
        hidden.detach_()
    return seen, state(hidden)


behaviours.table(
    ("D11: detach_ of a view is refused", lambda F: (grid(F) * 1)[0].detach_(),
     RuntimeError, "Can't detach views in-place. Use detach()"),
    ("D11: detach_ of a view of a leaf is refused", lambda F: grid(F).t().detach_(),
     RuntimeError, "Can't detach views in-place."),
)  # fmt: skip


@behaviours("D11: detach_ of a base with views")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    y.detach_()
    return state(y, row), tried(lambda: gradients(F, row, x))


@behaviours("D11: detach() of a view is fine, and is no view")
def _(F):
    x = grid(F)
    row = (x * 1)[0].detach()
    row.mul_(2)
    return state(row), row._base is None


@behaviours("D11: detach_ after a custom Function saved it")
def _(F):
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = F.tensor([3.0], requires_grad=True)
    y = x * 1
    z = Square.apply(y)
    y.detach_()
    z.backward()
    return x.grad


@behaviours("D11: a result that keeps its gradient still does when it is detached in place and needs one again")
def _(F):
    x = F.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.detach_()
    y.requires_grad_(True)
    (y * 3).sum().backward()
    return y.retains_grad, y.grad, x.grad


test_as_in_torch = behaviours.test()
