"""Jacobians by backward: the gradient of a single output element, for one after the other.

Backward runs here as it does everywhere, once for each element and by itself, so that what is checked is what is used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.engine import grad
from minigrad.autograd.function import Function
from minigrad.autograd.gradcheck.checked import GradcheckError, called, needs_grad, recorded
from minigrad.tensor import Tensor, from_array

Array = Any


def jacobians(inputs: tuple[Any, ...], output: Tensor, nondet_tol: float, check_grad_dtypes: bool) -> list[Array]:
    """For each input that requires grad, the derivatives of an output: arrays of shape (input, output elements)."""
    sought = [value for value in inputs if needs_grad(value)]
    first, second = (
        [np.zeros((input.numel(), output.numel()), input._array.dtype) for input in sought] for _ in range(2)
    )
    for matrices in (first, second):
        for element in range(output.numel()):
            one_hot = np.zeros(output.shape, output._array.dtype)
            one_hot.flat[element] = 1
            for matrix, gradient in zip(matrices, _backward(sought, output, one_hot, check_grad_dtypes), strict=True):
                if gradient is not None:
                    matrix[:, element] = gradient
    _check_same(first, second, nondet_tol)
    return first


def projections(
    inputs: tuple[Any, ...], output: Tensor, direction: Array, nondet_tol: float, check_grad_dtypes: bool
) -> list[Array]:
    """For each input that requires grad: direction @ jacobian."""
    sought = [value for value in inputs if needs_grad(value)]
    first, second = (
        [
            np.zeros(input.numel(), input._array.dtype) if gradient is None else gradient.copy()
            for input, gradient in zip(
                sought, _backward(sought, output, direction.reshape(output.shape), check_grad_dtypes), strict=True
            )
        ]
        for _ in range(2)
    )
    _check_same(first, second, nondet_tol)
    return first


def _backward(sought: list[Tensor], output: Tensor, weights: Array, check_grad_dtypes: bool) -> list[Array | None]:
    """The gradients of the inputs, flat; None where there is none."""
    found = grad(output, sought, from_array(weights), retain_graph=True, allow_unused=True)
    flat: list[Array | None] = []
    for gradient, input in zip(found, sought, strict=True):
        if gradient is not None and gradient.shape != input.shape:
            raise GradcheckError(
                f"Analytical gradient has incorrect size: {list(gradient.shape)} for an input of shape "
                f"{list(input.shape)}"
            )
        if gradient is not None and check_grad_dtypes and gradient.dtype is not input.dtype:
            raise GradcheckError(
                f"Gradient has dtype mismatch: {gradient.dtype} for an input of {input.dtype}. A rule computes in a "
                "wider dtype than its input has."
            )
        flat.append(None if gradient is None else np.reshape(gradient._array, -1))
    return flat


def _check_same(first: Sequence[Array], second: Sequence[Array], nondet_tol: float) -> None:
    """Raise if backward gave something else the second time."""
    for one, other in zip(first, second, strict=True):
        if one.size and np.abs(one - other).max() > nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {nondet_tol}.\nTwice the same backward gave gradients that "
                f"differ by up to {np.abs(one - other).max():.3g}. Likely cause: backward uses random numbers, or "
                "changes what it will use again: a saved tensor, an attribute of ctx, or the gradient that came in. "
                "Where small differences are to be expected, allow them with nondet_tol."
            )


def check_batched(inputs: tuple[Any, ...], output: Tensor, number: int) -> None:
    """Raise unless two gradients that go back together give what each of them gives alone."""
    sought = [value for value in inputs if needs_grad(value)]
    weights = np.random.default_rng(0).standard_normal((2, *output.shape)).astype(output._array.dtype)
    single = [grad(output, sought, from_array(weights[row]), retain_graph=True, allow_unused=True) for row in range(2)]
    together = grad(output, sought, from_array(weights), retain_graph=True, allow_unused=True, is_grads_batched=True)
    for position, gradient in enumerate(together):
        if gradient is None:
            continue
        expected = np.stack([row[position]._array for row in single])
        if not np.allclose(gradient._array, expected):
            raise GradcheckError(
                f"For output {number} and input {position}:\n\ngradcheck or gradgradcheck failed while testing batched "
                f"gradient computation.\n\nGot:\n{gradient}\n\nExpected:\n{from_array(expected)}"
            )


def check_multiplies(inputs: tuple[Any, ...], outputs: Sequence[Tensor], masked: bool) -> None:
    """Raise unless no gradient in gives no gradient out."""
    sought = [value for value in inputs if needs_grad(value)]
    for gradient in grad(outputs, sought, _zeros(outputs), retain_graph=True, allow_unused=True):
        if gradient is None:
            continue
        nothing = np.allclose(gradient._array, 0) if masked else not np.any(gradient._array)
        if not nothing:
            raise GradcheckError(
                "backward not multiplied by grad_output: with zeros coming in, backward gives other numbers than zeros"
            )


class _Undefined(Function):
    """Passes its input on, and no gradient back."""

    @staticmethod
    def forward(ctx: Any, input: Tensor) -> Tensor:
        return input.view_as(input)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> None:
        return None


def check_undefined(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Raise unless backward copes with undefined gradients: of all outputs, and of each one alone."""
    sought = [value for value in inputs if needs_grad(value)]
    count = len(recorded(called(func, inputs)))
    cases = [set(range(count)), *({number} for number in range(count if count > 1 else 0))]
    for undefined in cases:
        outputs = [
            _Undefined.apply(output) if number in undefined else output
            for number, output in enumerate(recorded(called(func, inputs)))
        ]
        try:
            found = grad(outputs, sought, _zeros(outputs), allow_unused=True)
        except Exception as error:
            _warn_of_check()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. "
                f"It raised {type(error).__name__}: {error}. Where an output was not used, backward may get None for "
                "its gradient: return None for what depends on it alone, or leave out set_materialize_grads(False)."
            ) from error
        for gradient in found:
            if gradient is not None and np.any(gradient._array):
                _warn_of_check()
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                    "Backward makes something of nothing: it adds what does not depend on the incoming gradient."
                )


def _zeros(outputs: Sequence[Tensor]) -> list[Tensor]:
    return [from_array(np.zeros(output.shape, output._array.dtype)) for output in outputs]


def _warn_of_check() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        UserWarning,
        stacklevel=frames_to_learner(),
    )
