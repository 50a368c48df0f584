"""Where numbers fall among boundaries, and how many fall together: searchsorted, bucketize, histc, bincount.

After this module a reader knows how to put numbers into bins by bisection, and what `right` decides: on which side of a
boundary a number falls that equals it. The answers are counts and have no gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.ops.operands import floats_only, no_derivative
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("histc", "bincount")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("searchsorted", "bucketize", "histc")  # those that take out=


def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """How many numbers of a sorted sequence are smaller than each of `input` (a tensor or a number).

    Args:
        sorted_sequence: a vector; or rows along the last dimension, one for each row of `input`.
        out_int32: give int32 instead of int64.
        right: count those that are equal, too. `side="right"` says the same.
        sorter: the indices that would sort the sequence, if it is not sorted.
    """
    (sequence,) = tensor_operands("searchsorted", sorted_sequence)
    if side not in (None, "left", "right"):
        raise RuntimeError(f"minigrad.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "minigrad.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    values = _values_to_find(sequence, input)
    places = None if sorter is None else _checked_sorter(sequence, sorter)
    edge: Any = "right" if right or side == "right" else "left"
    rows = sequence._array if places is None else np.take_along_axis(sequence._array, places, -1)
    if rows.ndim == 1:
        found = np.searchsorted(rows, values, edge)
    else:
        found = np.empty(values.shape, np.int64)
        for place in np.ndindex(values.shape[:-1]):
            found[place] = np.searchsorted(rows[place], values[place], edge)
    return from_array(found.astype(np.int32 if out_int32 else np.int64))


def _values_to_find(sequence: Tensor, input: Any) -> Any:
    """What is to be looked for, as an array that fits the sequence."""
    if not isinstance(input, Tensor | int | float):
        raise TypeError(
            "searchsorted() received an invalid combination of arguments: input must be a tensor or a number, not "
            f"{type(input).__name__}"
        )
    if not sequence.ndim:
        raise RuntimeError(
            "minigrad.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    values = np.asarray(input._array if isinstance(input, Tensor) else input)
    if not values.ndim and sequence.ndim > 1:
        raise RuntimeError(
            "minigrad.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we "
            f"got boundaries tensor dim({sequence.ndim}) and input value's dim(0) numel(1)"
        )
    if sequence.ndim > 1 and values.shape[:-1] != sequence.shape[:-1]:
        raise RuntimeError(
            "minigrad.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            "boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(sequence.shape)} and input value tensor {list(values.shape)}"
        )
    return values


def _checked_sorter(sequence: Tensor, sorter: Tensor) -> Any:
    """The indices that sort the sequence, as an array; RuntimeError if they cannot be that."""
    if sorter.shape != sequence.shape:
        raise RuntimeError(
            "minigrad.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sequence.shape)}and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype is not dtypes.int64:
        raise RuntimeError(
            f"minigrad.searchsorted(): sorter must be a tensor of long dtype but got dtype {sorter.dtype.tensor_type}"
        )
    if np.any((sorter._array < 0) | (sorter._array >= sequence.shape[-1])):
        raise RuntimeError("minigrad.searchsorted(): sorter index out of range")
    return sorter._array


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """For each number the bin between sorted boundaries that it falls into: 0 below the first.

    `right`: a number that equals a boundary falls into the bin above it.
    """
    (boundaries,) = tensor_operands("bucketize", boundaries)
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` intervals of one width between `min` and `max`, as floats.

    What lies outside is not counted. With min == max the range is that of the elements.
    """
    (input,) = tensor_operands("histc", input)
    floats_only("histogram_cpu", input._array)
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


@op(name="NotImplemented", constants=("self",), weights=lambda F, g: no_derivative("bincount"))
def weighted_counts(self: Array, weights: Array, minlength: int) -> Array:
    """For each number from 0 on, the weights of the elements that equal it, added up."""
    kind = weights.dtype if weights.dtype == np.float32 else np.float64
    return np.bincount(self, weights, minlength).astype(kind, copy=False)


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
