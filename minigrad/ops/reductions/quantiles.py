"""Ranks: median, nanmedian, kthvalue, quantile, nanquantile.

After this module a reader knows how an element is found by its rank, and that a quantile between two ranks is a
weighted mean of two elements, so that its gradient goes to both. nan counts as larger than every number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.operands import numbers_only
from minigrad.ops.places.gather import gather
from minigrad.ops.pointwise.arithmetic import lerp
from minigrad.ops.reductions.dims import check_dim_given, np_sum
from minigrad.ops.reductions.picking import shared_by_equals, take_along_op
from minigrad.ops.reductions.sorting import order, sort
from minigrad.ops.shapes.transposing import movedim
from minigrad.ops.shapes.views import reshape, squeeze, unsqueeze
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "median", "nanmedian", "kthvalue", "quantile", "nanquantile",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("median", "nanmedian", "kthvalue", "quantile", "nanquantile")  # those that take out=

median_of_dim, nanmedian_of_dim = take_along_op("MedianBackward1"), take_along_op("NanmedianBackward1")
kthvalue_of_dim = take_along_op("KthvalueBackward0")


@op(name="MedianBackward0", self=shared_by_equals)
def median_all(self: Array) -> Array:
    """The median of all elements, nan if one is nan. Its gradient is shared among equal ones."""
    row = np.ravel(self)
    if not row.size:
        return row.dtype.type(np.nan if row.dtype.kind == "f" else np.iinfo(row.dtype).min)
    row = np.sort(row)
    return row[-1] if row[-1] != row[-1] else row[(row.size - 1) // 2]


@op(name="NanmedianBackward0", self=shared_by_equals)
def nanmedian_all(self: Array) -> Array:
    """The median of all elements that are not nan; nan if there are none."""
    row = np.ravel(self)
    numbers = row[row == row]
    return arrays.median_all(numbers if numbers.size else row)


# ---------------------------------------------------------------- as the learner calls them


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle of all elements in order (the lower one if two are); with `dim`, (values, indices) of it along that.

    nan where one is nan.
    """
    (input,) = tensor_operands("median", input)
    if dim is None:
        check_dim_given("median", keepdim)
        numbers_only("median_cpu", input._array)
        return median_all(input)
    dim = _check_dim("median", input, dim)
    numbers_only("median_out", input._array)
    size, numbers = _counts(input._array, dim)
    indices = _at_rank(input._array, np.where(numbers < size, numbers, (size - 1) // 2), dim, keepdim)
    return return_types.median(median_of_dim(input, indices, dim, keepdim), indices)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median` of the elements that are not nan; nan where there are none."""
    (input,) = tensor_operands("nanmedian", input)
    if dim is None:
        check_dim_given("nanmedian", keepdim)
        numbers_only("median_cpu", input._array)
        return nanmedian_all(input)
    dim = _check_dim("nanmedian", input, dim)
    numbers_only("median_out", input._array)
    _, numbers = _counts(input._array, dim)
    indices = _at_rank(input._array, np.maximum(numbers - 1, 0) // 2, dim, keepdim)
    return return_types.nanmedian(nanmedian_of_dim(input, indices, dim, keepdim), indices)


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the `k`-th smallest element along `dim`, counted from 1."""
    (input,) = tensor_operands("kthvalue", input)
    dim = _check_dim("kthvalue", input, dim)
    if not 1 <= k <= (input.shape[dim] if input.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: k is {k}")
    numbers_only("kthvalue_cpu", input._array)
    indices = _at_rank(input._array, k - 1, dim, keepdim)
    return return_types.kthvalue(kthvalue_of_dim(input, indices, dim, keepdim), indices)


def _check_dim(name: str, input: Tensor, dim: int) -> int:
    """A dimension counted from the front, along which there is something to choose from."""
    if not isinstance(dim, int):
        raise TypeError(f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")
    dim = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[dim]:
        raise IndexError(f"{name.removeprefix('nan')}(): Expected reduction dim {dim} to have non-zero size.")
    return dim


def _at_rank(array: Array, rank: Any, dim: int, keepdim: bool) -> Tensor:
    """Where along a dimension the elements of some rank are, the smallest having rank 0."""
    if not array.ndim:
        return from_array(np.int64(0))
    rank = np.broadcast_to(rank, (*array.shape[:dim], 1, *array.shape[dim + 1 :]))
    places = np.take_along_axis(order(array, dim), rank, dim)
    return from_array(places if keepdim else np.squeeze(places, dim))


def _counts(array: Array, dim: int) -> tuple[int, Array]:
    """How many elements there are along a dimension, and how many that are not nan."""
    if not array.ndim:
        return 1, np.int64(1)
    return array.shape[dim], np_sum(array == array, axis=dim, keepdims=True)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The number below which a share `q` of the elements lies, of all or along `dim`; nan where one is nan.

    Args:
        q: a share between 0 and 1, or a vector of these, whose quantiles are then stacked along a new first dimension.
        interpolation: what to give between two elements: "linear", "lower", "higher", "midpoint", "nearest".
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """`quantile` of the elements that are not nan; nan where there are none."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


def _quantile(name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    (input,) = tensor_operands(name, input)
    shares = _shares(input, q, interpolation)
    wrapped = 0 if dim is None else wrap_dim(dim, input.ndim)
    rows = reshape(input, (-1,)) if dim is None or not input.ndim else movedim(input, wrapped, -1)
    ordered = sort(rows).values
    result = _between(ordered, _ranks(ordered._array, shares, name == "nanquantile"), interpolation)
    if keepdim:
        one = (1,) * input.ndim
        result = reshape(result, (*one, shares.numel())) if dim is None else unsqueeze(result, wrapped)
    return movedim(result, -1, 0) if isinstance(q, Tensor) and q.ndim else squeeze(result, -1)


def _shares(input: Tensor, q: Any, interpolation: str) -> Tensor:
    """The shares that are asked for, as a vector."""
    if not input.numel():
        raise RuntimeError("quantile() input tensor must be non-empty")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"quantile() input tensor must be either float or double dtype, not {input.dtype}")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q}")
        return from_array(np.full(1, q, input.dtype.numpy))
    if q.ndim > 1:
        raise RuntimeError(f"quantile() q must be a scalar or 1D tensor, not {q.ndim}D")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"quantile() q tensor must be same dtype as the input tensor: {input.dtype}, not {q.dtype}")
    if not np.all((q._array >= 0) & (q._array <= 1)):
        raise RuntimeError(f"quantile() q values must be in the range [0, 1], not {q.tolist()}")
    return reshape(q, (-1,))


def _ranks(ordered: Array, shares: Tensor, ignore_nan: bool) -> Tensor:
    """The rank, with a fraction, that each share has in each row; where a nan is the answer, that of the last."""
    size, numbers = _counts(ordered, ordered.ndim - 1)
    last = np.maximum(numbers - 1, 0) if ignore_nan else np.full(numbers.shape, size - 1)
    ranks = shares * from_array(last.astype(ordered.dtype))
    if not ignore_nan and np.any(numbers < size):
        ranks = from_array(np.where(numbers < size, ordered.dtype.type(size - 1), ranks._array))
    return ranks


def _between(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """The elements of some ranks along the last dimension, or what lies between two of them."""
    exact = ranks._array

    def at(places: Array) -> Tensor:
        return gather(ordered, -1, from_array(places.astype(np.int64)))

    if interpolation in ("lower", "higher", "nearest"):
        return at({"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[interpolation](exact))
    below, above = at(np.floor(exact)), at(np.ceil(exact))
    if interpolation == "midpoint":
        return lerp(below, above, 0.5)
    return lerp(below, above, ranks - from_array(np.floor(exact)))
