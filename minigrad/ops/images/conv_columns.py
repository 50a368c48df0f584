"""Convolution as a matrix product: the patches that the kernel sees, side by side as columns.

Fast convolution is a matter of copying: a window of C x 3 x 3 numbers at each of L
places makes a matrix with 9 C rows and L columns ("im2col"), and then one product of matrices, which BLAS does at the
speed of the machine, is the convolution. The gradient of the weights is a product with the same columns; the gradient
of the image makes columns by a product and adds them up where they came from ("col2im"). All three are linear in each
of their two arguments, and the derivative of each is one of the others.

Why it is arranged as it is. The copy goes by rows of pixels, so columns in the order (channel, kernel, place) copy runs
of a whole row; the product then gives (channel, place), which is how an image lies in memory, and nothing is left to
transpose. For images of at least `LONG` places each is multiplied for itself; smaller ones (7x7 pixels, of many
channels) side by side, since one product with a large matrix of weights takes little longer for 32 images than for one.
Images go in blocks whose columns fit into the cache: they are multiplied while they are there. For 16 images of 64
channels and 56x56 pixels a 3x3 convolution takes 25 ms so, and 31 ms in one piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.ops.images.windows import Array, Prepared, Way, blocks, bordered, crop, taps

LONG = 200  # places from which on an image is multiplied for itself
MANY = 2**16  # weights from which on turning their gradient takes longer than it saves: 512x512x3x3, 21 ms and not 3


def correlate(image: Array, weight: Array, way: Way, prepared: Prepared) -> Array:
    """(N, C, *size), (O, C / groups, *kernel) -> (N, O, *places): each output channel's products, summed."""
    kernel = weight.shape[2:]
    places = way.places(image.shape[2:], kernel)
    out = np.empty((len(image), len(weight), *places), image.dtype)
    matrix = _matrix(weight, way.groups)
    for block, columns, alone in _blocks(image, kernel, places, way, prepared):
        if alone:
            np.matmul(matrix, columns, out=_apart(out[block], way.groups))
        else:
            side_by_side = _together(out[block], way.groups)
            side_by_side[...] = np.matmul(matrix, columns).reshape(side_by_side.shape)
    return out


def weigh(image: Array, g: Array, kernel: tuple[int, ...], way: Way, prepared: Prepared) -> Array:
    """The gradient of the weights: (N, C, *size) and (N, O, *places) -> (O, C / groups, *kernel)."""
    out = np.zeros((g.shape[1], image.shape[1] // way.groups, *kernel), g.dtype)
    matrix = _matrix(out, way.groups)
    turned = matrix.swapaxes(-1, -2)  # OpenBLAS is up to a tenth faster where the first matrix has more rows
    for block, columns, alone in _blocks(image, kernel, g.shape[2:], way, prepared):
        if alone:
            turned += np.add.reduce(np.matmul(columns, _apart(g[block], way.groups).swapaxes(-1, -2)), 0)
            continue
        rows = _together(g[block], way.groups)
        rows = rows.reshape(*rows.shape[:2], columns.shape[-1])
        if out.size < MANY:
            turned += np.matmul(columns, rows.swapaxes(-1, -2))
        else:
            matrix += np.matmul(rows, columns.swapaxes(-1, -2))
    return out


def spread(g: Array, weight: Array, size: tuple[int, ...], way: Way, prepared: Prepared) -> Array:
    """The gradient of the image: (N, O, *places) and (O, C / groups, *kernel) -> (N, C, *size)."""
    kernel, places, channels = weight.shape[2:], g.shape[2:], way.groups * weight.shape[1]
    matrix = _matrix(weight, way.groups).swapaxes(-1, -2)
    if _is_one_pixel(kernel, way) and way.groups == 1:
        return correlate(g, weight.swapaxes(0, 1), way, Prepared())
    if set(way.stride) == {1}:
        out = _spread_by_shifts(g, weight, size, way)
        if is_finite(out):
            return out
    padded = np.zeros((len(g), channels, *bordered(size, way.padding)), g.dtype)
    for block in blocks(len(g), channels * math.prod(kernel) * math.prod(places)):
        rows = _together(g[block], way.groups)
        columns = np.matmul(matrix, rows.reshape(*rows.shape[:2], math.prod(rows.shape[2:])))
        columns = np.moveaxis(columns.reshape(channels, *kernel, len(g[block]), *places), 1 + len(kernel), 0)
        for element, seen in zip(np.ndindex(*kernel), taps(padded[block], kernel, places, way), strict=True):
            seen += columns[:, :, *element]
    return np.ascontiguousarray(crop(padded, way.padding, size))


def _spread_by_shifts(g: Array, weight: Array, size: tuple[int, ...], way: Way) -> Array:
    """`spread` for a stride of 1, in less than half the time.

    Here g lies on a grid that is larger than the image by its border, with zeros there. (Neighbours share one: what
    leaves a row of pixels at its end comes to the zeros before the next.) Then all that one element of the kernel sends
    goes equally far in memory: it is one long row of numbers, to be added at a distance. (A weight that is not finite
    makes nan of the zeros.)
    """
    borders = zip(size, way.padding, g.shape[2:], strict=True)
    grid = tuple([max(length + before, length + after, places) for length, (before, after), places in borders])
    lines = [math.prod(grid[dim + 1 :]) for dim in range(len(grid))]  # from a pixel to the next in each dimension
    start = sum(before * line for (before, _), line in zip(way.padding, lines, strict=True))
    distances = [int(np.dot(tap, np.multiply(lines, way.dilation))) for tap in np.ndindex(*weight.shape[2:])]
    matrix = _matrix(weight, way.groups).swapaxes(-1, -2)
    inside: Any = (..., *map(slice, size))
    corner: Any = (..., *map(slice, g.shape[2:]))
    out = np.empty((len(g), way.groups * weight.shape[1], *size), g.dtype)
    for block in blocks(len(g), max(out.shape[1] * len(distances), len(weight)) * math.prod(grid)):
        spaced = np.zeros((g.shape[1], len(g[block]), *grid), g.dtype)
        spaced[corner] = g[block].swapaxes(0, 1)
        length = math.prod(spaced.shape[1:])
        columns = np.matmul(matrix, spaced.reshape(way.groups, -1, length))
        columns = columns.reshape(out.shape[1], len(distances), length)
        sums = np.zeros((out.shape[1], length + max(start, distances[-1])), g.dtype)
        for number, distance in enumerate(distances):
            sums[:, distance : distance + length] += columns[:, number]
        images = sums[:, start : start + length].reshape(out.shape[1], *spaced.shape[1:])
        out[block] = images[inside].swapaxes(0, 1)
    return out


def is_finite(array: Array) -> bool:
    """Whether all is finite; False may also mean that only the sum is not."""
    return math.isfinite(np.add.reduce(array, axis=None))


def _blocks(
    image: Array, kernel: tuple[int, ...], places: tuple[int, ...], way: Way, prepared: Prepared
) -> Iterator[tuple[slice, Array, bool]]:
    """Blocks of images: which ones, their columns, and whether each image is multiplied for itself.

    Columns are (images, groups, C / groups * kernel, places) then, else (groups, C / groups * kernel, images * places).
    """
    rows, count = image.shape[1] // way.groups * math.prod(kernel), math.prod(places)
    alone = count >= LONG
    for block in blocks(len(image), way.groups * rows * count):
        columns = prepared.part("columns", image, block, lambda images: _columns(images, kernel, places, way, alone))
        shape = (-1, way.groups, rows, count) if alone else (way.groups, rows, len(image[block]) * count)
        yield block, columns.reshape(shape), alone


def _columns(image: Array, kernel: tuple[int, ...], places: tuple[int, ...], way: Way, alone: bool) -> Array:
    """What each element of the kernel sees: (N, C, *size) -> (N, C, *kernel, *places) if each image is alone, else
    (C, *kernel, N, *places).

    It goes in two steps, since copying many short rows takes long: what a row of the kernel sees in each row of pixels,
    and then, for each row of the kernel, the rows of that which it meets: with a stride of 1, the whole image at once.
    """
    pixels = image if alone else image.swapaxes(0, 1)
    if _is_one_pixel(kernel, way):
        return pixels
    outer, inner = (pixels.shape[:2], ()) if alone else (pixels.shape[:1], pixels.shape[1:2])
    every: Any = (slice(None),) * len(outer)
    height, width = bordered(image.shape[2:], way.padding)[:-1], image.shape[-1]
    borders = zip(image.shape[2:-1], way.padding, strict=False)
    within: Any = [slice(before, before + size) for size, (before, _) in borders]
    rows = np.zeros((*outer, kernel[-1], *inner, *height, places[-1]), image.dtype)
    for element in range(kernel[-1]):
        step, start = way.stride[-1], element * way.dilation[-1] - way.padding[-1][0]
        low = max(0, -(start // step))  # the first place at which the element is on the image, not on its border
        high = max(low, min(places[-1], -((start - width) // step)))
        seen = pixels[..., start + low * step : start + high * step : step]
        rows[*every, element, ..., *within, low:high] = seen
    columns = np.empty((*outer, *kernel, *inner, *places), image.dtype)
    for tap in np.ndindex(*kernel[:-1]):
        met = zip(tap, way.dilation, places, way.stride, strict=False)
        lines: Any = [slice(i * apart, i * apart + (count - 1) * step + 1, step) for i, apart, count, step in met]
        columns[*every, *tap] = rows[..., *lines, :]
    return columns


def _is_one_pixel(kernel: tuple[int, ...], way: Way) -> bool:
    """Whether a kernel sees nothing at each place but the pixel there."""
    return math.prod(kernel) == math.prod(way.stride) == 1 and not any(map(any, way.padding))


def _matrix(weight: Array, groups: int) -> Array:
    """(O, C / groups, *kernel) as a matrix for each group: (groups, O / groups, C / groups * kernel)."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def _apart(image: Array, groups: int) -> Array:
    """(N, C, *size) with a matrix for each image and group: (N, groups, C / groups, pixels)."""
    return image.reshape(len(image), groups, image.shape[1] // groups, math.prod(image.shape[2:]))


def _together(image: Array, groups: int) -> Array:
    """(N, C, *size) with the images of a channel side by side: (groups, C / groups, N, pixels)."""
    return _apart(image, groups).transpose(1, 2, 0, 3)
