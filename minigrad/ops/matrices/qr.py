"""A = Q R: an orthogonal matrix times an upper triangular one, linalg.qr.

After this module a reader knows how a small change of A turns Q and stretches R: the gradient is that of M. Seeger et
al., "Auto-Differentiating Linear Algebra" (2017), and for wide matrices that of its square part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.matrices import cholesky, inverse  # noqa: F401  # for F.half_lower and F.linalg_solve_triangular
from minigrad.ops.matrices.checks import check_floating, check_matrix
from minigrad.return_types import named_result
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _qr_gradient(F: Any, g: Any, self: Any, mode: str) -> Any:
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
        return _tall_qr_gradient(F, of_q, of_r, q, r)
    # a wide matrix [X Y]: X = Q U is square, and R = [U Q'Y]
    y, of_v = self[..., rows:], of_r[..., rows:]
    of_x = _tall_qr_gradient(F, of_q + y @ of_v.mT, of_r[..., :rows], q, r[..., :rows])
    return F.cat(of_x, q @ of_v, dim=self.ndim - 1)


def _tall_qr_gradient(F: Any, of_q: Any, of_r: Any, q: Any, r: Any) -> Any:
    inner = r @ of_r.mT - of_q.mT @ q
    lower = F.half_lower(inner)
    return F.linalg_solve_triangular(r.mT, of_q + q @ (lower + lower.mT), False, False, False)


@op(several=True, self=_qr_gradient)
def linalg_qr(self: Array, mode: Any) -> list[Array]:
    """An orthogonal matrix and an upper triangular one, whose product each matrix is."""
    if mode == "r":
        return [np.zeros(0, self.dtype), np.linalg.qr(self, "r")]
    return list(np.linalg.qr(self, mode))


# ---------------------------------------------------------------- as the learner calls it

qr_result = named_result("linalg_qr", "Q", "R")


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
