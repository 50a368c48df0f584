"""Jacobians by central differences: the function is asked, its rules are not.

The derivative by one element is (f(x + eps) - f(x - eps)) / (2 eps). Its error has two parts: f's third derivative
times eps² / 6, which shrinks with eps, and the rounding of f over eps, which grows. In float64 the sum is least around
eps = 1e-5, where about ten digits are right (`viz.gradcheck_curve` draws it).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.gradcheck.checked import as_tuple, needs_grad
from minigrad.tensor import Tensor, own_array

Array = Any


def jacobians(
    func: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...], eps: float, only: int | None = None
) -> list[list[Array]]:
    """For each input that requires grad (or only the one at a position), and each output, the derivatives.

    Arrays of shape (input elements, output elements).
    """
    positions = [position for position, value in enumerate(inputs) if needs_grad(value) and only in (None, position)]
    found = []
    for position in positions:
        memory = own_array(inputs[position])
        matrices = [np.empty((memory.size, output.numel()), _difference_dtype(output)) for output in outputs]
        for element in range(memory.size):
            for matrix, change in zip(matrices, _change(func, inputs, memory, element, eps), strict=True):
                matrix[element] = change
        for matrix in matrices:
            matrix /= 2 * eps
        found.append(matrices)
    return found


def _difference_dtype(output: Tensor) -> Any:
    return output._array.dtype if output.dtype.is_floating_point else np.float64


def _change(func: Callable[..., Any], inputs: tuple[Any, ...], memory: Array, element: int, eps: float) -> list[Array]:
    """What each output changes by if an input's element goes from eps below to eps above. The input is moved back."""
    flat = memory.flat
    value = flat[element]
    try:
        flat[element] = value - eps
        below = _values(func, inputs)
        flat[element] = value + eps
        above = _values(func, inputs)
    finally:
        flat[element] = value
    for low, high in zip(below, above, strict=True):
        if low.shape != high.shape or low.dtype != high.dtype:
            place = tuple(int(i) for i in np.unravel_index(element, memory.shape))
            raise _changed(low, high, f"on index {place} ", eps)
    return [_difference(low, high) for low, high in zip(below, above, strict=True)]


def projection(
    func: Callable[..., Any], inputs: tuple[Any, ...], position: int, direction: Array, eps: float
) -> list[Array]:
    """For each output its derivatives along one direction of an input: jacobian @ direction."""
    memory = own_array(inputs[position])
    before = memory.copy()
    step = (direction * eps).reshape(memory.shape)
    try:
        memory[...] = before - step
        below = _values(func, inputs)
        memory[...] = before + step
        above = _values(func, inputs)
    finally:
        memory[...] = before
    for low, high in zip(below, above, strict=True):
        if low.shape != high.shape or low.dtype != high.dtype:
            raise _changed(low, high, "", eps)
    return [_difference(low, high) / (2 * eps) for low, high in zip(below, above, strict=True)]


def _values(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Array]:
    """The numbers of the outputs, as copies: an output may be a view of the input that is about to be moved."""
    return [np.array(output._array) for output in as_tuple(func(*inputs))]


def _difference(low: Array, high: Array) -> Array:
    if high.dtype.kind != "f":
        low, high = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return (high - low).reshape(-1)


def _changed(low: Array, high: Array, where: str, eps: float) -> AssertionError:
    what, before, after = (
        ("shape", low.shape, high.shape) if low.shape != high.shape else ("dtype", low.dtype, high.dtype)
    )
    return AssertionError(
        f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, but got: "
        f"{what}s {before} and {after}. A function whose outputs change their {what} has no derivative here."
    )
