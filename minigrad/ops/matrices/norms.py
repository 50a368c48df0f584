"""Lengths of vectors and matrices: linalg.vector_norm, matrix_norm, norm.

Of a matrix, `fro` is the length of all its elements as one vector; 1 and inf are the largest sums of columns and of
rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.ops.matrices.solving import check_matrix
from minigrad.ops.reductions import extremes
from minigrad.ops.reductions.vector_norm import converted, norm_along
from minigrad.public import Dims, Dtype, Number, checked
from minigrad.tensor import Tensor, from_array, wrap_dim


@checked
def linalg_vector_norm(
    x: Tensor, ord: Number = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None
) -> Tensor:
    """(sum |x|^ord)^(1/ord), of all elements or along the dimensions `dim`.

    `ord`: inf and -inf stand for the largest and the smallest size, 0 for the number of elements that are not 0.
    """
    return norm_along(x, ord, dim, keepdim, dtype)


@checked
def linalg_matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Dtype = None
) -> Tensor:
    """A norm of each matrix that two dimensions make.

    `ord`: "fro" (all elements as one vector), 1 and -1 (the largest and the smallest sum of a column), inf and -inf
    (of a row). PyTorch has those made of singular values, too.
    """
    check_matrix("linalg.matrix_norm", A)
    if isinstance(dim, int):
        raise TypeError("linalg_matrix_norm() received an invalid combination of arguments: dim has two dimensions")
    input = converted("linalg.matrix_norm", A, dtype)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    rows, columns = (wrap_dim(d, input.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return norm_along(input, 2, (rows, columns), keepdim, None)
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported. There are 'fro', 1, -1, inf and -inf here.")
    along, over = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = norm_along(input, 1, along, keepdim, None)
    over = over if keepdim or over < along else over - 1
    if not sums.shape[over]:  # of no sums, the largest is 0
        return from_array(np.zeros([size for d, size in enumerate(sums.shape) if d != over], input._array.dtype))
    return (extremes.amax if ord > 0 else extremes.amin)(sums, over, keepdim)


@checked
def linalg_norm(A: Tensor, ord: Any = None, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """`vector_norm` or `matrix_norm`, by how many dimensions there are.

    Without `ord`, the length of all elements, or of those along `dim`, as one vector. With it, a vector's norm for a
    vector or one `dim`, a matrix's norm for a matrix or two of them.
    """
    if ord is None:
        return linalg_vector_norm(A, 2, dim, keepdim, dtype=dtype)
    dims: Sequence[int] | None = (dim,) if isinstance(dim, int) else dim
    if dims is None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D"
        )
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if isinstance(ord, str) or len(dims or A.shape) == 2:
        return linalg_matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    return linalg_vector_norm(A, ord, dims, keepdim, dtype=dtype)
