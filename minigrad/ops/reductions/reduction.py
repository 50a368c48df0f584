"""Operations that make one number of many: sum, prod, mean, var, max, and questions about all elements.

After this module a reader knows where a gradient goes when elements were merged: to all of them alike (sum), to each
its share (mean), or to the winner (max).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.autograd.blame import frames_to_learner
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.pointwise.elementwise import maximum, minimum
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
Dims = int | Sequence[int] | None
add_up: Any = np.add.reduce  # np.sum and np.prod without the microsecond of Python around them
multiply: Any = np.multiply.reduce


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


def shared(F: Any, g: Any, self: Any, result: Any) -> Any:
    """A gradient in equal parts for all elements that are the result; nan is that of all nans."""
    winners = self != self if result != result else self == result
    return F.where(winners, g / int(winners.sum()), 0)


@op(name="MaxBackward1", self=lambda F, g, self, result: shared(F, g, self, result))
def max_all(self: Array) -> Array:
    """The largest element. Its gradient is shared among equal ones."""
    return np.max(self)


@op(name="MinBackward1", self=lambda F, g, self, result: shared(F, g, self, result))
def min_all(self: Array) -> Array:
    """The smallest element. Its gradient is shared among equal ones."""
    return np.min(self)


def taking(node: str) -> Any:
    """One op for each of the names that PyTorch has, by how the indices were found."""

    @op(
        name=node,
        constants=("indices",),
        self=lambda F, g, indices, dim, keepdim, self_shape: F.put_along(g, indices, dim, keepdim, self_shape),
    )
    def take_along(self: Array, indices: Array, dim: int, keepdim: bool) -> Array:
        """The elements at `indices` along `dim`. The gradient goes to these."""
        if not self.ndim:
            return np.array(self)
        if keepdim:
            return np.take_along_axis(self, indices, dim)
        return np.squeeze(np.take_along_axis(self, np.expand_dims(indices, dim), dim), dim)

    return take_along


max_dim, min_dim = taking("MaxBackward0"), taking("MinBackward0")


@op(constants=("indices",), self=lambda F, g, indices, dim, keepdim: F.take_along(g, indices, dim, keepdim))
def put_along(self: Array, indices: Array, dim: int, keepdim: bool, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input put at `indices` along `dim`."""
    if not shape:
        return np.array(self)
    out = np.zeros(shape, self.dtype)
    if not keepdim:
        self, indices = np.expand_dims(self, dim), np.expand_dims(indices, dim)
    np.put_along_axis(out, indices, self, dim)
    return out


def of_variance(F: Any, g: Any, self: Any, dim: tuple[int, ...], correction: float, keepdim: bool) -> Any:
    """The gradient of a variance: twice each element's distance from the mean, over the degrees of freedom."""
    freedom = math.prod(self.shape[i] for i in dim) - correction
    g = spread(F, g * (2 / freedom if freedom else math.inf), self.shape, dim, keepdim)
    return g * (self - F.mean_dims(self, dim, True))


@op(
    name="VarBackward0",
    self=lambda F, g, self, dim, correction, keepdim: of_variance(F, g, self, dim, correction, keepdim),
)
def var(self: Array, dim: tuple[int, ...], correction: float, keepdim: bool) -> Array:
    """The squared distances from the mean along some dimensions, summed, over their count less `correction`."""
    distance = self - arrays.mean_dims(self, dim, True)
    freedom = math.prod(self.shape[i] for i in dim) - correction
    return add_up(distance * distance, axis=dim, keepdims=keepdim) / (freedom if freedom > 0 else 0)


@op(
    name="StdBackward0",
    self=lambda F, g, self, result, dim, correction, keepdim: of_variance(
        F, F.where(result == 0, 0, g / (2 * result)), self, dim, correction, keepdim
    ),
)
def std(self: Array, dim: tuple[int, ...], correction: float, keepdim: bool) -> Array:
    """The square root of the variance. At 0 its gradient is 0."""
    return np.sqrt(arrays.var(self, dim, correction, keepdim))


def of_product(F: Any, g: Any, self: Any, result: Any, dim: int, keepdim: bool) -> Any:
    """The gradient of a product: for each factor the product of the others. Without zeros that is result / factor."""
    g, result = (spread(F, part, self.shape, (dim,), keepdim) for part in (g, result))
    return g * (result / self if self.all() else product_of_others(F, self, dim))


def product_of_others(F: Any, self: Any, dim: int) -> Any:
    """For each element the product of those before it, times the product of those after it along `dim`.

    Both grow at every step to twice as many factors: of 1, of 2, of 4 neighbours.
    """

    def part(of: Any, start: int, stop: int) -> Any:
        return F.basic_index(of, (slice(None),) * dim + (slice(start, stop), ...))

    size = self.shape[dim]
    one = F.zeros(part(self, 0, 1).shape, self) + 1
    if size == 1:
        return one
    before = F.cat(one, part(self, 0, size - 1), dim=dim)
    after = F.cat(part(self, 1, size), one, dim=dim)
    step = 1
    while step < size:
        before = F.cat(part(before, 0, step), part(before, step, size) * part(before, 0, size - step), dim=dim)
        after = F.cat(part(after, 0, size - step) * part(after, step, size), part(after, size - step, size), dim=dim)
        step *= 2
    return before * after


@op(
    name="ProdBackward0",
    self=lambda F, g, self, self_shape, result: (
        F.reshape(of_product(F, g, F.reshape(self, (-1,)), result, 0, False), self_shape) if self_shape else g
    ),
)
def prod_all(self: Array) -> Array:
    """The product of all elements."""
    return multiply(self, axis=None)


@op(
    name="ProdBackward1",
    self=lambda F, g, self, result, dim, keepdim: of_product(F, g, self, result, dim, keepdim),
)
def prod_dim(self: Array, dim: int, keepdim: bool) -> Array:
    """The products along a dimension."""
    return multiply(self, axis=dim, keepdims=keepdim)


@op(self=lambda F, g, dim, backwards: F.cumsum(g, dim, not backwards))
def cumsum(self: Array, dim: int, backwards: bool) -> Array:
    """For each element the sum of those up to it along a dimension, or of those from it on."""
    if not self.ndim:
        return np.array(self)
    out = np.empty_like(self)
    along = (slice(None),) * dim + (slice(None, None, -1 if backwards else 1),)
    np.add.accumulate(self[along], axis=dim, out=out[along])
    return out


# ---------------------------------------------------------------- as the learner calls them

_var, _std, _cumsum = var, std, cumsum


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

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("sum", input)
    if dtype is not None:
        kind = dtypes.resolve(dtype, "sum")
        return sum(input.to(kind), dim, keepdim).to(kind)
    if input.dtype.category < 2:
        input = input.to(dtypes.int64)
    return sum_all(input) if dim is None and not keepdim else sum_dims(input, wrap_dims(dim, input.ndim), keepdim)


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along one dimension `dim`; `keepdim` leaves that with size 1.

    Integers and bools multiply in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("prod", input)
    if dtype is not None:
        kind = dtypes.resolve(dtype, "prod")
        return prod(input.to(kind), dim, keepdim).to(kind)
    if input.dtype.category < 2:
        input = input.to(dtypes.int64)
    if dim is None:
        _check_dim_given("prod", keepdim)
        return prod_all(input)
    dim = one_dim("prod", dim, input.ndim)
    return prod_dim(input, dim, keepdim) if input.ndim else prod_all(input)


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:  # type: ignore[no-redef]
    """For each element the sum of those up to it along `dim`.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("cumsum", input)
    kind = dtypes.resolve(dtype, "cumsum") if dtype is not None else input.dtype
    if dtype is not None and kind is dtypes.bool:
        raise NotImplementedError("\"cumsum_out_cpu\" not implemented for 'Bool': choose a dtype of numbers")
    if dtype is None and kind.category < 2:
        kind = dtypes.int64
    return _cumsum(input.to(kind), one_dim("cumsum", dim, input.ndim), False)


def one_dim(function: str, dim: Any, ndim: int) -> int:
    if not isinstance(dim, int):
        raise TypeError(f"{function}(): argument 'dim' must be int, not {type(dim).__name__}: {dim!r}")
    return wrap_dim(dim, ndim)


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


def var(  # type: ignore[no-redef]
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The mean squared distance from the mean, of all elements or along the dimensions `dim`.

    Divides by the count less `correction`: 1 unless given, or 0 with `unbiased=False`. Needs a floating dtype.
    """
    made: Tensor = spread_out(_var, "var", input, dim, unbiased, keepdim, correction)
    return made


def std(  # type: ignore[no-redef]
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The standard deviation, of all elements or along the dimensions `dim`: the square root of `var`."""
    made: Tensor = spread_out(_std, "std", input, dim, unbiased, keepdim, correction)
    return made


def spread_out(
    op: Callable[..., Any], name: str, input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> Any:
    """What `var`, `std`, `var_mean` and `std_mean` do with their arguments; `op` computes."""
    (input,) = tensor_operands(name, input)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if (unbiased is not None and correction is not None) or not isinstance(unbiased, bool | None):
        raise TypeError(
            f"{name}() received an invalid combination of arguments: give either correction, a number, or unbiased, a "
            "bool"
        )
    if not input.dtype.is_floating_point:
        who = name if name.endswith("_mean") else "std and var"
        raise RuntimeError(
            f"{who} only support floating point and complex dtypes, not {input.dtype}. Convert the tensor first, "
            f"as in x.float().{name}()."
        )
    correction = (0 if unbiased is False else 1) if correction is None else correction
    dims = wrap_dims(dim, input.ndim)
    made = op(input, dims, correction, keepdim)
    result = made[0] if isinstance(made, tuple) else made
    if (input.numel() // result.numel() if result.numel() else 0) <= correction:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            f"(input numel divided by output numel). The input has shape {list(input.shape)}, correction is "
            f"{correction}.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    return made


def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The largest element; with `dim`, (values, indices) of the largest along it, the first among equal ones.

    `max(input, other)` is `maximum(input, other)`.
    """
    if isinstance(dim, Tensor) or other is not None:
        return maximum(input, dim if other is None else other)
    (input,) = tensor_operands("max", input)
    if dim is None:
        _check_dim_given("max", keepdim)
        return max_all(check_not_empty("max", RuntimeError, input))
    dim, indices = _found("max", np.argmax, input, dim, keepdim)
    return return_types.max(max_dim(input, indices, dim, keepdim) if input.ndim else max_all(input), indices)


def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The smallest element; with `dim`, (values, indices) of the smallest along it, the first among equal ones.

    `min(input, other)` is `minimum(input, other)`.
    """
    if isinstance(dim, Tensor) or other is not None:
        return minimum(input, dim if other is None else other)
    (input,) = tensor_operands("min", input)
    if dim is None:
        _check_dim_given("min", keepdim)
        return min_all(check_not_empty("min", RuntimeError, input))
    dim, indices = _found("min", np.argmin, input, dim, keepdim)
    return return_types.min(min_dim(input, indices, dim, keepdim) if input.ndim else min_all(input), indices)


def _check_dim_given(name: str, keepdim: bool) -> None:
    if keepdim:
        raise TypeError(f"{name}() received an invalid combination of arguments: keepdim needs a dim")


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as largest.
    """
    return _index_of("argmax", np.argmax, input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as smallest.
    """
    return _index_of("argmin", np.argmin, input, dim, keepdim)


def _index_of(name: str, find: Callable[..., Any], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    (input,) = tensor_operands(name, input)
    if input.dtype is dtypes.bool:
        raise RuntimeError(f"{name}(): does not support bool input: convert the tensor first, as in x.int().{name}()")
    if dim is None:
        return from_array(find(check_not_empty(name, IndexError, input)._array, keepdims=keepdim))
    return _found(name, find, input, dim, keepdim)[1]


def _found(name: str, find: Callable[..., Any], input: Tensor, dim: Any, keepdim: bool) -> tuple[int, Tensor]:
    """A dimension counted from the front, and the indices found along it."""
    if not isinstance(dim, int):
        raise TypeError(
            f"{name}() received an invalid combination of arguments: 'dim' must be an int, not {type(dim).__name__}"
            if name in ("max", "min")
            else f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}"
        )
    dim = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return dim, from_array(np.int64(0))
    if not input.shape[dim]:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return dim, from_array(find(input._array, axis=dim, keepdims=keepdim))


def check_not_empty(name: str, error: type[Exception], input: Tensor) -> Tensor:
    """The tensor, if it has elements; else the error."""
    if input.numel() == 0:
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    return input


def _asked(dim: Dims, ndim: int) -> tuple[int, ...] | None:
    """The dimensions to ask along: here, as in PyTorch, an empty tuple means none, so that each element is asked."""
    if dim is None:
        return None
    return () if isinstance(dim, Sequence) and not dim else wrap_dims(dim, ndim)


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true (not zero), everywhere or along the dimensions `dim`."""
    (input,) = tensor_operands("all", input)
    return from_array(np.all(input._array, axis=_asked(dim, input.ndim), keepdims=keepdim))


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true (not zero), everywhere or along the dimensions `dim`."""
    (input,) = tensor_operands("any", input)
    return from_array(np.any(input._array, axis=_asked(dim, input.ndim), keepdims=keepdim))
