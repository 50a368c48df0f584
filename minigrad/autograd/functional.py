"""Jacobians, Hessians, and their products with vectors, of functions of tensors.

One backward pass gives one row of a Jacobian (a vector times the Jacobian: `vjp`), and everything else is made of that:
the whole Jacobian row by row, a column by going back twice (`jvp`), a Hessian as the Jacobian of a gradient. All
functions call `func` on inputs of their own, so the `.grad` of those given to them stays as it is.

Common arguments: `func` takes tensors and returns a tensor or a tuple of tensors; `inputs` is a tensor or a tuple of
tensors; `create_graph` makes results that can be differentiated again. Where an output is independent of an input, the
result is zeros, or with `strict` a RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.absent import takes_left_out
from minigrad.autograd.engine import grad
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.namespaces import tensors
from minigrad.tensor import Tensor, from_array

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

BLOCK = 32  # how many rows of a Jacobian take one backward pass: more are hardly faster, and take more memory
Tensors = tuple[Any, ...]  # of tensors, or of None where there is no gradient


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """A vector times the Jacobian: `(func(*inputs), v @ jacobian)`, by one backward pass.

    `v` has the shapes of the outputs and may be left out for an output of one element; the product has the shapes of
    the inputs.
    """
    with enable_grad():
        call = _DerivativeCall("vjp", func, inputs, create_graph, strict)
        outputs = call.outputs()
        v = call.vector(v, outputs, call.outputs_tuple, "user-provided function returns")
    product = call.gradients(outputs, call.inputs, v, call.inputs, "back")
    return call.result(outputs, call.outputs_tuple), call.result(product, call.inputs_tuple)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Jacobian times a vector: `(func(*inputs), jacobian @ v)`, by two backward passes.

    `v` has the shapes of the inputs and may be left out for an input of one element; the product has the shapes of the
    outputs. The first pass gives u @ jacobian, which is linear in u; its derivative with respect to u is the Jacobian,
    and so a second pass, back to u, gives the product. (Forward-mode differentiation does it in one; this library has
    none.)
    """
    with enable_grad():
        call = _DerivativeCall("jvp", func, inputs, create_graph, strict)
        v = call.vector(v, call.inputs, call.inputs_tuple, "input to the user-provided function is")
        outputs = call.outputs()
        u, rows = _linear_in_u(outputs, outputs, call.inputs)
        call.require_grad(rows, "grad_inputs")
    product = call.gradients(rows, u, v, outputs, "back_trick")
    return call.result(outputs, call.outputs_tuple), call.result(product, call.outputs_tuple)


@takes_left_out
def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False
) -> Any:
    """All derivatives of all outputs: of shape output + input, in nested tuples `[output][input]` where there are
    several.

    `vectorize` sends all rows of an output through the graph in one backward pass (see `grad(is_grads_batched=True)`),
    which needs memory for all of them at once; else they go in blocks of 32. (PyTorch sends single rows, unless told
    so; the result is the same.) With create_graph the rows go one after the other, whatever this says.
    """
    with enable_grad():
        call = _DerivativeCall("jacobian", func, inputs, create_graph, strict)
        outputs = call.outputs()
        if vectorize and strict:
            raise RuntimeError(
                "minigrad.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                "together. Please either set `strict=False` or `vectorize=False`."
            )
        rows = [call.rows(number, output, vectorize) for number, output in enumerate(outputs)]
    nested = tuple([call.result(row, call.inputs_tuple) for row in rows])
    return nested if call.outputs_tuple else nested[0]


@takes_left_out
def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False
) -> Any:
    """All second derivatives of a function that returns one number: the Jacobian of its gradient.

    Of shape input + input, in nested tuples `[input][input]` where there are several. `vectorize` is for the outer
    Jacobian, as for `jacobian`.
    """
    call = _DerivativeCall("hessian", func, inputs, create_graph, strict)

    def number(*values: Tensor) -> Tensor:
        call.inputs = values
        return call.number().reshape(())

    def gradient(*values: Tensor) -> Any:
        gradients = jacobian(number, values, create_graph=True)
        call.require_grad(gradients, "jacobian")
        return gradients

    rows = jacobian(gradient, inputs if call.inputs_tuple else (inputs,), create_graph, strict, vectorize)
    return rows if call.inputs_tuple else rows[0][0]


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """A vector times the Hessian: `(func(*inputs), v @ hessian)`, by two backward passes; `func` returns one number.

    `v` and the product have the shapes of the inputs. Since a Hessian is symmetric, this is also `hessian @ v`, and
    faster than `hvp`.
    """
    with enable_grad():
        call = _DerivativeCall("vhp", func, inputs, create_graph, strict)
        v, output, first = call.first_derivatives(v)
    product = call.gradients(first, call.inputs, v, call.inputs, "double_back")
    return call.result((output,), False), call.result(product, call.inputs_tuple)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Hessian times a vector: `(func(*inputs), hessian @ v)`, by three backward passes; `func` returns one number.

    `v` and the product have the shapes of the inputs. It goes back twice as `jvp` does, over the gradient. Where second
    derivatives are continuous the Hessian is symmetric, and `vhp` gives the same for less.
    """
    with enable_grad():
        call = _DerivativeCall("hvp", func, inputs, create_graph, strict)
        v, output, first = call.first_derivatives(v)
        u, rows = _linear_in_u(first, call.inputs, call.inputs)
    product = call.gradients(rows, u, v, call.inputs, "double_back_trick")
    return call.result((output,), False), call.result(product, call.inputs_tuple)


# ---------------------------------------------------------------- one call

_STRICT = "This is not allowed in strict mode"
_INDEPENDENT = {  # what strict mode refuses, by what has no graph or no gradient
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function. "
    f"{_STRICT}.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    f"input {{}} is independent of the input. {_STRICT}. You should ensure that your function is twice differentiable "
    "and that the jacobian depends on the inputs (this would be violated by a linear function for example).",
    "back": f"The output of the user-provided function is independent of input {{}}. {_STRICT}.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
    f"the double backward trick to compute forward mode gradients. {_STRICT}.",
    "double_back": f"The jacobian of the user-provided function is independent of input {{}}. {_STRICT}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
    f"{_STRICT} as it prevents from using the double backward trick to replace forward mode AD.",
}


class _DerivativeCall:
    """One call of a function above: its inputs as tensors of our own, and what is computed from them, checked."""

    def __init__(self, name: str, func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.func, self.create_graph, self.strict = name, func, create_graph, strict
        self.inputs_tuple, values = self._as_tuple(inputs, "inputs")
        self.inputs = self._own(values, need_graph=True)
        self.outputs_tuple = False

    def _as_tuple(self, value: Any, what: str) -> tuple[bool, Tensors]:
        """Whether it is a tuple, and one or several tensors as a tuple; TypeError for anything else."""
        is_tuple = isinstance(value, tuple)
        values: Tensors = value if is_tuple else (value,)
        for position, item in enumerate(values):
            if not isinstance(item, Tensor):
                which = f"the value at index {position}" if is_tuple else f"the given {what}"
                raise TypeError(
                    f"The {what} given to {self.name} must be either a Tensor or a tuple of Tensors but {which} has "
                    f"type {type(item)}."
                )
        return is_tuple, values

    def _own(self, values: Tensors, need_graph: bool) -> Tensors:
        """Tensors of our own with the same numbers, part of the graph of those given if there is to be one."""

        def own(value: Tensor) -> Tensor:
            if self.create_graph and value.requires_grad:
                return value.view_as(value)
            return value.detach().requires_grad_(need_graph)

        return tuple(map(own, values))

    def outputs(self) -> Tensors:
        """What the function makes of the inputs."""
        output = self.func(*self.inputs)
        self.outputs_tuple, outputs = self._as_tuple(output, "outputs of the user-provided function")
        self.require_grad(outputs, "outputs")
        return outputs

    def number(self) -> Tensor:
        """What the function makes of the inputs, if that is one number; else RuntimeError."""
        outputs = self.outputs()
        if self.outputs_tuple:
            raise RuntimeError(f"The function given to {self.name} should return a single Tensor")
        output: Tensor = outputs[0]
        if output.numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {self.name} should contain a single element"
            )
        return output

    def first_derivatives(self, v: Any) -> tuple[Tensors | None, Tensor, Tensors]:
        """What vhp and hvp begin with: v, the number that the function returns, and its gradient, recorded."""
        v = self.vector(v, self.inputs, self.inputs_tuple, "input to the user-provided function is")
        output = self.number()
        first = _gradients((output,), self.inputs, None, create_graph=True)
        self.require_grad(first, "jacobian")
        return v, output, first

    def vector(self, v: Any, beside: Tensors, beside_tuple: bool, what: str) -> Tensors | None:
        """The vector v, checked against the outputs or inputs that it goes with."""
        if v is None:
            if len(beside) == 1 and beside[0].numel() == 1:
                return None
            raise RuntimeError(f"The vector v can only be None if the {what} a single Tensor with a single element.")
        given = self._own(self._as_tuple(v, "v")[1], need_graph=False)
        if len(given) != len(beside):
            if beside_tuple:
                raise RuntimeError(f"v is a tuple of invalid length: should be {len(beside)} but got {len(given)}.")
            raise RuntimeError("The given v should contain a single Tensor.")
        for position, (own, other) in enumerate(zip(given, beside, strict=True)):
            if own.shape != other.shape:
                entry = f"Entry {position} in " if beside_tuple else ""
                raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {own.shape}.")
        return given

    def require_grad(self, values: Sequence[Any], what: str) -> None:
        """In strict mode, raise unless all values are there and part of a graph."""
        for position, value in enumerate(values if self.strict else ()):
            if value is None or not value.requires_grad:
                raise RuntimeError(_INDEPENDENT["back" if value is None else what].format(position))

    def or_zeros(self, gradient: Any, zeros: Tensor, reason: str, which: str, position: int) -> Tensor:
        """A gradient, or the zeros for None. In strict mode raise for `reason` in their place, and with create_graph if
        the gradient is not part of a graph: `which` says of what it is the derivative.
        """
        if gradient is None and self.strict:
            raise RuntimeError(reason)
        if gradient is not None and self.strict and self.create_graph and not gradient.requires_grad:
            what = f"The {which} of the user-provided function is independent of input {position}"
            raise RuntimeError(f"{what}. {_STRICT} when create_graph=True.")
        return zeros if gradient is None else gradient

    def gradients(self, outputs: Tensors, inputs: Tensors, v: Tensors | None, beside: Tensors, stage: str) -> Tensors:
        """The product with v, by a backward pass: zeros like those `beside` for what is None, or an error if strict."""
        product = _gradients(outputs, inputs, v, self.create_graph)
        which = "hessian" if "double" in stage else "jacobian"
        whole = [
            self.or_zeros(gradient, _zeros(other), _INDEPENDENT[stage].format(position), which, position)
            for position, (gradient, other) in enumerate(zip(product, beside, strict=True))
        ]
        return tuple(whole)

    def rows(self, number: int, output: Tensor, vectorize: bool) -> Tensors:
        """The Jacobians of one output, by a backward pass for each block of its elements."""
        blocks: list[list[Tensor]] = [[] for _ in self.inputs]
        count = output.numel()
        size = max(count, 1) if vectorize else BLOCK
        for start in range(0, count, size):
            height = min(size, count - start)
            units = from_array(np.eye(height, count, start, output._array.dtype).reshape(height, *output.shape))
            found = _gradients((output,), self.inputs, (units,), self.create_graph, batched=True)
            for position, (gradient, input) in enumerate(zip(found, self.inputs, strict=True)):
                reason = f"Output {number} of the user-provided function is independent of input {position}. {_STRICT}."
                blocks[position].append(self.or_zeros(gradient, _zeros(input, height), reason, "jacobian", number))
        return tuple([_join_blocks(block, output, input) for block, input in zip(blocks, self.inputs, strict=True)])

    def result(self, values: Tensors, is_tuple: bool) -> Any:
        """Results as the caller wants them: one or a tuple, off the graph unless there is to be one."""
        results = values if self.create_graph else tuple([value.detach() for value in values])
        return results if is_tuple else results[0]


# ---------------------------------------------------------------- gradients


def _linear_in_u(outputs: Tensors, beside: Tensors, inputs: Tensors) -> tuple[Tensors, Tensors]:
    """Vectors u, one for each output and like those `beside`, and u @ jacobian as a function of them, recorded. What u
    is does not matter.
    """
    u = tuple([_zeros(other).requires_grad_(other.dtype.is_floating_point) for other in beside])
    return u, _gradients(outputs, inputs, u, create_graph=True)


def _gradients(
    outputs: Tensors, inputs: Tensors, weights: Tensors | None, create_graph: bool, batched: bool = False
) -> Tensors:
    """`grad()` of those outputs that have a graph; None for an input on which none of them depends. What was saved is
    kept for more of them where they come in batches.
    """
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, weights or (None,) * len(outputs), strict=True)
        if output is not None and output.requires_grad
    ]
    sources = [input for input in inputs if input is not None and input.requires_grad]
    if not pairs or not sources:
        return (None,) * len(inputs)
    starts, weights = zip(*pairs, strict=True)
    found = grad(
        starts, sources, weights, batched or create_graph, create_graph, allow_unused=True, is_grads_batched=batched
    )
    by_input = dict(zip(map(id, sources), found, strict=True))
    return tuple([by_input.get(id(input)) for input in inputs])


def _zeros(tensor: Tensor, *lead: int) -> Tensor:
    return from_array(np.zeros((*lead, *tensor.shape), tensor._array.dtype))


def _join_blocks(blocks: list[Tensor], output: Tensor, input: Tensor) -> Tensor:
    """Blocks of rows of a Jacobian as one tensor of shape output + input."""
    shape = (*output.shape, *input.shape)
    if not blocks:
        return from_array(np.zeros(shape, input._array.dtype))
    return (blocks[0] if len(blocks) == 1 else tensors.cat(*blocks, dim=0)).reshape(shape)
