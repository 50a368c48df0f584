"""Products of vectors and matrices: matmul, mm, bmm, mv, dot, outer.

After this module a reader can write the gradient of a matrix product from its shapes alone: each factor's gradient is
the incoming one times the other factor, transposed so that the sizes fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import check_places, op, size_mismatch, tensor_operands
from minigrad.ops.pointwise.arithmetic import mul
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.ops.shapes.views import reshape, unsafe_view, view
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("matmul", "mm", "bmm", "mv", "dot", "outer")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("matmul", "mm", "bmm", "mv", "dot", "outer")  # those that take out=


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


# ---------------------------------------------------------------- as the learner calls them

_mv, _dot, _mm = mv, dot, mm


def require_tensors(function: str, **values: Any) -> None:
    """Raise unless all are tensors; they are named as the function's arguments."""
    for position, (name, value) in enumerate(values.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}: "
                "make it one first, as in tensor(...)"
            )
    check_places(*values.values())


def refuse_bools(kernel: str, input: Tensor) -> None:
    """Raise if the input holds bools: there is no product of these. `kernel`: what PyTorch's message names."""
    if input.dtype is dtypes.bool:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': convert the tensors first, as in x.int()")


def check_batches(first: Tensor, second: Tensor) -> None:
    """Raise unless each matrix of the first batch can be multiplied with one of the second."""
    count, _, inner = first.shape
    if second.shape[:2] != (count, inner):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {inner}] but got: "
            f"{list(second.shape[:2])}. They are {list(first.shape)} and {list(second.shape)}."
        )


def mm(input: Tensor, mat2: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Matrix times matrix: (n, k) and (k, m) give (n, m). Unlike `matmul`, for nothing but matrices."""
    require_tensors("mm", input=input, mat2=mat2)
    for name, matrix in (("self", input), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, but has shape {list(matrix.shape)}: use matmul() or @")
    return matmul(input, mat2)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of two vectors, of matrices, or of batches of matrices (all dimensions but the last two broadcast).

    RuntimeError if inner sizes or dtypes differ, or if either is 0-d.
    """
    tensor_operands("matmul", input, other)
    left, right = input._array, other._array
    first, second = left.shape, right.shape
    if not first or not second:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {input.ndim}D and {other.ndim}D"
        )
    if first[-1] != second[-2 if len(second) > 1 else -1]:
        raise _shape_error(list(first), list(second))
    if left.dtype != right.dtype or left.dtype.kind == "b":
        raise _dtype_error(input.dtype, other.dtype, input.ndim, other.ndim)
    match (len(first), len(second)):
        case (1, 1):
            return _dot(input, other)
        case (2, 1):
            return _mv(input, other)
        case (2, 2):
            return _mm(input, other)
        case (1, _):
            return matmul(input.unsqueeze(0), other).squeeze(-2)
        case (_, 1):
            return unsafe_view(_mv(_rows_of_all(input), other), first[:-1])
        case (_, 2):
            return unsafe_view(_mm(_rows_of_all(input), other), (*first[:-1], second[1]))
    mismatch = _batch_mismatch(first, second)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    return batched_matmul(input, other)


def _rows_of_all(batch: Tensor) -> Tensor:
    """The rows of all matrices of a batch as one matrix: one large product is faster than many small ones."""
    return reshape(batch, (math.prod(batch.shape[:-1]), batch.shape[-1]))


def _batch_mismatch(first: Sequence[int], second: Sequence[int]) -> str | None:
    return size_mismatch("matmul, before the last two dimensions", first[:-2], second[:-2])


def _shape_error(first: list[int], second: list[int]) -> RuntimeError:
    """The error for shapes whose inner sizes differ. Before a matrix or a vector, a batch counts as one tall matrix."""
    which = "next to last" if len(second) > 1 else "only"
    inner = second[-2 if len(second) > 1 else -1]
    reason = f": the last size of the first ({first[-1]}) must equal the {which} size of the second ({inner})"
    rows, size = math.prod(first[:-1]), first[-1]
    if len(first) == len(second) == 1:
        text = f"inconsistent tensor size, expected tensor {first} and src {second} to have the same number of elements"
    elif len(second) == 1:
        text = f"size mismatch, got input ({rows}), mat ({rows}x{size}), vec ({inner})"
    elif len(second) == 2:
        text = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{size} and {inner}x{second[-1]})"
    else:
        mismatch = _batch_mismatch(first, second)
        if mismatch is not None:
            return RuntimeError(mismatch)
        batch = math.prod(np.broadcast_shapes(first[:-2], second[:-2]))
        text = (
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {size}] but got: "
            f"[{batch}, {inner}]."
        )
        reason = reason.replace(": the", " The") + "."
    return RuntimeError(text + reason)


def _dtype_error(first: dtypes.dtype, second: dtypes.dtype, first_ndim: int, second_ndim: int) -> Exception:
    """The error for factors of two dtypes, or of bools."""
    if first_ndim == second_ndim == 1:
        text = f"dot : expected both vectors to have same dtype, but found {first.tensor_type} and {second.tensor_type}"
        kernel = "dot"
    elif second_ndim == 1:
        vector = second.tensor_type
        text = f"addmv input tensors must have the same dtype, but got {vector}, {first.tensor_type}, and {vector}"
        kernel = "addmv_impl_cpu"
    elif second_ndim == 2:
        text = f"expected m1 and m2 to have the same dtype, but got: {first.c_name} != {second.c_name}"
        kernel = "addmm_impl_cpu_"
    else:
        text, kernel = f"expected scalar type {first.tensor_type} but found {second.tensor_type}", "bmm"
    if first is second:
        return NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': convert the tensors first, as in x.int()")
    return RuntimeError(f"{text}. Convert one of them with .to(...).")


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Matrix times matrix, for each of a batch: (b, n, k) and (b, k, m) give (b, n, m). Nothing broadcasts."""
    require_tensors("bmm", input=input, mat2=mat2)
    for name, batch in (("batch1", input), ("batch2", mat2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor, but has shape {list(batch.shape)}: use matmul() or @")
    check_batches(input, mat2)
    if input.dtype is not mat2.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.tensor_type} but found {mat2.dtype.tensor_type}: convert one of them"
        )
    refuse_bools("bmm", input)
    return batched_matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Matrix times vector: (n, k) and (k,) give (n,)."""
    require_tensors("mv", input=input, vec=vec)
    if (input.ndim, vec.ndim) != (2, 1):
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    return matmul(input, vec)


def _check_vectors(input: Tensor, other: Tensor) -> None:
    if input.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {other.ndim}D tensors")


def dot(input: Tensor, tensor: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Vector times vector: the sum of products, a number."""
    require_tensors("dot", input=input, tensor=tensor)
    _check_vectors(input, tensor)
    return matmul(input, tensor)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Each element of one vector times each of another: (n,) and (m,) give (n, m)."""
    require_tensors("outer", input=input, vec2=vec2)
    for name, vector in (("self", input), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.ndim}-D")
    return mul(view(input, (len(input), 1)), vec2)
