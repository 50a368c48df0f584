"""Sums and means: sum, mean, nansum, nanmean.

After this module a reader knows where a gradient goes when elements were added up: to all of them alike (sum), to each
its share (mean), to none that was nan (nansum).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.reductions.dims import count, expand_reduced, np_sum, wrap_dims
from minigrad.public import Dims, Dtype, public
from minigrad.tensor import Tensor, from_array

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


@op(self=lambda F, g, self, dim, keepdim: expand_reduced(F, g, self.shape, dim, keepdim) * (self == self))
def nansum(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The sums along some dimensions, with nan as 0."""
    return np_sum(np.where(self == self, self, 0), axis=dim, keepdims=keepdim)


# ---------------------------------------------------------------- as the learner calls them

_nansum = nansum


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


@public  # type: ignore[no-redef]
def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The sum of all elements that are not nan, or along the dimensions `dim`.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    kind = total_dtype("nansum", input, dtype)
    if not kind.is_floating_point:  # then a nan would become some number
        return sum(from_array(np.where(input._array == input._array, input._array, 0)[()]), dim, keepdim, dtype=kind)
    return _nansum(input.to(kind), wrap_dims(dim, input.ndim), keepdim)


@public
def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The mean of all elements that are not nan, or along the dimensions `dim`; nan where there are none.

    Needs a floating dtype.
    """
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.tensor_type}: "
            "convert the tensor first, as in x.float().nanmean()"
        )
    total = nansum(input, dim, keepdim, dtype=dtype)
    numbers = np_sum(~np.isnan(input._array), axis=wrap_dims(dim, input.ndim), keepdims=keepdim)
    return total / from_array(numbers.astype(total._array.dtype))
