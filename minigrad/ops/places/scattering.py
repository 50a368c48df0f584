"""One place for each element: gather takes elements out at places along a dimension, scatter brings them there.

After this module a reader knows that these two are each other's gradient, and what the gradient is where several
elements come to one place and become one: a sum, a product, a mean, a maximum.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def places(index: Array, dim: int, shape: Sequence[int], sizes: Sequence[int]) -> Array:
    """Which elements of a tensor of `shape`, counted in order, lie at `index` along `dim` and in place elsewhere.

    `sizes`: how many there are along the other dimensions.
    """
    if len(shape) < 2 or not index.size:
        return index
    place = np.multiply(index, math.prod(shape[dim + 1 :]), dtype=np.int64)
    for other, size in enumerate(sizes):
        if other != dim:
            steps = np.arange(size) * math.prod(shape[other + 1 :])
            place = place + steps.reshape(-1, *[1] * (len(sizes) - other - 1))
    return place


def as_row(array: Array) -> tuple[Array, Array]:
    """A copy of an array, and the same memory as one row."""
    out = np.array(array, order="C")
    return out, out.reshape(-1)


# Where several elements meet in one place, np.add.at adds them in order. For a row of numbers and a row of places it is
# fast, for places of whole rows it is not. 4,096 rows of 128 floats to 1,000 places: rows 3.7 ms, the places of their
# elements written out 0.6 ms, np.bincount 1.0 ms (and float64 only), sorted for np.add.reduceat 1.4 ms.


@op(constants=("index",), self=lambda F, g, index, dim, self_shape: F.gathered_back(g, index, dim, self_shape))
def gather(self: Array, index: Array, dim: int) -> Array:
    """For each element of `index` the element of input that lies there along `dim`."""
    return np.reshape(self, -1).take(places(index, dim, np.shape(self), index.shape))


@op(name="ScatterAddBackward0", constants=("index",), self=lambda F, g, index, dim: F.gather(g, index, dim))
def gathered_back(self: Array, index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input added at `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    np.add.at(out.reshape(-1), places(index, dim, shape, index.shape).reshape(-1), np.reshape(self, -1))
    return out


@op(
    constants=("index",),
    self=lambda F, g, index, dim: F.scatter_number(g, index, dim, 0),
    src=lambda F, g, index, dim: F.gather(g, index, dim),
)
def scatter(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` put at `index` along `dim`."""
    out, row = as_row(self)
    row[places(index, dim, out.shape, index.shape)] = src
    return out


@op(name="ScatterBackward1", constants=("index",), self=lambda F, g, index, dim: F.scatter_number(g, index, dim, 0))
def scatter_number(self: Array, index: Array, dim: int, value: Any) -> Array:
    """The input with a number put at `index` along `dim`."""
    out, row = as_row(self)
    row[places(index, dim, out.shape, index.shape)] = value
    return out


@op(constants=("index",), self=lambda F, g: g, src=lambda F, g, index, dim: F.gather(g, index, dim))
def scatter_add(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` added at `index` along `dim`."""
    out, row = as_row(self)
    np.add.at(row, places(index, dim, out.shape, index.shape).reshape(-1), np.reshape(src, -1))
    return out


def _no_derivative() -> Any:
    raise RuntimeError(
        "derivative for aten::scatter is not implemented where reduce= was given: scatter_reduce has one, and "
        "scatter_add"
    )


@op(
    name="NotImplemented",
    constants=("index",),
    self=lambda F, g: _no_derivative(),
    src=lambda F, g: _no_derivative(),
)
def scatter_combining(self: Array, src: Array, index: Array, dim: int, reduce: str) -> Array:
    """The input with the elements of `src` added to those at `index` along `dim`, or multiplied with them. (PyTorch
    gives it no derivative.)
    """
    return _combined(self, src, index, dim, "sum" if reduce == "add" else "prod", True)


_COMBINE: dict[str, Any] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip


def _combined(self: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Array:
    out, row = as_row(self)
    where = places(index, dim, out.shape, index.shape).reshape(-1)
    if not include_self:
        row[where] = _neutral(reduce, out.dtype)
    _COMBINE[reduce].at(row, where, np.reshape(src, -1))
    if reduce == "mean":
        counts = _counts(index, dim, out.shape, include_self).astype(out.dtype)
        return out / counts if out.dtype.kind == "f" else out // counts
    return out


def _neutral(reduce: str, dtype: Any) -> Any:
    """The number that changes nothing: 0 for a sum, 1 for a product, the lowest there is for a maximum."""
    if reduce not in ("amax", "amin"):
        return 1 if reduce == "prod" else 0
    if dtype.kind == "b":
        return reduce == "amin"
    lowest, highest = (-math.inf, math.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return lowest if reduce == "amax" else highest


def _counts(index: Array, dim: int, shape: tuple[int, ...], include_self: bool) -> Array:
    """How many elements meet in each place; at least 1."""
    where = places(index, dim, shape, index.shape).reshape(-1)
    met = np.bincount(where, minlength=math.prod(shape)).reshape(shape)
    return met + 1 if include_self else np.maximum(met, 1)


@op(constants=("index",))
def meeting_counts(self: Array, index: Array, dim: int, include_self: bool) -> Array:
    """How many elements meet in each place of the input when others are scattered there; at least 1."""
    return _counts(index, dim, np.shape(self), include_self).astype(self.dtype)


def _to_self(F: Any, g: Any, self: Any, src: Any, index: Any, result: Any, dim: int, how: str, include: bool) -> Any:
    """The gradient of scatter_reduce for what was there before."""
    if how == "mean":
        g = g / F.meeting_counts(self, index, dim, include)
    elif how == "prod":
        kept = F.where(self == 0, 1, self)
        g = g * F.scatter_reduce(kept, src, index, dim, how, include) / kept
    elif how in ("amax", "amin"):
        g = F.where(self == result, g / _winners(F, self, src, index, result, dim), 0)
    return g if include else F.scatter_number(g, index, dim, 0)


def _to_src(F: Any, g: Any, self: Any, src: Any, index: Any, result: Any, dim: int, how: str, include: bool) -> Any:
    """The gradient of scatter_reduce for what was brought: its place's, times what the others there came to."""
    if how == "mean":
        g = g / F.meeting_counts(self, index, dim, include)
    elif how == "prod":
        others = _product_of_others(F, self, src, index, result, dim, include)
        return F.gather(g, index, dim) * others
    elif how in ("amax", "amin"):
        g = g / _winners(F, self, src, index, result, dim)
        return F.where(src == F.gather(result, index, dim), F.gather(g, index, dim), 0)
    return F.gather(g, index, dim)


def _winners(F: Any, self: Any, src: Any, index: Any, result: Any, dim: int) -> Any:
    """How many elements are equal to the largest (or smallest) in their place, which share its gradient."""
    one, won = F.zeros(self.shape, result) + 1, src == F.gather(result, index, dim)
    return F.scatter_add(F.where(self == result, one, 0), F.where(won, F.gather(one, index, dim), 0), index, dim)


def _product_of_others(F: Any, self: Any, src: Any, index: Any, result: Any, dim: int, include: bool) -> Any:
    """For each element brought, the product of all others in its place: a single zero is left out, not divided by."""
    nothing = F.zeros(self.shape, result)
    one = F.gather(nothing, index, dim) + 1
    zeros = F.gather(F.scatter_add(nothing, F.where(src == 0, one, 0), index, dim), index, dim)
    alone = (src == 0) & (zeros == 1)
    without = F.scatter_reduce(self, F.where(alone, one, src), index, dim, "prod", include)
    return F.where(alone, F.gather(without, index, dim), F.gather(result, index, dim) / F.where(src == 0, one, src))


@op(
    constants=("index",),
    self=lambda F, g, self, src, index, result, dim, reduce, include_self: _to_self(
        F, g, self, src, index, result, dim, reduce, include_self
    ),
    src=lambda F, g, self, src, index, result, dim, reduce, include_self: _to_src(
        F, g, self, src, index, result, dim, reduce, include_self
    ),
)
def scatter_reduce(self: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Array:
    """The sum, product, mean, maximum or minimum of all elements of `src` that `index` brings to one place, and of the
    input's own there.
    """
    return _combined(self, src, index, dim, reduce, include_self)


# ---------------------------------------------------------------- as the learner calls them

_gather, _scatter, _scatter_add, _scatter_reduce = gather, scatter, scatter_add, scatter_reduce


def tensor_argument(function: str, name: str, position: int, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}: make "
            "it one first, as in tensor(...)"
        )
    return value


def invalid(function: str, *values: Any) -> TypeError:
    kinds = ", ".join(type(value).__name__ for value in values)
    return TypeError(
        f"{function}() received an invalid combination of arguments - got ({kinds}): the value is a number or a tensor"
    )


def check_bounds(index: Array, size: int, dim: int, error: type[Exception] = RuntimeError, who: str = "") -> None:
    """Raise unless all of `index` lies from 0 to below `size`."""
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index[(index < 0) | (index >= size)].flat[0] if index.ndim else index
        raise error(f"{who}index {wrong} is out of bounds for dimension {dim} with size {size}")


def _checked(function: str, input: Tensor, dim: Any, index: Any) -> int:
    """Raise unless `index` can be used along `dim`; gives that counted from the front."""
    tensor_operands(function, input)
    tensor_argument(function, "index", 3, index)
    dim = wrap_dim(dim, input.ndim)
    if index.dtype.category != 1:
        raise RuntimeError(
            f"{function if function == 'gather' else 'scatter'}(): Expected dtype int32/int64 for index, but it is "
            f"{index.dtype}"
        )
    if not index.numel():
        return dim
    who = "input" if function == "gather" else "self"
    if max(index.ndim, 1) != max(input.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {who} tensor: index has {index.ndim}, {who} "
            f"{input.ndim}"
        )
    size = input.shape[dim] if input.ndim else 1
    for d, count in enumerate(index.shape[: input.ndim]):
        if d != dim and count > input.shape[d]:
            shapes = (
                f"index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {dim}"
            )
            raise RuntimeError(
                f"Size does not match at dimension {d} expected {shapes}" if who == "input" else f"Expected {shapes}"
            )
    check_bounds(index._array, size, dim)
    return dim


def _fitting(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The part of `src` that `index` covers; RuntimeError if it is too small."""
    if src.dtype is not input.dtype:
        raise RuntimeError(
            f"scatter(): Expected self.dtype to be equal to src.dtype, but they are {input.dtype} and {src.dtype}: "
            "convert src with .to(...)"
        )
    if src.shape == index.shape:
        return src
    if not index.numel():
        return from_array(np.zeros(index.shape, src._array.dtype))
    if max(src.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as src tensor: index has {index.ndim}, src "
            f"{src.ndim}"
        )
    if not (src.ndim and index.ndim):
        return src[0] if src.ndim else src.view(1)
    if any(count > there for count, there in zip(index.shape, src.shape, strict=True)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension "
            f"{dim} and to be no larger size than src {list(src.shape)}"
        )
    return src[tuple(slice(count) for count in index.shape)]


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:  # type: ignore[no-redef]
    """For each element of `index` the element of input that lies there along `dim`.

    In two dimensions, along the first: result[i, j] = input[index[i, j], j]. The result has the shape of `index`, which
    may be smaller than input in the other dimensions. (`sparse_grad` is of no effect: the gradient is dense.)
    RuntimeError if an index is out of bounds.
    """
    return _gather(input, index, _checked("gather", input, dim, index))


def scatter(  # type: ignore[no-redef]
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """The input with elements of `src`, or a number, put at `index` along `dim`.

    In two dimensions, along the first: result[index[i, j], j] = src[i, j]. Where several come to one place, any of them
    may stay; `reduce`, "add" or "multiply", combines them with what was there (but without a gradient: see
    scatter_reduce).
    """
    source = value if src is None else src
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply. It is {reduce!r}.")
    if not isinstance(source, Tensor | int | float | np.number | np.bool_):
        raise invalid("scatter", *[given for given in (dim, index, source) if given is not None])
    dim = _checked("scatter", input, dim, index)
    if isinstance(source, Tensor):
        if reduce is None:
            return _scatter(input, _fitting(input, dim, index, source), index, dim)
        warnings.warn(
            "The reduce argument of minigrad.scatter with Tensor src is deprecated: use scatter_reduce(), which has a "
            "gradient",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
        return scatter_combining(input, _fitting(input, dim, index, source), index, dim, reduce)
    number = in_kind(source, input)
    if reduce is None:
        return scatter_number(input, index, dim, number)
    return scatter_combining(input, from_array(np.full(index.shape, number)), index, dim, reduce)


def in_kind(number: Any, input: Tensor) -> Any:
    """A number in the dtype of a tensor that it is to be written to."""
    try:
        return input.dtype.numpy.type(number)
    except (OverflowError, ValueError):
        raise RuntimeError(
            f"value cannot be converted to type {input.dtype.name}_t without overflow: {number}"
        ) from None


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The input with the elements of `src` added at `index` along `dim`; all of those that come to one place.

    In two dimensions, along the first: result[index[i, j], j] += src[i, j].
    """
    tensor_argument("scatter_add", "src", 4, src)
    dim = _checked("scatter_add", input, dim, index)
    return _scatter_add(input, _fitting(input, dim, index, src), index, dim)


def scatter_reduce(  # type: ignore[no-redef]
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """All elements of `src` that `index` along `dim` brings to one place, made into one.

    Args:
        reduce: how: "sum", "prod", "mean", "amax" or "amin".
        include_self: together with the input's element there. Where nothing is brought, that stays in any case.
    """
    tensor_argument("scatter_reduce", "src", 4, src)
    if reduce not in _COMBINE:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim = _checked("scatter_reduce", input, dim, index)
    if reduce == "mean" and input.dtype is dtypes.bool:
        raise NotImplementedError(
            "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool': convert the tensors first"
        )
    return _scatter_reduce(input, _fitting(input, dim, index, src), index, dim, reduce, include_self)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, for indices that broadcast with the input in the other dimensions, and may count from the end.

    Without `dim`, both are taken as one row.
    """
    tensor_operands("take_along_dim", input)
    if tensor_argument("take_along_dim", "indices", 2, indices).dtype is not dtypes.int64:
        raise RuntimeError(
            f"minigrad.take_along_dim(): dtype of indices should be Long but got {indices.dtype.tensor_type}"
        )
    if dim is None:
        return gather(input.view(-1), 0, from_array(np.reshape(indices._array, -1)))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "minigrad.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, input.ndim)
    mine, theirs = ([*t.shape[:dim], 1, *t.shape[dim + 1 :]] for t in (input, indices))
    mismatch = size_mismatch("take_along_dim", mine, theirs)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    shape = np.broadcast_shapes(mine, theirs)
    around = [(*shape[:dim], t.shape[dim], *shape[dim + 1 :]) for t in (input, indices)]
    wrapped = np.broadcast_to(indices._array % max(input.shape[dim], 1), around[1])
    return gather(input.expand(around[0]), dim, from_array(wrapped))
