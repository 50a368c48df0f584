"""A = V diag(L) V': eigenvalues and eigenvectors of symmetric matrices, linalg.eigh and linalg.eigvalsh.

After this module a reader knows how a small change of A moves its eigenvalues and turns its eigenvectors: the gradient
is that of M. Giles, "An extended collection of matrix derivative results" (2008). Where two eigenvalues are equal, the
gradient of their vectors is not defined (inf or nan); that of the values is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import is_recording
from minigrad.op import op
from minigrad.ops.matrices.checks import check_square
from minigrad.return_types import named_result
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, result: -g * (result * result))
def reciprocal_off_diagonal(self: Array) -> Array:
    """1 / each element off the diagonal of each matrix, and 0 on it."""
    on = np.eye(self.shape[-1], dtype=bool)
    return np.where(on, 0, 1 / np.where(on, 1, self)).astype(self.dtype)


def _eigh_gradient(F: Any, g: Any, self: Any, uplo: str) -> Any:
    values, vectors = F.linalg_eigh(self, uplo)
    of_values, of_vectors = g
    back = 0 if of_values is None else (vectors * of_values[..., None, :]) @ vectors.mT
    if of_vectors is None:
        return back
    gaps = F.reciprocal_off_diagonal(values[..., None, :] - values[..., :, None])
    turn = vectors @ ((vectors.mT @ of_vectors) * gaps) @ vectors.mT
    return back + (turn + turn.mT) / 2


@op(several=True, self=_eigh_gradient)
def linalg_eigh(self: Array, uplo: Any) -> list[Array]:
    """The eigenvalues, in rising order, and the eigenvectors, as columns, of each symmetric matrix."""
    values, vectors = np.linalg.eigh(self, uplo)
    return [values, vectors]


# ---------------------------------------------------------------- as the learner calls them

eigh_result = named_result("linalg_eigh", "eigenvalues", "eigenvectors")


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """(eigenvalues, eigenvectors) of a symmetric matrix or each of a batch: A = V diag(L) V'.

    The values rise, (…, n), the vectors are columns, (…, n, n), of length 1 and of either sign. `UPLO`: which triangle
    of A is read, "L" or "U".
    """
    return eigh_result(*linalg_eigh(A, _checked_triangle(A, UPLO, "linalg_eigh")))


def _checked_triangle(A: Tensor, uplo: str, function: str) -> Any:
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
    triangle = _checked_triangle(A, UPLO, "linalg_eigvalsh")
    if A.requires_grad and is_recording():  # the gradient needs the vectors
        values: Tensor = linalg_eigh(A, triangle)[0]
        return values
    return from_array(np.linalg.eigvalsh(A._array, triangle))
