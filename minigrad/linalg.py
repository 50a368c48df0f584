"""Linear algebra under PyTorch's names: `minigrad.linalg.solve(A, b)`.

After this module a reader knows where each function is written, all of them in ops/matrices/: products in linalg.py and
chains.py, inverses and determinants in inverse.py, the other factorizations in factorization.py, norms in norms.py.
All of them take batches: the last two dimensions are matrices.
"""

from __future__ import annotations

from typing import Any

from minigrad.ops.matrices.chains import matrix_power, multi_dot
from minigrad.ops.matrices.factorization import (
    cholesky,
    eigh,
    eigvalsh,
    lstsq,
    matrix_rank,
    pinv,
    qr,
    svdvals,
)
from minigrad.ops.matrices.factorization import linalg_svd_of as svd
from minigrad.ops.matrices.inverse import LinAlgError, det, inv, solve, solve_triangular
from minigrad.ops.matrices.inverse import linalg_slogdet_of as slogdet
from minigrad.ops.matrices.linalg import matmul
from minigrad.ops.matrices.norms import cond, matrix_norm, norm, vector_norm
from minigrad.ops.matrices.products import crossed as cross
from minigrad.ops.matrices.products import vecdot
from minigrad.ops.shapes.shape import diagonal as _diagonal
from minigrad.tensor import Tensor

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "vecdot",
    "vector_norm",
]


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of each matrix, as a view; `offset`: how far above the main one."""
    return _diagonal(A, offset, dim1, dim2)
