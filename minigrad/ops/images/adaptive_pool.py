"""Pooling to a size that is asked for, and pixels chosen by their indices.

After this module a reader knows how n pixels are shared among m windows of nearly equal length (window i goes from
i n / m, rounded down, to (i + 1) n / m, rounded up, so that neighbours may overlap by one), and how `max_unpool2d` puts
the largest pixels back where `max_pool2d(return_indices=True)` found them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.op import op, tensor_operands
from minigrad.ops.images.pool_windows import check_sequence, per_dim, squeezed
from minigrad.ops.reductions.sums import mean
from minigrad.ops.shapes import views
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array
Sizes = tuple[int, ...]
Goal = int | Sequence[int | None]


def _ends(old: int, new: int) -> Iterator[tuple[int, int]]:
    """Where each of `new` windows over `old` pixels begins and ends."""
    for i in range(new):
        yield i * old // new, -(-(i + 1) * old // new)


# ---------------------------------------------------------------- the mean


def _adaptive_averaging(node: str) -> Any:
    """One op for each of the names that PyTorch has, by the dimensions of the image."""

    @op(
        name=node,
        self=lambda F, g, self_shape, places: F.adaptive_avg_pool_input(g, self_shape[-len(places) :]),
    )
    def adaptive_avg_pool(self: Array, places: Sizes) -> Array:
        """Means of windows: (..., *size) -> (..., *places), one dimension after the other."""
        out = self
        for dim, count in enumerate(places, -len(places)):
            parts = [
                np.add.reduce(_part(out, dim, start, end), axis=dim, keepdims=True) / (end - start)
                for start, end in _ends(out.shape[dim], count)
            ]
            out = np.concatenate(parts, dim) if parts else _part(out, dim, 0, 0).copy()
        return out

    return adaptive_avg_pool


_average2d, _average3d = map(_adaptive_averaging, ("AdaptiveAvgPool2DBackward0", "AdaptiveAvgPool3DBackward0"))


@op(self=lambda F, g, self_shape, size: F.adaptive_avg_pool(g, self_shape[-len(size) :]))
def adaptive_avg_pool_input(self: Array, size: Sizes) -> Array:
    """The gradient of `adaptive_avg_pool`: each pixel's share of the windows that see it."""
    out = self
    for dim, count in enumerate(size, -len(size)):
        sizes = list(out.shape)
        sizes[dim] = count
        g, out = out, np.zeros(sizes, self.dtype)
        for i, (start, end) in enumerate(_ends(count, g.shape[dim])):
            _part(out, dim, start, end)[...] += _part(g, dim, i, i + 1) / (end - start)
    return out


def _part(array: Array, dim: int, start: int, end: int) -> Array:
    """A slice along a dimension that is counted from the end."""
    return array[(..., slice(start, end), *(slice(None),) * (-dim - 1))]


# ---------------------------------------------------------------- chosen pixels


def _taking(node: str) -> Any:
    """One op for each of the names that PyTorch has, by how the indices were found."""

    @op(
        name=node,
        constants=("indices",),
        self=lambda F, g, indices, self_shape, dims: F.put_pixels(g, indices, self_shape[-dims:]),
    )
    def take_pixels(self: Array, indices: Array, dims: int) -> Array:
        """The pixels of images at `indices`, which count them in reading order."""
        return np.take_along_axis(_rows(self, dims), _rows(indices, dims), -1).reshape(indices.shape)

    return take_pixels


_take2d, _take3d = map(_taking, ("AdaptiveMaxPool2DBackward0", "AdaptiveMaxPool3DBackward0"))


def _putting(node: str, adds: bool) -> Any:
    """One op for each of the names that PyTorch has. Where two are put in one place, they add up, or the last stays."""

    @op(name=node, constants=("indices",), self=lambda F, g, indices, size: F.take_pixels(g, indices, len(size)))
    def put_pixels(self: Array, indices: Array, size: Sizes) -> Array:
        """Images of some size with pixels put at `indices`, and 0 elsewhere."""
        out = np.zeros((*self.shape[: -len(size)], *size), self.dtype)
        rows, places = _rows(out, len(size)), _rows(indices, len(size))
        if adds:
            images = np.arange(math.prod(rows.shape[:-1]))[:, np.newaxis]
            flat = places.reshape(-1, places.shape[-1]) + images * rows.shape[-1]
            np.add.at(out.reshape(-1), flat, self.reshape(flat.shape))
        else:
            np.put_along_axis(rows, places, _rows(self, len(size)), -1)
        return out

    return put_pixels


_unpool3d, _unpool2d, put_pixels = (
    _putting(node, adds)
    for node, adds in (("MaxUnpool3DBackward0", False), ("MaxUnpool2DBackward0", False), ("PutPixelsBackward0", True))
)


def _rows(image: Array, dims: int) -> Array:
    """(..., *size) as (..., pixels)."""
    return image.reshape(*image.shape[:-dims], math.prod(image.shape[-dims:]))


def _largest(image: Array, places: Sizes) -> Array:
    """Where the largest pixel of each window is, counted in reading order."""
    size = image.shape[-len(places) :]
    numbers = np.arange(math.prod(size)).reshape(size)
    undefined = bool(np.isnan(image).any())
    found = np.zeros((*image.shape[: -len(places)], *places), np.int64)
    for place in np.ndindex(*places):
        window = []
        for i, old, new in zip(place, size, places, strict=True):
            window.append(slice(i * old // new, -(-(i + 1) * old // new)))
        seen = _rows(image[..., *window], len(places))
        best = np.argmax(seen, -1)
        if undefined:  # argmax has found the first nan; PyTorch tells of the last
            last = seen.shape[-1] - 1 - np.argmax(np.isnan(seen[..., ::-1]), -1)
            best = np.where(np.isnan(seen).any(-1), last, best)
        found[..., *place] = numbers[*window].reshape(-1)[best]
    return found


# ---------------------------------------------------------------- as the learner calls them


def adaptive_avg_pool1d(input: Tensor, output_size: Goal) -> Tensor:
    """Means of `output_size` windows of nearly equal length: (N, C, L) or (C, L) -> (N, C, output_size)."""
    return _of_rows("adaptive_avg_pool1d", adaptive_avg_pool2d, input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: Goal) -> Tensor:
    """Means of as many windows as make images of `output_size`, an int or (h, w): (N, C, H, W) -> (N, C, h, w).

    None in place of a number keeps that size. RuntimeError for sizes that do not fit.
    """
    return _adaptive_mean("adaptive_avg_pool2d", _average2d, 2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Goal) -> Tensor:
    """`adaptive_avg_pool2d` for volumes (N, C, D, H, W)."""
    return _adaptive_mean("adaptive_avg_pool3d", _average3d, 3, input, output_size)


def adaptive_max_pool1d(input: Tensor, output_size: Goal, return_indices: bool = False) -> Any:
    """The largest of each of `output_size` windows of nearly equal length: (N, C, L) or (C, L)."""
    return _of_rows("adaptive_max_pool1d", adaptive_max_pool2d, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Goal, return_indices: bool = False) -> Any:
    """The largest of each of as many windows as make images of `output_size`: (N, C, H, W) -> (N, C, h, w).

    With `return_indices` the result is (values, indices), which count an image's pixels row by row.
    """
    return _adaptive_max("adaptive_max_pool2d", _take2d, 2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Goal, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` for volumes (N, C, D, H, W)."""
    return _adaptive_max("adaptive_max_pool3d", _take3d, 3, input, output_size, return_indices)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Undoes `max_pool1d(return_indices=True)` as far as possible; the options are those of `max_unpool2d`."""
    (size,) = _unpooled_size("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)
    image, where = views.unsqueeze(input, -2), from_array(indices._array[..., None, :])
    return views.squeeze(_unpool2d(image, where, (1, size)), -2)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put the pixels of `max_pool2d(return_indices=True)` back where they were: zeros elsewhere.

    The options are those of the pooling; `output_size` chooses among the sizes that lead to this one. RuntimeError
    for indices beyond the image or of another shape than the input.
    """
    size = _unpooled_size("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)
    unpooled: Tensor = _unpool2d(input, indices, size)
    return unpooled


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """`max_unpool2d` for volumes."""
    size = _unpooled_size("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)
    unpooled: Tensor = _unpool3d(input, indices, size)
    return unpooled


def _of_rows(function: str, pooling: Any, input: Tensor, output_size: Goal, *options: Any) -> Any:
    """A pooling of sequences, by that of images of one row."""
    (input,) = tensor_operands(function, input)
    check_sequence(function, input)
    (goal,) = output_size if isinstance(output_size, Sequence) else (output_size,)
    return squeezed(pooling(views.unsqueeze(input, -2), (1, goal), *options))


def _goal(function: str, dims: int, input: Tensor, output_size: Goal, message: str) -> Sizes:
    """The size asked for, None being that of the image."""
    goal = tuple(output_size) if isinstance(output_size, Sequence) else (output_size,) * dims
    if len(goal) != dims:
        raise RuntimeError(f"{function}{message} {dims}: got {output_size}")
    size = input.shape[-dims:]
    for value in goal:
        if value is not None and (not isinstance(value, int | np.integer) or isinstance(value, bool)):
            raise TypeError(f"{function}(): argument 'output_size' must be tuple of ints, not {type_name(value)}")
    return tuple(old if new is None else int(new) for old, new in zip(size, goal, strict=True))


def _check_image(function: str, dims: int, input: Tensor, separator: str) -> None:
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{function}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{separator} {list(input.shape)}"
        )
    for dim in range(input.ndim - dims - (separator == ":"), input.ndim):
        if input.shape[dim] == 0:
            raise RuntimeError(
                f"{function}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"{function}\" not implemented for '{input.dtype.tensor_type}': convert it first")


def _adaptive_mean(function: str, average: Any, dims: int, input: Tensor, output_size: Goal) -> Tensor:
    (input,) = tensor_operands(function, input)
    goal = _goal(function, dims, input, output_size, ": output_size must be")
    if min(goal) < 0:
        raise RuntimeError(
            f"{function}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, goal))}}}"
        )
    if dims == 2 and goal == (1, 1) and input.ndim in (3, 4):
        return mean(input, (-1, -2), True)
    _check_image(function, dims, input, "")
    pooled: Tensor = average(input, goal)
    return pooled


def _adaptive_max(function: str, take: Any, dims: int, input: Tensor, output_size: Goal, return_indices: bool) -> Any:
    (input,) = tensor_operands(function, input)
    goal = _goal(function, dims, input, output_size, "(): internal error: output_size.size() must be")
    _check_image(function, dims, input, ":")
    if min(goal) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(goal)}: {[*input.shape[:-dims], *goal]}"
        )
    indices = from_array(_largest(input._array, goal))
    values = take(input, indices, dims)
    return (values, indices) if return_indices else values


def _unpooled_size(
    function: str,
    dims: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    output_size: Sequence[int] | None,
) -> Sizes:
    """The size of the images that were pooled to this one; RuntimeError for indices that do not fit it."""
    input, indices = tensor_operands(function, input, indices)
    kernel = per_dim(function, "kernel_size", kernel_size, dims)
    steps = kernel if stride is None else per_dim(function, "stride", stride, dims)
    borders = per_dim(function, "padding", padding, dims)
    spans = zip(input.shape[-dims:], steps, borders, kernel, strict=True)
    size = tuple((n - 1) * step + k - 2 * border for n, step, border, k in spans)
    if output_size is not None:
        given = tuple(output_size)[-dims:]
        for dim, (own, usual, step) in enumerate(zip(given, size, steps, strict=True)):
            if not usual - step < own < usual + step:
                between = f"between {usual - step} and {usual + step}"
                raise ValueError(f'invalid output_size "{given}" (dim {dim} must be {between})')
        size = given
    if indices.dtype.name != "int64":
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype.tensor_type}")
    if indices.shape != input.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    if input.numel() and not 0 <= indices._array.min() <= indices._array.max() < math.prod(size):
        beyond = indices._array[(indices._array < 0) | (indices._array >= math.prod(size))][0]
        raise RuntimeError(
            f"Found an invalid max index: {beyond} (output volumes are of size {'x'.join(map(str, size))})"
        )
    return size


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
