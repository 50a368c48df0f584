"""Sums, means, variances and products; whether elements are true; and running sums.

The gradient of a sum goes to all its elements alike, that of a mean to each its share, and that of a product, for each
factor, is the product of the others. That of a variance points away from the mean. The gradient of a running sum runs
the other way: an element counts in all the sums from its own place on. Questions have no gradient.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import warn
from minigrad.half_precision import in_float32
from minigrad.op import Array, arrays, op, tensors
from minigrad.ops.declarations import give_name, numbers_only
from minigrad.ops.pointwise.conversion import in_dtype
from minigrad.ops.reductions.dims import check_dim_given, count, expand_reduced, np_prod, np_sum, wrap_dims
from minigrad.public import Dims, Dtype, public
from minigrad.tensor import Tensor, from_array, wrap_dim


@op(name="SumBackward0", exact="rules", self=lambda F, g, self_shape: F.expand(g, self_shape))
def sum_all(self: Array) -> Array:
    """The sum of all elements."""
    return np_sum(self, axis=None, dtype=self.dtype)


@op(name="SumBackward1", exact="rules", self=expand_reduced)
def sum_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The sums along some dimensions."""
    return np_sum(self, axis=dim, keepdims=keepdim, dtype=self.dtype)


@op(self=lambda F, g, self_shape: F.expand(F.reshape(g, (-1, *(1,) * (len(self_shape) - 2))), self_shape))
def channel_sums(self: Array) -> Array:
    """The sum of each channel: (N, C, *size) -> (C,). By a product with ones, a third of the time of np.add.reduce."""
    pixels = math.prod(self.shape[2:])
    rows = np.matmul(self.reshape(*self.shape[:2], pixels), np.ones(pixels, self.dtype))
    return np.add.reduce(rows, 0)


def of_one_function(F: Any, gradient: Any, *inputs: Any) -> Any:
    """For rules: a gradient as a function of inputs on which it does not depend. In PyTorch one function computes all
    the gradients of a layer, and so each is a function of all that this one gets.
    """
    for input in inputs:
        gradient = F.as_function_of(gradient, input)
    return gradient


def channel_bias_gradient(F: Any, g: Any, self: Any, weight: Any) -> Any:
    """The gradient of what a layer adds to each channel."""
    return of_one_function(F, F.channel_sums(g), self, weight)


# Unlike a sum's, this gradient may be written to, here as in PyTorch: it is expanded first, and then divided.
@op(name="MeanBackward0", self=lambda F, g, self_shape: F.expand(g, self_shape) / math.prod(self_shape))
def mean_all(self: Array) -> Array:
    """The mean of all elements."""
    return np_sum(self, axis=None) / self.size


@op(
    name="MeanBackward1",
    self=lambda F, g, self_shape, dim, keepdim: expand_reduced(F, g, self_shape, dim, keepdim) / count(self_shape, dim),
)
def mean_dims(self: Array, dim: tuple[int, ...] | None, keepdim: bool) -> Array:
    """The means along some dimensions."""
    return np_sum(self, axis=dim, keepdims=keepdim) / count(self.shape, dim)


# ---------------------------------------------------------------- variances


def _variance_gradient(F: Any, g: Any, self: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """The gradient of a variance: twice each element's distance from the mean, over the degrees of freedom."""
    freedom = count(self.shape, dim) - correction
    if dim is None and freedom <= 0:  # PyTorch has a rule of its own for the variance of all elements
        return F.where(self == F.mean_dims(self, None, True), g * math.nan, g * math.inf)
    g = expand_reduced(F, g * (2 / freedom if freedom else math.inf), self.shape, dim, keepdim)
    return g * (self - F.mean_dims(self, dim, True))


@op(name="VarBackward0", self=_variance_gradient)
def var(self: Array, dim: tuple[int, ...] | None, correction: float, keepdim: bool) -> Array:
    """The squared distances from the mean along some dimensions, summed, over their count less `correction`."""
    distance = self - arrays.mean_dims(self, dim, True)
    freedom = count(self.shape, dim) - correction
    return np_sum(distance * distance, axis=dim, keepdims=keepdim) / (freedom if freedom > 0 else 0)


def _deviation_gradient(F: Any, g: Any, self: Any, result: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """The gradient of a standard deviation: that of a square root, and then of the variance. At 0 it is 0."""
    return _variance_gradient(F, F.where(result == 0, 0, g / (2 * result)), self, dim, correction, keepdim)


@op(name="StdBackward0", self=_deviation_gradient)
def std(self: Array, dim: tuple[int, ...] | None, correction: float, keepdim: bool) -> Array:
    """The square root of the variance."""
    return np.sqrt(arrays.var(self, dim, correction, keepdim))


# ---------------------------------------------------------------- products


def product_gradient(F: Any, g: Any, self: Any, result: Any, dim: int, keepdim: bool) -> Any:
    """The gradient of a product: for each factor the product of the others. Without zeros that is result / factor."""
    g, result = (expand_reduced(F, value, self.shape, (dim,), keepdim) for value in (g, result))
    return g * (result / self if self.all() else products_of_others(F, self, dim))


def products_before(F: Any, self: Any, dim: int) -> Any:
    """For each element the product of those before it along a dimension.

    As many steps as the size has binary digits: each multiplies with the products of as many factors as there are, from
    so many places before.
    """
    others = (0, 0) * (self.ndim - dim - 1)
    product, step = F.constant_pad(self, (*others, 1, -1), 1.0), 1
    while step < self.shape[dim]:
        product = product * F.constant_pad(product, (*others, step, -step), 1.0)
        step *= 2
    return product


def products_of_others(F: Any, self: Any, dim: int) -> Any:
    """For each element the product of those before it, times the product of those after it along a dimension."""
    after = F.flip(products_before(F, F.flip(self, (dim,)), dim), (dim,))
    return products_before(F, self, dim) * after


@op(
    name="ProdBackward0",
    self=lambda F, g, self, self_shape, result: (
        F.reshape(product_gradient(F, g, F.reshape(self, (-1,)), result, 0, False), self_shape) if self_shape else g
    ),
)
def prod_all(self: Array) -> Array:
    """The product of all elements."""
    return np_prod(self, axis=None, dtype=self.dtype)


@op(name="ProdBackward1", self=product_gradient)
def prod_dim(self: Array, dim: int, keepdim: bool) -> Array:
    """The products along a dimension."""
    return np_prod(self, axis=dim, keepdims=keepdim, dtype=self.dtype)


# ---------------------------------------------------------------- running sums


@op(self=lambda F, g, dim: F.flip(F.cumsum(F.flip(g, (dim,)), dim), (dim,)) if g.shape else g)
def cumsum(self: Array, dim: int) -> Array:
    """For each element the sum of those up to it along a dimension."""
    return np.add.accumulate(self, axis=dim, dtype=self.dtype) + 0 if self.ndim else np.array(self)


# ---------------------------------------------------------------- as the learner calls them


def _in_total_dtype(input: Tensor, dtype: dtypes.dtype | None) -> Tensor:
    """The tensor in the dtype of a total: what was asked for; else int64 for integers and bools, which would soon
    overflow theirs.
    """
    if dtype is not None:
        return in_dtype(input, dtype)
    return in_dtype(input, dtypes.int64) if input.dtype.category < 2 else input


@public
def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The sum of all elements, or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    input = _in_total_dtype(input, dtype)
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
    input = in_dtype(input, kind)
    return mean_all(input) if dim is None and not keepdim else mean_dims(input, wrap_dims(dim, input.ndim), keepdim)


def _spread_function(name: str, along_dims: Any, meaning: str, with_mean: bool = False) -> Any:
    """`var`, `std` and what gives the mean beside them, which have their options in common."""

    def spread(
        input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None and correction is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments: unbiased and correction")
        if not input.dtype.is_floating_point:
            text = f"{name if with_mean else 'std and var'} only support floating point and complex dtypes"
            raise RuntimeError(f"{text}, not {input.dtype}. Convert the tensor first, as in x.float().")
        correction = int(unbiased is not False) if correction is None else correction
        dims = None if dim is None or not input.ndim else wrap_dims(dim, input.ndim)
        result = along_dims(input, dims, correction, keepdim)
        if (input.numel() // result.numel() if result.numel() else 0) <= correction:
            warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
                f"(input numel divided by output numel). Here correction is {correction}, of shape {list(input.shape)}."
            )
        return (result, mean_dims(input, dims, keepdim)) if with_mean else result

    meaning += ", over the count less `correction`: 1 unless given, or 0 with `unbiased=False`."
    return public(overloaded=True, method=not with_mean)(give_name(name, meaning, spread))


var_mean = _spread_function("var_mean", var, "(`var`, `mean`), the variance and the mean", with_mean=True)
std_mean = _spread_function("std_mean", std, "(`std`, `mean`), the standard deviation and the mean", with_mean=True)
var = _spread_function("var", var, "The mean squared distance from the mean")
std = _spread_function("std", std, "The standard deviation, the square root of `var`")


@public
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The product of all elements, or along one dimension `dim`; `keepdim` leaves that with size 1.

    Integers and bools multiply in int64, unless `dtype` says otherwise.
    """
    input = _in_total_dtype(input, dtype)
    if dim is None:
        check_dim_given("prod", keepdim)
        return prod_all(input)
    dim = wrap_dim(dim, input.ndim)
    return prod_dim(input, dim, keepdim) if input.ndim else prod_all(input)


@public(name="cumsum", in_place="method")
def running_sum(input: Tensor, dim: int, *, dtype: Dtype = None) -> Tensor:
    """For each element the sum of those up to it along `dim`.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    input = _in_total_dtype(input, dtype)
    numbers_only("cumsum_out_cpu", input._array)
    return cumsum(input, wrap_dim(dim, input.ndim))


@public(in_place="method")
def cumprod(input: Tensor, dim: int, *, dtype: Dtype = None) -> Tensor:
    """For each element the product of those up to it along `dim`; integers and bools multiply in int64."""
    input = _in_total_dtype(input, dtype)
    dim = wrap_dim(dim, input.ndim)
    if not input.ndim or not input.numel():
        return input.clone()
    multiply = _products_in_half if input.dtype is dtypes.float16 else _products_up_to
    return multiply(input, dim)


def _products_up_to(input: Tensor, dim: int) -> Any:
    return products_before(tensors, input, dim) * input


_products_in_half = in_float32(_products_up_to, tensors)  # one kernel in PyTorch, so that none of its steps is rounded


def _answer(ask: Any, input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """`all` and `any`. Along an empty tuple, here as in PyTorch, each element is asked; uint8, which once stood for
    bools in PyTorch, is answered in uint8.
    """
    dims = dim if dim is None or dim == () else wrap_dims(dim, input.ndim)
    answer = ask(input._array, axis=dims, keepdims=keepdim)
    return from_array(answer.astype(np.uint8) if input._array.dtype == np.uint8 else answer)


@public
def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true (not zero), everywhere or along the dimensions `dim`."""
    return _answer(np.all, input, dim, keepdim)


@public
def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true (not zero), everywhere or along the dimensions `dim`."""
    return _answer(np.any, input, dim, keepdim)
