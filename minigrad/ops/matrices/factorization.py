"""A matrix as a product of simpler ones: Cholesky, QR, singular values, eigenvalues; and what is built of them.

After this module a reader knows what each of the four factorizations is, and how a small change of the matrix turns its
factors: the gradients are those of M. Giles, "An extended collection of matrix derivative results" (2008), and of
M. Seeger et al., "Auto-Differentiating Linear Algebra" (2017). Where two singular values or eigenvalues are equal, the
gradient of their vectors is not defined (inf or nan); that of the values is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.grad_mode import is_recording
from minigrad.op import op
from minigrad.ops.matrices.inverse import (
    LinAlgError,
    check_floating,
    check_matrix,
    check_square,
    det,
    inverse,
    logdet,
    slogdet,
    turned,
)
from minigrad.return_types import named_result
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

__all__ = ["det", "inverse", "logdet", "pinverse", "slogdet", "svd"]
FUNCTIONS = ("det", "inverse", "logdet", "pinverse", "slogdet", "svd")  # public; the others are in minigrad.linalg
METHODS = ("det", "inverse", "logdet", "pinverse", "slogdet", "svd")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("inverse",)  # those that take out=


def _check_finite(function: str, matrices: Array) -> None:
    if not np.isfinite(matrices).all():
        raise LinAlgError(
            f"{function}: The algorithm failed to converge because the input matrix contained non-finite values."
        )


# ---------------------------------------------------------------- A = L L'


@op(self=lambda F, g: F.lower_half(g))
def lower_half(self: Array) -> Array:
    """Each matrix with zeros above its diagonal, and half of that."""
    return np.tril(self, -1) + self * (np.eye(self.shape[-1], dtype=self.dtype) / 2)


def _of_cholesky(F: Any, g: Any, result: Any, upper: bool) -> Any:
    lower, g = (turned(F, result), turned(F, g)) if upper else (result, g)
    inner = F.lower_half(turned(F, lower) @ g)
    half = F.linalg_solve_triangular(turned(F, lower), inner, True, True, False)
    whole = F.linalg_solve_triangular(lower, half, False, False, False)
    return (whole + turned(F, whole)) / 2


@op(name="LinalgCholeskyExBackward0", self=lambda F, g, result, upper: _of_cholesky(F, g, result, upper))
def linalg_cholesky(self: Array, upper: bool) -> Array:
    """The triangular matrix that, times itself transposed, gives each matrix. Looks at one triangle of it only."""
    symmetric = np.swapaxes(self, -2, -1) if upper else self  # numpy reads the lower triangle
    try:
        lower = np.linalg.cholesky(symmetric)
    except np.linalg.LinAlgError:
        raise _not_positive(symmetric) from None
    if np.isnan(lower).any():
        raise _not_positive(symmetric)
    return np.swapaxes(lower, -2, -1) if upper else lower


def _not_positive(matrices: Array) -> LinAlgError:
    """The error for the first matrix of a batch that is not positive-definite, and its first minor that is not."""
    for number, matrix in enumerate(matrices.reshape(-1, *matrices.shape[-2:])):
        for order in range(1, len(matrix) + 1):
            try:
                positive = not np.isnan(np.linalg.cholesky(matrix[:order, :order])).any()
            except np.linalg.LinAlgError:
                positive = False
            if not positive:
                where = f"(Batch element {number}): " if matrices.ndim > 2 else ""
                return LinAlgError(
                    f"linalg.cholesky: {where}The factorization could not be completed because the input is not "
                    f"positive-definite (the leading minor of order {order} is not positive-definite)."
                )
    return LinAlgError("linalg.cholesky: The factorization could not be completed.")


# ---------------------------------------------------------------- A = Q R


def _of_qr(F: Any, g: Any, self: Any, mode: str) -> Any:
    """The gradient of Q R, from R⁻¹ and the part of the gradients that turns Q."""
    rows, columns = self.shape[-2:]
    if mode == "r" or (mode == "complete" and rows > columns):
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to require gradients."
            if mode == "r"
            else "The QR decomposition is not differentiable when mode='complete' and nrows > ncols: use mode='reduced'"
        )
    q, r = F.linalg_qr(self, mode)
    of_q = F.zeros(q.shape, q) if g[0] is None else g[0]
    of_r = F.zeros(r.shape, r) if g[1] is None else g[1]
    if rows >= columns:
        return _of_tall_qr(F, of_q, of_r, q, r)
    # a wide matrix [X Y]: X = Q U is square, and R = [U Q'Y]
    y, of_v = self[..., rows:], of_r[..., rows:]
    of_x = _of_tall_qr(F, of_q + y @ turned(F, of_v), of_r[..., :rows], q, r[..., :rows])
    return F.cat(of_x, q @ of_v, dim=self.ndim - 1)


def _of_tall_qr(F: Any, of_q: Any, of_r: Any, q: Any, r: Any) -> Any:
    inner = r @ turned(F, of_r) - turned(F, of_q) @ q
    lower = F.lower_half(inner)
    return F.linalg_solve_triangular(turned(F, r), of_q + q @ (lower + turned(F, lower)), False, False, False)


@op(several=True, self=lambda F, g, self, mode: _of_qr(F, g, self, mode))
def linalg_qr(self: Array, mode: Any) -> list[Array]:
    """An orthogonal matrix and an upper triangular one, whose product each matrix is."""
    if mode == "r":
        return [np.zeros(0, self.dtype), np.linalg.qr(self, "r")]
    return list(np.linalg.qr(self, mode))


# ---------------------------------------------------------------- A = V diag(L) V'


@op(self=lambda F, g, result: -g * (result * result))
def reciprocal_off_diagonal(self: Array) -> Array:
    """1 / each element off the diagonal of each matrix, and 0 on it."""
    on = np.eye(self.shape[-1], dtype=bool)
    return np.where(on, 0, 1 / np.where(on, 1, self)).astype(self.dtype)


def _of_eigh(F: Any, g: Any, self: Any, uplo: str) -> Any:
    values, vectors = F.linalg_eigh(self, uplo)
    of_values, of_vectors = g
    back = 0 if of_values is None else (vectors * of_values[..., None, :]) @ turned(F, vectors)
    if of_vectors is None:
        return back
    gaps = F.reciprocal_off_diagonal(values[..., None, :] - values[..., :, None])
    turn = vectors @ ((turned(F, vectors) @ of_vectors) * gaps) @ turned(F, vectors)
    return back + (turn + turned(F, turn)) / 2


@op(several=True, self=lambda F, g, self, uplo: _of_eigh(F, g, self, uplo))
def linalg_eigh(self: Array, uplo: Any) -> list[Array]:
    """The eigenvalues, in rising order, and the eigenvectors, as columns, of each symmetric matrix."""
    values, vectors = np.linalg.eigh(self, uplo)
    return [values, vectors]


# ---------------------------------------------------------------- A = U diag(S) V'


def _of_svd(F: Any, g: Any, self: Any, full: bool) -> Any:
    u, s, vh = F.linalg_svd(self, full)
    count = s.shape[-1]
    u, vh = u[..., :count], vh[..., :count, :]
    of_u, of_s, of_vh = g
    back = 0 if of_s is None else (u * of_s[..., None, :]) @ vh
    if of_u is None and of_vh is None:
        return back
    row, column = s[..., None, :], s[..., :, None]
    gaps = F.reciprocal_off_diagonal((row - column) * (row + column))
    inner = 0
    if of_u is not None:
        of_u = of_u[..., :count]
        turn = turned(F, u) @ of_u
        inner = (turn - turned(F, turn)) * gaps * row
        if u.shape[-2] > count:  # what lies outside of the space that U spans
            back = back + ((of_u - u @ turn) / row) @ vh
    if of_vh is not None:
        of_vh = of_vh[..., :count, :]
        turn = vh @ turned(F, of_vh)
        inner = inner + column * ((turn - turned(F, turn)) * gaps)
        if vh.shape[-1] > count:
            back = back + u @ ((of_vh - turned(F, turn) @ vh) / column)
    return back + u @ inner @ vh


@op(several=True, self=lambda F, g, self, full: _of_svd(F, g, self, full))
def linalg_svd(self: Array, full: bool) -> list[Array]:
    """U, the singular values in falling order, and V transposed, of each matrix."""
    return list(np.linalg.svd(self, full_matrices=full))


# ---------------------------------------------------------------- inverses of what has none


def _of_pinv(F: Any, g: Any, self: Any, result: Any) -> Any:
    """G. Golub and V. Pereyra, "The Differentiation of Pseudo-Inverses" (1973), read backwards."""
    p, pt, gt = result, turned(F, result), turned(F, g)
    left, right = gt @ p @ pt, pt @ p @ gt
    return -(pt @ g @ pt) + (left - self @ (p @ left)) + (right - (right @ p) @ self)


@op(self=lambda F, g, self, result: _of_pinv(F, g, self, result))
def linalg_pinv(self: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    """The Moore-Penrose inverse of each matrix: singular values up to a tolerance count as 0."""
    u, s, vh = _singular(self, hermitian)
    kept = np.abs(s) > _tolerance(s, self.shape, atol, rtol)[..., None]
    inverted = np.where(kept, 1 / np.where(kept, s, 1), 0).astype(self.dtype)
    return np.swapaxes(u * inverted[..., None, :] @ vh, -2, -1)


def _singular(matrices: Array, hermitian: bool) -> Any:
    """U, S and V transposed; of symmetric matrices the eigenvectors and eigenvalues, which serve as well."""
    if not hermitian:
        return np.linalg.svd(matrices, full_matrices=False)
    values, vectors = np.linalg.eigh(matrices)
    return vectors, values, np.swapaxes(vectors, -2, -1)


def _tolerance(s: Array, shape: tuple[int, ...], atol: Any, rtol: Any) -> Array:
    """Up to what size singular values count as 0: the larger of an absolute bound and a part of the largest."""
    if rtol is None:
        rtol = np.where(np.asarray(0 if atol is None else atol) > 0, 0, np.finfo(s.dtype).eps * max(shape[-2:]))
    largest = np.abs(s).max(-1, initial=0)
    return np.maximum(0 if atol is None else atol, rtol * largest)


@op(
    self=lambda F, g, self, other: _of_pinv(F, g @ turned(F, other), self, F.linalg_pinv(self, None, None, False)),
    other=lambda F, g, self: turned(F, F.linalg_pinv(self, None, None, False)) @ g,
)
def linalg_lstsq(self: Array, other: Array) -> Array:
    """X with the smallest |A X - B|, and of those the smallest X."""
    found = np.empty((*self.shape[:-2], self.shape[-1], other.shape[-1]), self.dtype)
    for place in np.ndindex(self.shape[:-2]):
        found[place] = np.linalg.lstsq(self[place], other[place], rcond=None)[0]
    return found


# ---------------------------------------------------------------- as the learner calls them

svd_result, linalg_svd_result = named_result("svd", "U", "S", "V"), named_result("linalg_svd", "U", "S", "Vh")
qr_result, eigh_result = named_result("linalg_qr", "Q", "R"), named_result("linalg_eigh", "eigenvalues", "eigenvectors")
lstsq_result = named_result("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """L of A = L L', lower triangular, for a symmetric positive-definite matrix or each of a batch.

    `upper`: U = L' instead. Only one triangle of A is read. LinAlgError if A is not positive-definite.
    """
    check_square("linalg.cholesky", A, "A" if isinstance(A, Tensor) else "input")
    check_floating("linalg.cholesky", A)
    return linalg_cholesky(A, bool(upper))


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """(Q, R) of A = Q R, Q with orthonormal columns and R upper triangular, of a matrix or each of a batch.

    `mode`: "reduced": Q (m, k) and R (k, n) with k the smaller of m and n; "complete": Q (m, m) and R (m, n); "r": R
    alone, Q is empty, and there is no gradient.
    """
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return qr_result(*linalg_qr(A, mode))


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """(eigenvalues, eigenvectors) of a symmetric matrix or each of a batch: A = V diag(L) V'.

    The values rise, (…, n), the vectors are columns, (…, n, n), of length 1 and of either sign. `UPLO`: which triangle
    of A is read, "L" or "U".
    """
    return eigh_result(*linalg_eigh(A, _triangle(A, UPLO, "linalg_eigh")))


def _triangle(A: Tensor, uplo: str, function: str) -> Any:
    """Which triangle is read, "L" or "U", after a check of all arguments."""
    if not isinstance(A, Tensor):
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {type(A).__name__}")
    check_square("linalg.eigh", A)
    if str(uplo).upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    if not A.dtype.is_floating_point or A.dtype.itemsize < 4:
        raise NotImplementedError(
            f"\"linalg_eigh_cpu\" not implemented for '{A.dtype.tensor_type}': convert it first, as in x.float()"
        )
    return uplo.upper()


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of a symmetric matrix or each of a batch, in rising order: (…, n)."""
    triangle = _triangle(A, UPLO, "linalg_eigvalsh")
    if A.requires_grad and is_recording():  # the gradient needs the vectors
        values: Tensor = linalg_eigh(A, triangle)[0]
        return values
    return from_array(np.linalg.eigvalsh(A._array, triangle))


def linalg_svd_of(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """`linalg.svd`: (U, S, Vh) of A = U diag(S) Vh, of a matrix or each of a batch.

    S (…, k) falls, k the smaller of m and n; the columns of U and the rows of Vh are orthonormal, and of either sign.
    `full_matrices`: U (m, m) and Vh (n, n); else U (m, k) and Vh (k, n). LinAlgError if A is not finite.
    """
    _check_svd(A)
    if driver is not None:
        raise RuntimeError("minigrad.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs")
    return linalg_svd_result(*linalg_svd(A, bool(full_matrices)))


def _check_svd(A: Tensor) -> None:
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    _check_finite("linalg.svd", A._array)


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """(U, S, V) of input = U diag(S) V', of a matrix or each of a batch.

    `some`: U (m, k) and V (n, k), with k the smaller of m and n; else square. Without `compute_uv`, U and V are zeros.
    """
    u, s, vh = linalg_svd_of(input, not some)
    if compute_uv:
        return svd_result(u, s, vh.mT)
    rows, columns = input.shape[-2:]
    zeros = [from_array(np.zeros((*input.shape[:-2], size, size), input._array.dtype)) for size in (rows, columns)]
    return svd_result(zeros[0], s, zeros[1])


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of a matrix or each of a batch, in falling order: (…, k)."""
    _check_svd(A)
    if not (A.requires_grad and is_recording()):
        return from_array(np.linalg.svd(A._array, compute_uv=False))
    values: Tensor = linalg_svd_of(A, False, driver=driver).S
    return values


def pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False, rcond: Any = None) -> Tensor:
    """The Moore-Penrose inverse of a matrix or each of a batch: (…, m, n) gives (…, n, m).

    Args:
        atol, rtol: singular values up to atol, or rtol times the largest, count as 0: numbers, or a tensor with one for
            each matrix. Unless given, rtol is the larger of m and n, times the dtype's smallest step.
        hermitian: A is symmetric, and only its lower triangle is read.
        rcond: rtol under another name.
    """
    if not isinstance(A, Tensor):
        raise TypeError(f"linalg_pinv() received an invalid combination of arguments - got ({type(A).__name__})")
    if A.ndim < 2 or not A.dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.pinv({A.dtype.tensor_type}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    _check_svd(A)
    rtol = rcond if rtol is None else rtol
    return linalg_pinv(A, *map(_bound, (atol, rtol)), bool(hermitian))


def _bound(value: Any) -> Any:
    return value._array if isinstance(value, Tensor) else value


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """`linalg.pinv`, under its older name, with a tolerance of its own."""
    return pinv(input, rtol=rcond)


def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False, tol: Any = None) -> Tensor:
    """How many singular values of a matrix, or of each of a batch, count as more than 0, as int64.

    Args:
        atol, rtol, hermitian: as for `pinv`.
        tol: an atol with an rtol of 0.
    """
    if not isinstance(A, Tensor):
        raise TypeError(f"linalg_matrix_rank() received an invalid combination of arguments - got ({type(A).__name__})")
    check_matrix("minigrad.linalg.matrix_rank", A, "input")
    if not A.dtype.is_floating_point:
        raise RuntimeError("This function doesn't handle types other than float and double")
    _check_svd(A)
    atol, rtol = (tol, 0.0) if tol is not None else (atol, rtol)
    array = A._array
    s = np.abs(np.linalg.eigvalsh(array)) if hermitian else np.linalg.svd(array, compute_uv=False)
    bound = _tolerance(s, array.shape, _bound(atol), _bound(rtol))
    return from_array((s > np.asarray(bound)[..., None]).sum(-1))


def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """(solution, residuals, rank, singular_values): X with the smallest |A X - B|, and of those the smallest X.

    B: a matrix (or a batch), or for a batch of matrices a vector for each. Only with `driver="gelsd"` or "gelss" the
    residuals (the squares that are left, where there are more rows than columns and A has full rank) and the singular
    values are given; else they are empty.
    """
    check_matrix("linalg.lstsq", A)
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            f"minigrad.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), not {driver}"
        )
    check_floating("linalg.lstsq", A)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            "minigrad.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{A.dtype.tensor_type} and other's dtype {B.dtype.tensor_type}"
        )
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    columns = B.unsqueeze(-1) if vector else B
    if A.shape[-2] != columns.shape[-2]:
        raise RuntimeError(
            "minigrad.linalg.lstsq: input.size(-2) should match other.size(-2): they are "
            f"{A.shape[-2]} and {columns.shape[-2]}"
        )
    lead = np.broadcast_shapes(A.shape[:-2], columns.shape[:-2])
    wide, right = (t if t.shape[:-2] == lead else t.expand(*lead, *t.shape[-2:]) for t in (A, columns))
    solution = linalg_lstsq(wide, right)
    s = np.linalg.svd(A._array, compute_uv=False)
    rank = (s > np.asarray(_tolerance(s, A.shape, None, rcond))[..., None]).sum(-1)
    left: Any = np.zeros(0, s.dtype)
    if driver in ("gelsd", "gelss"):
        if A.shape[-2] > A.shape[-1] and np.all(rank == A.shape[-1]):
            left = ((A._array @ solution._array - columns._array) ** 2).sum(-2)
    else:
        s = np.zeros(0, s.dtype)
    rank = rank.astype(dtypes.int64.numpy)
    return lstsq_result(solution.squeeze(-1) if vector else solution, from_array(left), from_array(rank), from_array(s))
