"""Convolution layers: one small weight, moved over the input.

After this module a reader knows the shape of a convolution's weight, and how it begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from minigrad.nn import functional as F  # noqa: N812  (the name that PyTorch users give it)
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor

Sizes = int | Sequence[int]

PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


def repeated(value: Any, count: int) -> tuple[int, ...]:
    """One number for each dimension, where a single one was given."""
    return tuple(value) if isinstance(value, Sequence) else (value,) * count


class _Convolution(Module):
    """What all convolutions have in common: their options, weight and bias."""

    dimensions: ClassVar[int]
    transposed: ClassVar[bool] = False
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes | str,
        dilation: Sizes,
        output_padding: Sizes,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        count = self.dimensions
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = repeated(kernel_size, count)
        self.stride = repeated(stride, count)
        self.padding = padding if isinstance(padding, str) else repeated(padding, count)
        self.dilation = repeated(dilation, count)
        self.output_padding = repeated(output_padding, count)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        outer, inner = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = empty_parameter((outer, inner // groups, *self.kernel_size), device, dtype)
        self.register_parameter("bias", empty_parameter((out_channels,), device, dtype) if bias else None)
        self.reset_parameters()

    def _check(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'valid', 'same'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {PADDING_MODES}, but got padding_mode='{self.padding_mode}'")

    def reset_parameters(self) -> None:
        """Draw the weights anew: uniform, within 1 / sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _border(self) -> list[int]:
        """What F.pad is to add: for each dimension, the last one first, before and behind."""
        if self.padding == "valid":
            return [0, 0] * self.dimensions
        border: list[int] = []
        for dim in reversed(range(self.dimensions)):
            if self.padding == "same":
                total = self.dilation[dim] * (self.kernel_size[dim] - 1)
                border += [total // 2, total - total // 2]
            else:
                border += [int(self.padding[dim])] * 2
        return border

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.dimensions:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * self.dimensions:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Forward(_Convolution):
    """A convolution that makes the input smaller, or as large as it is."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device,
            dtype,
        )  # fmt: skip

    def _convolve(self, function: Callable[..., Tensor], input: Tensor) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._border(), mode=self.padding_mode), 0
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Forward):
    """Convolution over (N, in_channels, L); weight (out_channels, in_channels / groups, kernel)."""

    dimensions = 1

    def forward(self, input: Tensor) -> Tensor:
        return self._convolve(F.conv1d, input)


class Conv2d(_Forward):
    """Convolution over images (N, in_channels, H, W); weight (out_channels, in_channels / groups, height, width).

    Args:
        kernel_size: height and width of the weight; one number for both. So too the following.
        stride: how far the weight moves between two outputs.
        padding: how many zeros are put around the image, or "same" for an output of its size, or "valid" for none.
        dilation: the distance between the inputs that the weight's neighbouring elements see.
        groups: the channels are divided into as many groups, each with outputs of its own.
        padding_mode: what is put around the image: "zeros", "reflect", "replicate" or "circular".
    """

    dimensions = 2

    def forward(self, input: Tensor) -> Tensor:
        return self._convolve(F.conv2d, input)


class Conv3d(_Forward):
    """Convolution over (N, in_channels, D, H, W)."""

    dimensions = 3

    def forward(self, input: Tensor) -> Tensor:
        return self._convolve(F.conv3d, input)


class _Transposed(_Convolution):
    """The way back of a convolution's gradient: each input is spread over a kernel's size of outputs."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def _convolve(self, function: Callable[..., Tensor], input: Tensor, output_size: Any) -> Tensor:
        extra = self.output_padding if output_size is None else self._extra(input, list(output_size))
        return function(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, input: Tensor, wanted: list[int]) -> tuple[int, ...]:
        """The output padding that gives the wanted size."""
        count = self.dimensions
        if len(wanted) == input.ndim:
            wanted = wanted[-count:]
        if len(wanted) != count:
            raise ValueError(
                f"ConvTranspose{count}D: for {input.ndim}D input, output_size must have {count} or {count + 2} "
                f"elements (got {len(wanted)})"
            )
        smallest = [
            (size - 1) * self.stride[dim]
            - 2 * int(self.padding[dim])
            + self.dilation[dim] * (self.kernel_size[dim] - 1)
            + 1
            for dim, size in enumerate(input.shape[-count:])
        ]
        largest = [size + step - 1 for size, step in zip(smallest, self.stride, strict=True)]
        if not all(low <= size <= high for low, size, high in zip(smallest, wanted, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {smallest} to {largest} (for an "
                f"input of {list(input.shape[2:])})"
            )
        return tuple(size - low for size, low in zip(wanted, smallest, strict=True))


class ConvTranspose1d(_Transposed):
    """Transposed convolution over (N, in_channels, L); weight (in_channels, out_channels / groups, kernel)."""

    dimensions = 1

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._convolve(F.conv_transpose1d, input, output_size)


class ConvTranspose2d(_Transposed):
    """Transposed convolution over images; weight (in_channels, out_channels / groups, height, width).

    Args:
        output_padding: how much larger the output is at its ends: with a stride, several sizes have the same input.
    """

    dimensions = 2

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._convolve(F.conv_transpose2d, input, output_size)


class ConvTranspose3d(_Transposed):
    """Transposed convolution over (N, in_channels, D, H, W)."""

    dimensions = 3

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._convolve(F.conv_transpose3d, input, output_size)
