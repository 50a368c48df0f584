"""Order: sort, argsort, topk.

After this module a reader knows that sorting changes no number, only places: the gradient goes back to where each
element came from, which is what the indices tell. nan counts as larger than every number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import tensor_operands
from minigrad.ops.reductions.dims import np_sum
from minigrad.ops.reductions.picking import take_along_op
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("sort", "argsort", "topk")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("sort", "topk")  # those that take out=

sorted_values, stably_sorted = take_along_op("SortBackward0"), take_along_op("SortBackward1")
topk_values = take_along_op("TopkBackward0")


def order(array: Array, dim: int, descending: bool = False) -> Array:
    """The indices of the elements in order along a dimension; equal ones keep their order."""
    if not array.ndim:
        return np.int64(0)
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(np.argsort(np.flip(array, dim), axis=dim, kind="stable"), dim)


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along `dim`, and where they were. Equal ones keep their order."""
    (input,) = tensor_operands("sort", input)
    dim = wrap_dim(dim, input.ndim)
    indices = from_array(order(input._array, dim, descending))
    return return_types.sort((sorted_values if stable is None else stably_sorted)(input, indices, dim, True), indices)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that put the elements in order along `dim`."""
    (input,) = tensor_operands("argsort", input)
    return from_array(order(input._array, wrap_dim(dim, input.ndim), descending))


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
    indices = from_array(_top(array, k, dim, largest) if input.ndim else np.int64(0))
    return return_types.topk(topk_values(input, indices, dim, True), indices)


def _top(array: Array, k: int, dim: int, largest: bool) -> Array:
    """The indices of the k largest or smallest elements along a dimension, the best first."""
    rows = np.moveaxis(array, dim, -1)
    if k in (0, rows.shape[-1]):
        places = order(rows, -1, largest)[..., :k]
    else:
        places = _unordered_top(rows, k, largest)
        places = np.take_along_axis(places, order(np.take_along_axis(rows, places, -1), -1, largest), -1)
    return np.ascontiguousarray(np.moveaxis(places, -1, dim))


def _unordered_top(rows: Array, k: int, largest: bool) -> Array:
    """The indices of the k largest or smallest elements of each row, from the first to the last.

    They are found by comparing with the last that is still chosen, which a sort without indices gives. np.partition and
    np.argpartition sound like less work, but the first takes 30 times as long where many elements are equal, as zeros
    are after relu, and the second takes twice as long at best.
    """
    if k == 1 and largest:
        return np.argmax(rows, -1, keepdims=True)  # nan counts as largest there, too
    size = rows.shape[-1]
    rank = size - k if largest else k - 1
    last = np.sort(rows, axis=-1)[..., rank : rank + 1]
    chosen = ~(rows < last) if largest else ~(rows > last)  # beside nan, all are
    if np.count_nonzero(chosen) > last.size * k:  # more than k in some row
        if np.any(rows != rows):
            return order(rows, -1, largest)[..., :k]
        equal = rows == last
        wanted = k - np_sum(chosen & ~equal, axis=-1, keepdims=True)  # of the equal ones, the first of them
        chosen &= ~equal | (np.cumsum(equal, axis=-1, dtype=np.int32) <= wanted)
    return np.flatnonzero(chosen).reshape(*rows.shape[:-1], k) % size
