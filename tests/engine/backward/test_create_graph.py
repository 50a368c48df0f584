"""create_graph: gradients with a graph of their own, a new .grad, a warning (B13)."""

from __future__ import annotations

from typing import Any

from engine.backward.graphs import CYCLE, graph_of
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("B13: with create_graph .grad is a new object with a graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    second, x.grad = x.grad, None
    return second is first, first, second, second.grad_fn


@behaviours("B13: the first gradient with create_graph is a copy, with a graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    x.backward(v, create_graph=True)
    gradient, x.grad = x.grad, None
    return gradient is v, gradient, F.autograd.grad(gradient.sum(), v)


@behaviours("B13: a second backward through such a .grad", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x * x).sum().backward(create_graph=True)
    first, x.grad = x.grad, None
    first.sum().backward()
    return first, x.grad


@behaviours("B13: a plain run after it adds in place, into the .grad with a graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward(create_graph=True)
    held, before = x.grad, x.grad._version
    (x * 3).sum().backward()
    same, x.grad = x.grad is held, None
    return same, held, held._version - before


@behaviours("B13: autograd.backward warns as well", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward((x * x).sum(), create_graph=True)
    x.grad = None


@behaviours("B13: grad() with create_graph does not")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad((x * x).sum(), x, create_graph=True)


@behaviours("B13: with create_graph, operations that follow each other have derivatives of every order")
def _(F: Any) -> Any:
    x = F.tensor(0.5, requires_grad=True)
    gradient, orders = (x * x).sin(), []
    for _ in range(4):
        (gradient,) = F.autograd.grad(gradient, x, create_graph=True)
        orders.append(gradient)
    return orders


@behaviours("B13: the second graph of a product")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    to_x, to_w = F.autograd.grad((x * w).sum(), [x, w], create_graph=True)
    return graph_of(to_x), graph_of(to_w)


@behaviours("B13: the second graph of a result that was saved")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad(x.exp().sum(), x, create_graph=True)
    return graph_of(gradient), F.autograd.grad(gradient.sum(), x)


@behaviours("B13: the second graph sums the gradients of a fan-out")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad((x * x).sum(), x, create_graph=True)
    return graph_of(gradient)


@behaviours("B13: a gradient that depends on nothing has no graph")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad((x * 3).sum(), x, create_graph=True)
    return gradient, gradient.grad_fn


@behaviours("B13: a gradient penalty, which differentiates a gradient within a loss")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, -4.0)
    loss = (x * w).tanh().sum()
    (gradient,) = F.autograd.grad(loss, x, create_graph=True)
    (loss + 10 * (gradient * gradient).sum()).backward()
    return x.grad, w.grad


@behaviours("B13: create_graph records under no_grad, and leaves the mode as it was")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    with F.no_grad():
        (gradient,) = F.autograd.grad(y, x, create_graph=True)
        still_off = F.is_grad_enabled()
    return gradient, still_off, F.is_grad_enabled()


@behaviours("B13: without create_graph nothing is recorded, although recording is on")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []

    def look(gradient: Any) -> None:
        seen.append((F.is_grad_enabled(), gradient.requires_grad, (gradient * x).requires_grad))

    x.register_hook(look)
    (x * x).sum().backward()
    with F.enable_grad():
        (x * x).sum().backward()
    F.autograd.grad((x * x).sum(), x, create_graph=True)
    return seen, F.is_grad_enabled()


test_as_in_torch = behaviours.test()
