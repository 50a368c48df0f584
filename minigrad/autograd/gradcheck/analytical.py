"""Jacobians by backward: the gradient of a single output element, for one after the other.

Backward runs here as it does everywhere, once for each element and by itself, so that what is checked is what is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.engine import grad
from minigrad.autograd.function import Function
from minigrad.autograd.gradcheck.checked import GradcheckError, call_checked, random_numbers, sources_of, with_graph
from minigrad.tensor import Array, Tensor, from_array


def jacobians(
    inputs: tuple[Any, ...], output: Tensor, settings: Any = None, direction: Array | None = None
) -> list[Array]:
    """For each input that requires grad, the derivatives of an output: arrays of shape (input, output elements). With
    a direction one column: jacobian @ direction. Checked as the settings say, if they are given.
    """
    sources = sources_of(inputs)
    count = output.numel() if direction is None else 1
    first, second = ([np.zeros((source.numel(), count), source._array.dtype) for source in sources] for _ in range(2))
    for matrices in (first, second):
        for column in range(count):
            weights = np.eye(1, count, column, output._array.dtype) if direction is None else direction
            weights = from_array(weights.reshape(output.shape))
            gradients = grad(output, sources, weights, retain_graph=True, allow_unused=True)
            for source, matrix, gradient in zip(sources, matrices, gradients, strict=True):
                if gradient is not None:
                    if settings and settings.check_grad_dtypes and gradient.dtype is not source.dtype:
                        kinds = f"{gradient.dtype} for an input of {source.dtype}"
                        raise GradcheckError(f"Gradient has dtype mismatch: {kinds}: a rule computes in another dtype")
                    matrix[:, column] = np.reshape(gradient._array, -1)
    for one, other in zip(first, second, strict=True):
        difference = np.abs(one - other).max(initial=0)
        if settings and difference > settings.nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {settings.nondet_tol}.\nTwice the same backward gave gradients "
                f"that differ by up to {difference:.3g}. Likely cause: backward uses random numbers, or changes what "
                "it will use again: a saved tensor, an attribute of ctx, or the gradient that came in. Where small "
                "differences are to be expected, allow them with nondet_tol."
            )
    return first


def check_batched(inputs: tuple[Any, ...], outputs: Sequence[Tensor]) -> None:
    """Raise unless two gradients that go back together give what each of them gives alone."""
    sources, random = sources_of(inputs), random_numbers()
    for number, output in enumerate(outputs):
        pair = from_array(random.standard_normal((2, *output.shape)).astype(output._array.dtype))
        alone = [grad(output, sources, row, retain_graph=True, allow_unused=True) for row in pair]
        both = grad(output, sources, pair, retain_graph=True, allow_unused=True, is_grads_batched=True)
        for position, (gradient, *rows) in enumerate(zip(both, *alone, strict=True)):
            if gradient is None:
                continue
            expected = np.stack([row._array for row in rows])
            if not np.allclose(gradient._array, expected):
                raise GradcheckError(
                    f"For output {number} and input {position}:\n\ngradcheck or gradgradcheck failed while testing "
                    f"batched gradient computation.\n\nGot:\n{gradient}\n\nExpected:\n{from_array(expected)}"
                )


def check_multiplies(inputs: tuple[Any, ...], outputs: Sequence[Tensor]) -> None:
    """Raise unless no gradient in gives no gradient out."""
    if gives_something(outputs, inputs, retain_graph=True):
        raise GradcheckError("backward not multiplied by grad_output: of zeros coming in it makes other numbers")


def gives_something(outputs: Sequence[Tensor], inputs: tuple[Any, ...], retain_graph: bool = False) -> bool:
    """Whether zeros for all outputs become something else on their way to the inputs."""
    zeros = [from_array(np.zeros(output.shape, output._array.dtype)) for output in outputs]
    gradients = grad(outputs, sources_of(inputs), zeros, retain_graph=retain_graph, allow_unused=True)
    return any(gradient is not None and np.any(gradient._array) for gradient in gradients)


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
    count = len(with_graph(call_checked(func, inputs)))
    cases = [set(range(count)), *({number} for number in range(count if count > 1 else 0))]
    for undefined in cases:
        outputs = [
            _Undefined.apply(output) if number in undefined else output
            for number, output in enumerate(with_graph(call_checked(func, inputs)))
        ]
        try:
            is_something = gives_something(outputs, inputs)
        except Exception as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. "
                f"It raised {type(error).__name__}: {error}. Where an output was not used, backward may get None for "
                "its gradient: return None for what depends on it alone, or leave out set_materialize_grads(False)."
            ) from error
        if is_something:
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                "Backward makes something of nothing: it adds what does not depend on the incoming gradient."
            )
