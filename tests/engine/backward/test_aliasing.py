"""No two gradients share memory: those passed in, those kept in .grad, those that hooks and grad() gave (B14)."""

from __future__ import annotations

from typing import Any

from engine.backward.graphs import CYCLE
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D05: gradients given back belong to who asked")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    (first,) = F.autograd.grad(y.sum(), x, retain_graph=True)
    first.zero_()
    (again,) = F.autograd.grad(y.sum(), x)
    return first, again


@behaviours("B14: writing into the passed gradient later changes no .grad, at a leaf as root and behind a result")
def _(F: Any) -> Any:
    x, w, v = leaf(F), leaf(F), F.tensor([3.0, 4.0])
    x.backward(v)
    (w + 0).backward(v)
    v.zero_()
    return x.grad, w.grad, v._version


@behaviours("B14: a passed gradient is not changed, and .grad is not that tensor and shares nothing with it")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    (x + 0).backward(v)
    (x + 0).backward(v)
    x.grad.mul_(10)
    return x.grad is v, x.grad, v


@behaviours("B14: two leaves that get the same gradient share no memory")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x + w).sum().backward()
    x.grad.mul_(10)
    return x.grad, w.grad


@behaviours("B14: two leaves share no memory where one gradient is a view of the other")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), F.ones(2, 1, requires_grad=True)
    (x + w.reshape(2)).backward(F.tensor([3.0, 4.0]))
    x.grad.mul_(10)
    return x.grad, w.grad


@behaviours("B14: with create_graph, two leaves that get the same gradient share no memory", warns=(CYCLE,))
def _(F: Any) -> Any:
    x, w, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0), F.tensor([3.0, 4.0])
    (x + w).backward(v, create_graph=True)
    apart = x.grad is not w.grad, x.grad is not v
    (x + w).backward(v)
    return apart, x.grad, w.grad, v


@behaviours("B14: a gradient summed over a fan-out is not added into the passed one")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    y = x + 0
    (y + y + y + y).backward(v)
    return x.grad, v


@behaviours("B14: gradients that hooks keep do not change when others are added to them")
def _(F: Any) -> Any:
    x, v, kept = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0]), []
    shared = x + 0
    branches = [shared + number for number in range(4)]
    for tensor in (*branches, shared, x):
        tensor.register_hook(kept.append)
    (branches[0] + branches[1] + branches[2] + branches[3]).backward(v)
    (x + 0).backward(v)
    return kept, v, x.grad


@behaviours("B14: a leaf's gradient that a hook kept is not .grad")
def _(F: Any) -> Any:
    x, kept = leaf(F, 1.0, 2.0), []
    x.register_hook(kept.append)
    (x * 3).sum().backward()
    (x * 5).sum().backward()
    x.grad.mul_(10)
    return kept, x.grad


@behaviours("B14: .grad itself as the gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.grad = F.tensor([3.0, 4.0])
    (x + 0).backward(x.grad)
    x.backward(x.grad)
    return x.grad


@behaviours("B14: an expanded gradient becomes a .grad that can be written to")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.sum().backward()
    x.grad[0] = 5.0
    return x.grad


@behaviours("B14: a retained gradient does not change when .grad does")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x + 0
    middle.retain_grad()
    middle.backward(F.tensor([3.0, 4.0]))
    x.grad.mul_(10)
    return middle.grad, x.grad


@behaviours("B14: gradients that grad() gave do not change in later runs")
def _(F: Any) -> Any:
    x, w, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0), F.tensor([5.0, 6.0])
    y = x + w
    to_x, to_w = F.autograd.grad(y, [x, w], v, retain_graph=True)
    y.backward(v)
    (x + w).backward(v)
    return to_x, to_w, x.grad, w.grad


# ---------------------------------------------------------------- gradients that are written to

REDUCED = {
    "mean": lambda F, x: x.mean(),
    "mean of some dimensions": lambda F, x: x.mean(0).sum(),
    "mean, keepdim": lambda F, x: x.mean((0, 1), keepdim=True).sum(),
    "mean of a transposed view": lambda F, x: x.t().mean(),
    "mean of a reshaped view": lambda F, x: x.reshape(-1).mean(),
    "mean of a view with one more dimension": lambda F, x: x.unsqueeze(0).mean(),
    "mean of a row": lambda F, x: x[0].mean(),
    "mean of an expanded view": lambda F, x: x.expand(2, 2, 2).mean(),
    "adaptive average": lambda F, x: F.nn.functional.adaptive_avg_pool2d(x.reshape(1, 1, 2, 2), 1).sum(),
    "mse_loss": lambda F, x: F.nn.functional.mse_loss(x, F.zeros(2, 2)),
    "l1_loss": lambda F, x: F.nn.functional.l1_loss(x, F.zeros(2, 2)),
    "cross_entropy": lambda F, x: F.nn.functional.cross_entropy(x, F.tensor([0, 1])),
    "std": lambda F, x: x.std(),
    "max": lambda F, x: x.max(),
    "norm": lambda F, x: x.norm(),
    "prod": lambda F, x: x.prod(),
    "logsumexp": lambda F, x: x.logsumexp(0).sum(),
}


def _square(F: Any) -> Any:
    return F.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)


def _trebled(gradients: Any) -> None:
    gradients[0].mul_(3)


def _written_everywhere(reduce: Any) -> Any:
    """A scenario in which the gradient of a reduction is written to in hooks and after grad()."""

    def scenario(F: Any) -> Any:
        x, w, v = _square(F), _square(F), _square(F)
        x.register_hook(lambda gradient: gradient.mul_(2))
        reduce(F, x).backward()
        middle = w * 1
        middle.register_hook(lambda gradient: gradient.add_(1))
        middle.grad_fn.register_prehook(_trebled)
        reduce(F, middle).backward()
        (gradient,) = F.autograd.grad(reduce(F, v), v)
        gradient /= gradient.norm()
        return x.grad, w.grad, gradient

    return scenario


for name, reduce in REDUCED.items():
    behaviours(f"the gradient of a reduction can be written to: {name}")(_written_everywhere(reduce))

REFUSED = "unsupported operation: more than one element of the written-to tensor refers to a single memory location"


@behaviours("the gradient of a sum is expanded, and a hook cannot write to it", error=RuntimeError, says=REFUSED)
def _(F: Any) -> Any:
    x = _square(F)
    x.register_hook(lambda gradient: gradient.mul_(2))
    x.sum().backward()


@behaviours("a gradient without elements has nothing that is repeated, and can be written to")
def _(F: Any) -> Any:
    shapes = []
    for shape in [(2, 0), (0, 2), (0,)]:
        x = F.ones(*shape, requires_grad=True)
        x.register_hook(lambda gradient: gradient.mul_(2))
        x.sum().backward()
        F.autograd.grad(x.sum(), x)[0].mul_(2)
        shapes.append(x.grad)
    return shapes


@behaviours(
    "the gradient of a sum is expanded, and what grad() gives cannot be written to", error=RuntimeError, says=REFUSED
)
def _(F: Any) -> Any:
    x = _square(F)
    F.autograd.grad(x.sum(0).sum(), x)[0].mul_(2)


@behaviours("B14: retained gradients share no memory with each other, nor with the gradient passed in")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    first = x + 0
    second = first + 0
    for tensor in (first, second):
        tensor.retain_grad()
    second.backward(v)
    second.grad.mul_(10)
    first.grad.add_(1)
    return second.grad, first.grad, x.grad, v


@behaviours("B14: a retained gradient shares no memory with what a hook was shown")
def _(F: Any) -> Any:
    x, shown = leaf(F, 1.0, 2.0), []
    y = x * 2
    y.register_hook(shown.append)
    y.retain_grad()
    (y * 3).sum().backward()
    y.grad.mul_(10)
    return shown, y.grad, x.grad


test_as_in_torch = behaviours.test()
