"""Triangles of matrices: tril, triu.

After this module a reader knows that a mask of zeros is its own gradient's mask: what was left out has no influence,
and so no gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("tril", "triu")  # the functions that are methods of Tensor, too
IN_PLACE = ("tril", "triu")  # those that have an in-place form, with a trailing underscore
OUT = ("tril", "triu")  # those that take out=


@op(self=lambda F, g, diagonal: F.tril(g, diagonal))
def tril(self: Array, diagonal: int) -> Array:
    """Each matrix with zeros above a diagonal."""
    return np.tril(self, diagonal)


@op(self=lambda F, g, diagonal: F.triu(g, diagonal))
def triu(self: Array, diagonal: int) -> Array:
    """Each matrix with zeros below a diagonal."""
    return np.triu(self, diagonal)


# ---------------------------------------------------------------- as the learner calls them

_tril, _triu = tril, triu


def _check_matrices(name: str, input: Tensor) -> Tensor:
    (input,) = tensor_operands(name, input)
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, not {input.ndim}")
    return input


def tril(input: Tensor, diagonal: int = 0) -> Tensor:  # type: ignore[no-redef]
    """The lower triangle of each matrix: zeros above the diagonal that is `diagonal` above the main one."""
    return _tril(_check_matrices("tril", input), int(diagonal))


def triu(input: Tensor, diagonal: int = 0) -> Tensor:  # type: ignore[no-redef]
    """The upper triangle of each matrix: zeros below the diagonal that is `diagonal` above the main one."""
    return _triu(_check_matrices("triu", input), int(diagonal))
