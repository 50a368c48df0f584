"""Determinants: det.

After this module a reader knows that the derivative of a determinant by an element is that element's cofactor, and that
the gradient of its logarithm is the inverse, transposed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.matrices import inverse as _inverse  # noqa: F401  # for F.linalg_inv
from minigrad.ops.matrices.checks import check_floating, check_square
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("det",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


@op(self=lambda F, g, self: g[..., None, None] * F.cofactors(self))
def linalg_det(self: Array) -> Array:
    """The determinant of each matrix. Its derivative by an element is that element's cofactor."""
    return np.linalg.det(self)


def _gradient_of_cofactors(F: Any, g: Any, self: Any, result: Any) -> Any:
    """From C = det(A) B with B the inverse, transposed: dC = <B, dA> C - C dA' B."""
    inverse = F.linalg_inv(self).mT
    return F.sum_dims(g * inverse, (g.ndim - 2, g.ndim - 1), True) * result - result @ g.mT @ inverse


@op(self=_gradient_of_cofactors)
def cofactors(self: Array) -> Array:
    """For each element the determinant of what is left without its row and column, with alternating signs."""
    try:
        return np.linalg.det(self)[..., None, None] * np.linalg.inv(self).mT
    except np.linalg.LinAlgError:  # a singular matrix has cofactors, too: from singular values, leaving out one each
        u, s, vh = np.linalg.svd(self)
        others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(-1)
        signs = np.linalg.det(u) * np.linalg.det(vh)
        return (u * (signs[..., None, None] * others[..., None, :])) @ vh


# ---------------------------------------------------------------- as the learner calls them


def det(input: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each of a batch."""
    check_square("linalg.det", input)
    check_floating("linalg.det", input)
    return linalg_det(input)
