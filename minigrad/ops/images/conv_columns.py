"""Convolution as products of matrices: what each element of the kernel sees, side by side as columns.

Fast convolution is a matter of copying. What C x 3 x 3 elements see at each of L places makes a matrix with 9 C rows
and L columns ("im2col"), and one product with the weights as a matrix (O, 9 C), which BLAS does at the speed of the
machine, is the convolution. The gradient of the weights is a product with the same columns; the gradient of the image
makes columns by a product, and adds them up where they came from ("col2im").

Columns come about in two steps, since copying many short rows takes long. First, what a row of the kernel sees in each
row of pixels: C x 3 rows of numbers. Then, for each row of the kernel, the rows of those that it meets. With a stride
of 1 these are neighbours in memory, so nothing needs to be copied for the second step: a product for each row of the
kernel, each with another view of the same numbers, and their sum is the convolution. A third of the columns is copied,
then, and a third of the memory taken; in exchange the sums are added up here, and no longer in BLAS. For 8 images of 48
channels and 64x64 pixels a convolution to 16 takes two thirds of the time so.

With a stride of 1 the gradient of the image is such a convolution, too: of the incoming gradient, with each kernel
turned round. In general it is made in the same two steps backwards: what a row of the kernel sends is added to rows,
and each of its elements' part of these to the pixels that the element saw.

Where images have at least `PLACES_ALONE` places, each is multiplied for itself: the products are (channel, place),
which is how an image lies in memory. Smaller ones (7x7 pixels, of many channels) lie side by side, since one product
with a large matrix of weights takes little longer for 32 images than for one. Images go in blocks whose columns fit
into the cache.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.ops.images.windows import Array, Extents, Sliding, blocks, size_with_border, tap_indices

PLACES_ALONE = 60  # places from which on an image is multiplied for itself
# Weights from which on turning their gradient takes longer than it saves: 512x512x3x3, 21 ms and not 3
WEIGHTS_TO_TURN = 2**16


def correlate(image: Array, weight: Array, way: Sliding) -> Array:
    """(N, C, *size), (O, C / groups, *kernel) -> (N, O, *places): each output channel's products, summed."""
    places = way.places(image.shape[2:], weight.shape[2:])
    parts = _parts(weight.shape, places, way)
    matrices = _matrices(_apart(weight, parts), way.groups)
    out = np.empty((len(image), len(weight), *places), image.dtype)
    for block, columns in _columns(image, weight.shape, places, way):
        goal = _batches(out[block], places)
        results = goal if goal.flags.c_contiguous else np.empty(goal.shape, goal.dtype)
        sums = _matrices(results, way.groups)
        product = np.empty_like(sums)
        np.matmul(matrices[0], columns[0], out=sums)
        for matrix, part in zip(matrices[1:], columns[1:], strict=True):
            sums += np.matmul(matrix, part, out=product)
        if results is not goal:
            goal[...] = results
    return out


def weigh(image: Array, g: Array, kernel: Extents, way: Sliding) -> Array:
    """The gradient of the weights: (N, C, *size) and (N, O, *places) -> (O, C / groups, *kernel)."""
    out = np.zeros((g.shape[1], image.shape[1] // way.groups, *kernel), g.dtype)
    places = g.shape[2:]
    totals = _apart(out, _parts(out.shape, places, way))
    for block, columns in _columns(image, out.shape, places, way):
        rows = _matrices(_batches(g[block], places), way.groups)
        for total, part in zip(totals, columns, strict=True):
            if total.size < WEIGHTS_TO_TURN:  # OpenBLAS is up to a third faster where the first matrix has more rows
                found = np.matmul(part, rows.swapaxes(-1, -2)).swapaxes(-1, -2)
            else:
                found = np.matmul(rows, part.swapaxes(-1, -2))
            total += (found[0] if len(found) == 1 else np.add.reduce(found, 0)).reshape(total.shape)
    return out


def spread(g: Array, weight: Array, size: Extents, way: Sliding) -> Array:
    """The gradient of the image: (N, O, *places) and (O, C / groups, *kernel) -> (N, C, *size)."""
    places, kernel, groups = g.shape[2:], weight.shape[2:], way.groups
    outputs, inputs = len(weight) // groups, weight.shape[1]
    border = tuple([(r - 1 - p, r - 1 - q) for r, (p, q) in zip(way.reach(kernel), way.padding, strict=True)])
    fits = set(way.stride) == {1} and min(map(min, border)) >= 0
    # It pays unless there are few pixels for many weights to be turned, or far more channels to copy than to add to.
    if fits and math.prod(places) >= max(PLACES_ALONE, outputs) and outputs <= 2 * inputs:
        exchanged = weight.reshape(groups, outputs, inputs, *kernel).swapaxes(1, 2)
        turned = np.flip(exchanged.reshape(groups * inputs, outputs, *kernel), tuple(range(2, weight.ndim)))
        # A copy: with steps backwards in memory it would not be multiplied by BLAS.
        out = correlate(g, turned.copy(), way._replace(padding=border))
        # A weight that is not finite makes nan of a border's zeros. (It may also be that only this sum is not finite.)
        if not any(map(any, border)) or math.isfinite(np.add.reduce(out, axis=None)):
            return out
    out = np.zeros((len(g), groups * inputs, *size), g.dtype)
    matrix = weight.reshape(groups, outputs, math.prod(weight.shape[1:])).swapaxes(-1, -2)
    for block in blocks(len(g), len(matrix) * matrix.shape[1] * math.prod(places)):
        images, given = _batches(out[block], places), _batches(g[block], places)
        columns = np.matmul(matrix, _matrices(given, groups))
        columns = columns.reshape(*images.shape[:2], math.prod(kernel[:-1]), kernel[-1], *given.shape[2:])
        rows = _empty_rows(images, kernel, places, way)
        for number, line in enumerate(_lines(kernel, places, way)):
            rows[line] += columns[:, :, number]
        for number, (pixels, seen) in enumerate(_elements(kernel, size, places, way)):
            images[pixels] += rows[:, :, number][seen]
    return out


# ---------------------------------------------------------------- matrices


def _parts(weights: Extents, places: Extents, way: Sliding) -> int:
    """Into how many parts kernels (O, C / groups, *kernel) are divided: their rows, or all are one.

    By rows, each result is added to as often as the kernel has rows; in columns, each pixel is copied that often.
    """
    outputs, inputs, *kernel = weights[0] // way.groups, *weights[1:]
    rows, count = math.prod(kernel[:-1]), math.prod(places)
    pays = count >= PLACES_ALONE and outputs <= min(inputs * kernel[-1], count)
    return rows if pays and set(way.stride[:-1]) == {1} else 1


def _apart(weight: Array, parts: int) -> Array:
    """The parts of kernels, as a view: (O, C / groups, *kernel) -> (parts, O, C / groups, kernel / parts)."""
    split = weight.reshape(*weight.shape[:2], parts, math.prod(weight.shape[2:]) // parts)
    return split.transpose(2, 0, 1, 3)


def _matrices(batches: Array, groups: int) -> Array:
    """A matrix for each group: (batches, channels, ...) -> (batches, groups, channels / groups, all others)."""
    count, channels = batches.shape[:2]
    return batches.reshape(count, groups, channels // groups, math.prod(batches.shape[2:]))


def _batches(images: Array, places: Extents) -> Array:
    """Images as they are multiplied, each for itself or all together: (N, C, *size) -> (batches, C, images, *size)."""
    return images[:, :, None] if math.prod(places) >= PLACES_ALONE else images[None].swapaxes(1, 2)


# ---------------------------------------------------------------- columns


def _columns(image: Array, weights: Extents, places: Extents, way: Sliding) -> Iterator[tuple[slice, list[Array]]]:
    """Blocks of images: which ones, and the columns of each part of the kernel, (batches, groups, C / groups * part,
    images * places).
    """
    kernel, parts = weights[2:], _parts(weights, places, way)
    lines = list(_lines(kernel, places, way))
    by_rows = len(lines) == parts
    rows: Array | None = None
    depth = math.prod(weights[1:]) // parts
    for block in blocks(len(image), way.groups * depth * math.prod(places)):
        rows = _seen_by_rows(_batches(image[block], places), kernel, places, way, rows)
        seen = [rows[line] for line in lines]
        columns = seen if by_rows else [np.stack(seen, 2)]
        shape = len(rows), way.groups, depth, len(image[block]) // len(rows) * math.prod(places)
        yield block, [part.reshape(shape) for part in columns]


def _seen_by_rows(images: Array, kernel: Extents, places: Extents, way: Sliding, room: Array | None) -> Array:
    """What a row of the kernel sees in each row of pixels: (batches, C, images, *size) -> (batches, C, width of the
    kernel, images, rows of pixels, places in a row). `room`: those of other images, to be written over.
    """
    if kernel[-1] == way.stride[-1] == 1 and not any(map(any, way.padding)):
        return images[:, :, None]
    if room is None or (len(room), room.shape[3]) != (len(images), images.shape[2]):
        room = _empty_rows(images, kernel, places, way)
    for number, (pixels, seen) in enumerate(_elements(kernel, images.shape[3:], places, way)):
        room[:, :, number][seen] = images[pixels]
    return room


def _empty_rows(images: Array, kernel: Extents, places: Extents, way: Sliding) -> Array:
    """Zeros for what `_seen_by_rows` tells: on the images' borders they stay."""
    height = size_with_border(images.shape[3:-1], way.padding[:-1])
    return np.zeros((*images.shape[:2], kernel[-1], images.shape[2], *height, places[-1]), images.dtype)


def _lines(kernel: Extents, places: Extents, way: Sliding) -> Iterator[Any]:
    """For each row of the kernel, which rows of pixels it meets, as an index."""
    return ((..., *pixels, slice(None)) for pixels in tap_indices(kernel[:-1], places, way))


def _elements(kernel: Extents, size: Extents, places: Extents, way: Sliding) -> Iterator[tuple[Any, Any]]:
    """For each element of a row of the kernel, which pixels it sees, and from which places, as indices of an image and
    of its rows.
    """
    within = [slice(before, before + length) for length, (before, _) in zip(size[:-1], way.padding, strict=False)]
    for element in range(kernel[-1]):
        step, start = way.stride[-1], element * way.dilation[-1] - way.padding[-1][0]
        low = max(0, -(start // step))  # the first place at which the element is on the image, not on its border
        high = max(low, min(places[-1], -((start - size[-1]) // step)))
        yield (..., slice(start + low * step, start + high * step, step)), (..., *within, slice(low, high))
