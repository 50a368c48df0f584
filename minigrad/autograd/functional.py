"""Jacobians, Hessians, and their products with vectors, of functions of tensors.

One backward pass gives one row of a Jacobian (a vector times the Jacobian: `vjp`), and everything else is made of that:
the whole Jacobian row by row, a column by going back twice (`jvp`), a Hessian as the Jacobian of a gradient. All
functions call `func` on inputs of their own, so the `.grad` of those given to them stays as it is.

Common arguments: `func` takes tensors and returns a tensor or a tuple of tensors; `inputs` is a tensor or a tuple of
tensors; `create_graph` makes results that can be differentiated again; `strict` makes it an error if an output is
independent of an input, where the result would otherwise be zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.engine import grad
from minigrad.autograd.grad_mode import enable_grad
from minigrad.op import tensors
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
        inputs_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _own(inputs, create_graph)
        outputs_tuple, outputs = _called(func, inputs, "vjp", strict)
        v = _vector("vjp", v, outputs, outputs_tuple, create_graph, of_outputs=True)
    found = _gradients(outputs, inputs, v, create_graph)
    found = _filled(found, inputs, strict, create_graph, "back")
    return _result(outputs, outputs_tuple, create_graph), _result(found, inputs_tuple, create_graph)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Jacobian times a vector: `(func(*inputs), jacobian @ v)`, by two backward passes.

    `v` has the shapes of the inputs and may be left out for an input of one element; the product has the shapes of the
    outputs. The first pass gives u @ jacobian, which is linear in u; its derivative with respect to u is the Jacobian,
    and so a second pass, back to u, gives the product. (Forward-mode differentiation does it in one; this library has
    none.)
    """
    with enable_grad():
        inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _own(inputs, create_graph)
        v = _vector("jvp", v, inputs, inputs_tuple, create_graph)
        outputs_tuple, outputs = _called(func, inputs, "jvp", strict)
        u, rows = _linear_in_u(outputs, inputs)
        _require_grad(rows, "grad_inputs", strict)
    found = _gradients(rows, u, v, create_graph)
    found = _filled(found, outputs, strict, create_graph, "back_trick")
    return _result(outputs, outputs_tuple, create_graph), _result(found, outputs_tuple, create_graph)


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
        inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _own(inputs, create_graph)
        outputs_tuple, outputs = _called(func, inputs, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError(
                "minigrad.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                "together. Please either set `strict=False` or `vectorize=False`."
            )
        rows = [_rows(number, output, inputs, create_graph, strict, vectorize) for number, output in enumerate(outputs)]
    nested = tuple([_result(row, inputs_tuple, create_graph) for row in rows])
    return nested if outputs_tuple else nested[0]


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
) -> Any:
    """All second derivatives of a function that returns one number: the Jacobian of its gradient.

    Of shape input + input, in nested tuples `[input][input]` where there are several. `vectorize` is for the outer
    Jacobian, as for `jacobian`.
    """
    inputs_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")

    def number(*values: Tensor) -> Tensor:
        output = func(*values)
        is_tuple, outputs = _as_tuple(output, "outputs of the user-provided function", "hessian")
        _require_grad(outputs, "outputs", strict)
        _check_number("hessian", outputs, is_tuple)
        squeezed: Tensor = output.squeeze()
        return squeezed

    def gradient(*values: Tensor) -> Any:
        found = jacobian(number, values, create_graph=True)
        _require_grad(found, "jacobian", strict)
        return found

    rows = jacobian(gradient, inputs, create_graph, strict, vectorize)
    return rows if inputs_tuple else rows[0][0]


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """A vector times the Hessian: `(func(*inputs), v @ hessian)`, by two backward passes; `func` returns one number.

    `v` and the product have the shapes of the inputs. Since a Hessian is symmetric, this is also `hessian @ v`, and
    faster than `hvp`.
    """
    with enable_grad():
        inputs_tuple, inputs, v, outputs, first = _first_derivatives("vhp", func, inputs, v, create_graph, strict)
    found = _gradients(first, inputs, v, create_graph)
    found = _filled(found, inputs, strict, create_graph, "double_back")
    return _result(outputs, False, create_graph), _result(found, inputs_tuple, create_graph)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Hessian times a vector: `(func(*inputs), hessian @ v)`, by three backward passes; `func` returns one number.

    `v` and the product have the shapes of the inputs. It goes back twice as `jvp` does, over the gradient. Where second
    derivatives are continuous the Hessian is symmetric, and `vhp` gives the same for less.
    """
    with enable_grad():
        inputs_tuple, inputs, v, outputs, first = _first_derivatives("hvp", func, inputs, v, create_graph, strict)
        u, rows = _linear_in_u(first, inputs)
    found = _gradients(rows, u, v, create_graph)
    found = _filled(found, inputs, strict, create_graph, "double_back_trick")
    return _result(outputs, False, create_graph), _result(found, inputs_tuple, create_graph)


# ---------------------------------------------------------------- how they are computed


def _rows(number: int, output: Tensor, inputs: Tensors, create_graph: bool, strict: bool, vectorize: bool) -> Tensors:
    """The Jacobians of one output, by a backward pass for each block of its elements."""
    blocks: list[list[Tensor]] = [[] for _ in inputs]
    size = max(output.numel(), 1) if vectorize else BLOCK
    for start in range(0, output.numel(), size):
        units = _units(output, range(start, min(start + size, output.numel())))
        found = _gradients((output,), inputs, (units,), create_graph, retain_graph=True, is_grads_batched=True)
        for position, (gradient, input) in enumerate(zip(found, inputs, strict=True)):
            if gradient is None and strict:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {position}. This is not "
                    "allowed in strict mode."
                )
            if gradient is not None and strict and create_graph and not gradient.requires_grad:
                raise RuntimeError(_NO_GRAPH.format("jacobian", number))
            blocks[position].append(_zeros(input, len(units)) if gradient is None else gradient)
    return tuple([_joined(of_input, output, input) for of_input, input in zip(blocks, inputs, strict=True)])


def _units(tensor: Tensor, elements: range) -> Tensor:
    """A batch of tensors of some shape, each with a 1 in one of its elements."""
    batch = np.zeros((len(elements), tensor.numel()), tensor._array.dtype)
    batch[range(len(elements)), elements] = 1
    return from_array(batch.reshape(len(elements), *tensor.shape))


def _joined(blocks: list[Tensor], output: Tensor, input: Tensor) -> Tensor:
    """Blocks of rows of a Jacobian as one tensor of shape output + input."""
    shape = (*output.shape, *input.shape)
    if not blocks:
        return from_array(np.zeros(shape, input._array.dtype))
    joined: Tensor = (blocks[0] if len(blocks) == 1 else tensors.cat(*blocks, dim=0)).reshape(shape)
    return joined


def _linear_in_u(outputs: Tensors, inputs: Tensors) -> tuple[Tensors, Tensors]:
    """Vectors u, one for each output, and u @ jacobian as a function of them, recorded. What u is does not matter."""
    u = tuple(
        [
            None if output is None else _zeros(output).requires_grad_(output.dtype.is_floating_point)
            for output in outputs
        ]
    )
    return u, _gradients(outputs, inputs, u, create_graph=True)


def _first_derivatives(
    function: str, func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[bool, Tensors, Tensors | None, Tensors, Tensors]:
    """What vhp and hvp begin with: the arguments checked, and the gradient of the function, recorded."""
    inputs_tuple, inputs = _as_tuple(inputs, "inputs", function)
    inputs = _own(inputs, create_graph)
    v = _vector(function, v, inputs, inputs_tuple, create_graph)
    outputs_tuple, outputs = _called(func, inputs, function, strict)
    _check_number(function, outputs, outputs_tuple)
    first = _gradients(outputs, inputs, None, create_graph=True)
    _require_grad(first, "jacobian", strict)
    return inputs_tuple, inputs, v, outputs, first


# ---------------------------------------------------------------- arguments and results


def _as_tuple(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """Whether it is a tuple, and one or several tensors as a tuple; TypeError for anything else."""
    is_tuple = isinstance(value, tuple)
    values: Tensors = value if is_tuple else (value,)
    for position, item in enumerate(values):
        if not isinstance(item, Tensor):
            which = f"the value at index {position}" if is_tuple else f"the given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but {which} has type "
                f"{type(item)}."
            )
    return is_tuple, values


def _own(values: Tensors, create_graph: bool, need_graph: bool = True) -> Tensors:
    """Tensors of our own with the same numbers, part of the graph of those given if there is to be one."""
    return tuple(
        [
            value.view_as(value) if create_graph and value.requires_grad else value.detach().requires_grad_(need_graph)
            for value in values
        ]
    )


def _called(func: Callable[..., Any], inputs: Tensors, function: str, strict: bool) -> tuple[bool, Tensors]:
    """The function's outputs, checked."""
    is_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", function)
    _require_grad(outputs, "outputs", strict)
    return is_tuple, outputs


def _vector(
    function: str, v: Any, beside: Tensors, beside_tuple: bool, create_graph: bool, of_outputs: bool = False
) -> Tensors | None:
    """The vector v, checked against the outputs or inputs that it goes with."""
    if v is None:
        if len(beside) == 1 and beside[0].numel() == 1:
            return None
        what = "user-provided function returns" if of_outputs else "input to the user-provided function is"
        raise RuntimeError(f"The vector v can only be None if the {what} a single Tensor with a single element.")
    _, given = _as_tuple(v, "v", function)
    given = _own(given, create_graph, need_graph=False)
    if len(given) != len(beside):
        if beside_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(beside)} but got {len(given)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for position, (own, other) in enumerate(zip(given, beside, strict=True)):
        if own.shape != other.shape:
            entry = f"Entry {position} in " if beside_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {own.shape}.")
    return given


def _check_number(function: str, outputs: Tensors, is_tuple: bool) -> None:
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")


_STRICT = {  # what is not allowed in strict mode, by what has no graph
    "outputs": "Output {0} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {0} is independent of the inputs of the user-provided function. "
    "This is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {0} is independent of the input. This is not allowed in strict mode. You should ensure that your function "
    "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
    "for example).",
}
_NO_GRAPH = (
    "The {0} of the user-provided function is independent of input {1}. This is not allowed in strict mode when "
    "create_graph=True."
)
_MISSING = {  # the same, by the stage at which a gradient turns out to be None
    "back": "The output of the user-provided function is independent of input {0}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {0} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {0}. This is not allowed in "
    "strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {0} in the grad_jacobian. "
    "This is not allowed in strict mode as it prevents from using the double backward trick to replace forward mode "
    "AD.",
}


def _require_grad(values: Sequence[Any], what: str, strict: bool) -> None:
    """In strict mode, raise unless all values are there and part of a graph."""
    for position, value in enumerate(values if strict else ()):
        if value is None:
            raise RuntimeError(_MISSING["back"].format(position))
        if not value.requires_grad:
            raise RuntimeError(_STRICT[what].format(position))


def _filled(found: Tensors, beside: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Gradients with zeros for those that are None; in strict mode that is an error."""
    for position, gradient in enumerate(found if strict else ()):
        if gradient is None:
            raise RuntimeError(_MISSING[stage].format(position))
        if create_graph and not gradient.requires_grad:
            raise RuntimeError(_NO_GRAPH.format("hessian" if "double" in stage else "jacobian", position))
    return tuple(
        [_zeros(other) if gradient is None else gradient for gradient, other in zip(found, beside, strict=True)]
    )


def _gradients(
    outputs: Tensors,
    inputs: Tensors,
    weights: Tensors | None,
    create_graph: bool,
    retain_graph: bool | None = None,
    is_grads_batched: bool = False,
) -> Tensors:
    """`grad()` of those outputs that have a graph; None for an input on which none of them depends."""
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, weights or (None,) * len(outputs), strict=True)
        if output is not None and output.requires_grad
    ]
    sought = [input for input in inputs if input is not None and input.requires_grad]
    if not pairs or not sought:
        return (None,) * len(inputs)
    found = grad(
        [output for output, _ in pairs],
        sought,
        [weight for _, weight in pairs],
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
        is_grads_batched=is_grads_batched,
    )
    by_input = dict(zip(map(id, sought), found, strict=True))
    return tuple([by_input.get(id(input)) for input in inputs])


def _zeros(tensor: Tensor, *lead: int) -> Tensor:
    return from_array(np.zeros((*lead, *tensor.shape), tensor._array.dtype))


def _result(values: Tensors, is_tuple: bool, create_graph: bool) -> Any:
    """Results as the caller wants them: one or a tuple, off the graph unless there is to be one."""
    results = values if create_graph else tuple([value.detach() for value in values])
    return results if is_tuple else results[0]
