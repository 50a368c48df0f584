"""Inverses and systems of equations: linalg.inv, linalg.solve.

After this module a reader knows the gradients of the inverse and of the solution of A X = B: each contains an inverse,
or a solution, again. A matrix without inverse is a LinAlgError that says which one it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, size_mismatch
from minigrad.operands import check_tensors
from minigrad.ops.matrices.checks import LinAlgError, check_floating, check_square
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def _first_refused(matrices: Array, compute: Any) -> tuple[str, Array]:
    """The first matrix of a batch that numpy refuses: its place in words, for the error, and itself."""
    for number, matrix in enumerate(matrices.reshape(-1, *matrices.shape[-2:])):
        try:
            compute(matrix)
        except np.linalg.LinAlgError:
            return f"(Batch element {number}): " if matrices.ndim > 2 else "", matrix
    return "", matrices.reshape(-1, *matrices.shape[-2:])[-1]


def _zero_pivot(matrix: Array) -> int:
    """At which step, counted from 1, elimination finds nothing but zeros in a column."""
    left = np.array(matrix)
    for step in range(len(left)):
        row = step + int(np.argmax(np.abs(left[step:, step])))
        if left[row, step] == 0:
            return step + 1
        left[[step, row]] = left[[row, step]]
        left[step + 1 :] -= np.outer(left[step + 1 :, step] / left[step, step], left[step])
    return len(left)


# ---------------------------------------------------------------- the inverse


@op(name="LinalgInvExBackward0", self=lambda F, g, result: -(result.mT @ g @ result.mT))
def linalg_inv(self: Array) -> Array:
    """The inverse of each matrix."""
    try:
        return np.linalg.inv(self)
    except np.linalg.LinAlgError:
        where, matrix = _first_refused(self, np.linalg.inv)
        raise LinAlgError(
            f"linalg.inv: {where}The diagonal element {_zero_pivot(matrix)} is zero, the inversion could not be "
            "completed because the input matrix is singular."
        ) from None


# ---------------------------------------------------------------- A X = B


def _transposed_solution(F: Any, g: Any, self: Any, left: bool, vector: bool) -> Any:
    """The gradient of the right-hand side: the solution of the system with A transposed."""
    return F.linalg_solve(self.mT, g, left, vector)


def _gradient_of_matrix(F: Any, g: Any, self: Any, result: Any, left: bool, vector: bool) -> Any:
    g = _transposed_solution(F, g, self, left, vector)
    if vector:
        return -(g[..., None] * result[..., None, :])
    return -(g @ result.mT) if left else -(result.mT @ g)


@op(
    name="LinalgSolveExBackward0",
    self=lambda F, g, self, result, self_shape, left, vector: unbroadcast(
        F, _gradient_of_matrix(F, g, self, result, left, vector), self_shape
    ),
    other=lambda F, g, self, other_shape, left, vector: unbroadcast(
        F, _transposed_solution(F, g, self, left, vector), other_shape
    ),
)
def linalg_solve(self: Array, other: Array, left: bool, vector: bool) -> Array:
    """X of A X = B (or X A = B); `vector`: B is one column, not a matrix."""
    columns = other[..., None] if vector else other if left else other.mT
    matrix = self if left else self.mT
    try:
        found = np.linalg.solve(matrix, columns)
    except np.linalg.LinAlgError:
        where, _ = _first_refused(self, np.linalg.inv)
        raise LinAlgError(
            f"minigrad.linalg.solve: {where}The solver failed because the input matrix is singular."
        ) from None
    return found[..., 0] if vector else found if left else found.mT


# ---------------------------------------------------------------- as the learner calls them


def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix, or of each of a batch. LinAlgError if there is none."""
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    return linalg_inv(A)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X of A X = B, or of X A = B with `left=False`; batches broadcast. LinAlgError if a matrix is singular.

    B: a matrix (or a batch), or a vector: of shape (n,), or for a batch of matrices (…, n) with exactly its sizes.
    """
    check_square("linalg.solve", A)
    check_floating("linalg.solve", A)
    check_tensors("linalg_solve", A=A, B=B)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A.dtype.tensor_type} and B "
            f"of type {B.dtype.tensor_type} instead"
        )
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    _check_fit("linalg.solve", A, (*B.shape, 1) if vector else B.shape, left)
    return linalg_solve(A, B, left, vector)


def _check_fit(function: str, A: Tensor, shape: tuple[int, ...], left: bool) -> None:
    """Raise unless a right-hand side of this shape fits to the matrices."""
    if len(shape) < 2:
        raise RuntimeError(f"{function}: The input tensor B must have at least 2 dimensions.")
    if A.shape[-1] != shape[-2 if left else -1]:
        raise RuntimeError(
            f"{function}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({A.shape[-2]}x{A.shape[-1]} and {shape[-2]}x{shape[-1]})"
        )
    mismatch = size_mismatch(function, A.shape[:-2], shape[:-2])
    if mismatch is not None:
        raise RuntimeError(mismatch)
