"""Inverses of what has none: linalg.lstsq, linalg.pinv, pinverse, linalg.matrix_rank.

After this module a reader knows what comes nearest to the solution of A X = B where there is none, or more than one,
and why a tolerance has to say which singular values count as 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.matrices.checks import check_floating, check_matrix
from minigrad.ops.matrices.svd import check_svd
from minigrad.ops.operands import check_tensors
from minigrad.return_types import named_result
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("pinverse",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def _pinv_gradient(F: Any, g: Any, self: Any, result: Any) -> Any:
    """G. Golub and V. Pereyra, "The Differentiation of Pseudo-Inverses" (1973), read backwards."""
    p, pt, gt = result, result.mT, g.mT
    left, right = gt @ p @ pt, pt @ p @ gt
    return -(pt @ g @ pt) + (left - self @ (p @ left)) + (right - (right @ p) @ self)


@op(self=_pinv_gradient)
def linalg_pinv(self: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    """The Moore-Penrose inverse of each matrix: singular values up to a tolerance count as 0."""
    u, s, vh = _singular(self, hermitian)
    kept = np.abs(s) > _tolerance(s, self.shape, atol, rtol)[..., None]
    inverted = np.where(kept, 1 / np.where(kept, s, 1), 0).astype(self.dtype)
    return (u * inverted[..., None, :] @ vh).mT


def _singular(matrices: Array, hermitian: bool) -> Any:
    """U, S and V transposed; of symmetric matrices the eigenvectors and eigenvalues, which serve as well."""
    if not hermitian:
        return np.linalg.svd(matrices, full_matrices=False)
    values, vectors = np.linalg.eigh(matrices)
    return vectors, values, vectors.mT


def _tolerance(s: Array, shape: tuple[int, ...], atol: Any, rtol: Any) -> Array:
    """Up to what size singular values count as 0: the larger of an absolute bound and a part of the largest."""
    if rtol is None:
        rtol = np.where(np.asarray(0 if atol is None else atol) > 0, 0, np.finfo(s.dtype).eps * max(shape[-2:]))
    largest = np.abs(s).max(-1, initial=0)
    return np.maximum(0 if atol is None else atol, rtol * largest)


@op(
    self=lambda F, g, self, other: _pinv_gradient(F, g @ other.mT, self, F.linalg_pinv(self, None, None, False)),
    other=lambda F, g, self: F.linalg_pinv(self, None, None, False).mT @ g,
)
def linalg_lstsq(self: Array, other: Array) -> Array:
    """X with the smallest |A X - B|, and of those the smallest X."""
    found = np.empty((*self.shape[:-2], self.shape[-1], other.shape[-1]), self.dtype)
    for place in np.ndindex(self.shape[:-2]):
        found[place] = np.linalg.lstsq(self[place], other[place], rcond=None)[0]
    return found


# ---------------------------------------------------------------- as the learner calls them

lstsq_result = named_result("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
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
    check_svd(A)
    rtol = rcond if rtol is None else rtol
    return linalg_pinv(A, *map(_bound, (atol, rtol)), bool(hermitian))


def _bound(value: Any) -> Any:
    return value._array if isinstance(value, Tensor) else value


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """`linalg.pinv`, under its older name, with a tolerance of its own."""
    return pinv(input, rtol=rcond)


def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
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
    check_svd(A)
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
    check_tensors("linalg_lstsq", A=A, b=B)
    if not B.ndim:
        raise RuntimeError("minigrad.linalg.lstsq: other must have at least 1 dimension.")
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
