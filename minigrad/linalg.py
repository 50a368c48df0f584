"""Linear algebra under PyTorch's names: `minigrad.linalg.solve(A, b)`.

After this module a reader knows what there is, and that all of it takes batches: the last two dimensions are matrices.
Each function is written in the file of ops/matrices/ that has its name.
"""

from __future__ import annotations

from typing import Any

from minigrad.absent import attributes_of
from minigrad.ops.matrices.checks import LinAlgError
from minigrad.ops.matrices.cholesky import cholesky
from minigrad.ops.matrices.cross import linalg_cross as cross
from minigrad.ops.matrices.determinant import det
from minigrad.ops.matrices.determinant import linalg_slogdet as slogdet
from minigrad.ops.matrices.eigh import eigh, eigvalsh
from minigrad.ops.matrices.inverse import inv, solve, solve_triangular
from minigrad.ops.matrices.least_squares import lstsq, matrix_rank, pinv
from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.matrices.matrix_power import matrix_power
from minigrad.ops.matrices.multi_dot import multi_dot
from minigrad.ops.matrices.norms import cond, matrix_norm, norm, vector_norm
from minigrad.ops.matrices.qr import qr
from minigrad.ops.matrices.svd import linalg_svd as svd
from minigrad.ops.matrices.svd import svdvals
from minigrad.ops.matrices.tensordot import vecdot
from minigrad.ops.shapes.diagonals import diagonal as _diagonal
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
__getattr__ = attributes_of(__name__)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of each matrix, as a view; `offset`: how far above the main one."""
    return _diagonal(A, offset, dim1, dim2)
