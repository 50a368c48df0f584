"""Images of another size: interpolation.

Along one dimension after the other, each new pixel is the nearest old one, or a weighted sum of two neighbours.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import with_node_name
from minigrad.ops.declarations import floats_only
from minigrad.ops.images.mixing import Mix, mix, mix_of
from minigrad.public import as_ints, with_checks
from minigrad.tensor import Tensor

_OPS = {mode: with_node_name(mix, f"Upsample{mode.capitalize()}2DBackward0") for mode in ("nearest", "bilinear")}


@functools.lru_cache(maxsize=256)
def _nearest(old: int, new: int, scale: float | None, align_corners: bool) -> Mix:
    """The old pixel that a new one's left end falls into.

    Computed in float32, as PyTorch does it for images: rounding decides where one falls on an edge.
    """
    ratio = np.float32(1 / scale) if scale else np.float32(old) / np.float32(new)
    positions = np.arange(new, dtype=np.float32) * ratio
    return mix_of(np.eye(old)[np.minimum(positions.astype(np.int64), old - 1)])


@functools.lru_cache(maxsize=256)
def _bilinear(old: int, new: int, scale: float | None, align_corners: bool) -> Mix:
    """The two neighbours, each weighted by how near it is: middles lie on middles of a stretched image, or, with
    `align_corners`, first on first and last on last.
    """
    if align_corners:
        positions = np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 0)
    else:
        positions = np.maximum((np.arange(new) + 0.5) * (1 / scale if scale else old / new) - 0.5, 0)
    left = np.minimum(positions.astype(np.int64), old - 1)
    share = np.minimum(positions - left, 1)[:, None]
    pixels = np.eye(old)
    return mix_of(pixels[left] * (1 - share) + pixels[np.minimum(left + 1, old - 1)] * share)


@with_checks
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
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
    if (size is None) is (scale_factor is None):
        which = "either size or scale_factor" if size is None else "only one of size or scale_factor"
        raise ValueError(f"{which} should be defined")
    old, scales = input.shape[2:], (None, None)
    if size is None:
        scales = _pair_of("scale_factor", "scale_factor of shape", "scale_factor", "s", old, scale_factor)
        new = tuple([math.floor(n * scale) for n, scale in zip(old, scales, strict=True)])
    else:
        sizes = _pair_of("output", "output size of", "output size", "o", old, size)
        new = as_ints("interpolate", "size", None, sizes)
    if min(*old, *new) <= 0:
        before, after = (f"(H: {height}, W: {width})" for height, width in (old, new))
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input {before} output {after}")
    if 0 in input.shape[1:]:
        raise RuntimeError(f"Non-empty 4D data tensor expected but got a tensor with sizes {list(input.shape)}")
    if (mode, input.dtype.name) != ("nearest", "uint8"):
        floats_only(f"upsample_{mode}2d_channels_last", input._array)
    way = _nearest if mode == "nearest" else _bilinear
    return _OPS[mode](input, [way(*span, bool(align_corners)) for span in zip(old, new, scales, strict=True)])


def _pair_of(what: str, given: str, form: str, letter: str, old: Any, asked: Any) -> tuple[Any, ...]:
    """What is asked for as one number for each dimension; ValueError if there are others than two."""
    values = tuple(asked) if isinstance(asked, Sequence) else (asked, asked)
    if len(values) != 2:
        raise ValueError(
            f"Input and {what} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(old)} and {given} {asked}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
            f"{form} in ({letter}1, {letter}2, ...,{letter}K) format."
        )
    return values
