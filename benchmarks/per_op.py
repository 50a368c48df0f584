"""What one operation costs, forward and backward, when its arithmetic costs next to nothing.

W1: a chain of 1,000 operations on four float64 numbers. W2: a chain of 10,000 operations on single numbers. Both are
all overhead: what the library does around the arithmetic. The limit is the same chain and its gradient written out in
numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from rounds import Row, fastest, main

ROWS = [
    Row("W1", "1,000 operations (mul, add, sin, tanh) on 4 float64 numbers, forward and backward", "µs per op"),
    Row("W2", "10,000 operations (mul, add, sub) on single float64 numbers, forward and backward", "µs per op"),
]
X, W = [0.1, 0.2, 0.3, 0.4], [1.01, 0.99, 1.02, 0.98]
Function = Callable[[Any], Any]


def elementwise(x: Any, w: Any, sin: Function, tanh: Function, count: int) -> Any:
    y = x
    for _ in range(count // 4):
        y = tanh(sin(y * w + x))
    return y


def scalars(x: Any, w: Any, count: int) -> Any:
    y = x
    for _ in range(count // 4):
        y = (y * w + x - w) * w
    return y


def result(quick: bool, first: Callable[[int], Any], second: Callable[[int], Any]) -> dict[str, float]:
    """Time two functions of the number of operations; both return the gradient of w."""
    ops, scalar_ops, times = (40, 400, 1) if quick else (1_000, 10_000, 8)
    return {
        "W1": fastest(8 * times, lambda: first(ops)) / ops * 1e6,
        "W2": fastest(times, lambda: second(scalar_ops)) / scalar_ops * 1e6,
        "agree": float(np.sum(first(ops))) + float(second(scalar_ops)),
    }


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)

        def leaves(first: Any, second: Any) -> Any:
            return [mg.tensor(value, dtype=mg.float64, requires_grad=True) for value in (first, second)]

        def first(count: int) -> Any:
            x, w = leaves(X, W)
            elementwise(x, w, mg.sin, mg.tanh, count).sum().backward()
            return w.grad.numpy()

        def second(count: int) -> Any:
            x, w = leaves(0.5, 0.3)
            scalars(x, w, count).backward()
            return w.grad.item()

        return result(quick, first, second)

    return run


def autograd(quick: bool) -> dict[str, float]:
    import autograd.numpy as anp
    from autograd import grad

    def first(count: int) -> Any:
        def result(x: Any, w: Any) -> Any:
            return anp.sum(elementwise(x, w, anp.sin, anp.tanh, count))

        return grad(result, (0, 1))(np.array(X), np.array(W))[1]

    def second(count: int) -> Any:
        return grad(lambda x, w: scalars(x, w, count), (0, 1))(0.5, 0.3)[1]

    return result(quick, first, second)


def mygrad(quick: bool) -> dict[str, float]:
    import mygrad as mg

    def first(count: int) -> Any:
        x, w = mg.tensor(X), mg.tensor(W)
        elementwise(x, w, mg.sin, mg.tanh, count).sum().backward()
        return w.grad

    def second(count: int) -> Any:
        x, w = mg.tensor(0.5), mg.tensor(0.3)
        scalars(x, w, count).backward()
        return w.grad

    return result(quick, first, second)


def numpy(quick: bool) -> dict[str, float]:
    """The limit: forward and gradient of the two chains by hand."""

    def first(count: int) -> Any:
        x, w = np.array(X), np.array(W)
        y, kept = x, []
        for _ in range(count // 4):
            z = y * w + x
            out = np.tanh(np.sin(z))
            kept.append((y, z, out))
            y = out
        g, gx, gw = np.ones(4), np.zeros(4), np.zeros(4)
        for y, z, out in reversed(kept):
            g = g * (1 - out * out)
            g = g * np.cos(z)
            gx += g
            gw += g * y
            g = g * w
        return gw

    def second(count: int) -> Any:
        x, w = np.float64(0.5), np.float64(0.3)
        y, kept = x, []
        for _ in range(count // 4):
            z = y * w + x - w
            kept.append((y, z))
            y = z * w
        g, gx, gw = np.float64(1), np.float64(0), np.float64(0)
        for y, z in reversed(kept):
            gw += g * z
            g = g * w
            gx += g
            gw += g * y - g
            g = g * w
        return gw

    return result(quick, first, second)


CONTENDERS = {
    "minigrad": tensors("minigrad"),
    "torch": tensors("torch"),
    "autograd": autograd,
    "mygrad": mygrad,
    "numpy by hand": numpy,
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)
