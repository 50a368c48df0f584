"""Pooling layers: each output is the largest, or the mean, of a window of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.nn import functional as F  # noqa: N812  (the name that PyTorch users give it)
from minigrad.nn.modules.conv import Sizes, repeated
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class _MaxPool(Module):
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

    def _options(self) -> dict[str, Any]:
        names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
        return {name: self.__dict__[name] for name in names}

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest number of each window of (N, C, L)."""

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(input, **self._options())


class MaxPool2d(_MaxPool):
    """The largest number of each window of an image (N, C, H, W).

    Args:
        kernel_size: height and width of the window; one number for both. So too the following.
        stride: how far the window moves; by default its size, so that windows do not overlap.
        padding: how much is put around the image that is never the largest.
        dilation: the distance between the window's neighbouring elements.
        return_indices: also return where the largest numbers were, for MaxUnpool2d.
        ceil_mode: windows that reach beyond the end count, too.
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(input, **self._options())


class MaxPool3d(_MaxPool):
    """The largest number of each window of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(input, **self._options())


class _MaxUnpool(Module):
    dimensions = 0

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, self.dimensions)
        self.stride = repeated(kernel_size if stride is None else stride, self.dimensions)
        self.padding = repeated(padding, self.dimensions)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Puts the results of MaxPool1d back where they were, with zeros elsewhere."""

    dimensions = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """Puts the results of MaxPool2d back where they were, with zeros elsewhere."""

    dimensions = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """Puts the results of MaxPool3d back where they were, with zeros elsewhere."""

    dimensions = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool1d(Module):
    """The mean of each window of (N, C, L)."""

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

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window of an image (N, C, H, W).

    Args:
        count_include_pad: whether zeros that were put around the image count.
        divisor_override: what the sums are divided by, instead of the window's size.
    """

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

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool3d(AvgPool2d):
    """The mean of each window of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


class _LPPool(Module):
    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _options(self) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The norm of each window of (N, C, L): the p-th root of the sum of p-th powers."""

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), *self._options())


class LPPool2d(_LPPool):
    """The norm of each window of an image: the p-th root of the sum of p-th powers."""

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), *self._options())


class _Adaptive(Module):
    """Windows as large as it takes for an output of a given size."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Means of as many windows of (N, C, L) as `output_size` says."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """Means of as many windows of an image as `output_size` says, for height and width; None keeps a size."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """Means of as many windows of (N, C, D, H, W) as `output_size` says."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMax):
    """The largest numbers of as many windows of (N, C, L) as `output_size` says."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """The largest numbers of as many windows of an image as `output_size` says, for height and width."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """The largest numbers of as many windows of (N, C, D, H, W) as `output_size` says."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
