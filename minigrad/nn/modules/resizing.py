"""Layers that change the shape: pooling makes images smaller, Upsample larger, and Flatten makes vectors of them.

Each output of a pooling layer is the maximum or the mean of a window of the input. A window has a size (kernel_size),
moves between two outputs (stride), and what is put around the input is its padding. AdaptiveAvgPool2d chooses these by
the output's size.
"""

from __future__ import annotations

from typing import Any, ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer, Sizes, one_per_dimension
from minigrad.tensor import Tensor


class _Pool(Layer):
    _shown: ClassVar[tuple[str, ...]] = ("kernel_size", "stride", "padding")
    kernel_size: Any
    stride: Any = None
    padding: Any = 0

    def _set_up(self) -> None:
        self.stride = self.kernel_size if self.stride is None else self.stride


class _MaxPool(_Pool):
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    dilation: Sizes = 1
    return_indices: bool = False
    ceil_mode: bool = False


class MaxPool1d(_MaxPool, function=F.max_pool1d):
    """The maximum of each window of (N, C, L) or (C, L); the arguments are those of MaxPool2d."""


class MaxPool2d(_MaxPool, function=F.max_pool2d):
    """The maximum of each window of an image (N, C, H, W) or (C, H, W).

    Args:
        kernel_size: height and width of the window, or one number for both, as for the following.
        stride: how far the window moves; by default by its own size, so that windows do not overlap.
        padding: how many rows and columns are put around the image, which are never the maximum.
        dilation: the distance between neighbouring elements of the window.
        return_indices: also return where each maximum is.
        ceil_mode: include the windows that reach beyond the end.
    """


class _AvgPool(_Pool):
    ceil_mode: bool = False
    count_include_pad: bool = True


class AvgPool1d(_AvgPool, function=F.avg_pool1d):
    """The mean of each window of (N, C, L) or (C, L); the arguments are those of AvgPool2d."""

    def _set_up(self) -> None:
        super()._set_up()
        for name in ("kernel_size", "stride", "padding"):
            setattr(self, name, one_per_dimension(getattr(self, name), 1))


class AvgPool2d(_AvgPool, function=F.avg_pool2d):
    """The mean of each window of an image (N, C, H, W) or (C, H, W).

    Args:
        kernel_size, stride, padding, ceil_mode: as for MaxPool2d; the padding is zeros.
        count_include_pad: whether the zeros of the padding count in the mean.
    """


class AdaptiveAvgPool1d(Layer, function=F.adaptive_avg_pool1d):
    """The means of `output_size` windows of (N, C, L) or (C, L)."""

    output_size: Any


class AdaptiveAvgPool2d(Layer, function=F.adaptive_avg_pool2d):
    """The means of `output_size` windows of an image: (height, width), one number for both, None to keep a size."""

    output_size: Any


class _Pad(Layer):
    _unnamed = 1
    _dimensions, _mode, value = 1, "constant", 0.0
    padding: Any

    def _set_up(self) -> None:
        self.padding = one_per_dimension(self.padding, 2 * self._dimensions)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode, self.value)


class _ConstantPad(_Pad):
    _unnamed = 0
    value: float


def _layers_by_dimensions(layer: type[_Pad], name: str, mode: str, meaning: str) -> list[Any]:
    """The layers for sequences and for images, which differ in how many sizes `padding` has if it is a number."""
    about = f"{meaning} around the last dimensions: `padding` elements, or a tuple as for `functional.pad`."
    members = {"_mode": mode, "__doc__": about}
    return [type(f"{name}Pad{n}d", (layer,), {**members, "_dimensions": n}) for n in (1, 2)]


ConstantPad1d, ConstantPad2d = _layers_by_dimensions(_ConstantPad, "Constant", "constant", "A number, `value`,")
ZeroPad1d, ZeroPad2d = _layers_by_dimensions(_Pad, "Zero", "constant", "Zeros")
ReflectionPad1d, ReflectionPad2d = _layers_by_dimensions(_Pad, "Reflection", "reflect", "Mirrored elements")
ReplicationPad1d, ReplicationPad2d = _layers_by_dimensions(_Pad, "Replication", "replicate", "The last element again")
CircularPad1d, CircularPad2d = _layers_by_dimensions(_Pad, "Circular", "circular", "Elements of the other end")


class Upsample(Layer, function=F.interpolate):
    """Resizes (N, C, H, W) to `size`, or by `scale_factor`.

    Args:
        mode: "nearest" or "bilinear".
        align_corners: whether the centers of the corner pixels stay at the corners, rather than the pixels' edges.
    """

    size: Any = None
    scale_factor: Any = None
    mode: str = "nearest"
    align_corners: bool | None = None

    def _set_up(self) -> None:
        if self.scale_factor:
            factor = self.scale_factor
            self.scale_factor = tuple(map(float, factor)) if isinstance(factor, tuple) else float(factor)

    def extra_repr(self) -> str:
        target = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{target}, mode={self.mode!r}"


class Flatten(Layer):
    """Joins the dimensions from start_dim to end_dim; by default all but the first, which is the batch."""

    start_dim: int = 1
    end_dim: int = -1

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)
