"""Products of vectors and matrices: matmul, mm, bmm, mv, dot, outer.

The gradient of a matrix product can be written from its shapes alone: each factor's gradient is the incoming one times
the other factor, transposed so that the sizes fit.
"""

from __future__ import annotations

import math

from minigrad.op import Array, op
from minigrad.operands import check_places
from minigrad.ops.declarations import numbers_only
from minigrad.ops.pointwise.arithmetic import mul
from minigrad.ops.shapes.expanding import common_shape, unbroadcast
from minigrad.ops.shapes.reshaping import reshape, unsafe_view, view
from minigrad.public import public
from minigrad.tensor import Tensor


@op(self=lambda F, g, mat2: g @ F.matrix_transpose(mat2), mat2=lambda F, g, self: F.matrix_transpose(self) @ g)
def mm(self: Array, mat2: Array) -> Array:
    """Matrix times matrix: (n, k) and (k, m) give (n, m)."""
    return self @ mat2


@op(self=lambda F, g, vec: F.reshape(g, (-1, 1)) * vec, vec=lambda F, g, self: F.matrix_transpose(self) @ g)
def mv(self: Array, vec: Array) -> Array:
    """Matrix times vector: (n, k) and (k,) give (n,)."""
    return self @ vec


@op(self=lambda F, g, tensor: g * tensor, tensor=lambda F, g, self: g * self)
def dot(self: Array, tensor: Array) -> Array:
    """Vector times vector: the sum of products, a number."""
    return self @ tensor


@op(
    name="BmmBackward0",
    self=lambda F, g, other, self_shape: unbroadcast(F, g @ other.mT, self_shape),
    other=lambda F, g, self, other_shape: unbroadcast(F, self.mT @ g, other_shape),
)
def batched_matmul(self: Array, other: Array) -> Array:
    """Many matrix products at once: the last two dimensions are matrices, those before them broadcast."""
    return self @ other


# ---------------------------------------------------------------- what does not fit

_BATCHES = "matmul, before the last two dimensions"
# PyTorch's texts for each kind of product: about sizes, about dtypes, and what it calls its kernel.
_TEXTS = {
    "dot": (
        "inconsistent tensor size, expected tensor [{size}] and src [{inner}] to have the same number of elements:",
        "dot : expected both vectors to have same dtype, but found {0.tensor_type} and {1.tensor_type}",
        "dot",
    ),
    "mv": (
        "size mismatch, got input ({rows}), mat ({rows}x{size}), vec ({inner}):",
        "addmv input tensors must have the same dtype, but got {1.tensor_type}, {0.tensor_type}, and {1.tensor_type}",
        "addmv_impl_cpu",
    ),
    "mm": (
        "mat1 and mat2 shapes cannot be multiplied ({rows}x{size} and {inner}x{last}):",
        "expected m1 and m2 to have the same dtype, but got: {0.c_name} != {1.c_name}",
        "addmm_impl_cpu_",
    ),
    "bmm": (
        "Expected size for first two dimensions of batch2 tensor to be: [{batch}, {size}] but got: [{batch}, {inner}].",
        "expected scalar type {0.tensor_type} but found {1.tensor_type}",
        "bmm",
    ),
}


def check_factors(first: Tensor, second: Tensor) -> None:
    """Raise if inner sizes or dtypes differ, or for bools. Before a matrix or a vector, a batch is one tall matrix."""
    size, inner = first.shape[-1], second.shape[-2 if second.ndim > 1 else -1]
    kind = "dot" if first.ndim == second.ndim == 1 else {1: "mv", 2: "mm"}.get(second.ndim, "bmm")
    of_sizes, of_dtypes, kernel = _TEXTS[kind]
    if size != inner:
        batch = common_shape(_BATCHES, first.shape[:-2], second.shape[:-2]) if kind == "bmm" else ()
        sizes = {"rows": math.prod(first.shape[:-1]), "size": size, "inner": inner, "last": second.shape[-1]}
        text = of_sizes.format(**sizes, batch=math.prod(batch))
        raise RuntimeError(f"{text} products are summed over the last size, ({size}), which must equal ({inner})")
    if first.dtype is not second.dtype:
        raise RuntimeError(f"{of_dtypes.format(first.dtype, second.dtype)}. Convert one of them with .to(...).")
    numbers_only(kernel, first._array)


def no_dimensions(function: str, first: Tensor, second: Tensor) -> RuntimeError:
    """The error for a factor without dimensions."""
    dims = f"{first.ndim}D and {second.ndim}D"
    return RuntimeError(f"both arguments to {function} need to be at least 1D, but they are {dims}")


def _check_ndim(ndim: int, text: str, **factors: Tensor) -> None:
    """RuntimeError, with the factor's name in the text and its shape beside it, unless all have so many dimensions."""
    for name, factor in factors.items():
        if factor.ndim != ndim:
            raise RuntimeError(f"{text.format(name, factor.ndim)}: the shape is {list(factor.shape)}")


# ---------------------------------------------------------------- as the learner calls them


@public(composed=True)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of two vectors, of matrices, or of batches of matrices (all dimensions but the last two broadcast).

    RuntimeError if inner sizes or dtypes differ, or if either is 0-d.
    """
    check_places(input, other)  # of the operator, too, which calls this as it is
    left, right = input._array, other._array
    first, second = left.shape, right.shape
    if not first or not second:
        raise no_dimensions("matmul", input, other)
    if first[-1] != second[-2 if len(second) > 1 else -1] or left.dtype != right.dtype or left.dtype.kind == "b":
        check_factors(input, other)
    match (len(first), len(second)):
        case (1, 1):
            return dot(input, other)
        case (2, 1):
            return mv(input, other)
        case (2, 2):
            return mm(input, other)
        case (1, _):
            return matmul(input.unsqueeze(0), other).squeeze(-2)
        case (_, 1):
            return unsafe_view(mv(_rows_of_all(input), other), first[:-1])
        case (_, 2):
            return unsafe_view(mm(_rows_of_all(input), other), (*first[:-1], second[1]))
    common_shape(_BATCHES, first[:-2], second[:-2])
    return batched_matmul(input, other)


def _rows_of_all(batch: Tensor) -> Tensor:
    """The rows of all matrices of a batch as one matrix: one large product is faster than many small ones."""
    return reshape(batch, (math.prod(batch.shape[:-1]), batch.shape[-1]))


@public(name="mm")
def matrix_times_matrix(input: Tensor, mat2: Tensor) -> Tensor:
    """Matrix times matrix: (n, k) and (k, m) give (n, m). Unlike `matmul`, for nothing but matrices."""
    _check_ndim(2, "{} must be a matrix", self=input, mat2=mat2)
    return matmul(input, mat2)


@public
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Matrix times matrix, for each of a batch: (b, n, k) and (b, k, m) give (b, n, m). Nothing broadcasts."""
    _check_ndim(3, "{} must be a 3D tensor", batch1=input, batch2=mat2)
    if len(mat2) != len(input):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {[len(input), input.shape[2]]} but got: "
            f"{list(mat2.shape[:2])}. They are {list(input.shape)} and {list(mat2.shape)}."
        )
    return matmul(input, mat2)


@public(name="mv")
def matrix_times_vector(input: Tensor, vec: Tensor) -> Tensor:
    """Matrix times vector: (n, k) and (k,) give (n,)."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}: matmul() takes others")
    return matmul(input, vec)


@public(name="dot")
def vector_times_vector(input: Tensor, tensor: Tensor) -> Tensor:
    """Vector times vector: the sum of products, a number."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    return matmul(input, tensor)


@public
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """`dot` under the name that it has in BLAS."""
    return vector_times_vector(input, other)


@public
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Each element of one vector times each of another: (n,) and (m,) give (n, m)."""
    _check_ndim(1, "outer: Expected 1-D argument {}, but got {}-D", self=input, vec2=vec2)
    return mul(view(input, (len(input), 1)), vec2)
