"""Elements counted as if the tensor were one row: take and put.

After this module a reader knows that these two are each other's gradient: what is taken from a place gets its gradient
put there, and added where an element was taken twice; what is put somewhere has its gradient taken from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.ops.places.checks import tensor_argument
from minigrad.ops.places.gather import copy_and_row
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("take", "put")  # the functions that are methods of Tensor, too
IN_PLACE = ("put",)  # those that have an in-place form, with a trailing underscore
OUT = ("take",)  # those that take out=


@op(constants=("index",), self=lambda F, g, index, self_shape: F.take_backward(g, index, self_shape))
def take(self: Array, index: Array) -> Array:
    """The elements of the input at `index`."""
    return np.reshape(self, -1).take(index)


@op(name="PutBackward0", constants=("index",), self=lambda F, g, index: F.take(g, index))
def take_backward(self: Array, index: Array, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of the input added at `index`."""
    out = np.zeros(shape, self.dtype)
    np.add.at(out.reshape(-1), np.reshape(index, -1), np.reshape(self, -1))
    return out


@op(
    constants=("index",),
    self=lambda F, g, index, accumulate: g if accumulate else F.put(g, F.zeros(index.shape, g), index, False),
    source=lambda F, g, index, source_shape: F.reshape(F.take(g, index), source_shape),
)
def put(self: Array, source: Array, index: Array, accumulate: bool) -> Array:
    """The input with the elements of `source` put, or added, at `index`."""
    out, row = copy_and_row(self)
    if accumulate:
        np.add.at(row, np.reshape(index, -1), np.reshape(source, -1))
    else:
        row[np.reshape(index, -1)] = np.reshape(source, -1)
    return out


# ---------------------------------------------------------------- as the learner calls them

_take, _put = take, put


def _check_index(input: Tensor, index: Tensor, when_empty: str) -> None:
    """Raise unless `index` counts elements of the input; from its end, if negative."""
    count, found = input.numel(), index._array
    if not count and found.size:
        raise IndexError(when_empty)
    if found.size and (found.min() < -count or found.max() >= count):
        wrong = found.max() if found.max() >= count else found.min()
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")


def take(input: Tensor, index: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The elements of the input at `index`, counted as if it were one row; in the shape of `index`.

    `index`: int64, negative to count from the end. IndexError if it is out of range.
    """
    tensor_operands("take", input)
    if tensor_argument("take", "index", 2, index).dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.tensor_type}")
    _check_index(input, index, "take(): tried to take from an empty tensor")
    return _take(input, index)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:  # type: ignore[no-redef]
    """A copy of the input with the elements of `source` put at `index`, counted as if it were one row; or added there
    (`accumulate`).

    IndexError if there are not as many of one as of the other, or an index is out of range.
    """
    tensor_operands("put", input)
    tensor_argument("put", "source", 3, source)
    if tensor_argument("put", "index", 2, index).dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype.tensor_type}")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{input.dtype.tensor_type} and source.dtype = {source.dtype.tensor_type}"
        )
    if source.numel() != index.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    _check_index(input, index, "put_(): Tried to put elements into an empty tensor")
    return _put(input, source, index, bool(accumulate))
