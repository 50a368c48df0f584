"""Is a backward right? Its gradients beside finite differences of the function itself.

Element k of an input is moved by eps to either side, and the outputs' change over 2 eps is a row of the Jacobian,
without a rule. Backward gives the same matrix column by column, from a gradient with a single 1 in it. Where the two
differ, the error shows both around the first difference and says what usually makes such a difference (see
diagnosis.py). With `fast_mode` the matrices are not written out: both sides are multiplied with a random vector from
the left and one from the right, and two numbers are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigrad.absent import takes_left_out
from minigrad.autograd.blame import warn
from minigrad.autograd.engine import grad
from minigrad.autograd.gradcheck import analytical, checked, diagnosis, numerical
from minigrad.autograd.gradcheck.checked import GradcheckError
from minigrad.tensor import Tensor, from_array, own_array

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class Settings(NamedTuple):
    """How closely a check looks."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool = False

    def close(self, actual: Any, expected: Any) -> Any:
        """Which of the numbers are as near to the expected ones as they should be; nan never is."""
        return (actual == expected) | (np.abs(actual - expected) <= self.atol + self.rtol * np.abs(expected))


@takes_left_out
def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
) -> bool:
    """Compare the gradients of `func(*inputs)` with central differences; True if they agree.

    Args:
        func: takes the inputs and returns a tensor or several; it may be one that ignores its arguments and uses the
            same tensors from outside, such as a module's parameters.
        inputs: a tensor or several. Checked are those that require grad, which should be float64: at eps = 1e-6 the
            differences of a float32 function have no digit left. They are moved in place; after the check they hold
            the numbers that they held before it, whatever the function wrote to them.
        eps: the step of the differences.
        atol, rtol: what |backward - difference| may be: atol + rtol * |difference|.
        raise_exception: raise GradcheckError where they disagree; else return False.
        nondet_tol: how far two backward passes over the same graph may differ.
        check_undefined_grad: check that backward copes with outputs whose gradient is undefined or zero.
        check_grad_dtypes: check that each gradient comes out in the dtype of its input.
        check_batched_grad: check that `grad(is_grads_batched=True)` gives what single passes give.
        fast_mode: compare one random projection of the Jacobians instead of all entries. Fast for large inputs; a
            mistake that the projection hides is improbable.

    Raises:
        GradcheckError: they disagree.
        ValueError: no input requires grad, eps is not positive, or func returns nothing.
        TypeError: func returns something else than tensors.
        RuntimeError: an input was expanded, so that its elements cannot be moved one at a time.
    """
    settings = Settings(eps, atol, rtol, nondet_tol, check_grad_dtypes)
    inputs = checked.as_tuple(inputs)
    before = [(value, np.array(value._array)) for value in inputs if checked.needs_grad(value)]
    try:
        _check_arguments(inputs, eps)
        outputs = checked.call_checked(func, inputs)
        _compare(func, inputs, outputs, settings, fast_mode)
        differentiable = checked.with_graph(outputs)
        if check_batched_grad:
            analytical.check_batched(inputs, differentiable)
        if differentiable:
            analytical.check_multiplies(inputs, differentiable)
            if check_undefined_grad:
                analytical.check_undefined(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    finally:
        for value, numbers in before:
            if not np.array_equal(value._array, numbers, equal_nan=True):
                own_array(value)[...] = numbers
    return True


@takes_left_out
def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Check second derivatives: `gradcheck` of the function that gives the gradients of `func`, in the inputs and in
    `grad_outputs`, which are random numbers unless given (the same ones each time).

    The options and the errors are those of `gradcheck`; ValueError if `func` has no output that requires grad.
    """
    inputs = checked.as_tuple(inputs)
    if grad_outputs is None:
        outputs = checked.with_graph(checked.call_checked(func, inputs))
        if not outputs:
            raise ValueError("gradgradcheck has nothing to check: the function has no output that requires grad")
        random = checked.random_numbers()
        numbers = [random.uniform(-1, 1, output.shape).astype(output._array.dtype) for output in outputs]
        grad_outputs = [from_array(array).requires_grad_() for array in numbers]
    positions = [position for position, value in enumerate(inputs) if checked.needs_grad(value)]

    def gradients(*values: Any) -> tuple[Any, ...]:
        outputs = checked.with_graph(checked.call_checked(func, values[: len(inputs)]))
        sources, weights = [values[position] for position in positions], values[len(inputs) :]
        found = grad(outputs, sources, weights, create_graph=True, allow_unused=True)
        return tuple([gradient for gradient in found if gradient is not None])

    try:
        return gradcheck(gradients, inputs + checked.as_tuple(grad_outputs), **options)
    except GradcheckError as error:
        raise GradcheckError(f"{error}\n{diagnosis.SECOND}") from None


def _check_arguments(inputs: tuple[Any, ...], eps: float) -> None:
    if not eps > 0:
        raise ValueError(f"gradcheck expects eps, the step of the differences, to be positive, not {eps}")
    sources = [(position, value) for position, value in enumerate(inputs) if checked.needs_grad(value)]
    for position, tensor in sources:
        if tensor._array.dtype != np.float64:
            warn(
                f"Input #{position} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. "
                f"It is {tensor.dtype}: make it so with .double(), before requires_grad.",
            )
        if any(stride == 0 and size > 1 for stride, size in zip(tensor._array.strides, tensor.shape, strict=True)):
            raise RuntimeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not sources:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _compare(func: Callable[..., Any], inputs: Any, outputs: Any, settings: Settings, fast_mode: bool) -> None:
    """Compare all entries of all Jacobians; in fast mode v @ jacobian @ u for random vectors u and v."""
    random = checked.random_numbers()
    positions = [position for position, value in enumerate(inputs) if checked.needs_grad(value)]
    us = [_direction(random, inputs[position]) for position in positions] if fast_mode else None
    differences = numerical.jacobians(func, inputs, settings.eps, along=us)
    numbers = [number for number, output in enumerate(outputs) if output.requires_grad]
    if not numbers and any(np.any(np.abs(part) > settings.nondet_tol) for parts in differences for part in parts):
        raise GradcheckError(diagnosis.UNRECORDED)
    for count, number in enumerate(numbers):
        v = _direction(random, outputs[number]) if fast_mode else None
        matrices = analytical.jacobians(inputs, outputs[number], settings, v)
        for order, (position, actual, parts) in enumerate(zip(positions, matrices, differences, strict=True)):
            expected, projections = parts[number], None
            if us is not None and v is not None:
                u = us[order]
                projections = (expected @ v).item(), (u @ actual).item()
                allowed = settings.atol * float(u.sum()) * float(v.sum()) + settings.rtol * abs(projections[0])
                if abs(projections[1] - projections[0]) <= allowed:
                    continue
                actual = analytical.jacobians(inputs, outputs[number])[order]
                expected = numerical.jacobians(func, inputs, settings.eps, position)[0][number]
            elif settings.close(actual, expected).all():
                continue
            mismatch = diagnosis.JacobianMismatch(func, inputs, position, number, expected, actual, settings)
            raise GradcheckError(mismatch.in_words(count, order, projections))


def _direction(random: np.random.Generator, tensor: Tensor) -> Any:
    """A vector of length 1 with an entry, not below 0, for each element of a tensor."""
    vector = random.uniform(0, 1, tensor.numel())
    return (vector / (np.linalg.norm(vector) or 1)).astype(tensor._array.dtype)
