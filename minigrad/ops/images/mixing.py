"""Images whose pixels are weighted sums of another image's: means of windows, and images of another size.

Along each dimension that is a product with a matrix (new pixels, old pixels), most of whose elements are 0: a new pixel
has as many old ones as its window is long, or the 1 or 2 nearest ones. So there is no product of matrices here: the
first old pixel of each new one is added for all at once, then the second, and so on. The gradient
goes the same ways back, by the transposed matrices, so that its own gradient is the first mixture again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigrad.op import op

Array = Any  # numpy array


class Mix(NamedTuple):
    """What a matrix (new pixels, old pixels) does along a dimension, as terms: which new pixels get which old ones,
    with which weights (None: 1). In a term each pixel is there once, so that it can be taken both ways.
    """

    terms: list[tuple[Any, Any, Array | None]]
    sizes: tuple[int, int]

    def turned(self) -> Mix:
        """What the transposed matrix does."""
        return Mix([(old, new, weights) for new, old, weights in self.terms], self.sizes[::-1])

    def along(self, dim: int, image: Array) -> Array:
        """The new pixels along a dimension, which is counted from the end."""
        behind = (slice(None),) * (-dim - 1)
        out = np.zeros((*image.shape[:dim], self.sizes[0], *image.shape[dim:][1:]), image.dtype)
        for number, (new, old, weights) in enumerate(self.terms):
            term = image[(..., old, *behind)]
            if weights is not None:
                term = term * weights.astype(image.dtype).reshape(-1, *(1,) * len(behind))
            if number:
                out[(..., new, *behind)] += term
            else:
                out[(..., new, *behind)] = term
        return out

    def __repr__(self) -> str:
        return f"{self.sizes[1]} -> {self.sizes[0]}"


def mix_of(matrix: Array, border: int = 0) -> Mix:
    """The terms of a matrix: first elements of rows, then second ones, and so on, and apart those in the same column.
    Its outermost columns may stand for the border of an image, which is 0.
    """
    rows, columns = np.nonzero(matrix)
    first, second = _occurrence(rows), _occurrence(_occurrence(rows) * matrix.shape[1] + columns)
    keys = first * len(columns) + second
    keys[(columns < border) | (columns >= matrix.shape[1] - border)] = -1
    terms = []
    for key in np.unique(keys[keys >= 0]):
        new, old = rows[keys == key], columns[keys == key]
        weights = matrix[new, old]
        terms.append((_evenly(new), _evenly(old - border), None if (weights == 1).all() else weights))
    return Mix(terms, (len(matrix), matrix.shape[1] - 2 * border))


def _occurrence(values: Array) -> Array:
    """For each value how many equal ones come before it."""
    order = np.argsort(values, kind="stable")
    ordered, out = values[order], np.empty_like(order)
    out[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return out


def _evenly(indices: Array) -> Any:
    """Indices as a slice, which is faster, where they are at equal distances."""
    step = int(indices[1] - indices[0]) if len(indices) > 1 else 1
    even = step > 0 and (np.diff(indices) == step).all()
    return slice(int(indices[0]), int(indices[-1]) + 1, step) if even else indices


def mixing(node: str | None = None) -> Any:
    """The op under one of the names that PyTorch's nodes have."""

    @op(name=node, self=lambda F, g, mixes, before, after: F.mix(g, [mix.turned() for mix in mixes], after, before))
    def mix(self: Array, mixes: list[Mix], before: Any = 1, after: Any = 1) -> Array:
        """(..., *old size) over `before`, mixed along each dimension, over `after`: (..., *new size)."""
        out = _divided(self, before)
        for dim, along in enumerate(mixes, -len(mixes)):
            out = along.along(dim, out)
        return _divided(out, after)

    return mix


def _divided(image: Array, divisor: Any) -> Array:
    """Pixels over a number, or over one for each place; of integers rounded towards 0, as PyTorch does it."""
    if divisor.__class__ is int:
        if divisor == 1:
            return image
    elif image.dtype.kind == "f":
        divisor = divisor.astype(image.dtype)
    quotients = image / divisor
    return quotients if image.dtype.kind == "f" else np.trunc(quotients).astype(image.dtype)


mixing()  # as backwards call it
