"""beta * input + alpha * product: addmm, addmv, addr, addbmm, baddbmm.

After this module a reader knows why these exist: what is added goes straight into the memory of the product. The rules
are those of the product (matmul.py) and of the sum, side by side.
"""

from __future__ import annotations

from typing import Any

from minigrad import dtypes
from minigrad.op import meet_all, op
from minigrad.ops.matrices.matmul import check_batches, refuse_bools, require_tensors
from minigrad.ops.shapes.expanding import check_expands, unbroadcast
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("addmm", "addmv", "addr", "addbmm", "baddbmm")  # the functions that are methods of Tensor, too
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


@op(
    self=lambda F, g, beta, self_shape: unbroadcast(F, _times(g, beta), self_shape),
    mat=lambda F, g, vec, alpha: F.reshape(_times(g, alpha), (-1, 1)) * vec,
    vec=lambda F, g, mat, alpha: _times(F.matrix_transpose(mat) @ g, alpha),
)
def addmv(self: Array, mat: Array, vec: Array, beta: Any, alpha: Any) -> Array:
    """beta * input + alpha * (matrix times vector)."""
    return _sum(mat @ vec, alpha, self, beta)


@op(
    self=lambda F, g, beta, self_shape: unbroadcast(F, _times(g, beta), self_shape),
    batch1=lambda F, g, batch2, alpha: _times(g @ batch2.mT, alpha),
    batch2=lambda F, g, batch1, alpha: _times(batch1.mT @ g, alpha),
)
def baddbmm(self: Array, batch1: Array, batch2: Array, beta: Any, alpha: Any) -> Array:
    """beta * input + alpha * (matrix times matrix), for each of a batch."""
    return _sum(batch1 @ batch2, alpha, self, beta)


@op(
    self=lambda F, g, beta, self_shape: unbroadcast(F, _times(g, beta), self_shape),
    batch1=lambda F, g, batch2, alpha: _times(g @ batch2.mT, alpha),
    batch2=lambda F, g, batch1, alpha: _times(batch1.mT @ g, alpha),
)
def addbmm(self: Array, batch1: Array, batch2: Array, beta: Any, alpha: Any) -> Array:
    """beta * input + alpha * (the sum of matrix times matrix over a batch), which is one long product."""
    count, rows, inner = batch1.shape
    long = batch1.transpose(1, 0, 2).reshape(rows, count * inner) @ batch2.reshape(count * inner, batch2.shape[2])
    return _sum(long, alpha, self, beta)


@op(
    self=lambda F, g, beta, self_shape: unbroadcast(F, _times(g, beta), self_shape),
    vec1=lambda F, g, vec2, alpha: _times(g @ vec2, alpha),
    vec2=lambda F, g, vec1, alpha: _times(F.matrix_transpose(g) @ vec1, alpha),
)
def addr(self: Array, vec1: Array, vec2: Array, beta: Any, alpha: Any) -> Array:
    """beta * input + alpha * (column times row)."""
    return _sum(vec1[:, None] * vec2, alpha, self, beta)


# ---------------------------------------------------------------- as the learner calls them

_addmm, _addmv, _baddbmm, _addbmm, _addr = addmm, addmv, baddbmm, addbmm, addr


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


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """beta * input + alpha * (mat @ vec): (n, k) and (k,) give (n,), to which the input expands."""
    require_tensors("addmv", input=input, mat=mat, vec=vec)
    if (mat.ndim, vec.ndim) != (2, 1) or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    rows, columns = mat.shape
    if vec.shape[0] != columns or input.numel() not in (1, rows):
        raise RuntimeError(f"size mismatch, got input ({input.numel()}), mat ({rows}x{columns}), vec ({vec.shape[0]})")
    if not input.dtype is mat.dtype is vec.dtype:
        kinds = ", ".join(tensor.dtype.tensor_type for tensor in (input, mat))
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {kinds}, and {vec.dtype.tensor_type}"
        )
    refuse_bools("addmv_impl_cpu", input)
    return _addmv(input, mat, vec, *_factors(input, beta, alpha))


def _check_3d(first: Tensor, second: Tensor) -> None:
    for batch in (first, second):
        if batch.ndim != 3:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-batch.ndim}, {batch.ndim - 1}], but got 2): "
                "both factors must be batches of matrices, with 3 dimensions"
            )


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """beta * input + alpha * bmm(batch1, batch2), to whose shape the input expands."""
    require_tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    _check_3d(batch1, batch2)
    check_batches(batch1, batch2)
    _check_added(input, (*batch1.shape[:2], batch2.shape[2]), (batch1, batch2), "Input")
    refuse_bools("baddbmm", input)
    return _baddbmm(input, batch1, batch2, *_factors(input, beta, alpha))


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """beta * input + alpha * (the sum of bmm(batch1, batch2) over the batch), to whose shape the input expands."""
    require_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    _check_3d(batch1, batch2)
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}"
        )
    if batch1.shape[2] != batch2.shape[1]:
        sizes = "x".join(map(str, batch1.shape[1:])) + " and " + "x".join(map(str, batch2.shape[1:]))
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({sizes})")
    _check_added(input, (batch1.shape[1], batch2.shape[2]), (batch1, batch2), "mat")
    refuse_bools("addmm_impl_cpu_", input)
    return _addbmm(input, batch1, batch2, *_factors(input, beta, alpha))


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """beta * input + alpha * outer(vec1, vec2), to whose shape the input expands."""
    require_tensors("addr", input=input, vec1=vec1, vec2=vec2)
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector.ndim}-D")
    whole = all(tensor.dtype.category < 2 for tensor in (input, vec1, vec2))
    for name, number in (("beta", beta), ("alpha", alpha)):
        if whole and isinstance(number, float):
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    kind = dtypes.of(meet_all([input._array, vec1._array, vec2._array])[0][0])
    input, vec1, vec2 = (tensor.to(kind) for tensor in (input, vec1, vec2))
    _check_added(input, (len(vec1), len(vec2)), (vec1, vec2), "mat")
    return _addr(input, vec1, vec2, *_factors(input, beta, alpha))
