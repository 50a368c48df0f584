"""Linear algebra under PyTorch's names: `minigrad.linalg.solve(A, b)`.

All of it takes batches: the last two dimensions are matrices.
"""

from minigrad.absent import attributes_of
from minigrad.ops.matrices.matmul import matmul as _matmul
from minigrad.ops.matrices.solving import LinAlgError
from minigrad.ops.matrices.solving import linalg_cholesky as cholesky
from minigrad.ops.matrices.solving import linalg_det as det
from minigrad.ops.matrices.solving import linalg_inv as inv
from minigrad.ops.matrices.solving import linalg_solve as solve
from minigrad.ops.reductions.vector_norm import linalg_norm as norm
from minigrad.public import with_checks

matmul = with_checks(_matmul)
matmul.__module__ = __name__  # where pickle looks for it

__all__ = ["LinAlgError", "cholesky", "det", "inv", "matmul", "norm", "solve"]
__getattr__ = attributes_of(__name__)
