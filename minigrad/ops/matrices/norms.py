"""Lengths of vectors and matrices.

After this module a reader knows which norm of a matrix is which: `fro` is the length of all its elements as one vector;
1 and inf are the largest sums of columns and of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.operands import check_tensors
from minigrad.ops.matrices.checks import check_matrix
from minigrad.ops.operands import NUMBERS
from minigrad.ops.reductions import extremes
from minigrad.ops.reductions.dims import wrap_dims
from minigrad.ops.reductions.vector_norm import vector_norm as vector_norm_op
from minigrad.tensor import Tensor, from_array, wrap_dim

Dims = int | Sequence[int] | None
Order = float | str | None


def _converted(function: str, input: Any, dtype: Any) -> Tensor:
    """The input in the dtype asked for, which must be a floating one and as wide."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{function.replace('.', '_')}(): argument 'A' (position 1) must be Tensor, not {type(input).__name__}"
        )
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"{function}: Expected a floating point or complex tensor as input. Got {input.dtype.tensor_type}: convert "
            "it first, as in x.float()"
        )
    if dtype is None:
        return input
    kind = dtypes.resolve(dtype, function)
    if not kind.is_floating_point:
        raise RuntimeError(f"{function}: dtype should be floating point or complex, but got {kind.tensor_type}")
    if kind.itemsize < input.dtype.itemsize:
        raise RuntimeError(
            f"{function}: the dtype of the input ({input.dtype.tensor_type}) should be convertible without narrowing "
            f"to the specified dtype ({kind.tensor_type})"
        )
    return input.to(kind)


def vector_norm(x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """(sum |x|^ord)^(1/ord), of all elements or along the dimensions `dim`.

    `ord`: inf and -inf stand for the largest and the smallest size, 0 for the number of elements that are not 0.
    """
    if not isinstance(ord, NUMBERS):
        raise TypeError(
            f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}: {ord!r}"
        )
    input = _converted("linalg.vector_norm", x, dtype)
    dims = wrap_dims(dim, input.ndim)
    order = float(ord)
    if (order < 0 or math.isinf(order)) and not input.numel():
        _check_identity(input, f"{order:g}", dims, dim is None or (not isinstance(dim, int) and not len(dim)))
    return vector_norm_op(input, order, dims, keepdim)


def _check_identity(input: Tensor, order: str, dims: tuple[int, ...], all_of_them: bool) -> None:
    """Raise if there is no smallest or largest element to be found."""
    for dim in dims:
        if input.shape[dim] == 0:
            empty = (
                "an empty tensor because" if all_of_them else f"the dimension {dim}because this dimension is empty and"
            )
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {order} norm on {empty} the operation does not have an identity"
            )


def matrix_norm(
    A: Tensor, ord: float | str = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """A norm of each matrix that two dimensions make.

    `ord`: "fro" (all elements as one vector), 1 and -1 (the largest and the smallest sum of a column), inf and -inf
    (of a row). PyTorch has those made of singular values, too.
    """
    check_matrix("linalg.matrix_norm", A)
    if isinstance(dim, int):
        raise TypeError("linalg_matrix_norm() received an invalid combination of arguments: dim has two dimensions")
    input = _converted("linalg.matrix_norm", A, dtype)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    rows, columns = (wrap_dim(d, input.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(input, 2, (rows, columns), keepdim)
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported. There are 'fro', 1, -1, inf and -inf here.")
    along, over = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm(input, 1, along, keepdim)
    return _extreme(sums, over if keepdim or over < along else over - 1, ord > 0, keepdim)


def _extreme(input: Tensor, dim: int, largest: bool, keepdim: bool = False) -> Tensor:
    """The largest or the smallest along a dimension; 0 of none. Equal ones share the gradient."""
    if not input.shape[dim]:
        kept = (1,) if keepdim else ()
        return from_array(np.zeros((*input.shape[:dim], *kept, *input.shape[dim + 1 :]), input._array.dtype))
    return (extremes.amax if largest else extremes.amin)(input, dim, keepdim)


def norm(A: Tensor, ord: Order = None, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """`vector_norm` or `matrix_norm`, by how many dimensions there are.

    Without `ord`, the length of all elements, or of those along `dim`, as one vector. With it, a vector's norm for a
    vector or one `dim`, a matrix's norm for a matrix or two of them.
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    check_tensors("linalg_norm", A=A)
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if dims is None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D"
        )
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if isinstance(ord, str) or len(dims or A.shape) == 2:
        return matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(A, ord, dims, keepdim, dtype=dtype)
