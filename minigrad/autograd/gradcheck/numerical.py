"""Jacobians by central differences: the function is asked, its rules are not.

The derivative by one element is (f(x + eps) - f(x - eps)) / (2 eps). Its error has two parts: f's third derivative
times eps² / 6, which shrinks with eps, and the rounding of f over eps, which grows. In float64 the sum is least around
eps = 1e-5, where about ten digits are right (`viz.gradcheck_curve` draws it).
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.gradcheck.checked import Function, Inputs, as_tuple, needs_grad
from minigrad.tensor import Array, own_array

Arrays = list[Array]  # one for each output


def jacobians(func: Function, inputs: Inputs, eps: float, only: int | None = None, along: Any = None) -> list[Arrays]:
    """For each input that requires grad (or only the one at a position), and each output, the derivatives.

    Arrays of shape (input elements, output elements). `along` has a direction for each of these inputs: then there is
    one row for each, direction @ jacobian.
    """
    positions = [position for position, value in enumerate(inputs) if needs_grad(value) and only in (None, position)]
    outputs = values(func, inputs)
    found = []
    with _mode(func, inputs, outputs):
        for order, position in enumerate(positions):
            memory = own_array(inputs[position])
            if along is None:
                rows = [changes(func, inputs, memory, index, eps) for index in np.ndindex(memory.shape)]
            else:
                rows = [changes(func, inputs, memory, ..., eps, along[order].reshape(memory.shape))]
            of_outputs = list(zip(*rows, strict=True)) or [()] * len(outputs)
            pairs = zip(of_outputs, outputs, strict=True)
            found.append([np.array(part).reshape(len(rows), output.size) / (2 * eps) for part, output in pairs])
    return found


def _mode(func: Function, inputs: Inputs, recorded: Arrays) -> Any:
    """no_grad(), which is faster, if the function gives the same there: one that uses gradients itself would not."""
    try:
        with no_grad():
            unrecorded = values(func, inputs)
    except Exception:
        return nullcontext()
    same = len(recorded) == len(unrecorded) and all(map(np.array_equal, recorded, unrecorded))
    return no_grad() if same else nullcontext()


def changes(func: Function, inputs: Inputs, memory: Array, index: Any, eps: float, direction: Any = 1) -> Arrays:
    """How each output changes, flat, when an element or a part of an input's memory goes from eps * direction below
    where it is to as much above.
    """
    middle, step = memory[index].copy(), direction * eps
    try:
        memory[index] = middle - step
        below = values(func, inputs)
        memory[index] = middle + step
        above = values(func, inputs)
    finally:
        memory[index] = middle
    return [_difference(low, high, index, eps) for low, high in zip(below, above, strict=True)]


def values(func: Function, inputs: Inputs) -> Arrays:
    """The numbers of the outputs, as copies: an output may be a view of the input that is about to be moved."""
    outputs = as_tuple(func(*inputs))
    return [np.array(output._array) for output in outputs]


def _difference(low: Array, high: Array, index: Any, eps: float) -> Array:
    """The change of an output, flat; AssertionError if its shape or dtype changed."""
    if low.shape != high.shape or low.dtype != high.dtype:
        what = "shape" if low.shape != high.shape else "dtype"
        where = "" if index is ... else f"on index {index} "
        raise AssertionError(
            f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, but "
            f"got: {what}s {getattr(low, what)} and {getattr(high, what)}. A function whose outputs change their "
            f"{what} has no derivative here."
        )
    if high.dtype.kind == "b":
        low, high = low.astype(np.int64), high.astype(np.int64)
    return (high - low).reshape(-1)
