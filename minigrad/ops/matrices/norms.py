"""Lengths of vectors: linalg.vector_norm and linalg.norm. A matrix's is that of all its elements as one vector."""

from __future__ import annotations

from typing import Any

from minigrad.ops.reductions.vector_norm import norm_along
from minigrad.public import Dims, Dtype, Number, checked
from minigrad.tensor import Tensor


@checked
def linalg_vector_norm(
    x: Tensor, ord: Number = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None
) -> Tensor:
    """(sum |x|^ord)^(1/ord), of all elements or along the dimensions `dim`.

    `ord`: inf and -inf stand for the largest and the smallest size, 0 for the number of elements that are not 0.
    """
    return norm_along(x, ord, dim, keepdim, dtype)


@checked
def linalg_norm(A: Tensor, ord: Any = None, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The length of all elements, or of those along `dim`, as one vector.

    `ord`: as in `vector_norm`, for a vector or one `dim`; of a matrix or two of them "fro", which is the length again.
    """
    dims = (dim,) if isinstance(dim, int) else dim
    if ord is not None and dims is None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D"
        )
    if ord is not None and dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if isinstance(ord, str) or (ord is not None and len(dims or A.shape) == 2):
        if ord != "fro":
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported. Of a matrix there is 'fro' here.")
        if A.ndim < 2:
            raise RuntimeError(
                f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions. It has {A.ndim}."
            )
        if dims is not None and len(dims) != 2:
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dims[0]}")
    return norm_along(A, 2 if ord in (None, "fro") else ord, dims, keepdim, dtype)
