"""Saved tensors are freed by the pass that used them, and results die with their last reference (G01, G08)."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

from engine.saved_tensors.packing import exponential, noted, square
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours(
    "G01: saved tensors are freed by the pass that used them",
    error=RuntimeError,
    says="Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed).",
)
def _(F):
    y = leaf(F).sin()
    y.sum().backward()
    return y.grad_fn._saved_self


@behaviours(
    "G01: a custom Function's saved tensors are freed by the pass as well",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    y = square(F).apply(leaf(F))
    y.sum().backward()
    y.sum().backward()


@behaviours(
    "G01: a freed Function's saved_tensors raise when read by hand",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    y = square(F).apply(leaf(F))
    y.sum().backward()
    return y.grad_fn.saved_tensors


@behaviours("G01: a node that saved nothing runs as often as one likes")
def _(F):
    x = leaf(F)
    y = (x + 1).sum()
    for _ in range(3):
        y.backward()
    return x.grad


def dies(op: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A scenario: the result of `op(F)` and its node die with their last reference, the garbage collector off."""

    def scenario(F: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        try:
            result = op(F)
            tensor, node = weakref.ref(result), weakref.ref(result.grad_fn.metadata.setdefault("mark", Mark()))
            del result
            return tensor() is None, node() is None
        finally:
            if was_on:
                gc.enable()

    return scenario


class Mark:
    """Something that a node's metadata holds and a weak reference can watch."""


for name, op in {
    "exp": lambda F: leaf(F).exp(),
    "tanh": lambda F: leaf(F).tanh(),
    "sqrt": lambda F: leaf(F).sqrt(),
    "x ** y": lambda F: leaf(F) ** leaf(F),
    "max": lambda F: leaf(F).max(),
    "sin, which keeps its input": lambda F: (leaf(F) * 2).sin(),
    "exp_, in place": lambda F: (leaf(F) * 2).exp_(),
    "exp and a view of it": lambda F: leaf(F).exp()[:1],
    "exp with retain_grad": lambda F: (lambda y: (y.retain_grad(), y)[1])(leaf(F).exp()),
    "exp with a hook": lambda F: (lambda y: (y.register_hook(abs), y)[1])(leaf(F).exp()),
    "exp after backward": lambda F: (lambda y: (y.sum().backward(), y)[1])(leaf(F).exp()),
    "exp after backward that kept the graph": lambda F: (lambda y: (y.sum().backward(retain_graph=True), y)[1])(
        leaf(F).exp()
    ),
    "a Function that saves its input": lambda F: square(F).apply(leaf(F) * 2),
    "a Function that saves its output": lambda F: exponential(F).apply(leaf(F) * 2),
    "exp under hooks that keep a copy": lambda F: copied(F, leaf(F).exp),
    "a Function that saves its output under hooks that keep a copy": lambda F: copied(
        F, lambda: exponential(F).apply(leaf(F))
    ),
}.items():
    behaviours(f"G08: the result of {name} dies with its last reference")(dies(op))


def copied(F: Any, compute: Callable[[], Any]) -> Any:
    with noted(F, []):
        return compute()


@behaviours("G08: a graph that create_graph made dies with its last reference")
def _(F):
    was_on = gc.isenabled()
    gc.disable()
    try:
        x = leaf(F)
        (g,) = F.autograd.grad(x.exp().sum(), x, create_graph=True)
        alive = weakref.ref(g)
        mark = weakref.ref(g.grad_fn.metadata.setdefault("mark", Mark()))
        del g
        return alive() is None, mark() is None
    finally:
        if was_on:
            gc.enable()


@behaviours("G08: what a node saved lives as long as the node")
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.sin()
    alive = weakref.ref(y)
    del y
    kept = alive() is not None
    z.sum().backward()
    return kept, alive() is None


test_as_in_torch = behaviours.test()
