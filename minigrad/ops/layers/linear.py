"""The linear map, which mixes all inputs into each output: one matrix product.

Its gradient is two more: of the incoming gradient with the weight, and with the inputs.
"""

from __future__ import annotations

from minigrad.op import Array, op
from minigrad.operands import tensor_operands
from minigrad.ops.declarations import numbers_only
from minigrad.ops.matrices.matmul import check_factors, matmul, no_dimensions
from minigrad.ops.shapes import reshaping
from minigrad.ops.shapes.expanding import check_expands, expand
from minigrad.ops.shapes.transposing import t
from minigrad.tensor import Tensor


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
        outputs = linear(reshaping.reshape(input, (-1, rows.shape[-1])), weight, bias)
        return reshaping.view(outputs, (*rows.shape[:-1], outputs._array.shape[-1]))
    return affine_without_bias(input, weight) if bias is None else affine(bias, input, weight)


def _checked_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """`linear` of what is not ordinary, a single row, a bias that broadcasts or an error: by functions that check."""
    tensor_operands("linear", input, weight, *(() if bias is None else (bias,)), names=("input", "weight", "bias"))
    if not input.ndim or not weight.ndim:
        raise no_dimensions("linear", input, weight)
    matrix = t(weight)
    if bias is None or bias.ndim != 1:
        product = matmul(input, matrix)
        return product if bias is None else product + bias
    rows = reshaping.reshape(input, (-1, input.shape[-1]))
    if matrix.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {matrix.ndim}-D tensor: the shape is {list(matrix.shape)}")
    if rows.shape[1] != matrix.shape[0]:
        check_factors(rows, matrix)
    check_expands(bias, (rows.shape[0], matrix.shape[1]))
    for name, factor in (("mat1", rows), ("self", bias)):
        if factor.dtype is not weight.dtype:
            kinds = f"{factor.dtype.tensor_type} and {weight.dtype.tensor_type}"
            advice = "convert one of them, as in x.to(weight.dtype)"
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {kinds}: {advice}")
    numbers_only("addmm_impl_cpu_", bias._array)
    if bias.shape[0] != weight.shape[0]:
        bias = expand(bias, weight.shape[:1])
    return reshaping.view(affine(bias, rows, weight), (*input.shape[:-1], weight.shape[0]))
