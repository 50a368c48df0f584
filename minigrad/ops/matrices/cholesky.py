"""A = L L': the Cholesky factorization of symmetric positive-definite matrices, linalg.cholesky.

After this module a reader knows how a small change of A changes its triangular root L, and so its gradient: that of
I. Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.matrices.checks import LinAlgError, check_floating, check_square
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g: F.half_lower(g))
def half_lower(self: Array) -> Array:
    """Each matrix with zeros above its diagonal, and the diagonal halved (Murray's function Phi)."""
    return np.tril(self, -1) + self * (np.eye(self.shape[-1], dtype=self.dtype) / 2)


def _cholesky_gradient(F: Any, g: Any, result: Any, upper: bool) -> Any:
    lower, g = (result.mT, g.mT) if upper else (result, g)
    inner = F.half_lower(lower.mT @ g)
    half = F.linalg_solve(lower.mT, inner, True, False)
    whole = F.linalg_solve(lower, half, False, False)
    return (whole + whole.mT) / 2


@op(name="LinalgCholeskyExBackward0", self=_cholesky_gradient)
def linalg_cholesky(self: Array, upper: bool) -> Array:
    """The triangular matrix that, times itself transposed, gives each matrix. Looks at one triangle of it only."""
    symmetric = self.mT if upper else self  # numpy reads the lower triangle
    try:
        lower = np.linalg.cholesky(symmetric)
    except np.linalg.LinAlgError:
        raise _not_positive_definite(symmetric) from None
    if np.isnan(lower).any():
        raise _not_positive_definite(symmetric)
    return lower.mT if upper else lower


def _not_positive_definite(matrices: Array) -> LinAlgError:
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


# ---------------------------------------------------------------- as the learner calls it


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """L of A = L L', lower triangular, for a symmetric positive-definite matrix or each of a batch.

    `upper`: U = L' instead. Only one triangle of A is read. LinAlgError if A is not positive-definite.
    """
    check_square("linalg.cholesky", A, "A" if isinstance(A, Tensor) else "input")
    check_floating("linalg.cholesky", A)
    return linalg_cholesky(A, bool(upper))
