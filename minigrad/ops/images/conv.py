"""Convolutions, and what becomes of them in a backward.

Convolution is linear in the image and linear in the weights, so its two gradients are operations of the same family:
"transposed convolution" takes a gradient back to the image, `convolution_weight` to the weights. Each of the three is
the derivative of the other two, which is why second derivatives need no new code.

How they are computed is told in conv_columns.py. Results lie in memory as (N, C, H, W), as the shapes say, so that
`view` and `stride()` give what they give in PyTorch. That has a price where images are small and many: with the batch
innermost from op to op, so that loops run over longer rows, a training step of the network in benchmarks/cnn_step.py
takes 2.3 ms written by hand, and 3.3 ms here. A single image lies the same way in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, op
from minigrad.ops.declarations import numbers_only
from minigrad.ops.images import conv_columns
from minigrad.ops.images.windows import Extents, Sliding, extents_of, times
from minigrad.ops.reductions.sums import channel_bias_gradient
from minigrad.ops.shapes import reshaping
from minigrad.public import Dims, Padding, as_dims, public, with_checks
from minigrad.tensor import Tensor, from_array

NO_BIAS = from_array(np.zeros(0, np.float32))


def _add_bias(out: Array, bias: Array) -> Array:
    if bias.size:
        out += bias.reshape(-1, *(1,) * (out.ndim - 2))
    return out


# In PyTorch these gradients are functions of the image, and of the weight, even where they do not depend on it.


@op(
    name="ConvolutionBackward0",
    self=lambda F, g, self, weight, way: F.as_function_of(
        F.transposed_convolution(g, weight, F.zeros((0,), g), self.shape[2:], way), self
    ),
    weight=lambda F, g, self, weight, way: F.convolution_weight(g, self, weight, way),
    bias=channel_bias_gradient,
)
def convolution(self: Array, weight: Array, bias: Array, way: Sliding) -> Array:
    """(N, C, *size), (O, C / groups, *kernel), (O,) or (0,) -> (N, O, *places): the sums of products of kernels with
    what they see.
    """
    return _add_bias(conv_columns.correlate(self, weight, way), bias)


@op(
    name="ConvolutionBackward0",
    self=lambda F, g, self, weight, way: F.as_function_of(F.convolution(g, weight, F.zeros((0,), g), way), self),
    weight=lambda F, g, self, weight, way: F.convolution_weight(self, g, weight, way),
    bias=channel_bias_gradient,
)
def transposed_convolution(self: Array, weight: Array, bias: Array, size: Extents, way: Sliding) -> Array:
    """A convolution's gradient for its image: (N, O, *places), (O, C / groups, *kernel), (C,) or (0,) -> (N, C, *size),
    to each pixel what comes from it.
    """
    return _add_bias(conv_columns.spread(self, weight, size, way), bias)


@op(
    self=lambda F, g, image, way: F.convolution(image, g, F.zeros((0,), g), way),
    image=lambda F, g, self, image, way: F.transposed_convolution(self, g, F.zeros((0,), g), image.shape[2:], way),
    weight=lambda F, g: None,
)
def convolution_weight(self: Array, image: Array, weight: Array, way: Sliding) -> Array:
    """A convolution's gradient for its weights, of whose size it is: (N, O, *places) and the image -> (O, C / groups,
    *kernel).
    """
    return conv_columns.weigh(image, self, weight.shape[2:], way)


# ---------------------------------------------------------------- what is given


def _check_arguments(
    function: str, input: Tensor, weight: Tensor, bias: Tensor | None, padding: Any, groups: int, **options: Any
) -> tuple[Tensor, Tensor, Sliding, dict[str, Extents]]:
    """The input as a batch, the bias, the way of the kernel, and the options, each as one number for each dimension of
    the kernel. Raises, in PyTorch's words, for what does not fit.
    """
    dims, kernel = int(function[-2]), weight.shape[2:]
    if weight.ndim < 3:
        raise RuntimeError(f"weight should have at least three dimensions: (O, C, *kernel), not {list(weight.shape)}")
    if input.ndim not in (dims + 1, dims + 2):
        expected = f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {function}"
        raise RuntimeError(f"{expected}, but got input of size: {list(input.shape)}")
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise RuntimeError(f"Invalid padding string: '{padding}': there are 'same', 'valid', and ints")
    options["padding"] = 0 if isinstance(padding, str) else padding
    for name, value in options.items():
        text = (
            f"expected {name} to be a single integer value or a list of {len(kernel)} values to match the convolution "
            f"dimensions, but got {name}={{}}"
        )
        values = extents_of(value if isinstance(value, tuple) else (value,) * dims, len(kernel), text)
        least = 0 if "padding" in name else 1
        if min(values) < least:
            raise RuntimeError(f"{'non-positive' if least else 'negative'} {name} is not supported: {list(values)}")
        options[name] = values
    if groups < 1:
        raise RuntimeError(f"non-positive groups is not supported: {groups}")
    border = tuple([(p, p) for p in options["padding"]])
    if padding == "same":
        if max(options["stride"]) > 1:
            raise RuntimeError("padding='same' is not supported for strided convolutions: give the padding as a number")
        totals = [d * (k - 1) for k, d in zip(kernel, options["dilation"], strict=True)]
        border = tuple([(total // 2, total - total // 2) for total in totals])
    batch = reshaping.unsqueeze(input, 0) if input.ndim == dims + 1 else input
    _check_shapes(batch, weight, bias, groups, "transpose" in function)
    _check_dtypes(input, weight, bias)
    way = Sliding(options["stride"], border, options["dilation"], groups)
    return batch, NO_BIAS if bias is None else bias, way, options


def _check_shapes(input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool) -> None:
    """Raise unless the weight has the dimensions and channels of a batch of inputs, and groups of equal size."""
    shape = list(weight.shape)
    if weight.ndim != input.ndim:
        expected = f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight {shape}"
        got = f"{input.ndim}-dimensional input of size {list(input.shape)}"
        raise RuntimeError(f"{expected}, but got {got} instead")
    if len(weight) < groups or len(weight) % groups:
        what, size = ("at least", shape) if len(weight) < groups else ("divisible by", [shape])
        expected = f"Given groups={groups}, expected weight to be {what} {groups} at dimension 0"
        raise RuntimeError(f"{expected}, but got weight of size {size} instead")
    outputs, inputs = (shape[1] * groups, shape[0]) if transposed else (shape[0], shape[1] * groups)
    if input.shape[1] != inputs:
        raise RuntimeError(
            f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size {shape}, expected "
            f"input{list(input.shape)} to have {inputs} channels, but got {input.shape[1]} channels instead. Channels "
            "are dimension 1 of a batch."
        )
    if 0 in (*input.shape[2:], *weight.shape[2:]):
        got = f"input shape: {list(input.shape)} and weight shape: {shape}"
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got {got}")
    if bias is not None and bias.shape != (outputs,):
        given = f"Given {'transposed=1, ' if transposed else ''}weight of size {shape}"
        text = f"expected bias to be 1-dimensional with {outputs} elements, but got bias of size {list(bias.shape)}"
        raise RuntimeError(f"{given}, {text} instead")


def _check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raise unless all have the same dtype, one of numbers."""
    if bias is not None and bias.dtype is not input.dtype:
        first, second = input.dtype.c_name, bias.dtype.c_name
        raise RuntimeError(f"Input type ({first}) and bias type ({second}) should be the same: convert one of them")
    if weight.dtype is not input.dtype:
        first, second = (tensor.dtype.tensor_type for tensor in (input, weight))
        what = f"expected scalar type {first} but found {second}"
        if input.dtype in (dtypes.float16, dtypes.float32):
            what = f"Input type (minigrad.{first}Tensor) and weight type (minigrad.{second}Tensor) should be the same"
        raise RuntimeError(f"{what}: convert the input or the weight")
    numbers_only("slow_conv2d_cpu", input._array)


# ---------------------------------------------------------------- as the learner calls them


def _convolution(name: str) -> Any:
    """`conv1d` and `conv2d`."""

    def convolve(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Dims = 1,
        padding: Padding = 0,
        dilation: Dims = 1,
        groups: int = 1,
    ) -> Tensor:
        """Slide kernels over sequences (conv1d) or images (conv2d).

        Sequences are (N, C, L) or (C, L), with a weight (O, C / groups, k), and become (N, O, l); images (N, C, H, W)
        or (C, H, W), with a weight (O, C / groups, k, k), become (N, O, h, w).

        h = (H + 2 padding - dilation (k - 1) - 1) / stride + 1, rounded down, and so for l and w. `stride`, `padding`
        and `dilation` are ints or one int for each dimension; for `padding` also "valid" (none) and "same" (as much as
        keeps the size). With `groups`, each group of output channels sees its own group of input channels only. Raises
        RuntimeError for shapes, steps or dtypes that do not fit.
        """
        given = {"stride": stride, "dilation": dilation}
        batch, bias, way, _ = _check_arguments(name, input, weight, bias, padding, groups, **given)
        reach, padded = way.reach(weight.shape[2:]), way.padded_size(batch.shape[2:])
        if any(r > size for r, size in zip(reach, padded, strict=True)):
            sizes = f"Calculated padded input size per channel: ({times(padded)}). Kernel size: ({times(reach)})."
            text = "Kernel size can't be greater than actual input size"
            raise RuntimeError(f"{sizes} {text}: use a smaller kernel, more padding, or larger images.")
        out = convolution(batch, weight, bias, way)
        return out if batch is input else reshaping.squeeze(out, 0)

    # Overloaded: PyTorch has a form for paddings in numbers, and one for those with a name.
    return public(name=name, function=False, method=False, overloaded=True, everywhere=True)(convolve)


conv1d, conv2d = _convolution("conv1d"), _convolution("conv2d")


@with_checks
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Any = 0,
    output_padding: Dims = 0,
    groups: int = 1,
    dilation: Dims = 1,
) -> Tensor:
    """What takes gradients back through `conv2d`, used forwards: input (N, C, H, W), weight (C, O / groups, k, k) ->
    (N, O, h, w) with h = (H - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.

    Every input pixel leaves a copy of the kernel, times its value, `stride` apart. `output_padding` chooses among the
    sizes that a strided `conv2d` takes to H. RuntimeError for shapes, steps or dtypes that do not fit.
    """
    padding = as_dims("conv_transpose2d", "padding", None, padding)  # which names no position, as PyTorch for a keyword
    given = {"output_padding": output_padding, "stride": stride, "dilation": dilation}
    batch, bias, way, options = _check_arguments("conv_transpose2d", input, weight, bias, padding, groups, **given)
    more = options["output_padding"]
    if any(m >= max(s, d) for m, s, d in zip(more, way.stride, way.dilation, strict=True)):
        del options["padding"]
        sizes = [f"{name}_height: {height} {name}_width: {width}" for name, (height, width) in options.items()]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(sizes)}")
    # Seen from the convolution that this turns round, the last `more` pixels of its image are looked at by no window.
    way = way._replace(padding=tuple([(p, p - m) for (p, _), m in zip(way.padding, more, strict=True)]))
    spans = zip(batch.shape[2:], way.stride, way.padding, way.reach(weight.shape[2:]), strict=True)
    size = tuple([(n - 1) * step - before - after + reach for n, step, (before, after), reach in spans])
    if min(size) <= 0:
        old, new = times(batch.shape[2:]), times(size)
        text = f"Given input size per channel: ({old}). Calculated output size per channel: ({new})."
        raise RuntimeError(f"{text} Output size is too small: use less padding or a larger kernel.")
    out = transposed_convolution(batch, weight, bias, size, way)
    return out if batch is input else reshaping.squeeze(out, 0)
