"""Arrays seen as rows of channels, in the order in which their memory lies, and sums over them.

After this module a reader knows why the fastest pass over an image depends on how it lies in memory, and how the mean
and the variance of many numbers are found in one look at each. Rows are an array (A, C, L): C the channels, A what lies
outside of them in memory, L what lies inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any
FAR = 10  # variances that a squared mean may be: a mean beyond is taken off before numbers are squared


def memory_order(array: Array) -> tuple[int, ...]:
    """The dimensions in the order of memory, where that is one of three: as they are, the batch last, the channels
    last. (Anything else is copied into the first.)
    """
    batch, channels, *space = range(array.ndim)
    for order in ((batch, channels, *space), (channels, *space, batch), (batch, *space, channels)):
        if array.transpose(order).flags.c_contiguous:
            return order
    return (batch, channels, *space)


def as_rows(array: Array, order: Sequence[int]) -> Array:
    """The same numbers as rows (A, C, L), for dimensions in this order; a view if memory has that order."""
    arranged = array.transpose(order)
    place = order.index(1)
    outside, inside = math.prod(arranged.shape[:place]), math.prod(arranged.shape[place + 1 :])
    return arranged.reshape(outside, array.shape[1], inside)


def from_rows(rows: Array, order: Sequence[int], shape: Sequence[int]) -> Array:
    """The shape that rows had before, in the same memory."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return rows.reshape([shape[dim] for dim in order]).transpose(back)


def inner_sums(rows: Array) -> Array:
    """The sums over the last dimension. A product with ones is faster than a sum."""
    return rows[..., 0] if rows.shape[-1] == 1 else rows @ np.ones(rows.shape[-1], rows.dtype)


def inner_products(first: Array, second: Array) -> Array:
    """The sums of products over the last dimension."""
    return first[..., 0] * second[..., 0] if first.shape[-1] == 1 else np.vecdot(first, second)


def outer_sums(sums: Array) -> Array:
    """The sums over the first of two dimensions."""
    return sums[0] if sums.shape[0] == 1 else np.ones(sums.shape[0], sums.dtype) @ sums


def scaled(rows: Array, scale: Array, shift: Array) -> Array:
    """rows * scale + shift, with one scale and one shift for all that lie along the last dimension."""
    out = rows * scale[..., np.newaxis]
    out += shift[..., np.newaxis]
    return out


def combined(g: Array, of_g: Array, rows: Array, of_rows: Array, shift: Array) -> Array:
    """g * of_g + rows * of_rows + shift: the form that every gradient of a normalisation has."""
    out = scaled(rows, of_rows, shift)
    out += g * of_g[..., np.newaxis]
    return out


def moments(sums: Array, squares: Array, count: int) -> tuple[Array, Array, bool]:
    """The mean, the variance, and whether that is exact, from sums of `count` numbers and sums of their squares.

    The mean of the squares less the square of the mean has lost digits where the mean is large beside the spread.
    """
    mean = sums / count
    square = mean * mean
    variance = squares / count - square
    return mean, variance, bool(np.all(square <= FAR * variance))


def row_moments(rows: Array) -> tuple[Array, Array]:
    """The mean and the variance along the last dimension."""
    count = rows.shape[-1]
    mean, variance, exact = moments(inner_sums(rows), inner_products(rows, rows), count)
    if not exact:
        centred = rows - mean[..., np.newaxis]
        variance = inner_products(centred, centred) / count
    return mean, variance


def channel_moments(rows: Array) -> tuple[Array, Array]:
    """The mean and the variance of each channel."""
    count = rows.shape[0] * rows.shape[2]
    mean, variance, exact = moments(outer_sums(inner_sums(rows)), outer_sums(inner_products(rows, rows)), count)
    if not exact:
        centred = rows - mean[:, np.newaxis]
        variance = outer_sums(inner_products(centred, centred)) / count
    return mean, variance
