"""How .grad adds up over passes: in place, in the same object (B12)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("B12: .grad stays the same object, and its version counts the additions")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * 3).sum().backward()
    kept, versions = x.grad, [x.grad._version]
    for _ in range(2):
        (x * 3).sum().backward()
        versions.append(x.grad._version)
    return x.grad is kept, versions, kept


@behaviours("B12: a .grad that was assigned is added to in place")
def _(F: Any) -> Any:
    x, own = leaf(F, 1.0, 2.0), F.tensor([10.0, 20.0])
    x.grad = own
    (x * x).sum().backward()
    return x.grad is own, own


@behaviours(
    "B12: an expanded .grad cannot be added to",
    error=RuntimeError,
    says="unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.grad = F.ones(1).expand(2)
    (x * x).sum().backward()


@behaviours("B12: a .grad that is a part of another tensor is added to there")
def _(F: Any) -> Any:
    x, store = leaf(F, 1.0, 2.0), F.zeros(3)
    x.grad = store[1:]
    (x * x).sum().backward()
    return store, store._version


@behaviours("B12: an assigned .grad that requires grad is added to without recording")
def _(F: Any) -> Any:
    x, own = leaf(F, 1.0, 2.0), leaf(F, 10.0, 20.0)
    x.grad = own
    (x * x).sum().backward()
    return x.grad is own, own, own.is_leaf


@behaviours("B12: .grad = None starts again with a new object")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    first = x.grad
    x.grad = None
    (x * 3).sum().backward()
    return x.grad is first, first, x.grad


@behaviours("B12: whoever keeps .grad sees it grow")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    seen_from_numpy = x.grad.numpy()
    (x * x).sum().backward()
    return seen_from_numpy


@behaviours("B12: .grad has no graph, and is a leaf")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    return x.grad, x.grad.is_leaf, x.grad.grad_fn


@behaviours("B12: the gradient of a retaining result is added up too, in a new object each time")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    middle.retain_grad()
    y = (middle * 3).sum()
    y.backward(retain_graph=True)
    first = middle.grad
    y.backward()
    return middle.grad is first, first, middle.grad


@behaviours("B12: a leaf that no longer requires grad keeps its .grad, and graphs made before add nothing to it")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    x.requires_grad_(False)
    later = x * x
    y.backward()
    return x.grad, later.requires_grad


test_as_in_torch = behaviours.test()
