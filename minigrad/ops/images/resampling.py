"""Images of another size: interpolation.

It is linear and only says which pixel goes where, with which weight. It works along one dimension after the other: each
new pixel is a weighted sum of 1 (nearest) or 2 (bilinear) old ones, and the gradient goes the same ways back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.op import op
from minigrad.public import checked
from minigrad.tensor import Tensor

Array = Any  # numpy array
Sizes = tuple[int, ...]


class Source(NamedTuple):
    """Along one dimension, for each new pixel: which old ones it is made of, and with which weights (None: 1)."""

    indices: tuple[Array, ...]
    weights: tuple[Array | None, ...]
    old: int  # how many there are


def _weighted(part: Array, dim: int, weight: Array | None) -> Array:
    return part if weight is None else part * weight.astype(part.dtype).reshape(-1, *(1,) * (-dim - 1))


@op(self=lambda F, g, sources: F.resample(g, sources))
def resample_input(self: Array, sources: tuple[Source, ...]) -> Array:
    """The gradient of a resampling: each old pixel's part in the new ones.

    Indices grow, so those of an old pixel are neighbours, whose sum np.add.reduceat takes at once.
    """
    for dim, source in enumerate(sources, -len(sources)):
        out = np.zeros((*self.shape[:dim], source.old, *self.shape[dim:][1:]), self.dtype)
        for index, weight in zip(source.indices, source.weights, strict=True):
            old, starts = np.unique(index, return_index=True)
            place: Any = (..., old, *(slice(None),) * (-dim - 1))
            out[place] += np.add.reduceat(_weighted(self, dim, weight), starts, axis=dim)
        self = out
    return self


def _resampling(node: str) -> Any:
    """One op for each of the names that PyTorch has, by mode."""

    @op(name=node, self=lambda F, g, sources: F.resample_input(g, sources))
    def resample(self: Array, sources: tuple[Source, ...]) -> Array:
        """New pixels as weighted sums of old ones, along each of the last dimensions: (N, C, *size)."""
        for dim, source in enumerate(sources, -len(sources)):
            parts: list[Array] = [
                _weighted(np.take(self, index, axis=dim), dim, weight)
                for index, weight in zip(source.indices, source.weights, strict=True)
            ]
            self = parts[0] if len(parts) == 1 else np.add(parts[0], parts[1], out=parts[0])
        return self

    return resample


_OPS = {mode: _resampling(f"Upsample{mode.capitalize()}2DBackward0") for mode in ("nearest", "bilinear")}


# ---------------------------------------------------------------- where new pixels come from


def _nearest(old: int, new: int, scale: float | None) -> Source:
    """The old pixel that a new one's left end falls into.

    Computed in float32, as PyTorch does it for images: rounding decides where one falls on an edge.
    """
    ratio = np.float32(1 / scale) if scale else np.float32(old) / np.float32(new)
    positions = np.arange(new, dtype=np.float32)
    return Source((np.minimum((positions * ratio).astype(np.int64), old - 1),), (None,), old)


def _linear(old: int, new: int, scale: float | None, align_corners: bool) -> Source:
    """The two neighbours, each weighted by how near it is: middles lie on middles of a stretched image, or, with
    `align_corners`, first on first and last on last.
    """
    if align_corners:
        positions = np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 0)
    else:
        positions = np.maximum((np.arange(new) + 0.5) * (1 / scale if scale else old / new) - 0.5, 0)
    left = np.minimum(positions.astype(np.int64), old - 1)
    share = np.minimum(positions - left, 1)
    return Source((left, np.minimum(left + 1, old - 1)), (1 - share, share), old)


@checked
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images (N, C, H, W) in another size, or `scale_factor` times as large.

    `mode`: "nearest" (the left end of a new pixel decides) or "bilinear". With `align_corners`, first and last pixels
    lie on first and last pixels. ValueError, NotImplementedError or RuntimeError for what does not fit.
    """
    if mode not in _OPS or input.ndim != 4:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode}). (minigrad has "
            "nearest and bilinear, for 4D.)"
        )
    if align_corners is not None and mode == "nearest":
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias:
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
            "input; minigrad does not have it at all: blur the image before, for example with avg_pool2d."
        )
    new, scales = _new_size(input, size, scale_factor, bool(recompute_scale_factor))
    old = input.shape[2:]
    if min(*old, *new) <= 0:
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input (H: {old[0]}, W: {old[1]}) output "
            f"(H: {new[0]}, W: {new[1]})"
        )
    if 0 in input.shape[1:]:
        raise RuntimeError(f"Non-empty 4D data tensor expected but got a tensor with sizes {list(input.shape)}")
    if input.dtype.category < 2 and input.dtype.name != "uint8":
        raise NotImplementedError(
            f"\"upsample_{mode}2d_channels_last\" not implemented for '{input.dtype.tensor_type}': convert it with "
            ".float()"
        )
    spans = zip(old, new, scales, strict=True)
    if mode == "nearest":
        return _OPS[mode](input, tuple([_nearest(*span) for span in spans]))
    return _OPS[mode](input, tuple([_linear(*span, bool(align_corners)) for span in spans]))


def _new_size(input: Tensor, size: Any, scale_factor: Any, recompute: bool) -> tuple[Sizes, tuple[float | None, ...]]:
    """The size asked for, and the factors by which positions are to be computed, if they are not old / new."""
    old = input.shape[2:]
    if (size is None) is (scale_factor is None):
        which = "either size or scale_factor" if size is None else "only one of size or scale_factor"
        raise ValueError(f"{which} should be defined")
    asked = scale_factor if size is None else size
    values = tuple(asked) if isinstance(asked, Sequence) else (asked,) * len(old)
    if size is not None and recompute:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if len(values) != len(old):
        words = ("scale_factor", "scale_factor of shape", "scale_factor in (s1, s2, ...,sK)")
        what, given, form = words if size is None else ("output", "output size of", "output size in (o1, o2, ...,oK)")
        raise ValueError(
            f"Input and {what} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(old)} and {given} {asked}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
            f"{form} format."
        )
    if size is None:
        factors = tuple(map(float, values))
        new = tuple(math.floor(n * factor) for n, factor in zip(old, factors, strict=True))
        return new, (None,) * len(old) if recompute else factors
    if not all(isinstance(s, int | np.integer) and not isinstance(s, bool) for s in values):
        raise TypeError(f"interpolate(): argument 'size' must be an int or ints, not {type_name(values[0])}: {size!r}")
    return tuple(map(int, values)), (None,) * len(old)
