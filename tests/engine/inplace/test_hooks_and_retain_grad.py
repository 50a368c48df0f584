"""Hooks stay on the version they were registered on; retain_grad follows the tensor to its new one (D15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.inplace.effects import grid, number, state, tried, weights
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def record(calls: list[Any], text: str, factor: float | None = None) -> Callable[[Any], Any]:
    """A hook that writes down the gradient, and may scale it."""

    def hook(g):
        calls.append([text, g.tolist()])
        return None if factor is None else g * factor

    return hook


@behaviours("D15: a hook stays on the version that it was registered on")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.register_hook(record(calls, "before"))
    y.mul_(10.0)
    y.register_hook(record(calls, "after"))
    y.sum().backward()
    return calls, x.grad


@behaviours("D15: a hook registered before a write sees and may change what the write passes on")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.register_hook(record(calls, "first", 2.0))
    y.sin_()
    y.register_hook(record(calls, "second", 3.0))
    y.mul_(5.0)
    y.register_hook(record(calls, "third"))
    y.sum().backward()
    return calls, x.grad


@behaviours("D15: retain_grad follows the tensor to its new version")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.retain_grad()
    y.mul_(10.0)
    (y * 3).sum().backward()
    return y.grad, y.retains_grad, x.grad


@behaviours("D15: retain_grad through several writes, and asked for twice")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.retain_grad()
    y.sin_()
    y.retain_grad()
    y.mul_(10.0).add_(1.0)
    y.retain_grad()
    (y * 3).sum().backward()
    return y.grad, x.grad


@behaviours("D15: retain_grad before a write and a hook on the old version")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.register_hook(record(calls, "before"))
    y.retain_grad()
    y.register_hook(record(calls, "also before"))
    y.mul_(10.0)
    y.register_hook(record(calls, "after", 7.0))
    y.sum().backward()
    return calls, y.grad, x.grad


@behaviours("D15: retain_grad of a base, written to through a view")
def _(F):
    x = grid(F)
    y = x * 1
    y.retain_grad()
    y[0].mul_(10.0)
    (y * weights(F, y)).sum().backward()
    return y.grad, x.grad


@behaviours("D15: retain_grad of a view that is written to")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    row.retain_grad()
    row.mul_(10.0)
    (row * weights(F, row)).sum().backward()
    return row.grad, row.retains_grad, x.grad


@behaviours("D15: retain_grad of a view whose base is written to")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    row.retain_grad()
    y.mul_(10.0)
    (row * weights(F, row)).sum().backward()
    return row.retains_grad, row.grad, x.grad


@behaviours("D15: retain_grad of a view, asked for after its base was written to")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    y.mul_(10.0)
    row.retain_grad()
    (row * weights(F, row)).sum().backward()
    return row.grad, x.grad


@behaviours("D15: a hook on a base, written to through a view")
def _(F):
    x, calls = grid(F), []
    y = x * 1
    y.register_hook(record(calls, "before"))
    y[0].mul_(10.0)
    y.register_hook(record(calls, "after"))
    y.sum().backward()
    return calls, x.grad


@behaviours("D15: a hook on a view that is written to")
def _(F):
    x, calls = grid(F), []
    y = x * 1
    row = y[0]
    row.register_hook(record(calls, "before", 2.0))
    row.mul_(10.0)
    row.register_hook(record(calls, "after", 3.0))
    (row.sum() + y.sum()).backward()
    return calls, x.grad


for text, (before, after) in {
    "before its base is written to, is lost with its old node": (True, False),
    "after its base was written to, is on its new node": (False, True),
    "before and another after its base is written to: only the second is called": (True, True),
}.items():

    @behaviours(f"D15: a hook on a view, {text}")
    def _(F, before=before, after=after):
        x, calls = grid(F), []
        y = x * 1
        row = y[0]
        if before:
            row.register_hook(record(calls, "before", 2.0))
        y.mul_(10.0)
        if after:
            assert row.grad_fn is not None  # PyTorch 2.13 crashes in register_hook if nobody asked for the new node
            row.register_hook(record(calls, "after", 3.0))
        row.sum().backward()
        return calls, x.grad


@behaviours("D15: a hook on a view that was used before its base was written to")
def _(F):
    x, calls = grid(F), []
    y = x * 1
    row = y[0]
    row.register_hook(record(calls, "row", 2.0))
    used = row + 0
    y.mul_(10.0)
    used.sum().backward()
    return calls, x.grad


@behaviours("D15: a handle's remove after the tensor was written to")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    handle = y.register_hook(record(calls, "removed"))
    y.register_hook(record(calls, "kept"))
    y.mul_(10.0)
    handle.remove()
    handle.remove()
    y.sum().backward()
    return calls


@behaviours("D15: hooks and retain_grad of a plain tensor that a write takes into the graph")
def _(F):
    w, calls = number(F), []
    base = F.ones(2, 3)
    row = base[0]
    refused = tried(lambda: base.retain_grad(), "can't retain_grad on Tensor that has requires_grad=False")
    row.mul_(w)
    base.retain_grad()
    row.retain_grad()
    base.register_hook(record(calls, "base"))
    row.register_hook(record(calls, "row"))
    (base * 2).sum().backward()
    return refused, calls, base.grad, row.grad, w.grad


@behaviours("D15: setitem and a hook on the value and on the base")
def _(F):
    x, w, calls = grid(F), F.tensor([7.0, 8.0, 9.0], requires_grad=True), []
    y, value = x * 1, w * 1
    y.register_hook(record(calls, "base before"))
    value.register_hook(record(calls, "value"))
    y.retain_grad()
    value.retain_grad()
    y[0] = value
    y.register_hook(record(calls, "base after"))
    (y * weights(F, y)).sum().backward()
    return calls, y.grad, value.grad, x.grad, w.grad


@behaviours("D15: a node's hook on the old and on the new node of a tensor")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.grad_fn.register_hook(lambda into, out: calls.append(["old", out[0].tolist()]))
    y.mul_(10.0)
    y.grad_fn.register_hook(lambda into, out: calls.append(["new", out[0].tolist()]))
    y.sum().backward()
    return calls


@behaviours("D15: a node's hook on CopySlices")
def _(F):
    x, w, calls = grid(F), number(F), []
    y = x * 1
    y[0].mul_(w)
    y.grad_fn.register_hook(
        lambda into, out: calls.append([[None if g is None else g.tolist() for g in gs] for gs in (into, out)])
    )
    y.sum().backward()
    return calls


@behaviours("D15: a leaf's hooks and .grad stay where they are when it is written to under no_grad")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    x.register_hook(record(calls, "x"))
    for _ in range(2):
        x.grad = None
        (x * x).sum().backward()
        with F.no_grad():
            x.sub_(x.grad * 0.25)
    return calls, state(x), x.grad


@behaviours("D15: a hook that writes into its gradient")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g.mul_(3.0))
    (y + y).sum().backward()
    return x.grad


@behaviours("A05: retain_grad() of a view whose place is not known any more changes nothing")
def _(F):
    y = F.tensor([1.0, 2.0], requires_grad=True) * 1
    with F.no_grad():
        quiet = y[:1]
    first = y.unbind()[0]
    first.retain_grad()
    y.mul_(2)
    return [(view.retain_grad(), view.retains_grad) for view in (quiet, first)]


test_as_in_torch = behaviours.test()
