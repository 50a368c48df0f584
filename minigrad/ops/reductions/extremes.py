"""The largest, the smallest and the middle one, and order: max, amax, argmax and the like, median, sort, argsort, topk.

Where several elements are equal, amax and amin share the gradient among all of them, as max, min and median of a whole
tensor do; along a dimension these give it to the one whose index they return. Sorting changes no number, only places:
the gradient goes back to where each element came from. nan counts as larger than every number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import Array, op, with_node_name
from minigrad.operands import MISSING, wrong_type
from minigrad.ops.declarations import numbers_only
from minigrad.ops.pointwise.choices import maximum, minimum
from minigrad.ops.reductions.dims import check_dim_given, expand_reduced, np_max, np_min, wrap_dims
from minigrad.public import Dims, public
from minigrad.tensor import Tensor, from_array, from_index, wrap_dim

# ---------------------------------------------------------------- elements picked by their index


def _put_at_indices(F: Any, g: Any, indices: Any, dim: int, keepdim: bool, self_shape: tuple[int, ...]) -> Any:
    """Zeros with a gradient where its elements came from."""
    if not keepdim and self_shape:
        g, indices = F.unsqueeze(g, dim), F.unsqueeze(indices, dim)
    return F.scatter(F.zeros(self_shape, g), g, indices, dim)


@op(name="MaxBackward0", constants=("indices",), self=_put_at_indices)
def take_along(self: Array, indices: Array, dim: int, keepdim: bool) -> Array:
    """The elements at `indices` along `dim`, however these were found. The gradient goes to these."""
    if not self.ndim:
        return np.array(self)
    taken = np.take_along_axis(self, indices if keepdim else np.expand_dims(indices, dim), dim)
    return taken if keepdim else np.squeeze(taken, dim)


max_dim = take_along
min_dim, median_dim = with_node_name(take_along, "MinBackward0"), with_node_name(take_along, "MedianBackward1")
sorted_values, stably_sorted = with_node_name(take_along, "SortBackward0"), with_node_name(take_along, "SortBackward1")
topk_values = with_node_name(take_along, "TopkBackward0")


# ---------------------------------------------------------------- the largest and the smallest


def _shared_by_equals(F: Any, g: Any, self: Any, result: Any) -> Any:
    """A gradient in equal parts for all elements that are the result; nan is that of all nans."""
    winners = self != self if result != result else self == result
    return F.where(winners, g / int(winners.sum()), 0)


@op(name="MaxBackward1", self=_shared_by_equals)
def max_all(self: Array) -> Array:
    """The largest element. Its gradient is shared among equal ones."""
    return np.max(self)


@op(name="MinBackward1", self=_shared_by_equals)
def min_all(self: Array) -> Array:
    """The smallest element. Its gradient is shared among equal ones."""
    return np.min(self)


@op(name="MedianBackward0", self=_shared_by_equals)
def median_all(self: Array) -> Array:
    """The middle element, the lower one of two. Its gradient is shared among equal ones."""
    order = np.sort(self, None)
    if not order.size and order.dtype.kind != "f":  # what nan becomes in PyTorch
        return self.dtype.type(np.iinfo(self.dtype).min if self.dtype.itemsize >= 4 else 0)
    if not order.size or order[-1] != order[-1]:  # nan is the last of all
        return self.dtype.type(math.nan)
    return order[(order.size - 1) // 2]


def _shared_along(F: Any, g: Any, self: Any, result: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of an extreme along some dimensions, shared among equal elements; nan where the result is nan."""
    g, result = (expand_reduced(F, value, self.shape, dim, keepdim) for value in (g, result))
    return g * F.where(result == result, F.shares_of_ties(self, result, dim), math.nan)


@op(name="AmaxBackward0", self=_shared_along)
def amax_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The largest along some dimensions. Its gradient is shared among equal ones."""
    return np_max(self, axis=dim, keepdims=keepdim)


@op(name="AminBackward0", self=_shared_along)
def amin_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The smallest along some dimensions. Its gradient is shared among equal ones."""
    return np_min(self, axis=dim, keepdims=keepdim)


# ---------------------------------------------------------------- as the learner calls them


@public(overloaded=True)
def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The largest element; with `dim`, (values, indices) of the largest along it, the first among equal ones.

    `max(input, other)` is `maximum(input, other)`.
    """
    return _extreme("max", (maximum, max_all, max_dim, np.argmax), input, dim, keepdim, other)


@public(overloaded=True)
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The smallest element; with `dim`, (values, indices) of the smallest along it, the first among equal ones.

    `min(input, other)` is `minimum(input, other)`.
    """
    return _extreme("min", (minimum, min_all, min_dim, np.argmin), input, dim, keepdim, other)


def _extreme(name: str, ways: tuple[Any, ...], input: Tensor, dim: Any, keepdim: bool, other: Tensor | None) -> Any:
    """`max` and `min`, which have a way for two tensors, for all elements, and along a dimension."""
    of_two, of_all, along_dim, find = ways
    if isinstance(dim, Tensor) or other is not None:
        return of_two(input, dim if other is None else other)
    if dim is None:
        check_dim_given(name, keepdim)
        _filled_dims(name, input, None)
        return of_all(input)
    if not isinstance(dim, int):
        raise TypeError(f"{name}() received an invalid combination of arguments: dim must be an int, not {dim!r}")
    indices = _indices_along(name, find, input, dim, keepdim)
    return getattr(return_types, name)(along_dim(input, indices, wrap_dim(dim, input.ndim), keepdim), indices)


@public
def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The largest element, or that along the dimensions `dim`; `keepdim` leaves these with size 1."""
    return amax_dims(input, _filled_dims("amax", input, dim), keepdim)


@public
def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The smallest element, or that along the dimensions `dim`; `keepdim` leaves these with size 1."""
    return amin_dims(input, _filled_dims("amin", input, dim), keepdim)


@public
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, the lower one of two; with `dim`, (values, indices) along it. nan if there is one."""
    numbers_only("median_cpu", input._array)
    if dim is None:
        if keepdim:
            raise wrong_type("median", "dim", None, "int", MISSING)
        return median_all(input)
    indices = _indices_along("median", _middle, input, dim, keepdim)
    return return_types.median(median_dim(input, indices, wrap_dim(dim, input.ndim), keepdim), indices)


def _middle(array: Array, axis: int, keepdims: bool) -> Array:
    """The indices of the middle elements along a dimension, or of the first nan."""
    middle = np.take(np.argsort(array, axis=axis, kind="stable"), [(array.shape[axis] - 1) // 2], axis=axis)
    has_nan = (array != array).any(axis=axis, keepdims=True)
    found = np.where(has_nan, np.argmax(array, axis=axis, keepdims=True), middle)
    return found if keepdims else found.squeeze(axis)


@public(composed=True)
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as largest.
    """
    return _index_of("argmax", np.argmax, input, dim, keepdim)


@public(composed=True)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as smallest.
    """
    return _index_of("argmin", np.argmin, input, dim, keepdim)


def _index_of(name: str, find: Callable[..., Any], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """`argmax` and `argmin`, which `find` computes."""
    if input.dtype is dtypes.bool:
        raise RuntimeError(f"{name}(): does not support bool input: convert the tensor first, as in x.int().{name}()")
    if dim is None:
        _filled_dims(name, input, None, IndexError)
        return from_index(find(input._array, keepdims=keepdim))
    return _indices_along(name, find, input, dim, keepdim)


def _indices_along(name: str, find: Callable[..., Any], input: Tensor, dim: int, keepdim: bool) -> Tensor:
    """The indices that `find` gives along a dimension; 0 for a tensor without dimensions."""
    dims = _filled_dims(name, input, dim)
    return from_index(find(input._array, axis=dims[0], keepdims=keepdim) if dims else np.int64(0))


def _filled_dims(name: str, input: Tensor, dim: Dims, error: type[Exception] = RuntimeError) -> tuple[int, ...]:
    """Dimensions counted from the front, along which there are elements; none given means all."""
    if dim in (None, ()) and not input.numel():
        text = "Expected reduction dim to be specified for input.numel() == 0"
        raise error(f"{name}(): {text}. Specify the reduction dim with the 'dim' argument.")
    dims = wrap_dims(dim, input.ndim)
    for empty in [dim for dim in dims if not input.shape[dim]]:
        raise IndexError(f"{name}(): Expected reduction dim {empty} to have non-zero size.")
    return dims


# ---------------------------------------------------------------- order


def _order(array: Array, dim: int, descending: bool = False) -> Array:
    """The indices of the elements in order along a dimension; equal ones keep their order."""
    if not array.ndim:
        return np.int64(0)
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(np.argsort(np.flip(array, dim), axis=dim, kind="stable"), dim)


@public
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along `dim`, and where they were. Equal ones keep their order."""
    dim = wrap_dim(dim, input.ndim)
    indices = from_index(_order(input._array, dim, descending))
    return return_types.sort((sorted_values if stable is None else stably_sorted)(input, indices, dim, True), indices)


@public
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that put the elements in order along `dim`."""
    return from_index(_order(input._array, wrap_dim(dim, input.ndim), descending))


@public
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the `k` largest elements along `dim`, the largest first, or of the smallest; those of equal
    elements that come first. (They are in order whatever `sorted` says.) RuntimeError if there are fewer than `k`.
    """
    dim, size = wrap_dim(dim, input.ndim), input.shape[dim] if input.ndim else 1
    if not 0 <= k <= size:
        raise RuntimeError(f"selected index k out of range: k is {k}, and there are {size} elements along dim {dim}")
    if input.dtype is dtypes.bool:
        raise RuntimeError("topk does not support bool dtypes on CPU: convert the tensor first, as in x.int()")
    order = _order(input._array, dim, largest)
    indices = from_index(np.take(order, np.arange(k), axis=dim) if input.ndim else order)
    return return_types.topk(topk_values(input, indices, dim, True), indices)


@public
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The different elements in order, or with `dim` the different parts along it (in order whatever `sorted` says).

    With `return_inverse` also the place in there of each element or part, with `return_counts` how often each occurs.
    """
    values, inverse, counts = np.unique(np.asarray(input._array), False, True, True, dim, equal_nan=False)
    indices = (inverse.reshape(input.shape if dim is None else -1),) * return_inverse + (counts,) * return_counts
    return (from_array(values), *map(from_index, indices)) if indices else from_array(values)
