"""Windows that slide over an image: the geometry that convolution and pooling share.

Where a kernel goes (stride, padding, dilation), how many places that makes, and what each of its elements sees there,
which is a view of the padded image: nothing is copied until an operation has to.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = Any  # numpy array
Extents = tuple[int, ...]


class Sliding(NamedTuple):
    """How a window moves: per dimension of the image its step, the padding (before, after), and the distance between
    its elements; and into how many groups a convolution divides the channels.

    A negative padding after the image means that its last pixels are not looked at.
    """

    stride: Extents
    padding: tuple[tuple[int, int], ...]
    dilation: Extents
    groups: int = 1

    def reach(self, kernel: Sequence[int]) -> Extents:
        """How many pixels a window spans."""
        return tuple([d * (k - 1) + 1 for k, d in zip(kernel, self.dilation, strict=True)])

    def padded_size(self, size: Sequence[int]) -> Extents:
        """The size of an image with its padding."""
        return tuple([s + before + after for s, (before, after) in zip(size, self.padding, strict=True)])

    def places(self, size: Sequence[int], kernel: Sequence[int]) -> Extents:
        """How many places a window has in an image of some size."""
        spans = zip(self.padded_size(size), self.reach(kernel), self.stride, strict=True)
        return tuple([(s - reach) // step + 1 for s, reach, step in spans])


def blocks(images: int, elements: int) -> list[slice]:
    """Blocks of images whose columns, so many `elements` for each, fit into the cache."""
    step = max(1, 2**18 // max(1, elements))  # 1 MiB in float32
    return [slice(start, start + step) for start in range(0, images, step)]


def pad(image: Array, padding: tuple[tuple[int, int], ...], value: float = 0) -> Array:
    """A copy of `(..., *size)` with a border; the array itself if there is to be none."""
    if not any(before or after > 0 for before, after in padding):
        return image
    lead, size = image.shape[: -len(padding)], image.shape[-len(padding) :]
    shape = (*lead, *size_with_border(size, padding))
    out = np.zeros(shape, image.dtype) if not value else np.full(shape, value, image.dtype)
    crop(out, padding, size)[...] = image
    return out


def size_with_border(size: Sequence[int], padding: tuple[tuple[int, int], ...]) -> Extents:
    """The size of an image with a border."""
    return tuple([s + before + max(after, 0) for s, (before, after) in zip(size, padding, strict=True)])


def crop(padded: Array, padding: tuple[tuple[int, int], ...], size: Sequence[int]) -> Array:
    """The image within a border, as a view."""
    inner = [slice(before, before + s) for (before, _), s in zip(padding, size, strict=True)]
    return padded[(..., *inner)]


def tap_indices(kernel: Sequence[int], places: Sequence[int], way: Sliding) -> Iterator[tuple[slice, ...]]:
    """For each element of a kernel, in reading order, which pixels it sees at all its places. (Of a kernel of fewer
    dimensions than the image, along the first of these.)
    """
    ways = zip(kernel, places, way.dilation, way.stride, strict=False)
    seen = [[slice(i * apart, i * apart + (n - 1) * step + 1, step) for i in range(k)] for k, n, apart, step in ways]
    return itertools.product(*seen)


def taps(padded: Array, kernel: Sequence[int], places: Sequence[int], way: Sliding) -> Iterator[Array]:
    """What each element of a kernel sees, at all its places: views (..., *places) of `(..., *padded size)`."""
    return (padded[(..., *pixels)] for pixels in tap_indices(kernel, places, way))


def extents_of(value: int | Extents, dims: int, refused: str) -> Extents:
    """An option as one int for each dimension. RuntimeError if there are neither that many nor one; in the text
    `refused`, "{}" is what was given.
    """
    values = value if isinstance(value, tuple) else (value,)
    if len(values) not in (1, dims):
        raise RuntimeError(refused.format(list(values)))
    return values * (dims // len(values))


def times(sizes: Sequence[int], sign: str = " x ") -> str:
    """Sizes as messages write them, "3 x 4" or with another sign."""
    return sign.join(map(str, sizes))
