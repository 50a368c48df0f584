"""Convolutions, and what becomes of them in a backward.

After this module a reader knows that convolution is linear in the image and linear in the weights, so that its two
gradients are operations of the same family: `convolution_input` takes a gradient back to the image,
`convolution_weight` to the weights. Each of the three is the derivative of the other two, which is why second
derivatives need no new code; and "transposed convolution" is nothing but `convolution_input` used forwards.

How they are computed is told in conv_columns.py and conv_winograd.py. Results lie in memory as (N, C, H, W), as the
shapes say, so that `view` and `stride()` give what they give in PyTorch. That has a price where images are small and
many: with the batch innermost from op to op, so that loops run over longer rows, a training step of the network in
benchmarks/cnn_step.py takes 3.1 ms written by hand, and 5.1 ms here. A single image lies the same way in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.op import op
from minigrad.ops.images import conv_columns, conv_winograd
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


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Steps = 1,
    padding: Steps | str = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Tensor:
    """Slide kernels over volumes: input (N, C, D, H, W) or (C, D, H, W), weight (O, C / groups, k, k, k) ->
    (N, O, d, h, w). The rest is as in `conv2d`.
    """
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Steps = 1,
    padding: Steps = 0,
    output_padding: Steps = 0,
    groups: int = 1,
    dilation: Steps = 1,
) -> Tensor:
    """What takes gradients back through `conv1d`, used forwards: input (N, C, L), weight (C, O / groups, k) ->
    (N, O, (L - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1).
    """
    return _convolve_back("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


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


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Steps = 1,
    padding: Steps = 0,
    output_padding: Steps = 0,
    groups: int = 1,
    dilation: Steps = 1,
) -> Tensor:
    """`conv_transpose2d` for volumes: input (N, C, D, H, W), weight (C, O / groups, k, k, k)."""
    return _convolve_back("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)


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
    _check_tensors(function, input, weight, bias)
    batch, unbatched = _batched(function, dims, input)
    kernel = weight.shape[2:]
    steps = _per_dim(function, "stride", stride, dims, len(kernel))
    spacing = _per_dim(function, "dilation", dilation, dims, len(kernel))
    if isinstance(padding, str):
        border = _named_padding(padding, kernel, steps, spacing)
    else:
        border = tuple((p, p) for p in _per_dim(function, "padding", padding, dims, len(kernel)))
    way = Way(steps, border, spacing, groups)
    _check_steps(way)
    _check_weight(way, batch, weight, channels=weight.shape[1] * groups)
    _check_bias(weight, bias, len(weight), f"weight of size {list(weight.shape)}")
    reach, padded = way.reach(kernel), way.padded(batch.shape[2:])
    if any(r > size for r, size in zip(reach, padded, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({_times(padded)}). Kernel size: ({_times(reach)}). "
            "Kernel size can't be greater than actual input size: use a smaller kernel, more padding, or larger images."
        )
    _check_dtypes(input, weight, bias)
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
    _check_tensors(function, input, weight, bias)
    if isinstance(padding, str):
        raise TypeError(
            f"{function}(): argument 'padding' must be tuple of ints, not str: which size 'same' would be is not clear "
            "with a stride"
        )
    batch, unbatched = _batched(function, dims, input)
    kernel = weight.shape[2:]
    steps = _per_dim(function, "stride", stride, dims, len(kernel))
    border = _per_dim(function, "padding", padding, dims, len(kernel))
    spacing = _per_dim(function, "dilation", dilation, dims, len(kernel))
    more = _per_dim(function, "output_padding", output_padding, dims, len(kernel))
    # Seen from the convolution that this turns round, the last `more` pixels of its image are looked at by no window.
    way = Way(steps, tuple((p, p - m) for p, m in zip(border, more, strict=True)), spacing, groups)
    _check_steps(way._replace(padding=tuple((p, p) for p in border)), more)
    _check_weight(way, batch, weight, channels=len(weight), transposed=True)
    channels = weight.shape[1] * groups
    _check_bias(weight, bias, channels, f"transposed=1, weight of size {list(weight.shape)}")
    if any(m >= max(s, d) for m, s, d in zip(more, steps, spacing, strict=True)):
        named = {"output_padding": more, "stride": steps, "dilation": spacing}
        sizes = [f"{name}_{dim}: {value[i]}" for name, value in named.items() for i, dim in _named_dims(dims)]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(sizes)}")
    spans = zip(batch.shape[2:], steps, border, way.reach(kernel), more, strict=True)
    size = tuple([(n - 1) * step - 2 * p + reach + m for n, step, p, reach, m in spans])
    if any(s <= 0 for s in size):
        raise RuntimeError(
            f"Given input size per channel: ({_times(batch.shape[2:])}). Calculated output size per channel: "
            f"({_times(size)}). Output size is too small: use less padding or a larger kernel."
        )
    _check_dtypes(input, weight, bias)
    out = transposed_convolution(batch, weight, NO_BIAS if bias is None else bias, size, way)
    return views.squeeze(out, 0) if unbatched else out


# ---------------------------------------------------------------- checks


def _check_tensors(function: str, input: Any, weight: Any, bias: Any) -> None:
    given = (input, weight) if bias is None else (input, weight, bias)
    if not all(isinstance(value, Tensor) for value in given):
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got "
            f"({', '.join(map(type_name, given))}), but expected (Tensor input, Tensor weight, Tensor bias = None, ...)"
        )
    if weight.ndim < 3:
        raise RuntimeError(
            "weight should have at least three dimensions: the output channels, the input channels (of one group), "
            f"and the kernel; got shape {list(weight.shape)}"
        )


def _batched(function: str, dims: int, input: Tensor) -> tuple[Tensor, bool]:
    """The input with a dimension for the batch, and whether it had none."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {function}, but got input of size: "
            f"{list(input.shape)}"
        )
    unbatched = input.ndim == dims + 1
    return (views.unsqueeze(input, 0) if unbatched else input), unbatched


def _per_dim(function: str, name: str, value: Any, dims: int, expected: int) -> Sizes:
    """An option as one int per dimension of the kernel."""
    values = tuple(value) if isinstance(value, Sequence) else (value,) * dims
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
        raise TypeError(
            f"{function}() received an invalid combination of arguments: {name} must be an int or a tuple of ints, "
            f"not {value!r}"
        )
    if len(values) == 1:
        values *= expected
    if len(values) != expected:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {expected} values to match the convolution "
            f"dimensions, but got {name}={list(values)}"
        )
    return tuple(map(int, values))


def _named_padding(padding: str, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[tuple[int, int], ...]:
    """What "same" and "valid" mean in numbers."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}': there are 'same', 'valid', and ints")
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions: give the padding as a number")
    totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    return tuple((total // 2, total - total // 2) for total in totals)


def _check_steps(way: Way, output_padding: Sizes = ()) -> None:
    if any(before < 0 or after < 0 for before, after in way.padding):
        raise RuntimeError(f"negative padding is not supported: {[before for before, _ in way.padding]}")
    if any(more < 0 for more in output_padding):
        raise RuntimeError(f"negative output_padding is not supported: {list(output_padding)}")
    if any(step <= 0 for step in way.stride):
        raise RuntimeError(f"non-positive stride is not supported: {list(way.stride)}")
    if any(step <= 0 for step in way.dilation):
        raise RuntimeError(f"non-positive dilation is not supported: {list(way.dilation)}")
    if way.groups <= 0:
        raise RuntimeError(f"non-positive groups is not supported: {way.groups}")


def _check_weight(way: Way, input: Tensor, weight: Tensor, channels: int, transposed: bool = False) -> None:
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight {list(weight.shape)}, but "
            f"got {input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    if len(weight) < way.groups:
        raise RuntimeError(
            f"Given groups={way.groups}, expected weight to be at least {way.groups} at dimension 0, but got weight of "
            f"size {list(weight.shape)} instead"
        )
    if len(weight) % way.groups:
        raise RuntimeError(
            f"Given groups={way.groups}, expected weight to be divisible by {way.groups} at dimension 0, but got "
            f"weight of size [{list(weight.shape)}] instead"
        )
    if input.shape[1] != channels:
        what = "transposed=1" if transposed else f"groups={way.groups}"
        raise RuntimeError(
            f"Given {what}, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have {channels} "
            f"channels, but got {input.shape[1]} channels instead. Channels are dimension 1 of a batch."
        )
    if 0 in weight.shape[2:]:
        raise RuntimeError(f"a kernel has at least one element, but weight has shape {list(weight.shape)}")
    if 0 in input.shape[2:]:
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {list(input.shape)}"
        )


def _check_bias(weight: Tensor, bias: Tensor | None, channels: int, what: str) -> None:
    if bias is not None and bias.shape != (channels,):
        raise RuntimeError(
            f"Given {what}, expected bias to be 1-dimensional with {channels} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )


_IN_C = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int", "int16": "short"}


def _check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if bias is not None and bias.dtype is not input.dtype:
        first, second = (_IN_C.get(tensor.dtype.name, tensor.dtype.name) for tensor in (input, bias))
        raise RuntimeError(f"Input type ({first}) and bias type ({second}) should be the same: convert one of them")
    if weight.dtype is not input.dtype:
        first, second = (tensor.dtype.tensor_type for tensor in (input, weight))
        if input.dtype is dtypes.float32:
            raise RuntimeError(
                f"Input type (minigrad.{first}Tensor) and weight type (minigrad.{second}Tensor) should be the same: "
                "convert one of them"
            )
        raise RuntimeError(f"expected scalar type {first} but found {second}: convert the input or the weight")
    if input.dtype is dtypes.bool:
        raise NotImplementedError("\"slow_conv2d_cpu\" not implemented for 'Bool': convert to a dtype of numbers")


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _named_dims(dims: int) -> list[tuple[int, str]]:
    return list(enumerate(("depth", "height", "width")[3 - dims :]))


METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=
