"""Images whose pixels are weighted sums of another image's: means of windows, and images of another size.

Along each dimension that is a product with a matrix (new pixels, old pixels), most of whose elements are 0: a new pixel
has as many old ones as its window is long, or the 1 or 2 nearest ones. So there is no product of matrices here: the
first old pixel of each new one is added for all at once, then the second, and so on. The gradient goes the same ways
back, so that its own gradient is the first mixture again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigrad.op import Array, op


class Mix(NamedTuple):
    """Along a dimension, terms: which new pixels get which old ones, with which weights (None: 1). In a term each pixel
    is there once, so that it can be taken both ways.
    """

    terms: list[tuple[Any, Any, Array | None]]
    sizes: tuple[int, int]

    def mix_along(self, dim: int, image: Array, back: bool) -> Array:
        """The new pixels along a dimension, counted from the end; `back`: from their gradient the old ones'."""
        behind = (slice(None),) * (-dim - 1)
        out = np.zeros((*image.shape[:dim], self.sizes[not back], *image.shape[dim:][1:]), image.dtype)
        for old, new, weights in self.terms:
            source, goal = (new, old) if back else (old, new)
            term = image[(..., source, *behind)]
            if weights is not None:
                term = term * weights.astype(image.dtype).reshape(-1, *(1,) * len(behind))
            out[(..., goal, *behind)] += term
        return out

    def __repr__(self) -> str:
        return f"{self.sizes[0]} -> {self.sizes[1]}"


def mix_of(matrix: Array, border: int = 0) -> Mix:
    """The terms of a matrix (new pixels, old pixels): first elements of rows, then second ones, and so on, and apart
    those in the same column. Its outermost columns may stand for the border of an image, which is 0.
    """
    new, old = np.nonzero(matrix)
    first = np.arange(len(new)) - np.searchsorted(new, new)  # which element of its row
    order = np.lexsort((old, first))
    keys = (first * matrix.shape[1] + old)[order]
    second = np.empty_like(first)
    second[order] = np.arange(len(keys)) - np.searchsorted(keys, keys)  # which of those in its column
    inside = (old >= border) & (old < matrix.shape[1] - border)
    terms = []
    for chosen in sorted({*zip(first[inside].tolist(), second[inside].tolist(), strict=True)}):
        term = inside & (first == chosen[0]) & (second == chosen[1])
        weights = matrix[new[term], old[term]]
        terms.append((_evenly(old[term] - border), _evenly(new[term]), None if (weights == 1).all() else weights))
    return Mix(terms, (matrix.shape[1] - 2 * border, len(matrix)))


def _evenly(indices: Array) -> Any:
    """Indices as a slice, which is faster, where they are at equal distances."""
    steps = set(np.diff(indices).tolist()) or {1}
    return slice(int(indices[0]), int(indices[-1]) + 1, *steps) if len(steps) == 1 else indices


def gradient_of_means(F: Any, g: Any, self: Any, mixes: list[Mix], counts: Any, back: bool) -> Any:
    """The gradient of a mean of pixels. In PyTorch it is a function of the image, too, and so it is recorded as one."""
    return F.as_function_of(F.mix(g, mixes, counts, not back), self, True)


@op(self=lambda F, g, mixes, counts, back: F.mix(g, mixes, counts, not back))
def mix(self: Array, mixes: list[Mix], counts: Any = None, back: bool = False) -> Array:
    """(..., *old size) mixed along each dimension, over `counts`: (..., *new size). The gradient goes `back`."""
    out = _divide(self, counts) if back else self
    for dim, one in enumerate(mixes, -len(mixes)):
        out = one.mix_along(dim, out, back)
    return out if back else _divide(out, counts)


def _divide(image: Array, counts: Any) -> Array:
    """Pixels over a number, or over one for each place; of integers rounded towards 0, as PyTorch does it."""
    if counts is None:
        return image
    if image.dtype.kind == "f":
        return image / np.asarray(counts, image.dtype)
    return np.trunc(image / counts).astype(image.dtype)
