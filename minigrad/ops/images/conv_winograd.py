"""Convolution with fewer multiplications: Winograd's F(2x2, 3x3).

Two neighbouring results of a kernel of 3 do not need 6 multiplications but 4. With
pixels d0 ... d3 and weights w0, w1, w2:

    m0 = (d0 - d2) w0                        y0 = d0 w0 + d1 w1 + d2 w2 = m0 + m1 + m2
    m1 = (d1 + d2) (w0 + w1 + w2) / 2        y1 = d1 w0 + d2 w1 + d3 w2 = m1 - m2 - m3
    m2 = (d2 - d1) (w0 - w1 + w2) / 2
    m3 = (d1 - d3) w2

The sums of weights are made once for all places. In two dimensions, rows and then columns, 4x4 pixels give 2x2 results
with 16 multiplications in place of 36. (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015,
https://arxiv.org/abs/1509.09308.) In terms of matrices, Y = A [(G w G^T) * (B^T d B)] A^T; summed over channels, each
of the 16 elementwise products becomes one product of matrices (O, C) x (C, tiles).

Why it is fast in numpy: for one image of ResNet's 64 channels of 56x56 pixels, forward and both gradients take 3.1 ms;
with columns they take 4.8, and their bare products 3.5. The 4x4 tiles overlap by 2, so tile (r, s) is made of pixels of
equal parity around it: row 2r + 0, 1 and row 2(r + 1) + 0, 1. We cut the image into its 4 parities once; a step to the
next tile is then a step of one element, and the sums above run over whole arrays, each one a single row in memory: a
shift by one is the tile to the right, a shift by a row's length the tile below. At the right and lower edges of an
image that runs into its neighbour; those tiles are superfluous, and are dropped at the end (and have gradient 0).

Sums and differences lose less than one digit. (Winograd's next larger, F(4x4, 3x3), loses three: not for gradients.)
But they spread what is not finite over a whole tile, so such results are computed anew by columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.ops.images.windows import Prepared, Way

Array = Any  # numpy array

BLOCK = 2**20  # elements of a block of transformed tiles: 4 MiB in float32
G = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)
A = np.array([[1, 1, 1, 0], [0, 1, -1, -1]], np.float32)
# In two dimensions on rows of 9 and 16: a Kronecker product does along both what its factor does along one.
GG, AA = (np.kron(matrix, matrix) for matrix in (G, A))


def suits(weight: Array, images: int, places: tuple[int, ...], way: Way) -> bool:
    """Whether this is faster than columns: for 3x3 kernels at each place, with enough channels that the products
    outweigh the sums, and enough tiles that transforming the weights pays.
    """
    return (
        weight.shape[2:] == (3, 3)
        and way.stride == way.dilation == (1, 1)
        and way.groups == 1
        and min(weight.shape[:2]) >= 32
        and images * places[0] * places[1] >= 128
        and min(places) >= 8
        and weight.dtype.kind == "f"
    )


class Tiles:
    """How many tiles cover the results of a block of images, and where their pixels are."""

    def __init__(self, places: tuple[int, int], size: tuple[int, int], way: Way) -> None:
        self.places, self.size, self.way = places, size, way
        self.rows, self.columns = places[0] // 2 + 1 + places[0] % 2, places[1] // 2 + 1 + places[1] % 2

    def total(self, channels: int, images: int) -> int:
        return channels * images * self.rows * self.columns

    def shaped(self, flat: Array, channels: int, images: int) -> Array:
        """(..., flat) as (..., channels, images, rows, columns)."""
        return flat.reshape(*flat.shape[:-1], channels, images, self.rows, self.columns)

    def blocks(self, channels: int, images: int) -> Iterator[slice]:
        step = max(1, BLOCK // (16 * self.total(channels, 1)))
        for start in range(0, images, step):
            yield slice(start, start + step)

    def parities(self, image: Array, cells: Array) -> Iterator[tuple[Array, Array]]:
        """For each of the 4 parities, the pixels of `image` (N, C, *size) that have it, and their place in `cells`
        (2, 2, C, N, rows, columns).
        """
        (top, _), (left, _) = self.way.padding
        pixels = image.swapaxes(0, 1)
        for odd_row in (0, 1):
            for odd_column in (0, 1):
                first_row, first_column = (odd_row - top) % 2, (odd_column - left) % 2
                row, column = (first_row + top) // 2, (first_column + left) // 2
                cell = cells[odd_row, odd_column, :, :, row:, column:]
                pixel = pixels[:, :, first_row::2, first_column::2][:, :, : cell.shape[2], : cell.shape[3]]
                yield pixel, cell[:, :, : pixel.shape[2], : pixel.shape[3]]

    def transformed(self, image: Array) -> Array:
        """B^T d B of all tiles: (N, C, *size) -> (16, C, N * rows * columns)."""
        images, channels = image.shape[:2]
        total = self.total(channels, images)
        flat = np.zeros((2, 2, total + self.columns + 1), image.dtype)
        for pixel, cell in self.parities(image, self.shaped(flat[:, :, :total], channels, images)):
            cell[...] = pixel
        half = np.empty((4, 2, total + 1), image.dtype)
        _four(flat[0], flat[1], self.columns, half)
        out = np.empty((4, 4, total), image.dtype)
        _four(half[:, 0], half[:, 1], 1, out.swapaxes(0, 1))
        return out.reshape(16, channels, total // channels)

    def gathered(self, tiles: Array, image: Array) -> None:
        """The transpose of `transformed`: (16, C, N * rows * columns) -> image (N, C, *size), each pixel the sum of
        what went into the tiles from it.
        """
        images, channels = image.shape[:2]
        total = self.total(channels, images)
        half = np.empty((2, 4, total + self.columns), tiles.dtype)
        _four_back(tiles.reshape(4, 4, total), self.columns, half)
        flat = np.empty((2, 2, total + self.columns + 1), tiles.dtype)
        _four_back(half.swapaxes(0, 1), 1, flat.swapaxes(0, 1))
        for pixel, cell in self.parities(image, self.shaped(flat[:, :, :total], channels, images)):
            pixel[...] = cell

    def results(self, products: Array, bias: Array, out: Array) -> None:
        """A m A^T + bias: (16, O, N * rows * columns) -> out (N, O, *places)."""
        images, channels = out.shape[:2]
        flat = np.matmul(AA.astype(out.dtype, copy=False), products.reshape(16, -1)).reshape(2, 2, -1)
        for pixel, cell in self.pairs(out, self.shaped(flat, channels, images)):
            if bias.size:
                np.add(cell, bias.reshape(-1, 1, 1, 1), out=pixel)
            else:
                pixel[...] = cell

    def of_results(self, g: Array) -> Array:
        """The transpose of `results`: (N, O, *places) -> (16, O, N * rows * columns)."""
        images, channels = g.shape[:2]
        total = self.total(channels, images)
        flat = np.zeros((2, 2, total), g.dtype)
        for pixel, cell in self.pairs(g, self.shaped(flat, channels, images)):
            cell[...] = pixel
        return np.matmul(AA.T.astype(g.dtype, copy=False), flat.reshape(4, total)).reshape(16, channels, -1)

    @staticmethod
    def pairs(image: Array, cells: Array) -> Iterator[tuple[Array, Array]]:
        """For each of a tile's 2x2 results, all of these in `image` (N, O, *places) and in `cells`."""
        pixels = image.swapaxes(0, 1)
        for row in (0, 1):
            for column in (0, 1):
                pixel = pixels[:, :, row::2, column::2]
                yield pixel, cells[row, column, :, :, : pixel.shape[2], : pixel.shape[3]]


def _four(even: Array, odd: Array, step: int, out: Array) -> None:
    """d0 - d2, d1 + d2, d2 - d1, d1 - d3, where d0, d1 are an even and an odd pixel and d2, d3 those `step` further."""
    count = out.shape[-1]
    d0, d2 = even[..., :count], even[..., step : step + count]
    d1, d3 = odd[..., :count], odd[..., step : step + count]
    np.subtract(d0, d2, out=out[0])
    np.add(d1, d2, out=out[1])
    np.subtract(d2, d1, out=out[2])
    np.subtract(d1, d3, out=out[3])


def _four_back(m: Array, step: int, out: Array) -> None:
    """The transpose of `_four`: d0 gets m0, d1 gets m1 - m2 + m3, d2 gets m1 + m2 - m0, d3 gets -m3. Twice as fast as a
    product with the matrix of all 16, which has little to add up for each number that it writes.
    """
    even, odd = out
    count = m.shape[-1]
    even[..., :count], even[..., count:] = m[0], 0
    np.subtract(m[1], m[2], out=odd[..., :count])
    odd[..., :count] += m[3]
    odd[..., count:] = 0
    sent = m[1] + m[2]
    sent -= m[0]
    even[..., step:] += sent
    odd[..., step:] -= m[3]


def transformed_weight(weight: Array) -> Array:
    """G w G^T of all kernels: (O, C, 3, 3) -> (16, O, C)."""
    return np.matmul(GG.astype(weight.dtype, copy=False), weight.reshape(-1, 9).T).reshape(16, *weight.shape[:2])


def _kernels(weight: Array, prepared: Prepared) -> Array:
    """The transformed weights, once for forward and backward."""
    known = prepared.find("kernels", weight)
    if known is None:
        known = transformed_weight(weight)
        prepared.keep("kernels", weight, known)
    return known


def correlate(image: Array, weight: Array, bias: Array, way: Way, prepared: Prepared) -> Array:
    """As in conv_columns, for kernels of 3x3."""
    size: Any = image.shape[2:]
    places: Any = way.places(size, (3, 3))
    tiles = Tiles(places, size, way)
    out = np.empty((len(image), len(weight), *places), image.dtype)
    kernels = _kernels(weight, prepared)
    for block in tiles.blocks(max(weight.shape[:2]), len(image)):
        seen = tiles.transformed(image[block])
        if len(image[block]) == len(image):
            prepared.keep("tiles", image, seen)
        tiles.results(np.matmul(kernels, seen), bias, out[block])
    return out


def spread(g: Array, weight: Array, size: Any, way: Way, prepared: Prepared) -> Array:
    """As in conv_columns, for kernels of 3x3."""
    places: Any = g.shape[2:]
    tiles = Tiles(places, size, way)
    out = np.zeros((len(g), weight.shape[1], *size), g.dtype)
    kernels = _kernels(weight, prepared).swapaxes(1, 2)
    for block in tiles.blocks(max(weight.shape[:2]), len(g)):
        of_results = tiles.of_results(g[block])
        if len(g[block]) == len(g):
            prepared.keep("gradient", g, of_results)
        tiles.gathered(np.matmul(kernels, of_results), out[block])
    return out


def weigh(image: Array, g: Array, out: Array, way: Way, prepared: Prepared) -> None:
    """As in conv_columns, for kernels of 3x3."""
    size: Any = image.shape[2:]
    places: Any = g.shape[2:]
    tiles = Tiles(places, size, way)
    seen, of_results = prepared.find("tiles", image), prepared.find("gradient", g)
    prepared.drop("gradient")  # the other gradient is done by now
    sums: Any = None
    for block in tiles.blocks(max(out.shape[:2]), len(image)):
        first = tiles.of_results(g[block]) if of_results is None else of_results
        second = tiles.transformed(image[block]) if seen is None else seen
        part = np.matmul(first, second.swapaxes(1, 2))
        sums = part if sums is None else np.add(sums, part, out=sums)
    np.matmul(sums.reshape(16, -1).T, GG.astype(g.dtype, copy=False), out=out.reshape(-1, 9))
