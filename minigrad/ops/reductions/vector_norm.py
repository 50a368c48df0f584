"""Lengths of vectors. The gradient of a length is a direction: each element over the length. (A matrix's is that of all
its elements as one vector.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import Array, op
from minigrad.ops.pointwise.choices import clamp
from minigrad.ops.reductions.dims import expand_reduced, np_max, np_min, np_sum, wrap_dims
from minigrad.public import Dims, public, with_checks
from minigrad.tensor import Tensor


def norm_gradient(F: Any, g: Any, self: Any, result: Any, p: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of a norm: of the elements' signs, powers and the norm itself. At a norm of 0 it is 0."""
    g, result = (expand_reduced(F, value, self.shape, dim, keepdim) for value in (g, result))
    if p == 0:
        return None  # a count has steps: PyTorch leaves its derivative undefined
    if p == 1:
        return g * F.sign(self)
    if p == 2:
        return g * F.where(result == 0, 0, self / result)
    if math.isinf(p):
        return g * F.sign(self) * F.shares_of_ties(F.abs(self), result, dim)
    slope = F.sign(self) * F.abs(self) ** (p - 1)
    if p < 1:
        return g * F.where(self == 0, 0, slope) * result ** (1 - p)
    return g * (slope / F.where(result == 0, 1, result) ** (p - 1))  # of zeros the slope is 0 by itself


@op(constants=("best",))
def shares_of_ties(self: Array, best: Array, dim: tuple[int, ...]) -> Array:
    """1 over the number of ties along some dimensions where an element equals the best, or is nan; else 0."""
    winners = (self == best) | (self != self)
    return (winners / np_sum(winners, axis=dim, keepdims=True)).astype(self.dtype)


@op(name="LinalgVectorNormBackward0", self=norm_gradient)
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
def norm(input: Tensor, p: Any = "fro", dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The length of the tensor, or of its vectors along the dimensions `dim`: (sum |x|^p)^(1/p).

    Args:
        p: 2 unless given ("fro" is the same); 1 for the sum of sizes, inf and -inf for the largest and the smallest
            size, 0 for the number of elements that are not 0.
    """
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported. Choose 'fro' or a number.")
    return _norm_along(input, 2 if p is None or p == "fro" else p, dim, keepdim)


@with_checks
def linalg_norm(A: Tensor, ord: Any = None, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The length of all elements, or of those along `dim`, as one vector.

    `ord`: as `p` in `norm`, for a vector or one `dim`; of a matrix or two of them "fro", which is the length again.
    """
    dims = (dim,) if isinstance(dim, int) else dim
    if ord is not None and dims is None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D"
        )
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if isinstance(ord, str) or (ord is not None and len(dims or A.shape) == 2):
        if ord != "fro":
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported. Of a matrix there is 'fro' here.")
        if A.ndim < 2:
            raise RuntimeError(f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions. Got {A.ndim}")
        if dims is not None and len(dims) != 2:
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dims[0]}")
    return _norm_along(A, 2 if ord in (None, "fro") else ord, dims, keepdim)


def _norm_along(input: Tensor, p: float, dim: Dims, keepdim: bool) -> Tensor:
    """A norm of vectors, for an input and dimensions that are checked here."""
    name, kind = "linalg.vector_norm", input.dtype
    if not kind.is_floating_point:
        got = f"Expected a floating point or complex tensor as input. Got {kind.tensor_type}"
        raise RuntimeError(f"{name}: {got}: try x.float()")
    dims = wrap_dims(dim, input.ndim)
    if (p < 0 or math.isinf(p)) and input.ndim and not input.numel():  # there is no smallest or largest
        for empty in [d for d in dims if input.shape[d] == 0]:
            why = f"the dimension {empty}because this dimension is empty and the"
            where = "an empty tensor because the" if dim in (None, ()) else why
            raise RuntimeError(f"{name} cannot compute the {p:g} norm on {where} operation does not have an identity")
    return vector_norm(input, p, dims, keepdim)


@with_checks
def normalize(input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Tensor:
    """Each vector along `dim` over its p-norm, or over `eps` where that is larger: with norm 1, or zeros."""
    return input / clamp(norm(input, p, dim, True), eps)
