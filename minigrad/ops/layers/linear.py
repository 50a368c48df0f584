"""Linear and bilinear maps: the step of a network that mixes all inputs into each output.

After this module a reader knows why a Linear layer is one matrix product, and its gradient two more: of the incoming
gradient with the weight, and with the inputs.
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.op import op, tensor_operands
from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.shapes import views
from minigrad.ops.shapes.transposing import t
from minigrad.tensor import Tensor

Array = Any  # numpy array


@op(
    name="AddmmBackward0",
    bias=lambda F, g: F.sum_dims(g, (0,), False),
    self=lambda F, g, weight: g @ weight,
    weight=lambda F, g, self: F.matrix_transpose(g) @ self,
)
def affine(bias: Array, self: Array, weight: Array) -> Array:
    """Rows of inputs (n, in) times a weight (out, in), plus a bias (out,): the outputs (n, out)."""
    outputs = self @ weight.T
    outputs += bias
    return outputs


@op(name="MmBackward0", self=lambda F, g, weight: g @ weight, weight=lambda F, g, self: F.matrix_transpose(g) @ self)
def affine_without_bias(self: Array, weight: Array) -> Array:
    """Rows of inputs (n, in) times a weight (out, in): the outputs (n, out)."""
    return self @ weight.T


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias, along the last dimension of input.

    Args:
        input: (..., in).
        weight: (out, in), or (in,) for one output, whose dimension is left out.
        bias: (out,).

    Returns a tensor of shape (..., out). RuntimeError if sizes or dtypes differ.
    """
    try:
        rows, kind = input._array, input._array.dtype
        ordinary = (
            rows.ndim >= 2
            and weight._array.ndim == 2
            and rows.shape[-1] == weight._array.shape[1]
            and weight._array.dtype is kind
            and (bias is None or (bias._array.dtype is kind and bias._array.shape == weight._array.shape[:1]))
            and kind.kind == "f"
        )
    except AttributeError:  # not all of them are tensors
        ordinary = False
    if not ordinary:
        return _checked_linear(input, weight, bias)
    if rows.ndim > 2:
        outputs = linear(views.reshape(input, (-1, rows.shape[-1])), weight, bias)
        return views.view(outputs, (*rows.shape[:-1], outputs._array.shape[-1]))
    return affine_without_bias(input, weight) if bias is None else affine(bias, input, weight)


def _checked_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """`linear` with all its checks, for what is not ordinary: a single row, a bias that broadcasts, an error."""
    input, weight, *_ = tensor_operands("linear", input, weight, *(() if bias is None else (bias,)))
    if not input.ndim or not weight.ndim:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D"
        )
    if weight.ndim > 2:
        raise RuntimeError(f"linear(): the weight must be a matrix or a vector, but has shape {list(weight.shape)}")
    if bias is not None and weight.ndim == 1:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor: the weight of a linear with a bias is (out, in)")
    inputs, outputs = weight.shape[-1], weight.shape[0]
    if input.shape[-1] != inputs:
        rows = math.prod(input.shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and {inputs}x{outputs}): input has "
            f"shape {list(input.shape)}, and its last size must be the weight's last size, {inputs}"
        )
    if bias is not None and bias.ndim <= 1 and input.dtype is not weight.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {input.dtype.tensor_type} and "
            f"{weight.dtype.tensor_type}: convert one of them, as in x.to(weight.dtype)"
        )
    if bias is not None and bias.ndim == 1 and bias.shape[0] not in (1, outputs):
        raise RuntimeError(
            f"The expanded size of the tensor ({outputs}) must match the existing size ({bias.shape[0]}) at "
            f"non-singleton dimension {max(input.ndim - 1, 1)}.  Target sizes: {[*input.shape[:-1], outputs]}.  Tensor "
            f"sizes: {list(bias.shape)}. It is the bias of a linear with {outputs} outputs."
        )
    if bias is not None and bias.ndim == 1 and bias.dtype is not input.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {bias.dtype.tensor_type} and {weight.dtype.tensor_type}: "
            "convert the bias, or the others"
        )
    if input.ndim == 1 and bias is not None and bias.shape == (outputs,) and input.dtype.is_floating_point:
        return views.view(affine(bias, views.reshape(input, (1, inputs)), weight), (outputs,))
    product = matmul(input, t(weight))
    return product if bias is None else product + bias
