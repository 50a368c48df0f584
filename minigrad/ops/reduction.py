"""Operations that make one number of many: sum, mean, max, and questions about all elements.

After this module a reader knows where a gradient goes when elements were merged: to all of them alike (sum), to each
its share (mean), or to the winner (max).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
Dims = int | Sequence[int] | None
add_up: Any = np.add.reduce  # np.sum without the microsecond of Python around it


def spread(F: Any, g: Any, shape: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """Repeat a reduction's gradient along the dimensions that were reduced."""
    if not keepdim:
        g = F.reshape(g, tuple([1 if i in dim else size for i, size in enumerate(shape)]))
    return F.expand(g, shape)


@op(name="SumBackward0", self=lambda F, g, self_shape: F.expand(g, self_shape))
def sum_all(self: Array) -> Array:
    """The sum of all elements."""
    return add_up(self, axis=None)


@op(name="SumBackward1", self=lambda F, g, self_shape, dim, keepdim: spread(F, g, self_shape, dim, keepdim))
def sum_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The sums along some dimensions."""
    return add_up(self, axis=dim, keepdims=keepdim)


@op(name="MeanBackward0", self=lambda F, g, self_shape: F.expand(g / math.prod(self_shape), self_shape))
def mean_all(self: Array) -> Array:
    """The mean of all elements."""
    return add_up(self, axis=None) / self.size


@op(
    name="MeanBackward1",
    self=lambda F, g, self_shape, dim, keepdim: spread(
        F, g / math.prod(self_shape[i] for i in dim), self_shape, dim, keepdim
    ),
)
def mean_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The means along some dimensions."""
    return add_up(self, axis=dim, keepdims=keepdim) / math.prod(self.shape[i] for i in dim)


@op(name="MaxBackward1", self=lambda F, g, self, result: F.where(self == result, g / int((self == result).sum()), 0))
def max_all(self: Array) -> Array:
    """The largest element. Its gradient is shared among equal ones."""
    return np.max(self)


@op(
    name="MaxBackward0",
    constants=("indices",),
    self=lambda F, g, indices, dim, keepdim, self_shape: F.put_along(g, indices, dim, keepdim, self_shape),
)
def max_dim(self: Array, indices: Array, dim: int, keepdim: bool) -> Array:
    """The elements at `indices`, found to be the largest along `dim`. The gradient goes to these."""
    if keepdim:
        return np.take_along_axis(self, indices, dim)
    return np.squeeze(np.take_along_axis(self, np.expand_dims(indices, dim), dim), dim)


@op(constants=("indices",), self=lambda F, g, indices, dim, keepdim: F.max_dim(g, indices, dim, keepdim))
def put_along(self: Array, indices: Array, dim: int, keepdim: bool, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input put at `indices` along `dim`."""
    out = np.zeros(shape, self.dtype)
    if not keepdim:
        self, indices = np.expand_dims(self, dim), np.expand_dims(indices, dim)
    np.put_along_axis(out, indices, self, dim)
    return out


# ---------------------------------------------------------------- as the learner calls them


class max_result(NamedTuple):
    """What `max(input, dim)` returns."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"minigrad.return_types.max(\nvalues={self.values!r},\nindices={self.indices!r})"


def wrap_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front, without repeats; none given means all."""
    dims = tuple(dim) if isinstance(dim, Sequence) else () if dim is None else (dim,)
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    for position, d in enumerate(wrapped):
        if d in wrapped[:position]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return wrapped if wrapped and ndim else tuple(range(ndim))


def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Integers and bools add up in int64.
    """
    (input,) = tensor_operands("sum", input)
    kind = (
        dtypes.resolve(dtype, "sum") if dtype is not None else dtypes.int64 if input.dtype.category < 2 else input.dtype
    )
    input = input.to(kind)
    return sum_all(input) if dim is None and not keepdim else sum_dims(input, wrap_dims(dim, input.ndim), keepdim)


def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Needs a floating dtype.
    """
    (input,) = tensor_operands("mean", input)
    kind = dtypes.resolve(dtype, "mean") if dtype is not None else input.dtype
    if not kind.is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            "floating point or "
            f"complex dtype. Got: {kind.tensor_type}. Convert the tensor first, as in x.float().mean()."
        )
    input = input.to(kind)
    return mean_all(input) if dim is None and not keepdim else mean_dims(input, wrap_dims(dim, input.ndim), keepdim)


def max(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim`, (values, indices) of the largest along it, the first among equal ones."""
    (input,) = tensor_operands("max", input)
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError(
                "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument."
            )
        return max_all(input)
    dim = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[dim]:
        raise IndexError(f"max(): Expected reduction dim {dim} to have non-zero size.")
    if input.ndim == 0:
        return max_result(max_all(input), from_array(np.int64(0)))
    indices = argmax(input, dim, keepdim)
    return max_result(max_dim(input, indices, dim, keepdim), indices)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as largest.
    """
    (input,) = tensor_operands("argmax", input)
    if input.dtype is dtypes.bool:
        raise RuntimeError(
            "\"argmax_cpu\" not implemented for 'Bool': convert the tensor first, as in x.long().argmax()"
        )
    if input.numel() == 0 and (dim is None or input.shape[wrap_dim(dim, input.ndim)] == 0):
        raise IndexError(
            "argmax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    axis = None if dim is None or input.ndim == 0 else wrap_dim(dim, input.ndim)
    return from_array(np.argmax(input._array, axis=axis, keepdims=keepdim))


def all(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true (not zero), everywhere or along `dim`."""
    (input,) = tensor_operands("all", input)
    return from_array(np.all(input._array, axis=None if dim is None else wrap_dims(dim, input.ndim), keepdims=keepdim))


def any(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true (not zero), everywhere or along `dim`."""
    (input,) = tensor_operands("any", input)
    return from_array(np.any(input._array, axis=None if dim is None else wrap_dims(dim, input.ndim), keepdims=keepdim))
