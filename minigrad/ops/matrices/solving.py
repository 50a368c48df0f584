"""Systems of equations, inverses, determinants, and the Cholesky factorization: linalg.solve, inv, det, cholesky.

All take a matrix or a batch of them: the last two dimensions are rows and columns. The gradients of the inverse and of
the solution of A X = B contain an inverse, or a solution, again; the derivative of a determinant by an element is that
element's cofactor. What cannot be computed is a LinAlgError that says which matrix it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, arrays, op
from minigrad.ops.shapes.expanding import common_shape, unbroadcast
from minigrad.ops.silence import silent
from minigrad.public import public, with_checks
from minigrad.tensor import Tensor


class LinAlgError(RuntimeError):
    """What is asked of a matrix cannot be computed: it is singular, or not positive-definite."""


def _check_square(function: str, array: Array) -> Array:
    """The array; raise unless it is a square matrix of float32 or float64 numbers, or a batch of them."""
    if array.ndim < 2:
        raise RuntimeError(f"{function}: The input tensor A must have at least 2 dimensions. It has {array.ndim}.")
    rows, columns = array.shape[-2:]
    if rows != columns:
        sizes = f"{rows} by {columns}"
        raise RuntimeError(f"{function}: A must be batches of square matrices, but they are {sizes} matrices")
    kind = dtypes.of(array)
    if not kind.is_floating_point:
        raise RuntimeError(
            f"{function}: Expected a floating point or complex tensor as input. Got {kind.tensor_type}: try x.float()"
        )
    if kind.itemsize < 4:
        raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {kind.tensor_type}")
    return array


def _not_computed(text: str, matrices: Array, is_at_fault: Any) -> LinAlgError:
    """The error for the first matrix of a batch that is at fault, and the size of its part in which that shows first.

    In the text, {0} stands for the matrix's place in the batch, {1} for the size.
    """
    alone, sizes = matrices.reshape(-1, *matrices.shape[-2:]), range(1, matrices.shape[-1] + 1)
    faults = ((number, size) for number, matrix in enumerate(alone) for size in sizes if is_at_fault(matrix, size))
    number, size = next(faults, (0, 0))
    return LinAlgError(text.format(f"(Batch element {number}): " if matrices.ndim > 2 else "", size))


def _columns_are_dependent(matrix: Array, count: int) -> bool:
    """Whether elimination finds nothing but zeros in one of the first columns."""
    return bool(np.linalg.matrix_rank(matrix[:, :count]) < count)


def _minor_is_not_positive(matrix: Array, count: int) -> bool:
    """Whether the first rows and columns are not positive-definite by themselves."""
    try:
        return bool(np.isnan(np.linalg.cholesky(matrix[:count, :count])).any())
    except np.linalg.LinAlgError:
        return True


# ---------------------------------------------------------------- the inverse and the determinant


@op(name="LinalgInvExBackward0", exact=True, A=lambda F, g, result: -(result.mT @ g @ result.mT))
@silent
def linalg_inv(A: Array) -> Array:
    """The inverse of a square matrix, or of each of a batch. LinAlgError if there is none."""
    try:
        return np.linalg.inv(_check_square("linalg.inv", A))
    except np.linalg.LinAlgError:
        text = (
            "linalg.inv: {0}The diagonal element {1} is zero, the inversion could not be completed because the input "
            "matrix is singular."
        )
        raise _not_computed(text, A, _columns_are_dependent) from None


@public(name="det")
@op(A=lambda F, g, A: g[..., None, None] * F.cofactors(A))
@silent
def linalg_det(A: Array) -> Array:
    """The determinant of a square matrix, or of each of a batch."""
    return np.linalg.det(_check_square("linalg.det", A))


def _gradient_of_cofactors(F: Any, g: Any, self: Any, result: Any) -> Any:
    """From C = det(A) B with B the inverse, transposed: dC = <B, dA> C - C dA' B."""
    inverse = F.linalg_inv(self).mT
    return F.sum_dims(g * inverse, (g.ndim - 2, g.ndim - 1), True) * result - result @ g.mT @ inverse


@op(self=_gradient_of_cofactors)
@silent
def cofactors(self: Array) -> Array:
    """For each element the determinant of what is left without its row and column, with alternating signs.

    From singular values, leaving out one each: singular matrices, too, have cofactors.
    """
    known = np.isfinite(self).all((-2, -1), keepdims=True)  # of an inf LAPACK may go on for ever
    u, s, vh = np.linalg.svd(np.where(known, self, 0))
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(-1)
    signs = arrays.linalg_det(u) * arrays.linalg_det(vh)
    return np.where(known, (u * (signs[..., None, None] * others[..., None, :])) @ vh, np.nan)


# ---------------------------------------------------------------- A X = B


def _gradient_of_matrix(F: Any, g: Any, A: Any, result: Any, vector: bool) -> Any:
    g = F.linalg_solve_ex(A.mT, g, vector)
    return -(g[..., None] * result[..., None, :] if vector else g @ result.mT)


@op(
    A=lambda F, g, A, result, A_shape, vector: unbroadcast(F, _gradient_of_matrix(F, g, A, result, vector), A_shape),
    B=lambda F, g, A, B_shape, vector: unbroadcast(F, F.linalg_solve_ex(A.mT, g, vector), B_shape),
)
@silent
def linalg_solve_ex(A: Array, B: Array, vector: bool) -> Array:
    """X of A X = B; `vector`: B is one column, not a matrix."""
    try:
        found = np.linalg.solve(A, B[..., None] if vector else B)
    except np.linalg.LinAlgError:
        text = "minigrad.linalg.solve: {0}The solver failed because the input matrix is singular."
        raise _not_computed(text, A, _columns_are_dependent) from None
    return found[..., 0] if vector else found


@with_checks
def linalg_solve(A: Tensor, B: Tensor) -> Tensor:
    """X of A X = B; batches broadcast. LinAlgError if a matrix is singular.

    B: a matrix (or a batch), or a vector: of shape (n,), or for a batch of matrices (…, n) with exactly its sizes.
    """
    _check_square("linalg.solve", A._array)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A.dtype.tensor_type} and B "
            f"of type {B.dtype.tensor_type} instead"
        )
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    shape = (*B.shape, 1) if vector else B.shape
    if len(shape) < 2:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    if A.shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({A.shape[-2]}x{A.shape[-1]} and "
            f"{shape[-2]}x{shape[-1]})"
        )
    common_shape("linalg.solve", A.shape[:-2], shape[:-2])
    return linalg_solve_ex(A, B, vector)


# ---------------------------------------------------------------- A = L L'


def _cholesky_gradient(F: Any, g: Any, result: Any, upper: bool) -> Any:
    """That of I. Murray, "Differentiation of the Cholesky decomposition" (2016)."""
    lower, g = (result.mT, g.mT) if upper else (result, g)
    product = lower.mT @ g
    triangle = (F.tril(product) + F.tril(product, -1)) / 2  # its diagonal is halved
    half = F.linalg_solve_ex(lower.mT, triangle, False)
    whole = F.linalg_solve_ex(lower.mT, half.mT, False)
    return (whole + whole.mT) / 2


@op(A=_cholesky_gradient)
@silent
def linalg_cholesky_ex(A: Array, upper: bool) -> Array:
    """The triangular matrix that, times itself transposed, gives each matrix."""
    symmetric = A.mT if upper else A  # numpy reads the lower triangle
    try:
        lower = np.linalg.cholesky(symmetric)
        if np.isnan(lower).any():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        text = (
            "linalg.cholesky: {0}The factorization could not be completed because the input is not positive-definite "
            "(the leading minor of order {1} is not positive-definite)."
        )
        raise _not_computed(text, symmetric, _minor_is_not_positive) from None
    return lower.mT if upper else lower


@with_checks
def linalg_cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """L of A = L L', lower triangular, for a symmetric positive-definite matrix or each of a batch.

    `upper`: U = L' instead. Only one triangle of A is read. LinAlgError if A is not positive-definite.
    """
    _check_square("linalg.cholesky", A._array)
    return linalg_cholesky_ex(A, upper)
