"""Sums and means. The gradient of a sum goes to all its elements alike, that of a mean to each its share."""

from __future__ import annotations

import math
from typing import Any

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.reductions.dims import count, expand_reduced, np_sum, wrap_dims
from minigrad.public import Dims, Dtype, public
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(name="SumBackward0", self=lambda F, g, self_shape: F.expand(g, self_shape))
def sum_all(self: Array) -> Array:
    """The sum of all elements."""
    return np_sum(self, axis=None)


@op(name="SumBackward1", self=lambda F, g, self_shape, dim, keepdim: expand_reduced(F, g, self_shape, dim, keepdim))
def sum_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The sums along some dimensions."""
    return np_sum(self, axis=dim, keepdims=keepdim)


@op(name="MeanBackward0", self=lambda F, g, self_shape: F.expand(g / math.prod(self_shape), self_shape))
def mean_all(self: Array) -> Array:
    """The mean of all elements."""
    return np_sum(self, axis=None) / self.size


def mean_gradient(F: Any, g: Any, shape: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of means along some dimensions: an equal share for each element."""
    return expand_reduced(F, g / count(shape, dim), shape, dim, keepdim)


@op(name="MeanBackward1", self=lambda F, g, self_shape, dim, keepdim: mean_gradient(F, g, self_shape, dim, keepdim))
def mean_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The means along some dimensions."""
    return np_sum(self, axis=dim, keepdims=keepdim) / count(self.shape, dim)


# ---------------------------------------------------------------- as the learner calls them


def total_dtype(function: str, input: Tensor, dtype: Any) -> dtypes.dtype:
    """The dtype of a total: what was asked for; else int64 for integers and bools, which would soon overflow theirs."""
    if dtype is not None:
        return dtypes.resolve(dtype, function)
    return dtypes.int64 if input.dtype.category < 2 else input.dtype


@public
def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The sum of all elements, or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    if dtype is not None:
        return sum(input.to(dtype), dim, keepdim).to(dtype)
    if input.dtype.category < 2:
        input = input.to(dtypes.int64)
    return sum_all(input) if dim is None and not keepdim else sum_dims(input, wrap_dims(dim, input.ndim), keepdim)


@public
def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The mean of all elements, or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Needs a floating dtype.
    """
    kind = input.dtype if dtype is None else dtype
    if not kind.is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {kind.tensor_type}. Convert it first, as in x.float().mean()."
        )
    input = input.to(kind)
    return mean_all(input) if dim is None and not keepdim else mean_dims(input, wrap_dims(dim, input.ndim), keepdim)
