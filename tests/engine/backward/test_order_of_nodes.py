"""Each node runs once, after its consumers, the latest first, and only where it leads to an input (B19 to B21)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def noting(order: list[str], name: str) -> Callable[[Any], None]:
    """A hook that notes that the gradient of `name` is complete, which is when its node's turn has come."""

    def note(gradient: Any) -> None:
        order.append(name)

    return note


@behaviours("B19: a leaf used many times gets the sum")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x + x * x + x * 3 + x.exp() - x).sum().backward()
    return x.grad


@behaviours("B19: the same tensor as both operands")
def _(F: Any) -> Any:
    x = leaf(F, 3.0, 2.0)
    (x * x).sum().backward()
    product = x.grad
    x.grad = None
    (x - x).sum().backward()
    return product, x.grad


@behaviours("B19: a diamond of diamonds, whose paths double at each step")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20):
        y = y + y
    y.backward()
    return x.grad


@behaviours("B19: a node runs once, on the sum of its gradients")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    middle = x * 2
    middle.register_hook(lambda gradient: seen.append(gradient.tolist()))
    middle.grad_fn.register_hook(lambda inwards, outwards: seen.append("ran"))
    (middle * 3 + middle.exp() * 0 + middle).sum().backward()
    return seen, x.grad


@behaviours("B19: a short and a long path meet only when both are done")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    shared = x * 1
    long = shared
    for step in range(3):
        long = long * 2
        long.register_hook(noting(order, f"long {step}"))
    short = shared * 10
    for name, tensor in {"shared": shared, "short": short, "x": x}.items():
        tensor.register_hook(noting(order, name))
    (short + long).backward()
    return order, x.grad


@behaviours("B20: of several ready nodes the one made last runs first")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    branches = {name: x * factor for name, factor in [("first", 1), ("second", 2), ("third", 3)]}
    for name, branch in branches.items():
        branch.register_hook(noting(order, name))
    total = branches["second"] + branches["third"]
    (branches["first"] + total).backward()
    return order


@behaviours("B20: the one made last runs first, whichever operand it is")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    first, second = x.exp(), x.sin()
    first.register_hook(noting(order, "first"))
    second.register_hook(noting(order, "second"))
    (first + second).backward(retain_graph=True)
    (second + first).backward()
    return order


@behaviours("B20: a chain made last is finished before an older branch begins")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    old = x * 2
    start = x * 3
    middle = start * 4
    end = middle * 5
    for name, tensor in {"old": old, "start": start, "middle": middle, "end": end}.items():
        tensor.register_hook(noting(order, name))
    (old + end).backward()
    return order


@behaviours("B20: a leaf gets its gradient as soon as that is complete")
def _(F: Any) -> Any:
    early, late, order = leaf(F, 1.0), leaf(F, 2.0), []
    early.register_hook(noting(order, "early leaf"))
    late.register_hook(noting(order, "late leaf"))
    inner = early * 2
    inner.register_hook(noting(order, "inner"))
    (inner * late).backward()
    return order


@behaviours("B20: of several roots the one made last runs first, whatever the list says")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    roots = [x * 2, x * 3, x * 4]
    for place, root in enumerate(roots):
        root.register_hook(noting(order, f"root {place}"))
    F.autograd.backward([roots[1], roots[2], roots[0]])
    return order


@behaviours("B20: the order of a graph with two outputs of one node")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0, 2.0), []
    first, second = x.unbind()
    first_use, second_use = first * 2, second * 3
    for name, tensor in {"second use": second_use, "first use": first_use, "first": first, "second": second}.items():
        tensor.register_hook(noting(order, name))
    (first_use * second_use).backward()
    return order, x.grad


@behaviours("B21: nodes that lead to none of the inputs do not run")
def _(F: Any) -> Any:
    x, w, order = leaf(F, 1.0), leaf(F, 2.0), []
    wanted, other = x.exp(), w.exp()
    wanted.register_hook(noting(order, "wanted"))
    other.register_hook(noting(order, "other"))
    y = wanted * other
    F.autograd.grad(y, x, retain_graph=True)
    y.backward(inputs=[x], retain_graph=True)
    return order, F.autograd.grad(other, w)


@behaviours("B21: nothing runs below an input, whose own hooks do run")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    lower = x * x
    upper = lower * lower
    lower.register_hook(noting(order, "lower"))
    x.register_hook(noting(order, "x"))
    gradient = F.autograd.grad(upper, lower)
    return gradient, order, F.autograd.grad(lower, x)


@behaviours("B21: an input may lie on the way to another one")
def _(F: Any) -> Any:
    x, order = leaf(F, 2.0), []
    lower = x * x
    lower.register_hook(noting(order, "lower"))
    x.register_hook(noting(order, "x"))
    return F.autograd.grad(lower * lower, [lower, x]), order


test_as_in_torch = behaviours.test()
