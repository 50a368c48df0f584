"""Convolution layers: each output is a weighted sum of a window of inputs, with the same weights for every window.

Stride, padding, dilation and groups change which inputs an output sees; the weight has the shape (outputs, inputs of a
group, size of the window).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer, one_per_dimension
from minigrad.nn.parameter import empty_parameter
from minigrad.tensor import Tensor


class _Convolution(Layer):
    """What all convolutions share: the checks, weight and bias."""

    _shown, _unnamed = ("in_channels", "out_channels", "kernel_size", "stride"), 2
    _shown_if_changed: ClassVar[tuple[str, ...]] = ("padding", "dilation", "groups", "bias")
    _dimensions = 2
    transposed = False
    output_padding = 0
    in_channels: int
    out_channels: int
    kernel_size: Any
    stride: Any = 1
    padding: Any = 0

    def _set_up(self: Any, bias: bool, device: Any, dtype: Any) -> None:
        self._check()
        for name in ("kernel_size", "stride", "padding", "dilation", "output_padding"):
            value = getattr(self, name)
            setattr(self, name, value if isinstance(value, str) else one_per_dimension(value, self._dimensions))
        channels = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        shape = (channels[0], channels[1] // self.groups, *self.kernel_size)
        self.weight = empty_parameter(shape, device, dtype)
        self.register_parameter("bias", empty_parameter((self.out_channels,), device, dtype) if bias else None)
        self.reset_parameters()

    def _check(self: Any) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(self.padding, str) and self.padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'valid', 'same'}}")
        if self.padding == "same" and set(one_per_dimension(self.stride, 1)) != {1}:
            raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode != "zeros":
            if self.transposed:
                raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
            text = f"padding_mode must be one of {{'zeros'}}, but got padding_mode='{self.padding_mode}'"
            raise ValueError(f"{text}: pad in a layer before, as ReflectionPad2d, ReplicationPad2d or CircularPad2d do")

    def reset_parameters(self: Any) -> None:
        """Draw new weights, uniformly between -1 / sqrt(fan_in) and 1 / sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))


class _ForwardConvolution(_Convolution):
    dilation: Any = 1
    groups: int = 1
    bias: Any = True
    padding_mode: str = "zeros"

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return self._function(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv1d(_ForwardConvolution):
    """Convolution over (N, in_channels, L) or (in_channels, L); the arguments are those of Conv2d.

    weight: (out_channels, in_channels / groups, kernel_size). bias: (out_channels,).
    """

    _dimensions, _function = 1, staticmethod(F.conv1d)


class Conv2d(_ForwardConvolution):
    """Convolution over images (N, in_channels, H, W) or (in_channels, H, W).

    weight: (out_channels, in_channels / groups, height, width). bias: (out_channels,). Both are first drawn uniformly
    between -1/sqrt(n) and 1/sqrt(n), where n is the number of inputs that each output sums.

    Args:
        kernel_size: height and width of the window, or one number for both, as for the following.
        stride: how far the window moves between two outputs.
        padding: how many rows and columns of zeros are put around the image; "same" for an output of the image's size,
            "valid" for no padding.
        dilation: the distance between neighbouring elements of the window.
        groups: the channels are divided into so many groups, and outputs see only the inputs of their own group.

    ValueError for options that do not go together.
    """

    _function = staticmethod(F.conv2d)


class ConvTranspose2d(_Convolution, function=F.conv_transpose2d):
    """Transposed convolution over images (N, in_channels, H, W), which makes them larger.

    Each input is multiplied by the whole weight and added to a window of outputs, as the gradient of a convolution is.

    weight: (in_channels, out_channels / groups, height, width). bias: (out_channels,).

    Args:
        kernel_size, stride, padding, dilation, groups: those of the Conv2d whose gradient this is.
        output_padding: rows and columns added at one end, since with a stride several image sizes give the same output
            size of the Conv2d.
    """

    _shown_if_changed = ("padding", "dilation", "output_padding", "groups", "bias")
    transposed = True
    output_padding: Any = 0
    groups: int = 1
    bias: Any = True
    dilation: Any = 1
    padding_mode: str = "zeros"
