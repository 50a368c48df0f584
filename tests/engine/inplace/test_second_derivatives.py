"""Graphs with writes in them are differentiated twice (D05)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from engine.inplace.effects import gradients, grid, state, weights
from helpers.refusals import message_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


DIFFERENTIATED_TWICE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "mul_ by a cube": lambda F, x, y: y.mul_(x**3),
    "sin_ then add_": lambda F, x, y: y.sin_().add_(x * x),
    "add_ then exp_": lambda F, x, y: y.add_(x * x).mul_(0.1).exp_(),
    "a write to a row": lambda F, x, y: y[0].mul_(x[1]),
    "setitem of a product": lambda F, x, y: operator.setitem(y, 0, x[0] * x[1]),
    "setitem by a mask": lambda F, x, y: operator.setitem(y, x > 2, (x * x)[x > 2]),
    "copy_ of a power": lambda F, x, y: y.copy_(x**3),
    "fill_ with a sum of squares": lambda F, x, y: y.fill_((x * x).sum()),
    "a transposed diagonal": lambda F, x, y: y.t().diagonal().mul_(x[0, 1:] ** 2),
    "two writes to parts that overlap": lambda F, x, y: (y[0].mul_(x[0] ** 2), y[:, 1].add_(x[:, 0] ** 3)),
}


def differentiated_twice(text: str, write: Callable[[Any, Any, Any], Any]) -> None:
    @behaviours(f"D05: second and third derivatives through {text}")
    def _(F):
        x = grid(F)
        y = x * 1
        write(F, x, y)
        (first,) = gradients(F, y, x, create_graph=True)
        (twice,) = F.autograd.grad((first * weights(F, first)).sum(), x, create_graph=True)
        thrice = F.autograd.grad(twice.sum(), x, allow_unused=True) if twice.requires_grad else None
        return y, first, twice, thrice


for text, write in DIFFERENTIATED_TWICE.items():
    differentiated_twice(text, write)


@behaviours("D05: a gradient with a graph, written to in place")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    (g,) = F.autograd.grad((x**3).sum(), x, create_graph=True)
    g.mul_(x)
    g[0] = 0.0
    return state(g), gradients(F, g, x)


@behaviours("D05: nothing comes back from an empty part that is known by its place in memory alone")
def _(F):
    x = grid(F)
    y = x * 1
    part = y[3:]
    y.mul_(2)
    given = part, y.as_strided((0, 2), (2, 1)), y[3:]
    return [F.autograd.grad((each * each).sum(), x, create_graph=True)[0] for each in given]


WRITES: dict[str, Callable[[Any], Any]] = {
    "exp_": lambda part: part.exp_(),
    "sqrt_": lambda part: part.sqrt_(),
    "sigmoid_": lambda part: part.sigmoid_(),
    "tanh_": lambda part: part.tanh_(),
    "reciprocal_": lambda part: part.reciprocal_(),
    "relu_": lambda part: part.relu_(),
}


def result_in_a_view(name: str, write: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: the second derivative by a view that {name} wrote its result to")
    def _(F):
        x = grid(F)
        part = (x * 1)[:1]
        write(part)
        (first,) = F.autograd.grad(part, x, F.ones_like(part), create_graph=True)
        by_part = F.autograd.grad(first.sum(), part, retain_graph=True) if name != "relu_" else None
        return part, first, by_part, F.autograd.grad(first.sum(), x, allow_unused=True)

    @behaviours(f"D05: the second derivative once the graph of a view that {name} wrote to is freed")
    def _(F):
        x = grid(F)
        part = (x * 1)[:1]
        write(part)
        (first,) = F.autograd.grad(part, x, F.ones_like(part), create_graph=True)
        part.sum().backward()
        return message_of(lambda: first.sum().backward()), x.grad

    @behaviours(f"D05: the second derivative where the view that {name} wrote to is gone")
    def _(F):
        x = grid(F)
        y = x * 1
        write(y[:1])
        (first,) = F.autograd.grad(y, x, F.ones_like(y), create_graph=True)
        return first, F.autograd.grad(first.sum(), x)


for name, write in WRITES.items():
    result_in_a_view(name, write)


test_as_in_torch = behaviours.test()
