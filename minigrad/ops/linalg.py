"""Products of vectors and matrices.

After this module a reader can write the gradient of a matrix product from its shapes alone: each factor's gradient is
the incoming one times the other factor, transposed so that the sizes fit.
"""

from __future__ import annotations

from typing import Any

from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


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
    self=lambda F, g, other, self_shape: F.sum_to(g @ F.transpose(other, other.ndim - 2, other.ndim - 1), self_shape),
    other=lambda F, g, self, other_shape: F.sum_to(F.transpose(self, self.ndim - 2, self.ndim - 1) @ g, other_shape),
)
def batched_matmul(self: Array, other: Array) -> Array:
    """Many matrix products at once: the last two dimensions are matrices, those before them broadcast."""
    return self @ other


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of two vectors, of matrices, or of batches of matrices (all dimensions but the last two broadcast).

    RuntimeError if inner sizes or dtypes differ, or if either is 0-d.
    """
    tensor_operands("matmul", input, other)
    if input.ndim == 0 or other.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {input.ndim}D and {other.ndim}D"
        )
    first, second = list(input.shape), list(other.shape)
    if first[-1] != second[-2 if other.ndim > 1 else -1]:
        raise RuntimeError(_mismatch(first, second))
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {input.dtype.name} != {other.dtype.name}. Convert "
            "one of them with .to(...)."
        )
    match (input.ndim, other.ndim):
        case (1, 1):
            return dot(input, other)
        case (2, 1):
            return mv(input, other)
        case (2, 2):
            return mm(input, other)
        case (1, _):
            return matmul(input.unsqueeze(0), other).squeeze(-2)
        case (_, 1):
            return matmul(input, other.unsqueeze(1)).squeeze(-1)
    mismatch = size_mismatch("matmul, before the last two dimensions", first[:-2], second[:-2])
    if mismatch is not None:
        raise mismatch
    return batched_matmul(input, other)


def _mismatch(first: list[int], second: list[int]) -> str:
    which = "next to last" if len(second) > 1 else "only"
    help_text = f": the last size of the first ({first[-1]}) must equal the {which} size of the second"
    if len(first) == len(second) == 1:
        return (
            f"inconsistent tensor size, expected tensor {first} and src {second} to have the same number of elements"
            f"{help_text} ({second[0]})"
        )
    if len(first) <= 2 and len(second) == 2:
        a, b = "x".join(map(str, [1, *first][-2:])), "x".join(map(str, second))
        return f"mat1 and mat2 shapes cannot be multiplied ({a} and {b}){help_text} ({second[-2]})"
    if len(second) == 1:
        return f"size mismatch, got input ({first[0]}), mat ({'x'.join(map(str, first))}), vec ({second[0]}){help_text}"
    return f"shapes {first} and {second} cannot be multiplied{help_text} ({second[-2]})"
