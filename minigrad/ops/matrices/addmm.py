"""beta * input + alpha * product: addmm. What is added goes straight into the memory of the product."""

from __future__ import annotations

from typing import Any

from minigrad.op import op
from minigrad.ops.matrices.matmul import refuse_bools, require_tensors
from minigrad.ops.shapes.expanding import check_expands, unbroadcast
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("addmm",)  # the functions that are methods of Tensor, too
IN_PLACE = METHODS  # those that have an in-place form, with a trailing underscore
OUT = METHODS  # those that take out=


def _sum(product: Array, alpha: Any, self: Array, beta: Any) -> Array:
    """alpha * product + beta * self, in the memory of the product, which is fresh. With beta 0 self does not count."""
    if alpha != 1:
        product *= alpha
    if beta != 0:
        product += self if beta == 1 else self * beta
    return product


def _times(g: Any, number: Any) -> Any:
    return g if number == 1 else g * number


@op(
    self=lambda F, g, beta, self_shape: unbroadcast(F, _times(g, beta), self_shape),
    mat1=lambda F, g, mat2, alpha: _times(g @ F.matrix_transpose(mat2), alpha),
    mat2=lambda F, g, mat1, alpha: _times(F.matrix_transpose(mat1) @ g, alpha),
)
def addmm(self: Array, mat1: Array, mat2: Array, beta: Any, alpha: Any) -> Array:
    """beta * input + alpha * (matrix times matrix)."""
    return _sum(mat1 @ mat2, alpha, self, beta)


# ---------------------------------------------------------------- as the learner calls them

_addmm = addmm


def _check_added(input: Tensor, target: tuple[int, ...], factors: tuple[Tensor, Tensor], same: str) -> None:
    """Raise unless the input expands to the product's shape and the dtypes agree."""
    check_expands(input, target)
    first, second = (tensor.dtype for tensor in factors)
    kinds = (input.dtype, first, second)
    if any(kind is not input.dtype for kind in kinds):
        if same == "Input":
            words = [kind.c_name for kind in kinds]
            raise RuntimeError(
                f"Input dtypes must be the same, got: input {words[0]}, batch1: {words[1]}, batch2: {words[2]}"
            )
        name, other = ("mat1", first) if first is not second else ("self", input.dtype)
        raise RuntimeError(
            f"{name} and mat2 must have the same dtype, but got {other.tensor_type} and {second.tensor_type}"
        )


def _factors(input: Tensor, beta: Any, alpha: Any) -> tuple[Any, Any]:
    """The factors as PyTorch takes them: cut to whole numbers for integers, to bools for bools."""
    kind = (bool, int)[input.dtype.category] if input.dtype.category < 2 else None
    return (beta, alpha) if kind is None else (kind(beta), kind(alpha))


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """beta * input + alpha * (mat1 @ mat2): (n, k) and (k, m) give (n, m), to which the input expands.

    With beta 0 the input does not count, not even where it is nan.
    """
    require_tensors("addmm", input=input, mat1=mat1, mat2=mat2)
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {matrix.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        sizes = "x".join(map(str, mat1.shape)) + " and " + "x".join(map(str, mat2.shape))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({sizes})")
    _check_added(input, (mat1.shape[0], mat2.shape[1]), (mat1, mat2), "mat")
    refuse_bools("addmm_impl_cpu_", input)
    return _addmm(input, mat1, mat2, *_factors(input, beta, alpha))
