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

The gradient of the image is such a convolution, too: of the incoming gradient, with each kernel turned round. Turning
exchanges w0 and w2, and so the first and the last of the four factors: the transformed weights serve again, in another
order.

Sums and differences lose less than one digit. (Winograd's next larger, F(4x4, 3x3), loses three: not for gradients.)
But they spread what is not finite over a whole tile, so such results are computed anew by columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.ops.images.windows import Array, Prepared, Sizes, Way, blocks

G = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)
A = np.array([[1, 1, 1, 0], [0, 1, -1, -1]], np.float32)
# In two dimensions on rows of 9 and 16: a Kronecker product does along both what its factor does along one.
GG, AA = (np.kron(matrix, matrix) for matrix in (G, A))
TURNED = [4 * row + column for row in (3, 1, 2, 0) for column in (3, 1, 2, 0)]


def suits(kernels: Sizes, g: Sizes, way: Way) -> bool:
    """Whether this is faster than columns, for kernels (O, C, *kernel) and (N, O, *places): for 3x3 at each place, with
    enough channels that the products outweigh the sums, and enough tiles that transforming the weights pays.
    """
    return (
        kernels[2:] == (3, 3)
        and way.stride == way.dilation == (1, 1)
        and way.groups == 1
        and max(map(max, way.padding)) <= 2
        and min(kernels[:2]) >= 32
        and min(g[2:]) >= 8
        and g[0] * g[2] * g[3] >= 128
    )


def _tile_grid(places: Sizes) -> Sizes:
    """How many rows and columns of tiles cover the results, and what runs over their edges."""
    return tuple([size // 2 + 1 + size % 2 for size in places])


def _parities(image: Array, cells: Array, top: int = 0, left: int = 0) -> Iterator[tuple[Array, Array]]:
    """For each of the 4 parities in an image with a border, its pixels in `image` (N, C, *size), and their place in
    `cells` (2, 2, C, N, rows, columns).
    """
    pixels = image.swapaxes(0, 1)
    for odd_row, odd_column in np.ndindex(2, 2):
        row, column = (odd_row - top) % 2, (odd_column - left) % 2
        cell = cells[odd_row, odd_column, :, :, (row + top) // 2 :, (column + left) // 2 :]
        pixel = pixels[:, :, row::2, column::2][:, :, : cell.shape[2], : cell.shape[3]]
        yield pixel, cell[:, :, : pixel.shape[2], : pixel.shape[3]]


def _four(even: Array, odd: Array, step: int, out: Array) -> None:
    """d0 - d2, d1 + d2, d2 - d1, d1 - d3, where d0, d1 are an even and an odd pixel and d2, d3 those `step` further."""
    count = out.shape[-1]
    d0, d2 = even[..., :count], even[..., step : step + count]
    d1, d3 = odd[..., :count], odd[..., step : step + count]
    np.subtract(d0, d2, out=out[0])
    np.add(d1, d2, out=out[1])
    np.subtract(d2, d1, out=out[2])
    np.subtract(d1, d3, out=out[3])


def _transformed(image: Array, grid: Sizes, top: int, left: int) -> Array:
    """B^T d B of all tiles: (N, C, *size) -> (16, C, N * rows * columns)."""
    (images, channels), (rows, columns) = image.shape[:2], grid
    total = channels * images * rows * columns
    flat = np.zeros((2, 2, total + columns + 1), image.dtype)
    for pixel, cell in _parities(image, flat[:, :, :total].reshape(2, 2, channels, images, *grid), top, left):
        cell[...] = pixel
    half = np.empty((4, 2, total + 1), image.dtype)
    _four(flat[0], flat[1], columns, half)
    out = np.empty((4, 4, total), image.dtype)
    _four(half[:, 0], half[:, 1], 1, out.swapaxes(0, 1))
    return out.reshape(16, channels, total // channels)


def _transformed_weight(weight: Array) -> Array:
    """G w G^T of all kernels: (O, C, 3, 3) -> (16, O, C)."""
    return np.matmul(GG.astype(weight.dtype, copy=False), weight.reshape(-1, 9).T).reshape(16, *weight.shape[:2])


def _write_results(tiles: Array, kernels: Sequence[Array], out: Array, grid: Sizes) -> None:
    """A m A^T of the products m of 16 matrices with the tiles: (16, C, N * rows * columns) -> out (N, O, *places)."""
    products = np.empty((16, out.shape[1], tiles.shape[-1]), out.dtype)
    for kernel, tile, product in zip(kernels, tiles, products, strict=True):
        np.matmul(kernel, tile, out=product)
    flat = np.matmul(AA.astype(out.dtype, copy=False), products.reshape(16, -1))
    for pixel, cell in _parities(out, flat.reshape(2, 2, out.shape[1], len(out), *grid)):
        pixel[...] = cell


def _of_results(g: Array, grid: Sizes) -> Array:
    """A^T g A, how results come from the products, turned round: (N, O, *places) -> (16, O, N * rows * columns)."""
    cells = np.zeros((2, 2, g.shape[1], len(g), *grid), g.dtype)
    for pixel, cell in _parities(g, cells):
        cell[...] = pixel
    return np.matmul(AA.T.astype(g.dtype, copy=False), cells.reshape(4, -1)).reshape(16, g.shape[1], -1)


def _blocks(images: int, channels: int, grid: Sizes) -> list[slice]:
    return blocks(images, 16 * channels * grid[0] * grid[1])


def correlate(image: Array, weight: Array, way: Way, prepared: Prepared) -> Array:
    """As in conv_columns, for kernels of 3x3."""
    places = way.places(image.shape[2:], (3, 3))
    grid, ((top, _), (left, _)) = _tile_grid(places), way.padding
    out = np.empty((len(image), len(weight), *places), image.dtype)
    kernels = prepared.part("kernels", weight, slice(None), _transformed_weight)
    for block in _blocks(len(image), max(weight.shape[:2]), grid):
        tiles = prepared.part("tiles", image, block, lambda images: _transformed(images, grid, top, left))
        _write_results(tiles, kernels, out[block], grid)
    return out


def spread(g: Array, weight: Array, size: Sizes, way: Way, prepared: Prepared) -> Array:
    """As in conv_columns, for kernels of 3x3."""
    grid, ((top, _), (left, _)) = _tile_grid(size), way.padding
    out = np.empty((len(g), weight.shape[1], *size), g.dtype)
    kernels = prepared.part("kernels", weight, slice(None), _transformed_weight)
    turned = [kernels[number].T for number in TURNED]
    for block in _blocks(len(g), max(weight.shape[:2]), grid):
        _write_results(_transformed(g[block], grid, 2 - top, 2 - left), turned, out[block], grid)
    return out


def weigh(image: Array, g: Array, kernel: Sizes, way: Way, prepared: Prepared) -> Array:
    """As in conv_columns, for kernels of 3x3."""
    grid, ((top, _), (left, _)) = _tile_grid(g.shape[2:]), way.padding
    sums: Any = 0
    for block in _blocks(len(image), max(g.shape[1], image.shape[1]), grid):
        tiles = prepared.part("tiles", image, block, lambda images: _transformed(images, grid, top, left))
        sums = sums + np.matmul(_of_results(g[block], grid), tiles.swapaxes(1, 2))
    weights = np.matmul(sums.reshape(16, -1).T, GG.astype(g.dtype, copy=False))
    return weights.reshape(g.shape[1], image.shape[1], 3, 3)
