"""Inverses, systems of equations and determinants.

After this module a reader knows the gradients of the inverse, of the solution of A X = B and of the determinant: each
contains an inverse again. A matrix without inverse is a LinAlgError that says which one it is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op, size_mismatch
from minigrad.ops.matrices.linalg import in_shape
from minigrad.ops.pointwise import choice
from minigrad.return_types import named_result
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


class LinAlgError(RuntimeError):
    """What is asked of a matrix cannot be computed: it is singular, not positive-definite, or not finite."""


def turned(F: Any, matrices: Any) -> Any:
    """Each matrix of a batch with rows and columns exchanged."""
    return F.transpose(matrices, -2, -1)


def _refused(matrices: Array, compute: Any) -> tuple[str, Array]:
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


@op(name="LinalgInvExBackward0", self=lambda F, g, result: -(turned(F, result) @ g @ turned(F, result)))
def linalg_inv(self: Array) -> Array:
    """The inverse of each matrix."""
    try:
        return np.linalg.inv(self)
    except np.linalg.LinAlgError:
        where, matrix = _refused(self, np.linalg.inv)
        raise LinAlgError(
            f"linalg.inv: {where}The diagonal element {_zero_pivot(matrix)} is zero, the inversion could not be "
            "completed because the input matrix is singular. linalg.pinv gives what comes nearest to an inverse."
        ) from None


# ---------------------------------------------------------------- A X = B


def _back(F: Any, g: Any, self: Any, left: bool, vector: bool) -> Any:
    """The gradient of the right-hand side: the solution of the system with A transposed."""
    return F.linalg_solve(turned(F, self), g, left, vector)


def _of_matrix(F: Any, g: Any, self: Any, result: Any, left: bool, vector: bool) -> Any:
    g = _back(F, g, self, left, vector)
    if vector:
        return -(g[..., None] * result[..., None, :])
    return -(g @ turned(F, result)) if left else -(turned(F, result) @ g)


@op(
    name="LinalgSolveExBackward0",
    self=lambda F, g, self, result, self_shape, left, vector: in_shape(
        F, _of_matrix(F, g, self, result, left, vector), self_shape
    ),
    other=lambda F, g, self, other_shape, left, vector: in_shape(F, _back(F, g, self, left, vector), other_shape),
)
def linalg_solve(self: Array, other: Array, left: bool, vector: bool) -> Array:
    """X of A X = B (or X A = B); `vector`: B is one column, not a matrix."""
    columns = other[..., None] if vector else other if left else np.swapaxes(other, -2, -1)
    matrix = self if left else np.swapaxes(self, -2, -1)
    try:
        found = np.linalg.solve(matrix, columns)
    except np.linalg.LinAlgError:
        where, _ = _refused(self, np.linalg.inv)
        raise LinAlgError(
            f"torch.linalg.solve: {where}The solver failed because the input matrix is singular. linalg.lstsq gives "
            "what comes nearest to a solution.".replace("torch", "minigrad", 1)
        ) from None
    return found[..., 0] if vector else found if left else np.swapaxes(found, -2, -1)


# ---------------------------------------------------------------- triangular systems


@op(name="TriuBackward0", self=lambda F, g, upper, strict: F.triangle(g, upper, strict))
def triangle(self: Array, upper: bool, strict: bool) -> Array:
    """Each matrix with zeros below (or above) its diagonal; `strict`: and on it."""
    return np.triu(self, int(strict)) if upper else np.tril(self, -int(strict))


def _triangular_back(F: Any, g: Any, self: Any, upper: bool, left: bool, unit: bool) -> Any:
    return F.linalg_solve_triangular(turned(F, self), g, not upper, left, unit)


def _of_triangle(F: Any, g: Any, self: Any, result: Any, upper: bool, left: bool, unit: bool) -> Any:
    g = _triangular_back(F, g, self, upper, left, unit)
    product = g @ turned(F, result) if left else turned(F, result) @ g
    return F.triangle(-product, upper, unit)


@op(
    self=lambda F, g, self, result, self_shape, upper, left, unit: in_shape(
        F, _of_triangle(F, g, self, result, upper, left, unit), self_shape
    ),
    other=lambda F, g, self, other_shape, upper, left, unit: in_shape(
        F, _triangular_back(F, g, self, upper, left, unit), other_shape
    ),
)
def linalg_solve_triangular(self: Array, other: Array, upper: bool, left: bool, unit: bool) -> Array:
    """X of A X = B (or X A = B), of A only the upper or lower triangle; `unit`: with ones on its diagonal."""
    matrix = np.triu(self, int(unit)) if upper else np.tril(self, -int(unit))
    if unit:
        matrix += np.eye(matrix.shape[-1], dtype=matrix.dtype)
    if not left:
        return np.swapaxes(_substituted(np.swapaxes(matrix, -2, -1), np.swapaxes(other, -2, -1), not upper), -2, -1)
    return _substituted(matrix, other, upper)


def _substituted(matrix: Array, other: Array, upper: bool) -> Array:
    try:
        return np.linalg.solve(matrix, other)  # numpy has nothing for triangles alone; this is LAPACK's general solver
    except np.linalg.LinAlgError:  # a zero on the diagonal: infinities, not an error
        pass
    batch = np.broadcast_shapes(matrix.shape[:-2], other.shape[:-2])
    found = np.broadcast_to(other, (*batch, *other.shape[-2:])).copy()
    rows = range(matrix.shape[-1])
    for row in reversed(rows) if upper else rows:
        known = slice(row + 1, None) if upper else slice(row)
        found[..., row, :] -= (matrix[..., row, None, known] @ found[..., known, :])[..., 0, :]
        found[..., row, :] /= matrix[..., row, row, None]
    return found


# ---------------------------------------------------------------- determinants


@op(self=lambda F, g, self: g[..., None, None] * F.cofactors(self))
def linalg_det(self: Array) -> Array:
    """The determinant of each matrix. Its derivative by an element is that element's cofactor."""
    return np.linalg.det(self)


def _of_cofactors(F: Any, g: Any, self: Any, result: Any) -> Any:
    """From C = det(A) B with B the inverse, transposed: dC = <B, dA> C - C dA' B."""
    inverse = turned(F, F.linalg_inv(self))
    return F.sum_dims(g * inverse, (g.ndim - 2, g.ndim - 1), True) * result - result @ turned(F, g) @ inverse


@op(self=lambda F, g, self, result: _of_cofactors(F, g, self, result))
def cofactors(self: Array) -> Array:
    """For each element the determinant of what is left without its row and column, with alternating signs."""
    try:
        return np.linalg.det(self)[..., None, None] * np.swapaxes(np.linalg.inv(self), -2, -1)
    except np.linalg.LinAlgError:  # a singular matrix has cofactors, too: from singular values, leaving out one each
        u, s, vh = np.linalg.svd(self)
        others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(-1)
        signs = np.linalg.det(u) * np.linalg.det(vh)
        return (u * (signs[..., None, None] * others[..., None, :])) @ vh


@op(
    several=True,
    self=lambda F, g, self: (
        F.zeros(self.shape, self) if g[1] is None else g[1][..., None, None] * turned(F, F.linalg_inv(self))
    ),
)
def linalg_slogdet(self: Array) -> list[Array]:
    """The sign of each matrix's determinant, and the logarithm of its size, which overflows less easily."""
    return list(np.linalg.slogdet(self))


# ---------------------------------------------------------------- as the learner calls them

linalg_slogdet_result = named_result("linalg_slogdet", "sign", "logabsdet")
slogdet_result = named_result("slogdet", "sign", "logabsdet")


def check_matrix(function: str, input: Any, name: str = "A") -> None:
    """Raise unless the input is a tensor with rows and columns."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{function.replace('.', '_')}(): argument '{name}' (position 1) must be Tensor, not "
            f"{type(input).__name__}: make it one first, as in tensor(...)"
        )
    if input.ndim < 2:
        raise RuntimeError(f"{function}: The input tensor {name} must have at least 2 dimensions. It has {input.ndim}.")


def check_square(function: str, input: Any, name: str = "A") -> None:
    """Raise unless the input is a square matrix, or a batch of them."""
    check_matrix(function, input, name)
    rows, columns = input.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{function}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def check_floating(function: str, input: Tensor) -> None:
    """Raise unless the input has a dtype that can be computed with here: float32 or float64."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"{function}: Expected a floating point or complex tensor as input. Got {input.dtype.tensor_type}: convert "
            "it first, as in x.float()"
        )
    if input.dtype.itemsize < 4:
        raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {input.dtype.tensor_type}")


def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix, or of each of a batch. LinAlgError if there is none."""
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    return linalg_inv(A)


def inverse(input: Tensor) -> Tensor:
    """`linalg.inv` under its older name."""
    return inv(input)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X of A X = B, or of X A = B with `left=False`; batches broadcast. LinAlgError if a matrix is singular.

    B: a matrix (or a batch), or a vector: of shape (n,), or for a batch of matrices (…, n) with exactly its sizes.
    """
    check_square("linalg.solve", A)
    check_floating("linalg.solve", A)
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


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """X of A X = B, or of X A = B with `left=False`, where A is triangular; batches broadcast.

    Args:
        upper: whether A is zero below its diagonal, or above. What is there is not looked at.
        unitriangular: whether to take the diagonal as ones, whatever is there.

    A zero on the diagonal gives inf and nan, not an error.
    """
    check_square("linalg.solve_triangular", A)
    check_floating("linalg.solve_triangular", A)
    if A.dtype is not B.dtype:
        raise RuntimeError(f"linalg.solve_triangular: A and B must have one dtype, but have {A.dtype} and {B.dtype}")
    _check_fit("linalg.solve_triangular", A, B.shape, left)
    return linalg_solve_triangular(A, B, upper, left, unitriangular)


def det(input: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each of a batch."""
    check_square("linalg.det", input)
    check_floating("linalg.det", input)
    return linalg_det(input)


def linalg_slogdet_of(A: Tensor) -> Any:
    """`linalg.slogdet`: (sign, logabsdet) of the determinant of a square matrix, or of each of a batch."""
    check_square("linalg.slogdet", A)
    check_floating("linalg.slogdet", A)
    return linalg_slogdet_result(*linalg_slogdet(A))


def slogdet(input: Tensor) -> Any:
    """(sign, logabsdet) of the determinant of a square matrix, or of each of a batch: det = sign * exp(logabsdet)."""
    return slogdet_result(*linalg_slogdet_of(input))


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: -inf where that is 0, nan where it is negative."""
    check_square("logdet", input)
    check_floating("logdet", input)
    sign, size = linalg_slogdet(input)
    return choice.where(sign == -1, math.nan, size)
