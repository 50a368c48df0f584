"""Elements brought to the index that is written for each: scatter, scatter_add, scatter_reduce.

After this module a reader knows that scatter writes where gather (gather.py) reads, so that its gradient is a gather;
and what the gradient is where several elements come to one place and become one: a sum, a product, a mean, a maximum.
In two dimensions, along the first:

    scatter:     result[index[i, j], j] = src[i, j]
    scatter_add: result[index[i, j], j] += src[i, j]
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op
from minigrad.ops.operands import NUMBERS
from minigrad.ops.places.checks import check_index, in_dtype_of, tensor_argument, wrong_arguments
from minigrad.ops.places.gather import copy_and_row, flat_positions
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("scatter", "scatter_add", "scatter_reduce")  # the functions that are methods of Tensor, too
IN_PLACE = ("scatter", "scatter_add", "scatter_reduce")  # those that have an in-place form, with a trailing underscore
OUT = ("scatter", "scatter_add", "scatter_reduce")  # those that take out=


@op(
    constants=("index",),
    self=lambda F, g, index, dim: F.scatter_value(g, index, dim, 0),
    src=lambda F, g, index, dim: F.gather(g, index, dim),
)
def scatter(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` put at `index` along `dim`."""
    out, row = copy_and_row(self)
    row[flat_positions(index, dim, out.shape, index.shape)] = src
    return out


@op(name="ScatterBackward1", constants=("index",), self=lambda F, g, index, dim: F.scatter_value(g, index, dim, 0))
def scatter_value(self: Array, index: Array, dim: int, value: Any) -> Array:
    """The input with a number put at `index` along `dim`."""
    out, row = copy_and_row(self)
    row[flat_positions(index, dim, out.shape, index.shape)] = value
    return out


@op(constants=("index",), self=lambda F, g: g, src=lambda F, g, index, dim: F.gather(g, index, dim))
def scatter_add(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` added at `index` along `dim`."""
    out, row = copy_and_row(self)
    np.add.at(row, flat_positions(index, dim, out.shape, index.shape).reshape(-1), np.reshape(src, -1))
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
def scatter_with_reduce(self: Array, src: Array, index: Array, dim: int, reduce: str) -> Array:
    """The input with the elements of `src` added to those at `index` along `dim`, or multiplied with them. (PyTorch
    gives it no derivative.)
    """
    return _reduced(self, src, index, dim, "sum" if reduce == "add" else "prod", True)


_COMBINE: dict[str, Any] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip


def _reduced(self: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Array:
    """The input with the elements that `index` brings to one place combined there."""
    out, row = copy_and_row(self)
    where = flat_positions(index, dim, out.shape, index.shape).reshape(-1)
    if not include_self:
        row[where] = _identity(reduce, out.dtype)
    _COMBINE[reduce].at(row, where, np.reshape(src, -1))
    if reduce == "mean":
        counts = _counts(index, dim, out.shape, include_self).astype(out.dtype)
        return out / counts if out.dtype.kind == "f" else out // counts
    return out


def _identity(reduce: str, dtype: Any) -> Any:
    """The number that changes nothing: 0 for a sum, 1 for a product, the lowest there is for a maximum."""
    if reduce not in ("amax", "amin"):
        return 1 if reduce == "prod" else 0
    if dtype.kind == "b":
        return reduce == "amin"
    lowest, highest = (-math.inf, math.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return lowest if reduce == "amax" else highest


def _counts(index: Array, dim: int, shape: tuple[int, ...], include_self: bool) -> Array:
    """How many elements meet in each place; at least 1."""
    where = flat_positions(index, dim, shape, index.shape).reshape(-1)
    met = np.bincount(where, minlength=math.prod(shape)).reshape(shape)
    return met + 1 if include_self else np.maximum(met, 1)


@op(constants=("index",))
def scatter_counts(self: Array, index: Array, dim: int, include_self: bool) -> Array:
    """How many elements meet in each place of the input when others are scattered there; at least 1."""
    return _counts(index, dim, np.shape(self), include_self).astype(self.dtype)


def _gradient_of_self(
    F: Any, g: Any, self: Any, src: Any, index: Any, result: Any, dim: int, reduce: str, include_self: bool
) -> Any:
    """The gradient of scatter_reduce for what was there before."""
    if reduce == "mean":
        g = g / F.scatter_counts(self, index, dim, include_self)
    elif reduce == "prod":
        kept = F.where(self == 0, 1, self)
        g = g * F.scatter_reduce(kept, src, index, dim, reduce, include_self) / kept
    elif reduce in ("amax", "amin"):
        g = F.where(self == result, g / _count_of_extremes(F, self, src, index, result, dim), 0)
    return g if include_self else F.scatter_value(g, index, dim, 0)


def _gradient_of_src(
    F: Any, g: Any, self: Any, src: Any, index: Any, result: Any, dim: int, reduce: str, include_self: bool
) -> Any:
    """The gradient of scatter_reduce for what was brought: its place's, times what the others there came to."""
    if reduce == "mean":
        g = g / F.scatter_counts(self, index, dim, include_self)
    elif reduce == "prod":
        others = _product_of_others(F, self, src, index, result, dim, include_self)
        return F.gather(g, index, dim) * others
    elif reduce in ("amax", "amin"):
        g = g / _count_of_extremes(F, self, src, index, result, dim)
        return F.where(src == F.gather(result, index, dim), F.gather(g, index, dim), 0)
    return F.gather(g, index, dim)


def _count_of_extremes(F: Any, self: Any, src: Any, index: Any, result: Any, dim: int) -> Any:
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
    self=_gradient_of_self,
    src=_gradient_of_src,
)
def scatter_reduce(self: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Array:
    """The sum, product, mean, maximum or minimum of all elements of `src` that `index` brings to one place, and of the
    input's own there.
    """
    return _reduced(self, src, index, dim, reduce, include_self)


# ---------------------------------------------------------------- as the learner calls them

_scatter, _scatter_add, _scatter_reduce = scatter, scatter_add, scatter_reduce


def _covered(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
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


def scatter(  # type: ignore[no-redef]
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """A copy of the input with elements of `src`, or a number, put at `index` along `dim`.

    In two dimensions, along the first: result[index[i, j], j] = src[i, j]. Where several come to one place, any of them
    may stay; `reduce`, "add" or "multiply", combines them with what was there (but without a gradient: see
    scatter_reduce).
    """
    source = value if src is None else src
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply. It is {reduce!r}.")
    if not isinstance(source, (Tensor, *NUMBERS)):
        raise wrong_arguments("scatter", *[given for given in (dim, index, source) if given is not None])
    dim = check_index("scatter", input, dim, index)
    if isinstance(source, Tensor):
        if reduce is None:
            return _scatter(input, _covered(input, dim, index, source), index, dim)
        warnings.warn(
            "The reduce argument of minigrad.scatter with Tensor src is deprecated: use scatter_reduce(), which has a "
            "gradient",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
        return scatter_with_reduce(input, _covered(input, dim, index, source), index, dim, reduce)
    number = in_dtype_of(source, input)
    if reduce is None:
        return scatter_value(input, index, dim, number)
    return scatter_with_reduce(input, from_array(np.full(index.shape, number)), index, dim, reduce)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:  # type: ignore[no-redef]
    """A copy of the input with the elements of `src` added at `index` along `dim`; all of those that come to one place.

    In two dimensions, along the first: result[index[i, j], j] += src[i, j].
    """
    tensor_argument("scatter_add", "src", 4, src)
    dim = check_index("scatter_add", input, dim, index)
    return _scatter_add(input, _covered(input, dim, index, src), index, dim)


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
    dim = check_index("scatter_reduce", input, dim, index)
    if reduce == "mean" and input.dtype is dtypes.bool:
        raise NotImplementedError(
            "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool': convert the tensors first"
        )
    return _scatter_reduce(input, _covered(input, dim, index, src), index, dim, reduce, include_self)
