"""How long it takes to check gradients with finite differences.

W9: gradcheck of a two-layer perceptron, 50 rows of 20 features, float64, in its inputs and all of its parameters: 1,441
elements are moved to either side, each time with a forward pass. The limit is that alone: the forward in numpy, twice
for each element.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from rounds import Row, fastest, main

ROWS = [Row("W9", "gradcheck of a perceptron 20-20-1 on 50 rows, float64, in inputs and parameters", "ms")]


def data(quick: bool) -> list[Any]:
    rng = np.random.default_rng(0)
    rows, size = (5, 4) if quick else (50, 20)
    return [rng.standard_normal(shape) / 4 for shape in ((rows, size), (size, size), (size,), (size, 1), (1,))]


def perceptron(tanh: Callable[[Any], Any], x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    return (tanh(x @ w1 + b1) @ w2 + b2).sum()


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        inputs = tuple([mg.tensor(array, requires_grad=True) for array in data(quick)])

        def check() -> bool:
            passes: bool = mg.autograd.gradcheck(lambda *values: perceptron(mg.tanh, *values), inputs)
            return passes

        return {"W9": fastest(1 if quick else 5, check) * 1e3, "agree": float(check())}

    return run


def numpy(quick: bool) -> dict[str, float]:
    """The limit: the finite differences without the gradients, and a gradient by hand to compare them with."""
    arrays = data(quick)
    eps = 1e-6

    def check() -> bool:
        x, w1, b1, w2, _ = arrays
        out = np.tanh(x @ w1 + b1)
        g = (1 - out * out) * w2[:, 0]
        gradients = [g @ w1.T, x.T @ g, g.sum(0), out.sum(0)[:, None], np.full(1, float(len(x)))]
        for array, gradient in zip(arrays, gradients, strict=True):
            flat, differences = array.reshape(-1), np.empty(array.size)
            for element in range(array.size):
                value = flat[element]
                flat[element] = value - eps
                below = perceptron(np.tanh, *arrays)
                flat[element] = value + eps
                differences[element] = perceptron(np.tanh, *arrays) - below
                flat[element] = value
            if not np.allclose(gradient.reshape(-1), differences / (2 * eps), 1e-3, 1e-5):
                return False
        return True

    return {"W9": fastest(1 if quick else 5, check) * 1e3, "agree": float(check())}


CONTENDERS = {"torch": tensors("torch"), "minigrad": tensors("minigrad"), "numpy by hand": numpy}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)
