"""A = U diag(S) V': the singular value decomposition, linalg.svd, svd and linalg.svdvals.

After this module a reader knows how a small change of A moves its singular values and turns its singular vectors: the
gradient is that of M. Seeger et al., "Auto-Differentiating Linear Algebra" (2017). Where two singular values are equal,
the gradient of their vectors is not defined (inf or nan); that of the values is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import is_recording
from minigrad.op import op
from minigrad.ops.matrices import eigh  # noqa: F401  # for F.reciprocal_off_diagonal
from minigrad.ops.matrices.checks import check_finite, check_floating, check_matrix
from minigrad.return_types import named_result
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("svd",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def _svd_gradient(F: Any, g: Any, self: Any, full: bool) -> Any:
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
        turn = u.mT @ of_u
        inner = (turn - turn.mT) * gaps * row
        if u.shape[-2] > count:  # what lies outside of the space that U spans
            back = back + ((of_u - u @ turn) / row) @ vh
    if of_vh is not None:
        of_vh = of_vh[..., :count, :]
        turn = vh @ of_vh.mT
        inner = inner + column * ((turn - turn.mT) * gaps)
        if vh.shape[-1] > count:
            back = back + u @ ((of_vh - turn.mT @ vh) / column)
    return back + u @ inner @ vh


@op(several=True, self=_svd_gradient)
def linalg_svd(self: Array, full: bool) -> list[Array]:
    """U, the singular values in falling order, and V transposed, of each matrix."""
    return list(np.linalg.svd(self, full_matrices=full))


# ---------------------------------------------------------------- as the learner calls them

_linalg_svd = linalg_svd
svd_result, linalg_svd_result = named_result("svd", "U", "S", "V"), named_result("linalg_svd", "U", "S", "Vh")


def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:  # type: ignore[no-redef]
    """`linalg.svd`: (U, S, Vh) of A = U diag(S) Vh, of a matrix or each of a batch.

    S (…, k) falls, k the smaller of m and n; the columns of U and the rows of Vh are orthonormal, and of either sign.
    `full_matrices`: U (m, m) and Vh (n, n); else U (m, k) and Vh (k, n). LinAlgError if A is not finite.
    """
    check_svd(A)
    if driver is not None:
        raise RuntimeError("minigrad.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs")
    return linalg_svd_result(*_linalg_svd(A, bool(full_matrices)))


def check_svd(A: Tensor) -> None:
    """Raise unless A is a matrix, or a batch, of finite float32 or float64 numbers."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    check_finite("linalg.svd", A._array)


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """(U, S, V) of input = U diag(S) V', of a matrix or each of a batch.

    `some`: U (m, k) and V (n, k), with k the smaller of m and n; else square. Without `compute_uv`, U and V are zeros.
    """
    u, s, vh = linalg_svd(input, not some)
    if compute_uv:
        return svd_result(u, s, vh.mT)
    rows, columns = input.shape[-2:]
    zeros = [from_array(np.zeros((*input.shape[:-2], size, size), input._array.dtype)) for size in (rows, columns)]
    return svd_result(zeros[0], s, zeros[1])


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of a matrix or each of a batch, in falling order: (…, k)."""
    check_svd(A)
    if not (A.requires_grad and is_recording()):
        return from_array(np.linalg.svd(A._array, compute_uv=False))
    values: Tensor = linalg_svd(A, False, driver=driver).S
    return values
