"""Pooling layers: each output is the maximum, the mean or the norm of a window of the input.

After this module a reader knows the options of a window: how large it is (kernel_size), how far it moves between two
outputs (stride), and what is put around the input (padding). Adaptive layers choose these by the output's size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.conv import Sizes, repeated
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class _Pool(Module):
    """A layer whose forward is one function of `nn.functional`, called with the layer's attributes `options`."""

    function: ClassVar[Callable[..., Any]]
    options: ClassVar[tuple[str, ...]]
    kernel_size: Sizes
    stride: Sizes | None

    def forward(self, input: Tensor) -> Any:
        return type(self).function(input, **{name: self.__dict__[name] for name in self.options})


# ---------------------------------------------------------------- maximum


class _MaxPool(_Pool):
    options = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The maximum of each window of (N, C, L) or (C, L); the arguments are those of MaxPool2d."""

    function = F.max_pool1d


class MaxPool2d(_MaxPool):
    """The maximum of each window of an image (N, C, H, W) or (C, H, W).

    Args:
        kernel_size: height and width of the window, or one number for both, as for the following.
        stride: how far the window moves; by default by its own size, so that windows do not overlap.
        padding: how many rows and columns are put around the image, which are never the maximum.
        dilation: the distance between neighbouring elements of the window.
        return_indices: also return where each maximum is, for MaxUnpool2d.
        ceil_mode: include the windows that reach beyond the end.
    """

    function = F.max_pool2d


# ---------------------------------------------------------------- mean and norm


class _AvgPool(_Pool):
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of (N, C, L) or (C, L); the arguments are those of AvgPool2d."""

    function = F.avg_pool1d
    options = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, 1)
        self.stride = repeated(kernel_size if stride is None else stride, 1)
        self.padding = repeated(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad


class AvgPool2d(_AvgPool):
    """The mean of each window of an image (N, C, H, W) or (C, H, W).

    Args:
        kernel_size, stride, padding, ceil_mode: as for MaxPool2d; the padding is zeros.
        count_include_pad: whether the zeros of the padding count in the mean.
        divisor_override: what the sums are divided by, instead of the size of the window.
    """

    function = F.avg_pool2d
    options = (*AvgPool1d.options, "divisor_override")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


# ---------------------------------------------------------------- adaptive


class _AdaptivePool(_Pool):
    """As many windows as `output_size` says, of sizes that differ by one at most."""

    options: ClassVar[tuple[str, ...]] = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(_AdaptivePool):
    """The means of `output_size` windows of an image: (height, width), one number for both, None to keep a size."""

    function = F.adaptive_avg_pool2d
