"""Lengths and directions of vectors. The gradient of a length is a direction: each element over the length. (Norms of
matrices: see matrices/norms.py.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.pointwise.choices import clamp_min
from minigrad.ops.reductions.dims import expand_reduced, np_max, np_min, np_sum, wrap_dims
from minigrad.ops.shapes.expanding import broadcast_tensors
from minigrad.public import Dims, Dtype, checked, public
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def norm_gradient(F: Any, g: Any, self: Any, result: Any, p: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of a norm: of the elements' signs, powers and the norm itself. At a norm of 0 it is 0."""
    g, result = (expand_reduced(F, value, self.shape, dim, keepdim) for value in (g, result))
    if p == 0:
        return F.zeros(self.shape, self)  # a count has steps
    if p == 1:
        return g * F.sign(self)
    if p == 2:
        return g * F.where(result == 0, 0, self / result)
    if math.isinf(p):
        return g * F.sign(self) * F.shares_of_ties(F.abs(self), result, dim, True)
    slope = F.sign(self) * F.abs(self) ** (p - 1)
    if p < 1:
        return g * F.where(self == 0, 0, slope) * result ** (1 - p)
    return g * F.where(result == 0, 0, slope / result ** (p - 1))


@op(
    name="LinalgVectorNormBackward0",
    self=norm_gradient,
)
def vector_norm(self: Array, p: float, dim: tuple[int, ...], keepdim: bool) -> Array:
    """(sum |x|^p)^(1/p) along some dimensions: for 0 how many are not 0, for inf and -inf the extremes of |x|."""
    if p == 0:
        return np_sum(self != 0, axis=dim, keepdims=keepdim).astype(self.dtype)
    if p == 2:
        return np.sqrt(np_sum(self * self, axis=dim, keepdims=keepdim))
    sizes = np.abs(self)
    if math.isinf(p):
        return (np_max if p > 0 else np_min)(sizes, axis=dim, keepdims=keepdim)
    return np_sum(sizes**p, axis=dim, keepdims=keepdim) ** (1 / p)


# ---------------------------------------------------------------- as the learner calls them


@public
def norm(input: Tensor, p: Any = "fro", dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The length of the tensor, or of its vectors along the dimensions `dim`: (sum |x|^p)^(1/p).

    Args:
        p: 2 unless given ("fro" is the same); 1 for the sum of sizes, inf and -inf for the largest and the smallest
            size, 0 for the number of elements that are not 0.
        dtype: a floating dtype to convert to first.
    """
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{input.dtype.tensor_type}: convert it first, as in x.float().norm()"
        )
    dims = wrap_dims(dim, input.ndim)
    order = _order_of_norm(p, dims, dim is not None)
    if dtype is not None:
        if not dtype.is_floating_point:
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got {dtype.tensor_type}"
            )
        input = input.to(dtype)
    if order < 0 or math.isinf(order):
        _check_identity(input, order, dims, dim is None)
    return vector_norm(input, order, dims, keepdim)


def _order_of_norm(p: Any, dims: tuple[int, ...], chosen: bool) -> float:
    """Which norm is meant, as a number."""
    if p is None:
        return 2
    if not isinstance(p, str):
        return int(p) if math.isfinite(p) and p == int(p) else p
    if p == "nuc":
        raise RuntimeError("norm(p='nuc') is not supported here: it is the sum of a matrix's singular values")
    if p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported. Choose 'fro' or a number.")
    if chosen and len(dims) > 2:
        raise RuntimeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}: with p=2 there may be more"
        )
    return 2


def _check_identity(input: Tensor, order: float, dims: tuple[int, ...], all_of_them: bool) -> None:
    """Raise if there is no smallest or largest element to be found."""
    if input.numel() or not input.ndim:
        return
    if all_of_them:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {order} norm on an empty tensor because the operation does not "
            "have an identity"
        )
    for d in dims:
        if input.shape[d] == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {order} norm on the dimension {d}because this dimension is "
                "empty and the operation does not have an identity"
            )


# ---------------------------------------------------------------- directions


@checked
def normalize(input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` brought to length 1: input / max(its p-norm, eps)."""
    made = input / clamp_min(norm(input, p, dim, True), eps).expand(input.shape)
    return made if out is None else out.copy_(made)


@checked
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`: their dot product over their lengths (at least `eps`)."""
    kind = dtypes.promote(x1._array, x2._array)
    if not kind.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {kind.tensor_type}: convert the vectors "
            "first, as in x.float()"
        )
    x1, x2 = broadcast_tensors(x1.to(kind), x2.to(kind))
    dim = wrap_dim(dim, x1.ndim)
    first, second = (x / clamp_min(norm(x, 2, dim, True), eps) for x in (x1, x2))
    return (first * second).sum(dim)
