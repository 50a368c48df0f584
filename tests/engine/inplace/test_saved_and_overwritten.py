"""What nodes save may not be overwritten before backward: which ops save what, and how the error reads (D02, D03)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.inplace.effects import OVERWRITTEN, UNARY, found, gradients, grid, state
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


# result of an op on the results a and b
SAVING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a + b": lambda F, a, b: a + b,
    "a - b": lambda F, a, b: a - b,
    "a * b": lambda F, a, b: a * b,
    "a * 2": lambda F, a, b: a * 2,
    "a * a": lambda F, a, b: a * a,
    "a / b": lambda F, a, b: a / b,
    "a / 2": lambda F, a, b: a / 2,
    "2 / a": lambda F, a, b: 2 / a,
    "2 - a": lambda F, a, b: 2 - a,
    "a ** 2": lambda F, a, b: a**2,
    "a ** 1": lambda F, a, b: a**1,
    "2 ** a": lambda F, a, b: 2**a,
    "a ** b": lambda F, a, b: a**b,
    "-a": lambda F, a, b: -a,
    "a @ b.t()": lambda F, a, b: a @ b.t(),
    "a[0] @ b[0]": lambda F, a, b: a[0] @ b[0],
    "where(a > b, a, b)": lambda F, a, b: F.where(a > b, a, b),
    "cat": lambda F, a, b: F.cat([a, b]),
    "stack": lambda F, a, b: F.stack([a, b]),
    "a.clone()": lambda F, a, b: a.clone(),
    "a.reshape(3, 2)": lambda F, a, b: a.t().reshape(3, 2),
    "a[[0]]": lambda F, a, b: a[[0]],
    "a.to(float64)": lambda F, a, b: a.to(F.float64),
    "a.sum()": lambda F, a, b: a.sum(),
    "a.sum(0)": lambda F, a, b: a.sum(0),
    "a.mean()": lambda F, a, b: a.mean(),
    "a.max()": lambda F, a, b: a.max(),
    "a.max(0)": lambda F, a, b: a.max(0).values,
    **{
        f"a.{function}()": lambda F, a, b, function=function: getattr(a, function)()
        for function in (*UNARY,)
        if function != "neg"
    },
}


def saving(text: str, op: Callable[[Any, Any, Any], Any]) -> None:
    @behaviours(f"D03: {text}: which of its tensors may be overwritten before backward")
    def _(F):
        def overwritten(which):
            x, w = grid(F), F.tensor([[0.5, 2.5, 1.0], [2.0, 1.5, 3.0]], requires_grad=True)
            a, b = x * 1, w * 1
            c = op(F, a, b)
            with F.no_grad():
                {"a": a, "b": b, "c": c}[which].add_(1.0)
            return gradients(F, c, x, w)

        return [found(lambda which=which: overwritten(which)) for which in "abc"]


for text, op in SAVING.items():
    saving(text, op)


@behaviours(
    "D02: the message names the tensor's shape, the node that made it, and both versions",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Mul, is at version 2; expected version 0 "
    "instead.",
)
def _(F):
    y = grid(F) * 1
    z = y.sin()
    y.data.add_(1)
    y.detach().add_(1)
    with F.no_grad():
        y[0].zero_()
    z.sum().backward()


@behaviours(
    "D02: a result that a node saved has the node's own name",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Exp, is at version 1; expected version 0 "
    "instead.",
)
def _(F):
    y = grid(F).exp()
    y += 1
    y.sum().backward()


@behaviours(
    "D02: the message about a leaf names no node",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]] is at version 1; expected version 0 instead.",
)
def _(F):
    x = grid(F)
    y = x * x
    with F.no_grad():
        x.add_(1)
    y.sum().backward()


@behaviours(
    "D02: the message about a plain tensor names no node",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.DoubleTensor []] is at version 1; expected version 0 instead.",
)
def _(F):
    factor = F.tensor(2.0, dtype=F.float64)
    y = F.ones(2, dtype=F.float64, requires_grad=True) * factor
    factor.mul_(2)
    y.sum().backward()


@behaviours(
    "D02: what was saved after a write expects its version",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Add, is at version 3; expected version 2 "
    "instead.",
)
def _(F):
    y = grid(F) * 1
    y.add_(1).add_(1)
    z = y * y
    y.add_(1)
    z.sum().backward()


@behaviours("D03: a write before the save, and one after backward, are no matter")
def _(F):
    x = grid(F)
    y = x * 1
    y.add_(1)
    z = y * y
    z.sum().backward()
    y.add_(1)
    return x.grad, y._version


@behaviours("D03: a second backward sees a write after the first")
def _(F):
    x = grid(F)
    y = x * 1
    z = (y * y).sum()
    z.backward(retain_graph=True)
    y.add_(1)
    return found(lambda: z.backward()), x.grad


@behaviours("D03: a write to the same numbers counts as well")
def _(F):
    y = grid(F) * 1
    z = y * y
    y.copy_(y.detach().clone())
    return found(lambda: z.sum().backward())


@behaviours("D03: a write to nothing counts as well")
def _(F):
    y = grid(F) * 1
    z = y * y
    y[2:] = 1.0
    y[:0].mul_(2.0)
    return y._version, found(lambda: z.sum().backward())


@behaviours("D03: only what the wanted gradient needs is saved")
def _(F):
    x, factor = grid(F), F.tensor([[2.0, 3.0, 4.0], [1.0, 1.0, 1.0]])
    y = x * 1
    z = y * factor
    with F.no_grad():
        y.add_(1.0)
    fine = found(lambda: gradients(F, z, x))
    factor.add_(1.0)
    return fine, found(lambda: gradients(F, z, x))


@behaviours("D03: .data is a way around the check, and the gradient is wrong then")
def _(F):
    x = grid(F)
    y = x * 1
    z = y * y
    y.data.mul_(10.0)
    return found(lambda: gradients(F, z, x)), y._version


@behaviours("D03: detach() is no way around the check")
def _(F):
    x = grid(F)
    y = x * 1
    z = y * y
    y.detach().mul_(10.0)
    return found(lambda: gradients(F, z, x)), y._version


@behaviours("D03: numpy's writes are seen by nobody")
def _(F):
    x = grid(F)
    y = x * 1
    z = y * y
    y.detach().numpy()[...] = 10.0
    return found(lambda: gradients(F, z, x)), y._version


@behaviours("D03: a copy is saved in place of what will change")
def _(F):
    x = grid(F)
    y = x * 1
    z = y.clone() * 2 * y.clone()
    y.zero_()
    return gradients(F, z, x)


@behaviours("D03: the engine checks only nodes that run")
def _(F):
    x, w = grid(F), grid(F)
    y, v = x * 1, w * 1
    z = (y * y).sum() + (v * v).sum()
    v.add_(1)
    return found(lambda: F.autograd.grad(z, x, retain_graph=True)), found(lambda: F.autograd.grad(z, w))


@behaviours("D03: _saved_self of an overwritten tensor is refused too")
def _(F):
    y = grid(F) * 1
    z = y.sin()
    fine = z.grad_fn._saved_self.tolist()
    y.add_(1)
    return fine, found(lambda: z.grad_fn._saved_self.tolist())


@behaviours("D03: which functions in place may follow one another")
def _(F):
    x = F.tensor([0.5, 1.0], requires_grad=True)
    outcomes = []
    for first in ("sin_", "exp_", "square_", "neg_", "relu_", "abs_"):
        for after in ("neg_", "exp_"):
            y = getattr(getattr(x * 1, first)(), after)()
            outcomes.append([first, after, found(lambda y=y: gradients(F, y, x))])
    return outcomes


@behaviours("D03: relu in place, as networks use it")
def _(F):
    x, w = F.tensor([[1.0, -2.0]], requires_grad=True), F.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
    y = (x @ w).relu_()
    z = (y @ w).relu_()
    return state(y, z), gradients(F, z, x, w)


@behaviours("D03: dropout by hand: the mask may not be made anew in place before backward")
def _(F):
    x, mask = grid(F), F.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    y = x * mask
    mask.fill_(1.0)
    return found(lambda: gradients(F, y, x))


@behaviours("D08: setitem in a tensor whose version a custom Function saved")
def _(F):
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            (t,) = ctx.saved_tensors
            return g * 2 * t

    x = grid(F)
    y = x * 1
    z = Square.apply(y)
    fine = found(lambda: gradients(F, z, x))
    y[0] = 1.0
    return fine, found(lambda: gradients(F, z, x))


@behaviours(
    "D02: of several saved tensors that were written to, the error tells of the first by name",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Add, is at version 1; expected version 0",
)
def _(F):
    w = F.tensor([[0.5, 2.5, 1.0], [2.0, 1.5, 3.0]], requires_grad=True)
    first, second = w * 2, w * 3
    y = F.maximum(second, first)
    with F.enable_grad():
        first.add_(1.0)
        second.add_(1.0).add_(1.0)
    y.sum().backward()


test_as_in_torch = behaviours.test()
