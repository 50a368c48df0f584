"""All derivatives of all outputs: a Jacobian and a Hessian.

W7: the Jacobian of a perceptron 100-100-100 in its 100 inputs, and the Hessian of a number of a perceptron 50-50-1 in
its 50 inputs, float64, each as the library gives it by itself and, where it has that, with all rows in one backward
pass (`vectorize=True`). The limit is the same backward written out in numpy, for all rows at once.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from rounds import Row, fastest, main

ROWS = [
    Row("W7 jacobian", "the Jacobian of a perceptron 100-100-100 in its inputs", "ms"),
    Row("W7 hessian", "the Hessian of a perceptron 50-50-1 in its inputs", "ms"),
    Row("W7 jacobian at once", "the Jacobian, vectorize=True where there is such a thing", "ms"),
    Row("W7 hessian at once", "the Hessian, vectorize=True where there is such a thing", "ms"),
]
Numbers = tuple[Any, ...]


def data(quick: bool) -> tuple[Numbers, Numbers]:
    """Input, weight, bias, weight, bias of the two networks."""
    rng = np.random.default_rng(0)

    def network(size: int, outputs: int) -> Numbers:
        shapes = ((size,), (size, size), (size,), (size, outputs), (outputs,))
        return tuple([rng.standard_normal(shape) / size**0.5 for shape in shapes])

    return (network(10, 10), network(5, 1)) if quick else (network(100, 100), network(50, 1))


def perceptron(tanh: Callable[[Any], Any], x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    return tanh(x @ w1 + b1) @ w2 + b2


def result(quick: bool, functions: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Time functions that give a Jacobian or a Hessian, by the names of their rows."""
    values = {name: fastest(1 if quick else 30, function) * 1e3 for name, function in functions.items()}
    matrices = [np.asarray(functions[name]()) for name in ("W7 jacobian at once", "W7 hessian at once")]
    return values | {"agree": float(sum(np.abs(matrix).sum() for matrix in matrices))}


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        functional = mg.autograd.functional
        (x, *first), (y, *second) = ([mg.tensor(array) for array in network] for network in data(quick))

        def outputs(x: Any) -> Any:
            return perceptron(mg.tanh, x, *first)

        def number(y: Any) -> Any:
            return perceptron(mg.tanh, y, *second).sum()

        return result(
            quick,
            {
                "W7 jacobian": lambda: functional.jacobian(outputs, x),
                "W7 hessian": lambda: functional.hessian(number, y),
                "W7 jacobian at once": lambda: functional.jacobian(outputs, x, vectorize=True),
                "W7 hessian at once": lambda: functional.hessian(number, y, vectorize=True),
            },
        )

    return run


def autograd(quick: bool) -> dict[str, float]:
    import autograd.numpy as anp
    from autograd import hessian, jacobian

    (x, *first), (y, *second) = data(quick)
    of_outputs = jacobian(lambda x: perceptron(anp.tanh, x, *first))
    of_number = hessian(lambda y: anp.sum(perceptron(anp.tanh, y, *second)))
    functions = {"W7 jacobian": lambda: of_outputs(x), "W7 hessian": lambda: of_number(y)}
    return result(quick, functions | {f"{name} at once": function for name, function in functions.items()})


def numpy(quick: bool) -> dict[str, float]:
    """The limit: backward by hand, for one row after the other and for all of them."""
    (x, w1, b1, w2, _), (y, v1, c1, v2, _) = data(quick)

    def hidden(x: Any, w: Any, b: Any) -> tuple[Any, Any]:
        out = np.tanh(x @ w + b)
        return out, 1 - out * out

    def jacobian() -> Any:
        return (w2.T * hidden(x, w1, b1)[1]) @ w1.T

    def jacobian_by_row() -> Any:
        _, slope = hidden(x, w1, b1)
        return np.stack([w1 @ ((w2 @ row) * slope) for row in np.eye(len(x))])

    def hessian() -> Any:
        out, slope = hidden(y, v1, c1)
        return (v1 * (v2[:, 0] * -2 * out * slope)) @ v1.T

    def hessian_by_row() -> Any:
        out, slope = hidden(y, v1, c1)
        return np.stack([v1 @ (v2[:, 0] * -2 * out * slope * (row @ v1)) for row in np.eye(len(y))])

    return result(
        quick,
        {
            "W7 jacobian": jacobian_by_row,
            "W7 hessian": hessian_by_row,
            "W7 jacobian at once": jacobian,
            "W7 hessian at once": hessian,
        },
    )


CONTENDERS = {
    "torch": tensors("torch"),
    "minigrad": tensors("minigrad"),
    "autograd": autograd,
    "numpy by hand": numpy,
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)
