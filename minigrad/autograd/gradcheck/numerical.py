"""Jacobians by central differences: the function is asked, its rules are not.

The derivative by one element is (f(x + eps) - f(x - eps)) / (2 eps). Its error has two parts: f's third derivative
times eps² / 6, which shrinks with eps, and the rounding of f over eps, which grows. In float64 the sum is least around
eps = 1e-5, where about ten digits are right (`viz.gradcheck_curve` draws it).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.gradcheck.checked import as_tuple, needs_grad
from minigrad.tensor import own_array

Array = Any


def jacobians(
    func: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...], eps: float, only: int | None = None
) -> list[list[Array]]:
    """For each input that requires grad (or only the one at a position), and each output, the derivatives.

    Arrays of shape (input elements, output elements).
    """
    positions = [position for position, value in enumerate(inputs) if needs_grad(value) and only in (None, position)]
    dtypes = [output._array.dtype if output.dtype.is_floating_point else np.float64 for output in outputs]
    found = []
    with np.errstate(invalid="ignore"), _mode(func, inputs):
        for position in positions:
            memory = own_array(inputs[position])
            matrices = [
                np.empty((memory.size, output.numel()), dtype) for output, dtype in zip(outputs, dtypes, strict=True)
            ]
            flat = memory.reshape(-1) if memory.flags.c_contiguous else memory.flat
            for element in range(memory.size):
                value = flat[element]
                try:
                    flat[element] = value - eps
                    below = values(func, inputs)
                    flat[element] = value + eps
                    above = values(func, inputs)
                finally:
                    flat[element] = value
                for matrix, low, high in zip(matrices, below, above, strict=True):
                    matrix[element] = _difference(low, high, eps, (element, memory.shape))
            for matrix in matrices:
                matrix /= 2 * eps
            found.append(matrices)
    return found


def _mode(func: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """no_grad(), which is faster, if the function gives the same there: one that uses gradients itself would not."""
    recorded = values(func, inputs)
    try:
        with no_grad():
            unrecorded = values(func, inputs)
    except Exception:
        return nullcontext()
    same = len(recorded) == len(unrecorded) and all(map(np.array_equal, recorded, unrecorded))
    return no_grad() if same else nullcontext()


def projection(
    func: Callable[..., Any], inputs: tuple[Any, ...], position: int, direction: Array, eps: float
) -> list[Array]:
    """For each output its derivatives along one direction of an input: jacobian @ direction."""
    memory = own_array(inputs[position])
    before = memory.copy()
    step = (direction * eps).reshape(memory.shape)
    try:
        memory[...] = before - step
        below = values(func, inputs)
        memory[...] = before + step
        above = values(func, inputs)
    finally:
        memory[...] = before
    with np.errstate(invalid="ignore"):
        return [_difference(low, high, eps) / (2 * eps) for low, high in zip(below, above, strict=True)]


def values(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Array]:
    """The numbers of the outputs, as copies: an output may be a view of the input that is about to be moved."""
    outputs = as_tuple(func(*inputs))
    return [np.array(output._array) for output in outputs]


def _difference(low: Array, high: Array, eps: float, moved: tuple[int, Any] | None = None) -> Array:
    """The change of an output, flat; AssertionError if its shape or dtype changed."""
    if low.shape != high.shape or low.dtype != high.dtype:
        what = "shape" if low.shape != high.shape else "dtype"
        where = "" if moved is None else f"on index {tuple(map(int, np.unravel_index(*moved)))} "
        raise AssertionError(
            f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, but "
            f"got: {what}s {getattr(low, what)} and {getattr(high, what)}. A function whose outputs change their "
            f"{what} has no derivative here."
        )
    if high.dtype.kind == "b":
        low, high = low.astype(np.int64), high.astype(np.int64)
    return (high - low).reshape(-1)
