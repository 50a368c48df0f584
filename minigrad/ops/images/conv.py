"""Convolutions, and what becomes of them in a backward.

After this module a reader knows that convolution is linear in the image and linear in the weights, so that its two
gradients are operations of the same family: `convolution_input` takes a gradient back to the image,
`convolution_weight` to the weights. Each of the three is the derivative of the other two, which is why second
derivatives need no new code; and "transposed convolution" is nothing but `convolution_input` used forwards.

How they are computed is told in conv_columns.py and conv_winograd.py, and what they take in conv_arguments.py. Results
lie in memory as (N, C, H, W), as the shapes say, so that `view` and `stride()` give what they give in PyTorch. That has
a price where images are small and many: with the batch innermost from op to op, so that loops run over longer rows, a
training step of the network in benchmarks/cnn_step.py takes 3.1 ms written by hand, and 5.1 ms here. A single image
lies the same way in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.images import conv_columns, conv_winograd
from minigrad.ops.images.conv_arguments import (
    batched,
    check_bias,
    check_dtypes,
    check_steps,
    check_tensors,
    check_weight,
    named_padding,
    per_dim,
    times,
)
from minigrad.ops.images.windows import Prepared, Way
from minigrad.ops.shapes import views
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array
Sizes = tuple[int, ...]
Steps = int | Sequence[int]

NO_BIAS = from_array(np.zeros(0, np.float32))


def correlate(image: Array, weight: Array, bias: Array, way: Way, prepared: Prepared) -> Array:
    """The sums of products of kernels with what they see, by the fastest way."""
    if conv_winograd.suits(weight, image.shape[0], way.places(image.shape[2:], weight.shape[2:]), way):
        out = conv_winograd.correlate(image, weight, bias, way, prepared)
        if conv_columns.is_finite(out):
            return out
    return conv_columns.correlate(image, weight, bias, way, prepared)


def spread(g: Array, weight: Array, size: Sizes, way: Way, prepared: Prepared) -> Array:
    """What came from each pixel of an image of some size, added up there, by the fastest way."""
    if conv_winograd.suits(weight, len(g), g.shape[2:], way):
        out = conv_winograd.spread(g, weight, size, way, prepared)
        if conv_columns.is_finite(out):
            return out
    return conv_columns.spread(g, weight, size, way)


@op(
    name="ConvolutionBackward0",
    kept=("prepared",),
    self=lambda F, g, weight, self_shape, way, prepared: F.convolution_input(g, weight, self_shape[2:], way, prepared),
    weight=lambda F, g, self, weight_shape, way, prepared: F.convolution_weight(
        g, self, weight_shape[2:], way, prepared
    ),
    bias=lambda F, g: F.channel_sums(g),
)
def convolution(self: Array, weight: Array, bias: Array, way: Way, prepared: Prepared | None = None) -> Array:
    """(N, C, *size), (O, C / groups, *kernel), (O,) or (0,) -> (N, O, *places).

    What is prepared here is used by the gradients, if they get it.
    """
    return correlate(self, weight, bias, way, prepared or Prepared())


@op(
    self=lambda F, g, weight, way: F.convolution(g, weight, F.zeros((0,), g), way),
    weight=lambda F, g, self, weight_shape, way: F.convolution_weight(self, g, weight_shape[2:], way),
)
def convolution_input(self: Array, weight: Array, size: Sizes, way: Way, prepared: Prepared | None = None) -> Array:
    """A convolution's gradient for its image: (N, O, *places) -> (N, C, *size)."""
    return spread(self, weight, size, way, prepared or Prepared())


@op(
    self=lambda F, g, other, way: F.convolution(other, g, F.zeros((0,), g), way),
    other=lambda F, g, self, other_shape, way: F.convolution_input(self, g, other_shape[2:], way),
)
def convolution_weight(self: Array, other: Array, window: Sizes, way: Way, prepared: Prepared | None = None) -> Array:
    """A convolution's gradient for its weights: (N, O, *places) and the image -> (O, C / groups, *kernel)."""
    prepared = prepared or Prepared()
    out = np.zeros((self.shape[1], other.shape[1] // way.groups, *window), self.dtype)
    if conv_winograd.suits(out, len(self), self.shape[2:], way):
        conv_winograd.weigh(other, self, out, way, prepared)
        if conv_columns.is_finite(out):
            return out
        out[...] = 0
    conv_columns.weigh(other, self, out, way, prepared)
    return out


@op(
    name="ConvolutionBackward0",
    self=lambda F, g, weight, way: F.convolution(g, weight, F.zeros((0,), g), way),
    weight=lambda F, g, self, weight_shape, way: F.convolution_weight(self, g, weight_shape[2:], way),
    bias=lambda F, g: F.channel_sums(g),
)
def transposed_convolution(self: Array, weight: Array, bias: Array, size: Sizes, way: Way) -> Array:
    """(N, O, *places), (O, C / groups, *kernel), (C,) or (0,) -> (N, C, *size)."""
    out = spread(self, weight, size, way, Prepared())
    if bias.size:
        out += bias.reshape(-1, *(1,) * len(size))
    return out


@op(self=lambda F, g, self_shape: F.expand(F.reshape(g, (-1, *(1,) * (len(self_shape) - 2))), self_shape))
def channel_sums(self: Array) -> Array:
    """The sum of each channel: (N, C, *size) -> (C,). By a product with ones, a third of the time of np.add.reduce."""
    pixels = math.prod(self.shape[2:])
    rows = np.matmul(self.reshape(*self.shape[:2], pixels), np.ones(pixels, self.dtype))
    return np.add.reduce(rows, 0)


# ---------------------------------------------------------------- as the learner calls them


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Steps = 1,
    padding: Steps | str = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Tensor:
    """Slide kernels over sequences: input (N, C, L) or (C, L), weight (O, C / groups, k) -> (N, O, places).

    places = (L + 2 padding - dilation (k - 1) - 1) / stride + 1, rounded down. For `padding` also "valid" (none) and
    "same" (as much as keeps the length). Raises RuntimeError for shapes, steps or dtypes that do not fit.
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Steps = 1,
    padding: Steps | str = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Tensor:
    """Slide kernels over images: input (N, C, H, W) or (C, H, W), weight (O, C / groups, k, k) -> (N, O, h, w).

    h = (H + 2 padding - dilation (k - 1) - 1) / stride + 1, rounded down, and so for w. `stride`, `padding` and
    `dilation` are ints or one int for each dimension; for `padding` also "valid" (none) and "same" (as much as keeps
    the size). With `groups`, each group of output channels sees its own group of input channels only. Raises
    RuntimeError for shapes, steps or dtypes that do not fit.
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Steps = 1,
    padding: Steps = 0,
    output_padding: Steps = 0,
    groups: int = 1,
    dilation: Steps = 1,
) -> Tensor:
    """What takes gradients back through `conv2d`, used forwards: input (N, C, H, W), weight (C, O / groups, k, k) ->
    (N, O, h, w) with h = (H - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.

    Every input pixel leaves a copy of the kernel, times its value, `stride` apart. `output_padding` chooses among the
    sizes that a strided `conv2d` takes to H. RuntimeError for shapes, steps or dtypes that do not fit.
    """
    return _convolve_back("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _convolve(
    function: str,
    dims: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    check_tensors(function, input, weight, bias)
    batch, unbatched = batched(function, dims, input)
    kernel = weight.shape[2:]
    steps = per_dim(function, "stride", stride, dims, len(kernel))
    spacing = per_dim(function, "dilation", dilation, dims, len(kernel))
    if isinstance(padding, str):
        border = named_padding(padding, kernel, steps, spacing)
    else:
        border = tuple((p, p) for p in per_dim(function, "padding", padding, dims, len(kernel)))
    way = Way(steps, border, spacing, groups)
    check_steps(way)
    check_weight(way, batch, weight, channels=weight.shape[1] * groups)
    check_bias(weight, bias, len(weight), f"weight of size {list(weight.shape)}")
    reach, padded = way.reach(kernel), way.padded(batch.shape[2:])
    if any(r > size for r, size in zip(reach, padded, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({times(padded)}). Kernel size: ({times(reach)}). "
            "Kernel size can't be greater than actual input size: use a smaller kernel, more padding, or larger images."
        )
    check_dtypes(input, weight, bias)
    out = convolution(batch, weight, NO_BIAS if bias is None else bias, way, Prepared())
    return views.squeeze(out, 0) if unbatched else out


def _convolve_back(
    function: str,
    dims: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    check_tensors(function, input, weight, bias)
    if isinstance(padding, str):
        raise TypeError(
            f"{function}(): argument 'padding' must be tuple of ints, not str: which size 'same' would be is not clear "
            "with a stride"
        )
    batch, unbatched = batched(function, dims, input)
    kernel = weight.shape[2:]
    steps = per_dim(function, "stride", stride, dims, len(kernel))
    border = per_dim(function, "padding", padding, dims, len(kernel))
    spacing = per_dim(function, "dilation", dilation, dims, len(kernel))
    more = per_dim(function, "output_padding", output_padding, dims, len(kernel))
    # Seen from the convolution that this turns round, the last `more` pixels of its image are looked at by no window.
    way = Way(steps, tuple((p, p - m) for p, m in zip(border, more, strict=True)), spacing, groups)
    check_steps(way._replace(padding=tuple((p, p) for p in border)), more)
    check_weight(way, batch, weight, channels=len(weight), transposed=True)
    channels = weight.shape[1] * groups
    check_bias(weight, bias, channels, f"transposed=1, weight of size {list(weight.shape)}")
    if any(m >= max(s, d) for m, s, d in zip(more, steps, spacing, strict=True)):
        options = {"output_padding": more, "stride": steps, "dilation": spacing}
        names = ("depth", "height", "width")[3 - dims :]
        sizes = [f"{option}_{name}: {value[i]}" for option, value in options.items() for i, name in enumerate(names)]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(sizes)}")
    spans = zip(batch.shape[2:], steps, border, way.reach(kernel), more, strict=True)
    size = tuple([(n - 1) * step - 2 * p + reach + m for n, step, p, reach, m in spans])
    if any(s <= 0 for s in size):
        raise RuntimeError(
            f"Given input size per channel: ({times(batch.shape[2:])}). Calculated output size per channel: "
            f"({times(size)}). Output size is too small: use less padding or a larger kernel."
        )
    check_dtypes(input, weight, bias)
    out = transposed_convolution(batch, weight, NO_BIAS if bias is None else bias, size, way)
    return views.squeeze(out, 0) if unbatched else out


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
