"""Sorting and ranks: sort, topk, median, kthvalue, mode, quantile, unique.

After this module a reader knows that sorting changes no number, only places: the gradient goes back to where each
element came from, which is what the indices tell. nan counts as larger than every number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.places.scattering import gather
from minigrad.ops.pointwise.arithmetic import lerp
from minigrad.ops.reductions.reduction import shared, taking
from minigrad.ops.shapes.shape import movedim, reshape, squeeze, unsqueeze
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode", "quantile", "nanquantile", "unique",
    "unique_consecutive",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = (  # those that take out=
    "sort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode", "quantile", "nanquantile",
)  # fmt: skip


def _choosing(name: str) -> Any:
    """One op for each of the names that PyTorch has, by how the indices were found. Each element is chosen once."""

    @op(
        name=name,
        constants=("indices",),
        self=lambda F, g, indices, dim, self_shape: F.put_along(g, indices, dim, True, self_shape),
    )
    def choose_along(self: Array, indices: Array, dim: int) -> Array:
        """The elements at `indices` along `dim`. The gradient goes back to these."""
        return np.take_along_axis(self, indices, dim) if self.ndim else np.array(self)

    return choose_along


sorted_values, stably_sorted = _choosing("SortBackward0"), _choosing("SortBackward1")
best_values = _choosing("TopkBackward0")
median_of_dim, nanmedian_of_dim = taking("MedianBackward1"), taking("NanmedianBackward1")
kth_of_dim, mode_of_dim = taking("KthvalueBackward0"), taking("ModeBackward0")


@op(name="MedianBackward0", self=lambda F, g, self, result: shared(F, g, self, result))
def median_all(self: Array) -> Array:
    """The median of all elements, nan if one is nan. Its gradient is shared among equal ones."""
    row = np.ravel(self)
    if not row.size:
        return row.dtype.type(np.nan if row.dtype.kind == "f" else np.iinfo(row.dtype).min)
    row = np.sort(row)
    return row[-1] if row[-1] != row[-1] else row[(row.size - 1) // 2]


@op(name="NanmedianBackward0", self=lambda F, g, self, result: shared(F, g, self, result))
def nanmedian_all(self: Array) -> Array:
    """The median of all elements that are not nan; nan if there are none."""
    row = np.ravel(self)
    numbers = row[row == row]
    return arrays.median_all(numbers if numbers.size else row)


def _without_derivative(node: str, name: str) -> Any:
    def refuse() -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    @op(name=node, self=lambda F, g: refuse())
    def distinct(self: Array, values: Array) -> Array:
        """The distinct values, an array, that were found in the input. (PyTorch gives them no derivative.)"""
        return values

    return distinct


distinct_values = _without_derivative("Unique2Backward0", "_unique2")
distinct_parts = _without_derivative("UniqueDimBackward0", "unique_dim")
distinct_neighbours = _without_derivative("UniqueConsecutiveBackward0", "unique_consecutive")


# ---------------------------------------------------------------- as the learner calls them


def _order(array: Array, dim: int, descending: bool = False) -> Array:
    """The places of the elements in order along a dimension; equal ones keep theirs."""
    if not array.ndim:
        return np.int64(0)
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(np.argsort(np.flip(array, dim), axis=dim, kind="stable"), dim)


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along `dim`, and where they were. Equal ones keep their order."""
    (input,) = tensor_operands("sort", input)
    dim = wrap_dim(dim, input.ndim)
    indices = from_array(_order(input._array, dim, descending))
    return return_types.sort((sorted_values if stable is None else stably_sorted)(input, indices, dim), indices)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that put the elements in order along `dim`."""
    (input,) = tensor_operands("argsort", input)
    return from_array(_order(input._array, wrap_dim(dim, input.ndim), descending))


def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension."""
    values: Tensor = sort(input, 0).values
    return values


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the `k` largest elements along `dim`, the largest first; or of the `k` smallest.

    Which of equal elements are taken is left open. `sorted`: they are in order in any case.
    """
    (input,) = tensor_operands("topk", input)
    dim = wrap_dim(dim, input.ndim)
    array = input._array
    size = array.shape[dim] if input.ndim else 1
    if not 0 <= k <= size:
        raise RuntimeError(f"selected index k out of range: k is {k}, and there are {size} elements along dim {dim}")
    if input.dtype is dtypes.bool:
        raise RuntimeError("topk does not support bool dtypes on CPU: convert the tensor first, as in x.int()")
    places: Any
    if not input.ndim or k in (0, size):
        order = _order(array, dim, largest)
        places = order[(slice(None),) * dim + (slice(k),)] if input.ndim else order
    else:  # the others need not be put in order
        chosen = np.argpartition(array, size - k if largest else k - 1, axis=dim)
        chosen = np.sort(chosen[(slice(None),) * dim + (slice(size - k, None) if largest else slice(k),)], axis=dim)
        places = np.take_along_axis(chosen, _order(np.take_along_axis(array, chosen, dim), dim, largest), dim)
    indices = from_array(places)
    return return_types.topk(best_values(input, indices, dim), indices)


def _check_numbers(name: str, input: Tensor) -> None:
    if input.dtype is dtypes.bool:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool': convert the tensor first, as in x.int()")


def _check_ranked(name: str, input: Tensor, dim: int) -> int:
    """A dimension counted from the front, along which there is something to choose from."""
    _check_numbers(name, input)
    if not isinstance(dim, int):
        raise TypeError(f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")
    dim = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[dim]:
        raise IndexError(f"{name.removeprefix('nan')}(): Expected reduction dim {dim} to have non-zero size.")
    return dim


def _ranked(array: Array, rank: Any, dim: int, keepdim: bool) -> Tensor:
    """Where along a dimension the elements of some rank are, the smallest having rank 0."""
    if not array.ndim:
        return from_array(np.int64(0))
    rank = np.broadcast_to(rank, (*array.shape[:dim], 1, *array.shape[dim + 1 :]))
    places = np.take_along_axis(_order(array, dim), rank, dim)
    return from_array(places if keepdim else np.squeeze(places, dim))


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the `k`-th smallest element along `dim`, counted from 1."""
    (input,) = tensor_operands("kthvalue", input)
    dim = _check_ranked("kthvalue", input, dim)
    if not 1 <= k <= (input.shape[dim] if input.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: k is {k}")
    indices = _ranked(input._array, k - 1, dim, keepdim)
    return return_types.kthvalue(kth_of_dim(input, indices, dim, keepdim), indices)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle of all elements in order (the lower one if two are); with `dim`, (values, indices) of it along that.

    nan where one is nan.
    """
    (input,) = tensor_operands("median", input)
    if dim is None:
        _check_numbers("median", input)
        return median_all(input)
    dim = _check_ranked("median", input, dim)
    size, numbers = _counts(input._array, dim)
    indices = _ranked(input._array, np.where(numbers < size, numbers, (size - 1) // 2), dim, keepdim)
    return return_types.median(median_of_dim(input, indices, dim, keepdim), indices)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median` of the elements that are not nan; nan where there are none."""
    (input,) = tensor_operands("nanmedian", input)
    if dim is None:
        return nanmedian_all(input)
    dim = _check_ranked("nanmedian", input, dim)
    _, numbers = _counts(input._array, dim)
    indices = _ranked(input._array, np.maximum(numbers - 1, 0) // 2, dim, keepdim)
    return return_types.nanmedian(nanmedian_of_dim(input, indices, dim, keepdim), indices)


def _counts(array: Array, dim: int) -> tuple[int, Array]:
    """How many elements there are along a dimension, and how many that are not nan."""
    if not array.ndim:
        return 1, np.int64(1)
    return array.shape[dim], np.add.reduce(array == array, axis=dim, keepdims=True)


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the element that occurs most often along `dim`, the smallest if several do.

    The index is that of its last occurrence.
    """
    (input,) = tensor_operands("mode", input)
    dim = wrap_dim(dim, input.ndim)
    array = input._array
    if not input.ndim:
        indices = from_array(np.int64(0))
        return return_types.mode(mode_of_dim(input, indices, dim, keepdim), indices)
    if not array.shape[dim]:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    order = np.moveaxis(_order(array, dim), dim, -1)
    ordered = np.take_along_axis(np.moveaxis(array, dim, -1), order, -1)
    place = np.arange(array.shape[dim])
    starts = np.concatenate([ordered[..., :1] == ordered[..., :1], ordered[..., 1:] != ordered[..., :-1]], -1)
    repeats = place - np.maximum.accumulate(np.where(starts, place, 0), -1)  # so far
    longest = np.argmax(repeats, -1, keepdims=True)  # the end of the first of the longest runs of equal elements
    places = np.moveaxis(np.take_along_axis(order, longest, -1), -1, dim)
    indices = from_array(places if keepdim else np.squeeze(places, dim))
    return return_types.mode(mode_of_dim(input, indices, dim, keepdim), indices)


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
    rows = reshape(input, -1) if dim is None or not input.ndim else movedim(input, wrapped, -1)
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
    return reshape(q, -1)


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


# ---------------------------------------------------------------- distinct values


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct values in order; with `dim`, the distinct parts along it. (nans are distinct from each other.)

    Args:
        sorted: they are in order in any case.
        return_inverse: also give, for each element (or part), which of the values it is.
        return_counts: also give how often each occurs.
    """
    (input,) = tensor_operands("unique", input)
    array = np.asarray(input._array)
    if dim is None:
        values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, equal_nan=False)[:3]
        found = distinct_values(input, values)
        return _with(found, inverse.reshape(array.shape), counts, return_inverse, return_counts)
    dim = _check_parts("unique", input, dim)
    if not array.shape[dim]:
        values, inverse, counts = array.copy(), np.zeros(0, np.int64), np.zeros(0, np.int64)
    else:
        values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=dim)[:3]
    return _with(distinct_parts(input, values), inverse.reshape(-1), counts, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (or the parts along `dim`) without those that equal the one before them.

    Args:
        return_inverse: also give, for each element (or part), which of those it belongs to.
        return_counts: also give how often each stood there.
    """
    (input,) = tensor_operands("unique_consecutive", input)
    array = np.ravel(input._array) if dim is None else input._array
    along = 0 if dim is None else _check_parts("unique_consecutive", input, dim)
    rows = np.moveaxis(array, along, 0)
    new = np.ones(rows.shape[0], np.bool_)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=tuple(range(1, rows.ndim)))
    inverse = np.cumsum(new) - 1
    found = distinct_neighbours(input, np.compress(new, array, along))
    inverse = inverse.reshape(input.shape) if dim is None else inverse
    counts = np.diff(np.append(np.flatnonzero(new), new.size))
    return _with(found, inverse, counts, return_inverse, return_counts)


def _check_parts(name: str, input: Tensor, dim: int) -> int:
    """A dimension counted from the front, along which there are parts to compare."""
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, input.ndim)
    if 0 in input.shape and input.shape[dim]:
        raise RuntimeError(f"There are 0 sized dimensions, and they aren't selected, so {name} cannot be applied")
    return dim


def _with(values: Tensor, inverse: Array, counts: Array, return_inverse: bool, return_counts: bool) -> Any:
    asked = [part for part, wanted in ((inverse, return_inverse), (counts, return_counts)) if wanted]
    return (values, *(from_array(part[()]) for part in asked)) if asked else values
