"""More ways to make one number of many: amax, var_mean, norm, nansum, and counts of elements.

After this module a reader knows how a gradient is shared where the largest element occurs more than once, how the nans
of missing data are left out, and why a norm's gradient is a direction: each element over the length.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.reductions.reduction import Dims, add_up, check_not_empty, of_variance, spread, spread_out, wrap_dims
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "amax", "amin", "aminmax", "nansum", "nanmean", "count_nonzero", "norm", "dist", "histc", "bincount",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("amax", "amin", "aminmax", "nansum", "nanmean", "norm", "histc")  # those that take out=


largest: Any = np.maximum.reduce
smallest: Any = np.minimum.reduce

# ---------------------------------------------------------------- the largest, the smallest


@op(constants=("best",))
def shares_of_ties(self: Array, best: Array, dim: tuple[int, ...], nans: bool) -> Array:
    """1 over the number of ties along some dimensions where an element equals the best, else 0.

    `nans`: nans count as best.
    """
    winners = (self == best) | (self != self) if nans else self == best
    return (winners / add_up(winners, axis=dim, keepdims=True)).astype(self.dtype)


def to_winners(F: Any, g: Any, self: Any, best: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of the best along some dimensions: equal parts for all elements that equal it."""
    g, best = (spread(F, part, self.shape, dim, keepdim) for part in (g, best))
    return g * F.shares_of_ties(self, best, dim, False)


@op(self=lambda F, g, self, result, dim, keepdim: to_winners(F, g, self, result, dim, keepdim))
def amax(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The largest elements along some dimensions. Their gradient is shared among equal ones."""
    return largest(self, axis=dim, keepdims=keepdim)


@op(self=lambda F, g, self, result, dim, keepdim: to_winners(F, g, self, result, dim, keepdim))
def amin(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The smallest elements along some dimensions. Their gradient is shared among equal ones."""
    return smallest(self, axis=dim, keepdims=keepdim)


def of_extremes(F: Any, gradients: Any, self: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of the smallest and of the largest, added up."""
    parts = [
        to_winners(F, g, self, find(self, dim, keepdim), dim, keepdim)
        for g, find in zip(gradients, (F.amin, F.amax), strict=True)
        if g is not None
    ]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@op(several=True, self=lambda F, g, self, dim, keepdim: of_extremes(F, g, self, dim, keepdim))
def aminmax(self: Array, dim: tuple[int, ...], keepdim: bool) -> list[Array]:
    """The smallest and the largest elements along some dimensions."""
    return [arrays.amin(self, dim, keepdim), arrays.amax(self, dim, keepdim)]


# ---------------------------------------------------------------- spread, with the mean beside it


def of_spread_and_mean(
    F: Any, of_spread: Any, gradients: Any, self: Any, dim: tuple[int, ...], correction: float, keepdim: bool
) -> Any:
    """The gradients of a variance (or deviation) and of a mean, added up; None where one was not used."""
    g, of_mean = gradients
    if of_mean is not None:
        of_mean = spread(F, of_mean / math.prod(self.shape[i] for i in dim), self.shape, dim, keepdim)
    if g is None:
        return of_mean
    g = of_spread(F, g, self, dim, correction, keepdim)
    return g if of_mean is None else g + of_mean


def of_deviation(F: Any, g: Any, self: Any, dim: tuple[int, ...], correction: float, keepdim: bool) -> Any:
    """The gradient of a standard deviation. At 0 it is 0."""
    deviation = F.std(self, dim, correction, keepdim)
    return of_variance(F, F.where(deviation == 0, 0, g / (2 * deviation)), self, dim, correction, keepdim)


@op(
    several=True,
    self=lambda F, g, self, dim, correction, keepdim: of_spread_and_mean(
        F, of_variance, g, self, dim, correction, keepdim
    ),
)
def var_mean(self: Array, dim: tuple[int, ...], correction: float, keepdim: bool) -> list[Array]:
    """The variances and the means along some dimensions."""
    return [arrays.var(self, dim, correction, keepdim), arrays.mean_dims(self, dim, keepdim)]


@op(
    several=True,
    self=lambda F, g, self, dim, correction, keepdim: of_spread_and_mean(
        F, of_deviation, g, self, dim, correction, keepdim
    ),
)
def std_mean(self: Array, dim: tuple[int, ...], correction: float, keepdim: bool) -> list[Array]:
    """The standard deviations and the means along some dimensions."""
    return [arrays.std(self, dim, correction, keepdim), arrays.mean_dims(self, dim, keepdim)]


# ---------------------------------------------------------------- without what is missing


@op(self=lambda F, g, self, dim, keepdim: spread(F, g, self.shape, dim, keepdim) * (self == self))
def nansum(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The sums along some dimensions, with nan as 0."""
    return add_up(np.where(self == self, self, 0), axis=dim, keepdims=keepdim)


# ---------------------------------------------------------------- lengths


def of_norm(F: Any, g: Any, self: Any, result: Any, p: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of a norm: of the elements' signs, powers and the norm itself. At a norm of 0 it is 0."""
    g, result = (spread(F, part, self.shape, dim, keepdim) for part in (g, result))
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
    self=lambda F, g, self, result, p, dim, keepdim: of_norm(F, g, self, result, p, dim, keepdim),
)
def vector_norm(self: Array, p: float, dim: tuple[int, ...], keepdim: bool) -> Array:
    """(sum |x|^p)^(1/p) along some dimensions: for 0 how many are not 0, for inf and -inf the extremes of |x|."""
    if p == 0:
        return add_up(self != 0, axis=dim, keepdims=keepdim).astype(self.dtype)
    if p == 2:
        return np.sqrt(add_up(self * self, axis=dim, keepdims=keepdim))
    sizes = np.abs(self)
    if math.isinf(p):
        return (largest if p > 0 else smallest)(sizes, axis=dim, keepdims=keepdim)
    return add_up(sizes**p, axis=dim, keepdims=keepdim) ** (1 / p)


def of_distance(F: Any, g: Any, difference: Any, result: Any, p: float) -> Any:
    """The gradient of a distance with respect to the difference."""
    return of_norm(F, g, difference, result, p, tuple(range(difference.ndim)), False)


@op(
    self=lambda F, g, self, other, result, p: F.sum_to(of_distance(F, g, self - other, result, p), self.shape),
    other=lambda F, g, self, other, result, p: F.sum_to(-of_distance(F, g, self - other, result, p), other.shape),
)
def dist(self: Array, other: Array, p: float) -> Array:
    """The p-norm of input - other."""
    difference = self - other
    return arrays.vector_norm(difference, p, tuple(range(difference.ndim)), False)


# ---------------------------------------------------------------- counts


def _no_derivative(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented: counts change in steps")


@op(name="NotImplemented", constants=("self",), weights=lambda F, g: _no_derivative("bincount"))
def weighted_counts(self: Array, weights: Array, minlength: int) -> Array:
    """For each number from 0 on, the weights of the elements that equal it, added up."""
    kind = weights.dtype if weights.dtype == np.float32 else np.float64
    return np.bincount(self, weights, minlength).astype(kind, copy=False)


# ---------------------------------------------------------------- as the learner calls them

_amax, _amin, _aminmax, _var_mean, _std_mean = amax, amin, aminmax, var_mean, std_mean
_nansum, _dist = nansum, dist


def _extreme(op: Any, name: str, input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    (input,) = tensor_operands(name, input)
    dims = wrap_dims(dim, input.ndim)
    if dims and dim not in (None, (), []):
        for d in dims:
            if input.shape[d] == 0:
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    else:
        check_not_empty(name, RuntimeError, input)
    result: Tensor = op(input, dims, keepdim)
    return result


def amax(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:  # type: ignore[no-redef]
    """The largest element, of all or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Equal ones share the gradient: unlike `max`, which gives it to the one whose index it returns.
    """
    return _extreme(_amax, "amax", input, dim, keepdim)


def amin(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:  # type: ignore[no-redef]
    """The smallest element, of all or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Equal ones share the gradient: unlike `min`, which gives it to the one whose index it returns.
    """
    return _extreme(_amin, "amin", input, dim, keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:  # type: ignore[no-redef]
    """The smallest and the largest element as a named tuple (min, max), of all or along `dim`."""
    (input,) = tensor_operands("aminmax", input)
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        return return_types.aminmax(*_aminmax(input, tuple(range(input.ndim)), keepdim))
    if not isinstance(dim, int):
        raise TypeError(f"aminmax(): argument 'dim' must be int, not {type(dim).__name__}: {dim!r}")
    dim = wrap_dim(dim, input.ndim)
    if input.ndim and input.shape[dim] == 0:
        raise IndexError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
    return return_types.aminmax(*_aminmax(input, (dim,) if input.ndim else (), keepdim))


def var_mean(  # type: ignore[no-redef]
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean, of all elements or along the dimensions `dim`: `var` and `mean` in one."""
    both: tuple[Tensor, Tensor] = spread_out(_var_mean, "var_mean", input, dim, unbiased, keepdim, correction)
    return both


def std_mean(  # type: ignore[no-redef]
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean, of all elements or along the dimensions `dim`: `std` and `mean` in one."""
    both: tuple[Tensor, Tensor] = spread_out(_std_mean, "std_mean", input, dim, unbiased, keepdim, correction)
    return both


def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:  # type: ignore[no-redef]
    """The sum of all elements that are not nan, or along the dimensions `dim`.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("nansum", input)
    kind = input.dtype if dtype is None else dtypes.resolve(dtype, "nansum")
    if dtype is None and kind.category < 2:
        kind = dtypes.int64
    return _nansum(input.to(kind), wrap_dims(dim, input.ndim), keepdim).to(kind)


def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements that are not nan, or along the dimensions `dim`; nan where there are none.

    Needs a floating dtype.
    """
    (input,) = tensor_operands("nanmean", input)
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.tensor_type}: "
            "convert the tensor first, as in x.float().nanmean()"
        )
    dims = wrap_dims(dim, input.ndim)
    total = nansum(input, dim, keepdim, dtype=dtype)
    return total / from_array(add_up(~np.isnan(input._array), axis=dims, keepdims=keepdim).astype(total._array.dtype))


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0, of all or along the dimensions `dim`."""
    (input,) = tensor_operands("count_nonzero", input)
    return from_array(add_up(input._array != 0, axis=wrap_dims(dim, input.ndim)))


def norm(
    input: Tensor, p: float | str | None = "fro", dim: Dims = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The length of the tensor, or of its vectors along the dimensions `dim`: (sum |x|^p)^(1/p).

    Args:
        p: 2 unless given ("fro" is the same); 1 for the sum of sizes, inf and -inf for the largest and the smallest
            size, 0 for the number of elements that are not 0.
        dtype: a floating dtype to convert to first.
    """
    (input,) = tensor_operands("norm", input)
    dims = wrap_dims(dim, input.ndim)
    order = _order(p, dims, dim is not None)
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{input.dtype.tensor_type}: convert it first, as in x.float().norm()"
        )
    if dtype is not None:
        kind = dtypes.resolve(dtype, "norm")
        if not kind.is_floating_point:
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got {kind.tensor_type}"
            )
        input = input.to(kind)
    if order < 0 or math.isinf(order):
        _check_identity(input, order, dims, dim is None)
    return vector_norm(input, order, dims, keepdim)


def _order(p: Any, dims: tuple[int, ...], chosen: bool) -> float:
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


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:  # type: ignore[no-redef]
    """The p-norm of input - other, of all elements together."""
    input, other = tensor_operands("dist", input, other)
    kind = dtypes.promote(input._array, other._array)
    if not kind.is_floating_point:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {kind.tensor_type} instead."
        )
    return _dist(input.to(kind), other.to(kind), p)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` intervals of one width between `min` and `max`, as floats.

    What lies outside is not counted. With min == max the range is that of the elements.
    """
    (input,) = tensor_operands("histc", input)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{input.dtype.tensor_type}': use bincount()")
    if bins <= 0:
        raise RuntimeError(f"minigrad.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if max < min:
        raise RuntimeError("minigrad.histc: max must be larger than min")
    row = np.ravel(input._array)
    low, high = (row.min(), row.max()) if min == max and row.size else (row.dtype.type(min), row.dtype.type(max))
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"minigrad.histc: range of [{low:g}, {high:g}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    inside = row[(row >= low) & (row <= high)]
    place = ((inside - low) * bins / (high - low)).astype(np.int64)
    counts = np.bincount(np.minimum(place, bins - 1), minlength=bins)  # the upper end belongs to the last interval
    return from_array(counts.astype(row.dtype))


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on occurs in a vector of integers; with `weights`, these added up.

    `minlength`: at least so many counts.
    """
    (input,) = tensor_operands("bincount", input)
    if input.dtype.category != 1:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{input.dtype.tensor_type}': only integers")
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, not {minlength}")
    if input.ndim != 1 or np.any(input._array < 0):
        raise RuntimeError(f"bincount only supports 1-d non-negative integral inputs. Got shape {list(input.shape)}.")
    if weights is None:
        return from_array(np.bincount(input._array, minlength=minlength))
    if weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return weighted_counts(input, weights, minlength)
