"""Is a backward right? Its gradients beside finite differences of the function itself.

After this module a reader knows what a gradient check compares. Element k of an input is moved by eps to either side,
and the outputs' change over 2 eps is a row of the Jacobian, without a rule. Backward gives the same matrix column by
column, from a gradient with a single 1 in it. Where the two differ, the error shows both around the first difference
and says what usually makes such a difference (see diagnosis.py). With `fast_mode` the matrices are not written out:
both sides are multiplied with a random vector from the left and one from the right, and two numbers are compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.engine import grad
from minigrad.autograd.gradcheck import analytical, numerical
from minigrad.autograd.gradcheck.checked import GradcheckError, as_tuple, called, needs_grad, recorded
from minigrad.tensor import Tensor, from_array, own_array

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class Settings(NamedTuple):
    """How closely a check looks."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    second: bool  # whether the function under test is itself a backward

    def close(self, actual: Any, expected: Any) -> Any:
        """Which of the numbers are as near to the expected ones as they should be; nan never is."""
        with np.errstate(invalid="ignore"):
            return (actual == expected) | (np.abs(actual - expected) <= self.atol + self.rtol * np.abs(expected))


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
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
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
        check_grad_dtypes: check that gradients have the dtype of their inputs.
        check_batched_grad: check that `grad(is_grads_batched=True)` gives what single passes give.
        fast_mode: compare one random projection of the Jacobians instead of all entries. Fast for large inputs; a
            mistake that the projection hides is improbable.
        masked: for sparse inputs, in PyTorch. Here it only lets the gradient for a zero `grad_output` be almost zero.

    Forward-mode differentiation is not there to be checked: `check_forward_ad` raises NotImplementedError.

    Raises:
        GradcheckError: they disagree.
        ValueError: no input requires grad, eps is not positive, or func returns nothing.
        TypeError: func returns something else than tensors.
        RuntimeError: an input was expanded, so that its elements cannot be moved one at a time.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_forward_ad:
        raise NotImplementedError("check_forward_ad=True: this library has no forward-mode differentiation to check")
    settings = Settings(eps, atol, rtol, nondet_tol, check_grad_dtypes, isinstance(func, _Gradient))
    inputs = as_tuple(inputs)
    before = [(value, np.array(value._array)) for value in inputs if needs_grad(value)]
    try:
        _check(func, inputs, settings, fast_mode, bool(masked), check_batched_grad, check_undefined_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    finally:
        for value, numbers in before:
            if not np.array_equal(value._array, numbers, equal_nan=True):
                own_array(value)[...] = numbers
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check second derivatives: `gradcheck` of the function that gives the gradients of `func`, in the inputs and in
    `grad_outputs`, which are random numbers unless given (the same ones each time).

    Arguments and errors are those of `gradcheck`; `gen_non_contig_grad_outputs` makes grad_outputs whose memory is not
    contiguous.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = recorded(called(func, inputs))
        if not outputs:
            raise ValueError("gradgradcheck has nothing to check: the function has no output that requires grad")
        grad_outputs = _random_gradients(outputs, gen_non_contig_grad_outputs)
    grad_outputs = as_tuple(grad_outputs)
    return gradcheck(
        _Gradient(func, inputs, grad_outputs),
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


class _Gradient:
    """The gradients of a function, as a function of its inputs and of the gradients of its outputs."""

    def __init__(self, func: Callable[..., Any], inputs: Sequence[Any], grad_outputs: Sequence[Any]) -> None:
        self.func = func
        self.count = len(inputs)
        self.sought = [position for position, value in enumerate(inputs) if needs_grad(value)]

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        inputs, grad_outputs = values[: self.count], values[self.count :]
        outputs = recorded(called(self.func, inputs))
        found = grad(
            outputs, [inputs[position] for position in self.sought], grad_outputs, create_graph=True, allow_unused=True
        )
        return tuple([gradient for gradient in found if gradient is not None])


def _random_gradients(outputs: Sequence[Tensor], gaps: bool) -> tuple[Tensor, ...]:
    """Numbers between -1 and 1 in the shapes of some outputs; with gaps between them in memory if asked for."""
    random = np.random.default_rng(0)
    made = []
    for output in outputs:
        if gaps and output.ndim:
            twice = random.uniform(-1, 1, (*output.shape[:-1], 2 * output.shape[-1]))
            gradient = from_array(twice.astype(output._array.dtype)[..., ::2])
        else:
            gradient = from_array(np.asarray(random.uniform(-1, 1, output.shape), output._array.dtype))
        made.append(gradient.requires_grad_())
    return tuple(made)


# ---------------------------------------------------------------- the check


def _check(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    settings: Settings,
    fast_mode: bool,
    masked: bool,
    check_batched_grad: bool,
    check_undefined_grad: bool,
) -> None:
    if not settings.eps > 0:
        raise ValueError(f"gradcheck expects eps, the step of the differences, to be positive, not {settings.eps}")
    _check_inputs(inputs)
    outputs = called(func, inputs)
    compare = _compare_projections if fast_mode else _compare_jacobians
    compare(func, inputs, outputs, settings)
    differentiable = recorded(outputs)
    for number, output in enumerate(differentiable if check_batched_grad else ()):
        analytical.check_batched(inputs, output, number)
    if differentiable:
        analytical.check_multiplies(inputs, differentiable, masked)
        if check_undefined_grad:
            analytical.check_undefined(func, inputs)


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    for position, tensor in enumerate(inputs):
        if not needs_grad(tensor):
            continue
        if tensor._array.dtype != np.float64:
            warnings.warn(
                f"Input #{position} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. "
                f"It is {tensor.dtype}: make it so with .double(), before requires_grad.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        if any(stride == 0 and size > 1 for stride, size in zip(tensor._array.strides, tensor.shape, strict=True)):
            raise RuntimeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not any(map(needs_grad, inputs)):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _compare_jacobians(
    func: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...], settings: Settings
) -> None:
    """Compare all entries of all Jacobians."""
    from minigrad.autograd.gradcheck import diagnosis

    expected = numerical.jacobians(func, inputs, outputs, settings.eps)
    if not recorded(outputs):
        if any(matrix.any() for matrices in expected for matrix in matrices):
            raise GradcheckError(diagnosis.of_unrecorded())
        return
    places = [position for position, value in enumerate(inputs) if needs_grad(value)]
    numbers = [number for number, output in enumerate(outputs) if output.requires_grad]
    for count, number in enumerate(numbers):
        actual = analytical.jacobians(inputs, outputs[number], settings.nondet_tol, settings.check_grad_dtypes)
        for order, (matrix, matrices, position) in enumerate(zip(actual, expected, places, strict=True)):
            if not settings.close(matrix, matrices[number]).all():
                mismatch = diagnosis.Mismatch(
                    func=func,
                    inputs=inputs,
                    position=position,
                    input=order,
                    output_position=number,
                    output=count,
                    numerical=matrices[number],
                    analytical=matrix,
                    settings=settings,
                )
                raise GradcheckError(mismatch.in_words())


def _compare_projections(
    func: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...], settings: Settings
) -> None:
    """Compare v @ jacobian @ u for random vectors u and v."""
    from minigrad.autograd.gradcheck import diagnosis

    random = np.random.default_rng(0)
    places = [position for position, value in enumerate(inputs) if needs_grad(value)]
    us = [_direction(random, inputs[position]) for position in places]
    moved = [
        numerical.projection(func, inputs, position, u, settings.eps) for position, u in zip(places, us, strict=True)
    ]
    numbers = [number for number, output in enumerate(outputs) if output.requires_grad]
    if not numbers:
        if any(np.abs(part).max(initial=0) > settings.nondet_tol for parts in moved for part in parts):
            raise GradcheckError(diagnosis.of_unrecorded())
        return
    for count, number in enumerate(numbers):
        v = _direction(random, outputs[number])
        rows = analytical.projections(inputs, outputs[number], v, settings.nondet_tol, settings.check_grad_dtypes)
        for order, (row, u, parts, position) in enumerate(zip(rows, us, moved, places, strict=True)):
            actual, expected = float(row @ u), float(parts[number] @ v)
            allowed = settings.atol * float(u.sum()) * float(v.sum()) + settings.rtol * abs(expected)
            if not abs(actual - expected) <= allowed:
                matrix = analytical.jacobians(inputs, outputs[number], np.inf, False)[order]
                differences = numerical.jacobians(func, inputs, outputs, settings.eps, only=position)[0][number]
                mismatch = diagnosis.Mismatch(
                    func=func,
                    inputs=inputs,
                    position=position,
                    input=order,
                    output_position=number,
                    output=count,
                    numerical=differences,
                    analytical=matrix,
                    settings=settings,
                )
                raise GradcheckError(mismatch.in_words(projections=(expected, actual)))


def _direction(random: np.random.Generator, tensor: Tensor) -> Any:
    """A vector of length 1 with an entry, not below 0, for each element of a tensor."""
    vector = random.uniform(0, 1, tensor.numel())
    return (vector / (np.linalg.norm(vector) or 1)).astype(tensor._array.dtype)
