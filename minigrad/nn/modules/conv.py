"""Convolution layers: each output is a weighted sum of a window of inputs, with the same weights for every window.

After this module a reader knows the shape of a convolution's weight, and how stride, padding, dilation and groups
change which inputs an output sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor

Sizes = int | Sequence[int]

PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


def repeated(value: Any, count: int) -> tuple[int, ...]:
    """A tuple as it is; a number `count` times, once for each dimension."""
    return tuple(value) if isinstance(value, Sequence) else (value,) * count


class _Convolution(Module):
    """What all convolutions share: options, weight and bias."""

    dimensions: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]
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
        self.weight = empty_parameter(self._weight_shape(), device, dtype)
        self.register_parameter("bias", empty_parameter((out_channels,), device, dtype) if bias else None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        channels = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        return (channels[0], channels[1] // self.groups, *self.kernel_size)

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
        """Draw new weights, uniformly between -1 / sqrt(fan_in) and 1 / sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _padding_of_each_side(self) -> list[int]:
        """The padding as F.pad takes it: before and after each dimension, the last dimension first."""
        if self.padding == "valid":
            return [0, 0] * self.dimensions
        sides: list[int] = []
        for dim in reversed(range(self.dimensions)):
            if self.padding == "same":
                total = self.dilation[dim] * (self.kernel_size[dim] - 1)
                sides += [total // 2, total - total // 2]
            else:
                sides += [int(self.padding[dim])] * 2
        return sides

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


class _ForwardConvolution(_Convolution):
    """Conv1d, Conv2d and Conv3d."""

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

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._padding_of_each_side(), mode=self.padding_mode), 0
        return type(self).function(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_ForwardConvolution):
    """Convolution over (N, in_channels, L) or (in_channels, L); the arguments are those of Conv2d.

    weight: (out_channels, in_channels / groups, kernel_size). bias: (out_channels,).
    """

    dimensions, function = 1, F.conv1d


class Conv2d(_ForwardConvolution):
    """Convolution over images (N, in_channels, H, W) or (in_channels, H, W).

    weight: (out_channels, in_channels / groups, height, width). bias: (out_channels,). Both are first drawn uniformly
    between -1/sqrt(n) and 1/sqrt(n), where n is the number of inputs that each output sums.

    Args:
        kernel_size: height and width of the window, or one number for both, as for the following.
        stride: how far the window moves between two outputs.
        padding: how many rows and columns are put around the image; "same" for an output of the image's size, "valid"
            for no padding.
        dilation: the distance between neighbouring elements of the window.
        groups: the channels are divided into so many groups, and outputs see only the inputs of their own group.
        padding_mode: what the padding consists of: "zeros", "reflect", "replicate" or "circular".

    ValueError for options that do not go together.
    """

    dimensions, function = 2, F.conv2d


class _TransposedConvolution(_Convolution):
    """ConvTranspose1d, 2d and 3d: each input is multiplied by the whole weight and added to a window of outputs, as the
    gradient of a convolution is.
    """

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

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        output_padding = self.output_padding
        if output_size is not None:
            output_padding = self._output_padding_for(input, list(output_size))
        return type(self).function(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )

    def _output_padding_for(self, input: Tensor, wanted: list[int]) -> tuple[int, ...]:
        """The output padding that gives the wanted size. ValueError if there is none."""
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


class ConvTranspose2d(_TransposedConvolution):
    """Transposed convolution over images (N, in_channels, H, W), which makes them larger.

    weight: (in_channels, out_channels / groups, height, width). bias: (out_channels,). Called with (input), or
    (input, output_size), which takes the place of output_padding.

    Args:
        kernel_size, stride, padding, dilation, groups: those of the Conv2d whose gradient this is.
        output_padding: rows and columns added at one end, since with a stride several image sizes give the same output
            size of the Conv2d.
    """

    dimensions, function = 2, F.conv_transpose2d
