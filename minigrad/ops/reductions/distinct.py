"""Values that occur more than once: mode, unique, unique_consecutive.

After this module a reader knows how equal elements are found: in sorted order they are neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import return_types
from minigrad.op import op, tensor_operands
from minigrad.ops.reductions.picking import take_along_op
from minigrad.ops.reductions.sorting import order
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("mode", "unique", "unique_consecutive")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("mode",)  # those that take out=

mode_of_dim = take_along_op("ModeBackward0")


def _without_derivative(node: str, name: str) -> Any:
    """One op for each of the names that PyTorch has, all without a derivative."""

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


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the element that occurs most often along `dim`, the smallest if several do.

    The index is that of its last occurrence. No nan equals another, and each counts as the largest.
    """
    (input,) = tensor_operands("mode", input)
    dim = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[dim]:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    indices = from_array(_last_of_most_frequent(input._array, dim, keepdim) if input.ndim else np.int64(0))
    return return_types.mode(mode_of_dim(input, indices, dim, keepdim), indices)


def _last_of_most_frequent(array: Array, dim: int, keepdim: bool) -> Array:
    """The indices along a dimension: in sorted order, the end of the first of the longest runs of equal elements."""
    rows = np.moveaxis(array, dim, -1)
    sorting = order(rows, -1)
    ordered = np.take_along_axis(rows, sorting, -1)
    place = np.arange(ordered.shape[-1])
    starts = np.ones(ordered.shape, np.bool_)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    repeats = place - np.maximum.accumulate(np.where(starts, place, 0), -1)  # how often each stood before in its run
    found = np.take_along_axis(sorting, np.argmax(repeats, -1, keepdims=True), -1)
    return np.moveaxis(found, -1, dim) if keepdim else found[..., 0]


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
