"""Hooks that note that they ran, and graphs to hang them on."""

from __future__ import annotations

from typing import Any


def number(F: Any, value: float = 3.0) -> Any:
    return F.tensor(value, requires_grad=True)


def sink(x: Any) -> Any:
    """The node in which the gradient of a leaf ends."""
    return (x * 1).grad_fn.next_functions[0][0]


def kind(node: Any) -> str:
    return type(node).__name__


def logger(log: list[Any], name: str, result: Any = None) -> Any:
    """A hook that writes its name down and returns `result`."""

    def hook(*args: Any) -> Any:
        log.append(name)
        return result

    return hook


def swap(F: Any) -> Any:
    """A Function with two inputs and two outputs: (x, y) -> (2 y, 3 x)."""

    class Swap(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return y * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            return second * 3, first * 2

    return Swap


def matrix(F: Any) -> Any:
    return F.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)
