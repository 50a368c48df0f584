"""Engines as learners write them, each with what `viz.Engine` has to know of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import viz


class Value:
    """Numbers, after micrograd: the rule of a node is a closure, its inputs are a set."""

    def __init__(self, data: float, inputs: tuple[Value, ...] = (), op: str = "", label: str = "") -> None:
        self.data, self.grad, self._prev, self._op, self.label = data, 0.0, set(inputs), op, label
        self._backward: Callable[[], None] = lambda: None

    def __add__(self, other: Any) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Any) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __repr__(self) -> str:
        return f"Value({self.data})"


class Recursive(viz.Engine):
    """Backward calls the backward of each input at once, so it runs a node once for each way to it."""

    def order(self, root: Any) -> list[Any]:
        found, waiting = [], [root]
        while waiting:
            found.append(waiting.pop())
            waiting += list(self.inputs(found[-1]))[::-1]
        return found


class Array:
    """Arrays: the rule of a node gets the gradient and returns those of the inputs, which the engine adds."""

    def __init__(self, data: Any, inputs: tuple[Array, ...] = (), op: str = "", rule: Any = None) -> None:
        self.data, self.inputs, self.op, self.rule = np.asarray(data, float), inputs, op, rule
        self.grad: Any = None

    def __add__(self, other: Array) -> Array:
        return Array(self.data + other.data, (self, other), "add", lambda g: (g, g))

    def __mul__(self, other: Array) -> Array:
        return Array(self.data * other.data, (self, other), "mul", lambda g: (g * other.data, g * self.data))

    def __matmul__(self, other: Array) -> Array:
        return Array(self.data @ other.data, (self, other), "@", lambda g: (g @ other.data.T, self.data.T @ g))

    def sum(self) -> Array:
        return Array(self.data.sum(), (self,), "sum", lambda g: (np.broadcast_to(g, self.data.shape),))


class ArrayEngine(viz.Engine):
    def inputs(self, node: Array) -> tuple[Array, ...]:
        return node.inputs

    def op(self, node: Array) -> str:
        return node.op

    def rule(self, node: Array) -> Any:
        return node.rule

    def run(self, node: Array) -> None:
        for one, gradient in zip(node.inputs, node.rule(node.grad), strict=True):
            extra = tuple(range(np.ndim(gradient) - one.data.ndim))
            one.grad = np.sum(gradient, axis=extra) if one.grad is None else one.grad + np.sum(gradient, axis=extra)


class Operation:
    """A node that is apart from the tensors; it has several inputs and no gradient of its own."""

    def __init__(self, name: str, inputs: list[Plain], backward: Any) -> None:
        self.name, self.inputs, self.backward = name, inputs, backward


class Plain:
    """A tensor that knows the operation which made it, and holds no gradient: these lie with the backward."""

    def __init__(self, array: Any, node: Operation | None = None) -> None:
        self.array, self.node = np.asarray(array, np.float32), node

    def __mul__(self, other: Plain) -> Plain:
        node = Operation("mul", [self, other], lambda g: (g * other.array, g * self.array))
        return Plain(self.array * other.array, node)


class PlainEngine(viz.Engine):
    """The example of the docstring of `viz.Engine`."""

    def __init__(self) -> None:
        self.gradients: dict[Plain, Any] = {}

    def inputs(self, tensor: Plain) -> list[Plain]:
        return tensor.node.inputs if tensor.node else []

    def value(self, tensor: Plain) -> Any:
        return tensor.array

    def op(self, tensor: Plain) -> str:
        assert tensor.node is not None
        return tensor.node.name

    def start(self, root: Plain) -> None:
        self.gradients = {root: np.ones_like(root.array)}

    def gradient(self, tensor: Plain) -> Any:
        return self.gradients.get(tensor)

    def set_gradient(self, tensor: Plain, gradient: Any) -> None:
        self.gradients[tensor] = gradient

    def run(self, tensor: Plain) -> None:
        assert tensor.node is not None
        given = tensor.node.backward(self.gradients[tensor])
        for one, gradient in zip(tensor.node.inputs, given, strict=True):
            self.gradients[one] = self.gradients.get(one, 0) + gradient

    def rule(self, tensor: Plain) -> Any:
        return tensor.node.backward if tensor.node else None
