"""Images of another size: interpolation, patches taken out and put back, channels turned into pixels.

After this module a reader knows that all of these are linear and only say which pixel goes where, with which weight.
Interpolation works along one dimension after the other: each new pixel is a weighted sum of 1 (nearest), 2 (linear)
or 4 (cubic) old ones, and the gradient goes the same ways back. `unfold` is the first half of a convolution, its
columns ("im2col"); `fold` adds them up where they came from. Each is the other's gradient.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.op import op, tensor_operands
from minigrad.ops.images.windows import Way, bordered, crop, pad, windows
from minigrad.tensor import Tensor

Array = Any  # numpy array
Sizes = tuple[int, ...]
Steps = int | Sequence[int]


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
    size: Steps | None = None,
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
        from minigrad.ops.images import adaptive_pool

        averaged: Tensor = getattr(adaptive_pool, f"adaptive_avg_pool{dims}d")(input, new)
        return averaged
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
    size: Steps | None = None,
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


# ---------------------------------------------------------------- patches


@op(name="Im2ColBackward0", self=lambda F, g, self_shape, window, way: F.col2im(g, self_shape[-2:], window, way))
def im2col(self: Array, window: Sizes, way: Way) -> Array:
    """All patches of images (..., C, H, W) as columns: (..., C * kernel, places)."""
    *lead, channels, height, width = self.shape
    seen = windows(pad(self, way.padding), window, way.places((height, width), window), way)
    rows, columns = seen.shape[-2:]
    return seen.reshape(*lead, channels * math.prod(window), rows * columns)


@op(name="Col2ImBackward0", self=lambda F, g, window, way: F.im2col(g, window, way))
def col2im(self: Array, size: Sizes, window: Sizes, way: Way) -> Array:
    """Columns (..., C * kernel, places) added up where they came from: images (..., C, H, W)."""
    *lead, rows, _ = self.shape
    channels, places = rows // math.prod(window), way.places(size, window)
    columns = self.reshape(*lead, channels, *window, *places)
    padded = np.zeros((*lead, channels, *bordered(size, way.padding)), self.dtype)
    seen = windows(padded, window, places, way)
    for i, j in np.ndindex(*window):
        seen[..., i, j, :, :] += columns[..., i, j, :, :]
    return np.ascontiguousarray(crop(padded, way.padding, size))


def unfold(input: Tensor, kernel_size: Steps, dilation: Steps = 1, padding: Steps = 0, stride: Steps = 1) -> Tensor:
    """The patches that a kernel would see, as columns: (N, C, H, W) or (C, H, W) -> (N, C * kernel, places).

    `unfold(x, k)` multiplied by a matrix of weights is a convolution. RuntimeError for kernels that do not fit.
    """
    (input,) = tensor_operands("unfold", input)
    kernel, way = _sliding(kernel_size, dilation, padding, stride)
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    size = input.shape[-2:]
    places = way.places(size, kernel)
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_sizes(size)}, {_named(kernel, way)}, calculated shape of the array of "
            f"sliding blocks as {_sizes([max(p, 0) for p in places])}, but its components must be at least one."
        )
    if input.dtype.category == 1:
        raise NotImplementedError(
            f"\"im2col_out_cpu\" not implemented for '{input.dtype.tensor_type}': convert it with .float()"
        )
    return im2col(input, kernel, way)


def fold(
    input: Tensor,
    output_size: Steps,
    kernel_size: Steps,
    dilation: Steps = 1,
    padding: Steps = 0,
    stride: Steps = 1,
) -> Tensor:
    """Columns added up where `unfold` would have taken them: (N, C * kernel, places) -> (N, C, *output_size).

    Pixels that several patches have become the sum. RuntimeError for sizes that do not fit together.
    """
    (input,) = tensor_operands("fold", input)
    kernel, way = _sliding(kernel_size, dilation, padding, stride)
    size = _pair("output_size", output_size)
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    rows, columns = input.shape[-2:]
    if rows % math.prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={_sizes(kernel)}."
        )
    places = way.places(size, kernel)
    if math.prod(places) != columns or min(places) < 1:
        raise RuntimeError(
            f"Given output_size={_sizes(size)}, {_named(kernel, way)}, stride={_sizes(way.stride)}, expected size of "
            f"input's dimension 2 to match the calculated number of sliding blocks {places[0]} * {places[1]} = "
            f"{math.prod(places)}, but got input.size(2)={columns}."
        )
    if input.dtype.category == 1:
        raise NotImplementedError(
            f"\"col2im_out_cpu\" not implemented for '{input.dtype.tensor_type}': convert it with .float()"
        )
    return col2im(input, size, kernel, way)


def _sliding(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Sizes, Way]:
    kernel, spacing, border, step = (
        _pair(name, value)
        for name, value in (
            ("kernel_size", kernel_size), ("dilation", dilation), ("padding", padding), ("stride", stride)
        )
    )  # fmt: skip
    for what, name, (height, width) in (
        ("kernel size", "kernel", kernel), ("dilation", "dilation", spacing), ("stride", "stride", step)
    ):  # fmt: skip
        if min(height, width) <= 0:
            raise RuntimeError(
                f"{what} should be greater than zero, but got {name}_height: {height} {name}_width: {width}"
            )
    if min(border) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {border[0]} pad_width: {border[1]}")
    return kernel, Way(step, tuple((p, p) for p in border), spacing)


def _pair(name: str, value: Any) -> tuple[int, int]:
    values = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(values) == 1:
        values *= 2
    if len(values) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
        raise TypeError(f"argument '{name}' must be tuple of ints, not {type_name(values[0])}: {value!r}")
    return int(values[0]), int(values[1])


def _named(kernel: Sizes, way: Way) -> str:
    border = [before for before, _ in way.padding]
    return f"kernel_size={_sizes(kernel)}, dilation={_sizes(way.dilation)}, padding={_sizes(border)}"


def _sizes(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))})"


# ---------------------------------------------------------------- channels and pixels


@op(name="PixelShuffleBackward0", self=lambda F, g, upscale_factor: F.pixel_unshuffle(g, upscale_factor))
def pixel_shuffle(self: Array, upscale_factor: int) -> Array:
    """(..., C r^2, H, W) -> (..., C, H r, W r): r^2 channels become the r x r pixels of one."""
    *lead, channels, height, width = self.shape
    r = upscale_factor
    parts = self.reshape(-1, r, r, height, width) if self.size else self.reshape(0, r, r, height, width)
    return parts.transpose(0, 3, 1, 4, 2).reshape(*lead, channels // (r * r), height * r, width * r)


@op(name="PixelUnshuffleBackward0", self=lambda F, g, downscale_factor: F.pixel_shuffle(g, downscale_factor))
def pixel_unshuffle(self: Array, downscale_factor: int) -> Array:
    """(..., C, H r, W r) -> (..., C r^2, H, W): undoes `pixel_shuffle`."""
    *lead, channels, height, width = self.shape
    r = downscale_factor
    parts = self.reshape(math.prod(lead) * channels, height // r, r, width // r, r)
    return parts.transpose(0, 2, 4, 1, 3).reshape(*lead, channels * r * r, height // r, width // r)


@op(
    name="ChannelShuffleBackward0",
    self=lambda F, g, self_shape, groups: F.channel_shuffle(g, self_shape[1] // groups if self_shape[1] else 1),
)
def channel_shuffle(self: Array, groups: int) -> Array:
    """(N, C, *size): the first channel of each group, then the second of each, and so on."""
    count, channels, *size = self.shape
    parts = self.reshape(count, groups, channels // groups, *size)
    return parts.swapaxes(1, 2).reshape(self.shape)


_pixel_shuffle, _pixel_unshuffle, _channel_shuffle = pixel_shuffle, pixel_unshuffle, channel_shuffle


def _checked_factor(function: str, name: str, input: Any, factor: Any) -> Tensor:
    (input,) = tensor_operands(function, input)
    if not isinstance(factor, int) or isinstance(factor, bool):
        raise TypeError(f"{function}(): argument '{name}' (position 2) must be int, not {type_name(factor)}")
    if function != "channel_shuffle" and input.ndim < 3:
        raise RuntimeError(
            f"{function} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if function != "channel_shuffle" and factor <= 0:
        raise RuntimeError(f"{function} expects a positive {name}, but got {factor}")
    tensor: Tensor = input
    return tensor


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:  # type: ignore[no-redef]
    """(..., C r^2, H, W) -> (..., C, H r, W r) with r = `upscale_factor`: r^2 channels become r x r pixels of one."""
    input = _checked_factor("pixel_shuffle", "upscale_factor", input, upscale_factor)
    if input.shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={input.shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return _pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:  # type: ignore[no-redef]
    """(..., C, H r, W r) -> (..., C r^2, H, W) with r = `downscale_factor`: undoes `pixel_shuffle`."""
    input = _checked_factor("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for name, dim in (("height", -2), ("width", -1)):
        if input.shape[dim] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({dim})={input.shape[dim]} is not divisible by {downscale_factor}"
            )
    return _pixel_unshuffle(input, downscale_factor)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:  # type: ignore[no-redef]
    """(N, C, *size) with the channels dealt out anew: the first of each group, then the second of each, and so on."""
    input = _checked_factor("channel_shuffle", "groups", input, groups)
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if input.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and {groups} groups."
        )
    return _channel_shuffle(input, groups)


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
