"""Images of another size: interpolation.

After this module a reader knows that it is linear and only says which pixel goes where, with which weight. It works
along one dimension after the other: each new pixel is a weighted sum of 1 (nearest), 2 (linear) or 4 (cubic) old ones,
and the gradient goes the same ways back.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.op import op, tensor_operands
from minigrad.ops.images.adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from minigrad.tensor import Tensor

Array = Any  # numpy array
Sizes = tuple[int, ...]


class Source(NamedTuple):
    """Along one dimension, for each new pixel: which old ones it is made of, and with which weights (None: 1)."""

    indices: tuple[Array, ...]
    weights: tuple[Array | None, ...]
    old: int  # how many there are


def _taken(image: Array, dim: int, source: Any) -> Array:
    """The new pixels along a dimension, counted from the end."""
    out: Any = None
    for index, weight in zip(source.indices, source.weights, strict=True):
        part = np.take(image, index, axis=dim)
        if weight is not None:
            part *= _along(weight.astype(image.dtype), dim)
        out = part if out is None else np.add(out, part, out=out)
    return out


def _given_back(g: Array, dim: int, source: Any) -> Array:
    """What the old pixels get of the new ones' gradient. Indices grow, so those of an old pixel are neighbours, whose
    sum np.add.reduceat takes at once.
    """
    out = np.zeros((*g.shape[:dim], source.old, *g.shape[dim:][1:]), g.dtype)
    for index, weight in zip(source.indices, source.weights, strict=True):
        part = g if weight is None else g * _along(weight.astype(g.dtype), dim)
        old, starts = np.unique(index, return_index=True)
        place: Any = (..., old, *(slice(None),) * (-dim - 1))
        out[place] += np.add.reduceat(part, starts, axis=dim)
    return out


def _along(weight: Array, dim: int) -> Array:
    return weight.reshape(-1, *(1,) * (-dim - 1))


@op(self=lambda F, g, sources: F.resample(g, sources))
def resample_input(self: Array, sources: tuple[Source, ...]) -> Array:
    """The gradient of a resampling: each old pixel's part in the new ones."""
    out = self
    for dim, source in enumerate(sources, -len(sources)):
        out = _given_back(out, dim, source)
    return out


def _resampling(node: str) -> Any:
    """One op for each of the names that PyTorch has, by mode and dimensions."""

    @op(name=node, self=lambda F, g, sources: F.resample_input(g, sources))
    def resample(self: Array, sources: tuple[Source, ...]) -> Array:
        """New pixels as weighted sums of old ones, along each of the last dimensions: (N, C, *size)."""
        out = self
        for dim, source in enumerate(sources, -len(sources)):
            out = _taken(out, dim, source)
        return out

    return resample


# ---------------------------------------------------------------- where new pixels come from


def _nearest(old: int, new: int, scale: float | None, exact: bool) -> Source:
    """The old pixel that a new one's left end falls into, or, if exact, its middle.

    Computed in float32, as PyTorch does it for images: rounding decides where one falls on an edge.
    """
    ratio = np.float32(1 / scale) if scale else np.float32(old) / np.float32(new)
    positions = np.arange(new, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return Source((np.minimum((positions * ratio).astype(np.int64), old - 1),), (None,), old)


def _positions(old: int, new: int, scale: float | None, align_corners: bool) -> Array:
    """Where the new pixels lie among the old ones: middles on middles of a stretched image, or, with `align_corners`,
    first on first and last on last.
    """
    if align_corners:
        return np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 0)
    return (np.arange(new) + 0.5) * (1 / scale if scale else old / new) - 0.5


def _linear(old: int, new: int, scale: float | None, align_corners: bool) -> Source:
    """The two neighbours, each weighted by how near it is."""
    positions = np.maximum(_positions(old, new, scale, align_corners), 0)
    left = np.minimum(positions.astype(np.int64), old - 1)
    share = np.minimum(positions - left, 1)
    return Source((left, np.minimum(left + 1, old - 1)), (1 - share, share), old)


def _cubic(old: int, new: int, scale: float | None, align_corners: bool) -> Source:
    """Four neighbours, by a cubic convolution (Keys 1981, with a = -0.75)."""
    positions = _positions(old, new, scale, align_corners)
    left = np.floor(positions).astype(np.int64)
    a, t = -0.75, positions - left

    def near(d: Array) -> Array:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: Array) -> Array:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    indices = tuple(np.clip(left + shift, 0, old - 1) for shift in (-1, 0, 1, 2))
    return Source(indices, (far(t + 1), near(t), near(1 - t), far(2 - t)), old)


_DIMS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}  # of the image, for modes that are for one only
_SOURCES = {"linear": _linear, "bilinear": _linear, "trilinear": _linear, "bicubic": _cubic}
_MODES = ("nearest", "nearest-exact", *_DIMS, "area")
_OPS = {
    (mode, dims): _resampling(f"Upsample{''.join(map(str.capitalize, mode.split('-')))}{dims}DBackward0")
    for mode, dims in [(m, d) for m in ("nearest", "nearest-exact") for d in (1, 2, 3)] + list(_DIMS.items())
}


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images (N, C, W), (N, C, H, W) or (N, C, D, H, W) in another size, or `scale_factor` times as large.

    `mode`: "nearest" (the left end of a new pixel decides), "nearest-exact" (its middle), "linear", "bilinear",
    "trilinear" (for 1, 2, 3 dimensions), "bicubic", "area" (the mean). With `align_corners`, first and last pixels lie
    on first and last pixels. ValueError, NotImplementedError or RuntimeError for what does not fit.
    """
    (input,) = tensor_operands("interpolate", input)
    dims = input.ndim - 2
    if mode not in _MODES or dims not in (1, 2, 3):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode}). (minigrad has no "
            "lanczos.)"
        )
    if align_corners is not None and mode not in _DIMS:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias:
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
            "input; minigrad does not have it at all: blur the image before, for example with avg_pool2d."
        )
    new, scales = _new_size(input, size, scale_factor, bool(recompute_scale_factor))
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1](input, new)
    if _DIMS.get(mode, dims) != dims:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_DIMS[mode] + 2}D input")
    old = input.shape[2:]
    if min(*old, *new) <= 0:
        named = [", ".join(f"{n}: {s}" for n, s in zip("DHW"[3 - dims :], sizes, strict=True)) for sizes in (old, new)]
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({named[0]}) output ({named[1]})"
        )
    if 0 in input.shape[1:]:
        raise RuntimeError(
            f"Non-empty {dims + 2}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    if input.dtype.category < 2 and input.dtype.name != "uint8":
        name = f"upsample_{mode.replace('-', '_')}{dims}d" + "_channels_last" * (dims > 1)
        raise NotImplementedError(
            f"\"{name}\" not implemented for '{input.dtype.tensor_type}': convert it with .float()"
        )
    spans = tuple(zip(old, new, scales, strict=True))
    if mode in _DIMS:
        sources = tuple(_SOURCES[mode](*span, bool(align_corners)) for span in spans)
    else:
        sources = tuple(_nearest(*span, mode == "nearest-exact") for span in spans)
    resampled: Tensor = _OPS[mode, dims](input, sources)
    return resampled


def _new_size(input: Tensor, size: Any, scale_factor: Any, recompute: bool) -> tuple[Sizes, tuple[float | None, ...]]:
    """The size asked for, and the factors by which positions are to be computed, if they are not old / new."""
    old = input.shape[2:]
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        sizes = tuple(size) if isinstance(size, Sequence) else (size,) * len(old)
        if len(sizes) != len(old):
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(old)} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
                "...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if not all(isinstance(s, int | np.integer) and not isinstance(s, bool) for s in sizes):
            raise TypeError(
                f"interpolate(): argument 'size' must be an int or ints, not {type_name(sizes[0])}: {size!r}"
            )
        return tuple(map(int, sizes)), (None,) * len(old)
    factors = (
        tuple(map(float, scale_factor)) if isinstance(scale_factor, Sequence) else (float(scale_factor),) * len(old)
    )
    if len(factors) != len(old):
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(old)} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, "
            "C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    new = tuple(math.floor(n * factor) for n, factor in zip(old, factors, strict=True))
    return new, (None,) * len(old) if recompute else factors


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate` under its old name; gives a warning."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        UserWarning,
        stacklevel=frames_to_learner(),
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
