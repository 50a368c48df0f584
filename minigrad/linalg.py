"""Linear algebra under PyTorch's names: `minigrad.linalg.solve(A, b)`.

All of it takes batches: the last two dimensions are matrices.
"""

from __future__ import annotations

from minigrad.absent import attributes_of
from minigrad.ops.matrices.checks import LinAlgError
from minigrad.ops.matrices.cholesky import cholesky
from minigrad.ops.matrices.determinant import det
from minigrad.ops.matrices.inverse import inv, solve
from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.matrices.norms import matrix_norm, norm, vector_norm

__all__ = ["LinAlgError", "cholesky", "det", "inv", "matmul", "matrix_norm", "norm", "solve", "vector_norm"]
__getattr__ = attributes_of(__name__)
