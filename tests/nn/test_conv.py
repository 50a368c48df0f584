"""Convolution, pooling, interpolation and patches beside PyTorch's: what is refused, in which words; dtypes, corners.

Values, gradients and second derivatives over many shapes are in the op table; here are its gaps: large images, where
other ways of computing set in, numbers that are not finite, and equal ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad as mg
from minigrad.ops.images import conv_columns
from minigrad.ops.images.windows import Sliding

behaviours = Behaviours()


def nn(F: Any, name: str) -> Any:
    """A function of nn.functional."""
    return getattr(F.nn.functional, name)


def image(F: Any, *shape: int, **options: Any) -> Any:
    """Small whole numbers, many of them equal."""
    return F.tensor((np.arange(np.prod(shape)) * 7 % 11 - 5.0).reshape(shape).astype("float32"), **options)


# ---------------------------------------------------------------- refused: convolution

REFUSED: list[tuple[str, type[Exception], str, Any]] = [
    (
        "other channels", RuntimeError,
        "Given groups=1, weight of size [4, 3, 3, 3], expected input[2, 2, 8, 8] to have 3 channels, but got 2 "
        "channels "
        "instead",
        lambda F: F.conv2d(image(F, 2, 2, 8, 8), image(F, 4, 3, 3, 3)),
    ),
    (
        "a kernel larger than the image", RuntimeError,
        "Calculated padded input size per channel: (1 x 3). Kernel size: (3 x 3). Kernel size can't be greater than "
        "actual input size",
        lambda F: F.conv2d(image(F, 2, 3, 1, 1), image(F, 4, 3, 3, 3), padding=(0, 1)),
    ),
    (
        "two dimensions", RuntimeError,
        "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [3, 8]",
        lambda F: F.conv2d(image(F, 3, 8), image(F, 4, 3, 3, 3)),
    ),
    (
        "an image for conv1d", RuntimeError,
        "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [1, 2, 3, 8]",
        lambda F: F.conv1d(image(F, 1, 2, 3, 8), image(F, 4, 3, 3)),
    ),
    (
        "a matrix of weights", RuntimeError, "weight should have at least three dimensions",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3)),
    ),
    (
        "weights of conv1d for conv2d", RuntimeError,
        "expected stride to be a single integer value or a list of 1 values to match the convolution dimensions, "
        "but got "
        "stride=[1, 1]",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3)),
    ),
    (
        "three strides", RuntimeError,
        "expected stride to be a single integer value or a list of 2 values to match the convolution dimensions, "
        "but got "
        "stride=[1, 1, 1]",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), stride=(1, 1, 1)),
    ),
    (
        "stride 0", RuntimeError, "non-positive stride is not supported",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), stride=(1, 0)),
    ),
    (
        "negative padding", RuntimeError, "negative padding is not supported",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), padding=-1),
    ),
    (
        "dilation 0", RuntimeError, "non-positive dilation is not supported",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), dilation=0),
    ),
    (
        "no groups", RuntimeError, "non-positive groups is not supported",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), groups=0),
    ),
    (
        "groups that do not divide the weight", RuntimeError,
        "Given groups=3, expected weight to be divisible by 3 at dimension 0, but got weight of size [[4, 1, 3, 3]] "
        "instead",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 1, 3, 3), groups=3),
    ),
    (
        "no output channels", RuntimeError,
        "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 3, 3, 3] instead",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 0, 3, 3, 3)),
    ),
    (
        "a bias of another size", RuntimeError,
        "Given weight of size [4, 3, 3, 3], expected bias to be 1-dimensional with 4 elements, but got bias of "
        "size [3] "
        "instead",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), image(F, 3)),
    ),
    (
        "a padding that is unknown", RuntimeError, "Invalid padding string: 'full'",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), padding="full"),
    ),
    (
        "same with a stride", RuntimeError, "padding='same' is not supported for strided convolutions",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), padding="same", stride=2),
    ),
    (
        "float64 beside float32", RuntimeError, "expected scalar type Double but found Float",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8).double(), image(F, 4, 3, 3, 3)),
    ),
    (
        "float32 beside float64", RuntimeError,
        "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the same",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3).double()),
    ),
    (
        "a bias of float64", RuntimeError, "Input type (float) and bias type (double) should be the same",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), image(F, 4).double()),
    ),
    (
        "a bias of float32 beside half numbers", RuntimeError,
        "Input type (c10::Half) and bias type (float) should be the same",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8).half(), image(F, 4, 3, 3, 3).half(), image(F, 4)),
    ),
    (
        "whole numbers beside float32", RuntimeError, "expected scalar type Long but found Float",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8).long(), image(F, 4, 3, 3, 3)),
    ),
    (
        "bools", NotImplementedError, "\"slow_conv2d_cpu\" not implemented for 'Bool'",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8) > 0, image(F, 4, 3, 3, 3) > 0),
    ),
    (
        "a list", TypeError, "conv2d() received an invalid combination of arguments",
        lambda F: F.conv2d([1.0], image(F, 4, 3, 3, 3)),
    ),
    (
        "a float as stride", TypeError, "conv2d() received an invalid combination of arguments",
        lambda F: F.conv2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3), stride=1.5),
    ),
    (
        "transposed, other channels", RuntimeError,
        "Given transposed=1, weight of size [4, 3, 3, 3], expected input[2, 3, 8, 8] to have 4 channels, but got 3 "
        "channels instead",
        lambda F: F.conv_transpose2d(image(F, 2, 3, 8, 8), image(F, 4, 3, 3, 3)),
    ),
    (
        "transposed, too much output padding", RuntimeError,
        "output padding must be smaller than either stride or dilation, but got output_padding_height: 2 "
        "output_padding_width: 2 stride_height: 2 stride_width: 2 dilation_height: 1 dilation_width: 1",
        lambda F: F.conv_transpose2d(image(F, 2, 3, 4, 4), image(F, 3, 4, 3, 3), stride=2, output_padding=2),
    ),
    (
        "transposed, negative output padding", RuntimeError, "negative output_padding is not supported",
        lambda F: F.conv_transpose2d(image(F, 2, 3, 4, 4), image(F, 3, 4, 3, 3), output_padding=-1),
    ),
    (
        "transposed, a bias of another size", RuntimeError,
        "Given transposed=1, weight of size [3, 4, 3, 3], expected bias to be 1-dimensional with 4 elements, but got "
        "bias of size [3] instead",
        lambda F: F.conv_transpose2d(image(F, 2, 3, 4, 4), image(F, 3, 4, 3, 3), image(F, 3)),
    ),
    (
        "transposed, a named padding", TypeError, "conv_transpose2d(): argument 'padding' must be tuple of ints, "
        "not str",
        lambda F: F.conv_transpose2d(image(F, 2, 3, 4, 4), image(F, 3, 4, 3, 3), padding="same"),
    ),
    # ------------------------------------------------------------ pooling
    (
        "pooling of a matrix", RuntimeError, "non-empty 3D or 4D (batch mode) tensor expected for input",
        lambda F: F.max_pool2d(image(F, 8, 8), 2),
    ),
    (
        "pooling with stride 0", RuntimeError, "stride should not be zero",
        lambda F: F.max_pool2d(image(F, 1, 8, 8), 2, 0),
    ),
    (
        "pooling with too much padding", RuntimeError,
        "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1",
        lambda F: F.max_pool2d(image(F, 1, 8, 8), 2, padding=2),
    ),
    (
        "pooling with negative padding", RuntimeError, "pad must be non-negative, but got pad: -1",
        lambda F: nn(F, "avg_pool2d")(image(F, 1, 8, 8), 2, padding=-1),
    ),
    (
        "pooling with dilation 0", RuntimeError,
        "dilation should be greater than zero, but got dilationH: 0 dilationW: 0",
        lambda F: F.max_pool2d(image(F, 1, 8, 8), 2, dilation=0),
    ),
    (
        "windows larger than the image", RuntimeError,
        "Given input size: (3x8x8). Calculated output size: (3x0x0). Output size is too small",
        lambda F: F.max_pool2d(image(F, 2, 3, 8, 8), 9),
    ),
    (
        "three kernel sizes", RuntimeError, "max_pool2d: kernel_size must either be a single int, or a tuple of "
        "two ints",
        lambda F: F.max_pool2d(image(F, 1, 8, 8), (2, 2, 2)),
    ),
    (
        "three strides of a pooling", RuntimeError,
        "max_pool2d: stride must either be omitted, a single int, or a tuple of two ints",
        lambda F: F.max_pool2d(image(F, 1, 8, 8), 2, (1, 1, 1)),
    ),
    (
        "pooling of bools", NotImplementedError, "\"max_pool2d\" not implemented for 'Bool'",
        lambda F: F.max_pool2d(image(F, 1, 8, 8) > 0, 2),
    ),
    (
        "pooling of no channels", RuntimeError,
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 0, 4, 4]",
        lambda F: F.max_pool2d(image(F, 2, 0, 4, 4), 2),
    ),
    (
        "max_pool1d of a vector", RuntimeError,
        "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:[8]",
        lambda F: F.max_pool1d(image(F, 8), 2),
    ),
    (
        "max_pool1d with a window that is too long", RuntimeError, "max_pool1d() Invalid computed output size: 0",
        lambda F: F.max_pool1d(image(F, 1, 8), 9),
    ),
    (
        "max_pool1d with too much padding", RuntimeError,
        "max_pool1d() padding should be at most half of kernel size, but got padding=2 and kernel_size=2",
        lambda F: F.max_pool1d(image(F, 1, 8), 2, padding=2),
    ),
    (
        "max_pool1d with negative padding", RuntimeError, "max_pool1d() padding must be non-negative, but got -1",
        lambda F: F.max_pool1d(image(F, 1, 8), 2, padding=-1),
    ),
    (
        "max_pool1d with kernel 0", RuntimeError, "max_pool1d() kernel_size must be greater than zero, but got 0",
        lambda F: F.max_pool1d(image(F, 1, 8), 0),
    ),
    (
        "avg_pool1d of a vector", RuntimeError, "Expected 2 to 3 dimensions, but got 1-dimensional tensor for "
        "argument #1",
        lambda F: F.avg_pool1d(image(F, 8), 2),
    ),
    (
        "adaptive pooling of a matrix", RuntimeError, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [8, 8]",
        lambda F: nn(F, "adaptive_avg_pool2d")(image(F, 8, 8), 2),
    ),
    (
        "adaptive pooling of a vector", RuntimeError, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [8]",
        lambda F: nn(F, "adaptive_avg_pool2d")(image(F, 8), 2),
    ),
    (
        "adaptive pooling to a negative size", RuntimeError,
        "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}",
        lambda F: nn(F, "adaptive_avg_pool2d")(image(F, 1, 8, 8), -1),
    ),
    (
        "adaptive pooling to three sizes", RuntimeError, "adaptive_avg_pool2d: output_size must be 2",
        lambda F: nn(F, "adaptive_avg_pool2d")(image(F, 1, 1, 8, 8), (1, 2, 3)),
    ),
    (
        "adaptive pooling of whole numbers", NotImplementedError, "\"adaptive_avg_pool2d\" not implemented for 'Long'",
        lambda F: nn(F, "adaptive_avg_pool2d")(image(F, 1, 8, 8).long(), 2),
    ),
    # ------------------------------------------------------------ resampling
    (
        "no size", ValueError, "either size or scale_factor should be defined",
        lambda F: nn(F, "interpolate")(image(F, 1, 1, 4, 4)),
    ),
    (
        "size and factor", ValueError, "only one of size or scale_factor should be defined",
        lambda F: nn(F, "interpolate")(image(F, 1, 1, 4, 4), 2, 2),
    ),
    (
        "a mode that is unknown", NotImplementedError,
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got 4D) for the modes: nearest | linear | bilinear | "
        "bicubic | trilinear | lanczos | area | nearest-exact (got cubic)",
        lambda F: nn(F, "interpolate")(image(F, 1, 1, 4, 4), 2, mode="cubic"),
    ),
    (
        "corners without interpolation", ValueError,
        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear",
        lambda F: nn(F, "interpolate")(image(F, 1, 1, 4, 4), 2, align_corners=True),
    ),
    (
        "three sizes of an image", ValueError,
        "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
        "[4, 4] and output size of (1, 2, 3). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output "
        "size in (o1, o2, ...,oK) format.",
        lambda F: nn(F, "interpolate")(image(F, 1, 1, 4, 4), (1, 2, 3)),
    ),
    (
        "size 0", RuntimeError,
        "Input and output sizes should be greater than 0, but got input (H: 4, W: 4) output (H: 0, W: 0)",
        lambda F: nn(F, "interpolate")(image(F, 1, 1, 4, 4), 0),
    ),
    (
        "no channels", RuntimeError, "Non-empty 4D data tensor expected but got a tensor with sizes [2, 0, 4, 4]",
        lambda F: nn(F, "interpolate")(image(F, 2, 0, 4, 4), 2),
    ),
]  # fmt: skip
for _title, _error, _says, _scenario in REFUSED:
    behaviours(f"refused: {_title}", error=_error, says=_says)(_scenario)


# ---------------------------------------------------------------- accepted


@behaviours("pooling in float16, overlapping or not, and its gradient")
def _(F: Any) -> Any:
    results = []
    for stride, padding in ((3, 0), (2, 1)):
        x = image(F, 2, 8, 8).half().requires_grad_()
        pooled = F.max_pool2d(x, 3, stride, padding)
        results += [pooled, *F.autograd.grad(pooled.sum(), x)]
    return results


@behaviours("the last nan of a window is where its largest is")
def _(F: Any) -> Any:
    x = image(F, 1, 7, 5)
    x[:, 1::2, ::3] = float("nan")
    return nn(F, "max_pool2d")(x, 3, return_indices=True), F.max_pool2d(x, 3, 2, 1)


@behaviours("the gradient of what is linear in an image is still a function of the image")
def _(F):
    weight = image(F, 1, 1, 2, 2)
    calls = (
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.max_pool1d(x[0], 2),
        lambda x: nn(F, "avg_pool2d")(x, 2),
        lambda x: F.avg_pool1d(x[0], 2),
        lambda x: nn(F, "adaptive_avg_pool2d")(x, 3),
        lambda x: F.conv2d(x, weight),
        lambda x: F.conv1d(x[:, :, 0], weight[:, :, 0]),
        lambda x: F.conv_transpose2d(x, weight),
        lambda x: nn(F, "interpolate")(x, (3, 7)),
        lambda x: nn(F, "interpolate")(x, (3, 7), mode="bilinear"),
    )
    results = []
    for call in calls:
        x = image(F, 1, 1, 4, 4, requires_grad=True)
        (gradient,) = F.autograd.grad(call(x).sum(), x, create_graph=True)
        results += [gradient.detach(), gradient.requires_grad]
        if gradient.requires_grad:
            (gradient**2).sum().backward()
            results.append(x.grad)
    return results


@behaviours("the gradient of a convolution's weight is still a function of the weight")
def _(F):
    results = []
    for name in ("conv2d", "conv_transpose2d"):
        weight = image(F, 1, 1, 2, 2, requires_grad=True)
        out = getattr(F, name)(image(F, 1, 1, 4, 4), weight, image(F, 1))
        (gradient,) = F.autograd.grad(out.sum(), weight, create_graph=True)
        (gradient * weight).sum().backward()
        results += [gradient.detach(), weight.grad]
    return results


@behaviours("whole numbers are convolved exactly")
def _(F):
    return F.conv2d(image(F, 2, 3, 5, 5).long(), image(F, 4, 3, 2, 2).long(), stride=2, padding=1)


@behaviours("results lie in memory as their shape says, so that view works")
def _(F):
    x = image(F, 2, 8, 12, 12)
    out = F.max_pool2d(F.relu(F.conv2d(x, image(F, 8, 8, 3, 3), padding=1)), 2)
    turned = F.conv2d(x.permute(0, 1, 3, 2), image(F, 8, 8, 1, 1))
    return out.is_contiguous(), out.stride(), out.view(2, -1), turned.stride(), turned.view(2, -1)


@behaviours("options as one int, tuples of one, lists, and by name")
def _(F):
    x, w, b = image(F, 1, 2, 7, 6), image(F, 2, 2, 2, 3), image(F, 2)
    return (
        F.conv2d(x, w, b, 2, 1, 1, 1),
        F.conv2d(input=x, weight=w, bias=b, stride=(2,), padding=[1, 0], dilation=(1, 2), groups=1),
        F.conv_transpose2d(x, w, b, 2, 1, 1, 1, 1),
        F.max_pool2d(x, [2, 3], stride=(1,), padding=(1, 0)),
        F.max_pool2d(x, 2, None),
        nn(F, "avg_pool2d")(x, kernel_size=(2, 3), stride=[], padding=[0, 1]),
        nn(F, "adaptive_avg_pool2d")(x, (None, 2)),
    )


@behaviours("where the largest pixels are: the first of equal ones, the last of nan")
def _(F):
    x = image(F, 2, 2, 6, 7)
    x[0, 0, 0, :3] = float("nan")
    return (
        nn(F, "max_pool2d")(x, 2, return_indices=True),
        nn(F, "max_pool2d")(x, 3, 2, 1, ceil_mode=True, return_indices=True),
        nn(F, "max_pool2d")(x[0], 2, 1, 0, 2, return_indices=True),
        nn(F, "max_pool1d")(x[1], 3, 2, 1, return_indices=True),
    )


@behaviours("the gradient goes to the first of equal pixels, in reading order")
def _(F):
    gradients = []
    for options in ((2,), (3, 2, 1), (2, 1), (3, 1, 1, 1, True), (2, 3), (2, 2, 0, 2)):
        x = image(F, 2, 2, 7, 7, requires_grad=True)
        out = F.max_pool2d(x % 3, *options)
        (gradient,) = F.autograd.grad(out, x, image(F, *out.shape))
        gradients.append(gradient)
    return gradients


@behaviours("an infinite gradient goes to one pixel, and the others get 0")
def _(F):
    x = image(F, 1, 1, 4, 4, requires_grad=True)
    out = F.max_pool2d(x, 2)
    return F.autograd.grad(out, x, F.full_like(out, float("inf")))


@behaviours("what is not finite spreads as far as the kernel reaches")
def _(F):
    x, w = image(F, 1, 32, 14, 13), image(F, 32, 32, 3, 3) + 0.5
    x[0, 3, 6, 6], x[0, 1, 0, 0] = float("inf"), float("nan")
    return F.conv2d(x, w, padding=1)


@behaviours("so does what overflows, and infinity in a gradient")
def _(F):
    x, w = image(F, 1, 32, 14, 13, requires_grad=True), (image(F, 32, 32, 3, 3) + 0.5).requires_grad_()
    out = F.conv2d(x, w, padding=1)
    weight = F.ones_like(out)
    weight[0, 2, 5, 5] = float("inf")
    return F.autograd.grad(out, (x, w), weight)


@behaviours("an infinite weight reaches the pixels that it sees, and no others")
def _(F):
    gradients = []
    for size in ((6, 5), (16, 15)):  # some that are multiplied together, and some each for itself
        x, w = image(F, 2, 3, *size, requires_grad=True), image(F, 4, 3, 3, 2)
        w[1, 2, 0, 1] = float("inf")
        out = F.conv2d(x, w, padding=(0, 1))
        gradients += F.autograd.grad(out, x, F.ones_like(out))
    return gradients


@behaviours("gradients are made of what saved-tensor hooks give back, not of what forward had worked out")
def _(F):
    gradients = []
    for kernel in (3, 2):
        x, w = image(F, 1, 32, 14, 13, requires_grad=True), image(F, 32, 32, kernel, kernel, requires_grad=True)
        with F.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 2, lambda t: t + 1):
            out = F.conv2d(x, w, padding=1)
        gradients.append(F.autograd.grad(out, (x, w), F.ones_like(out)))
    return gradients


@behaviours("a gradient that was written to since is read anew")
def _(F):
    x, w = image(F, 1, 32, 14, 13, requires_grad=True), image(F, 32, 32, 3, 3, requires_grad=True)
    out = F.conv2d(x, w, padding=1)
    weight = F.ones_like(out)
    first = F.autograd.grad(out, (x, w), weight, retain_graph=True)
    weight[:, 1] = 3
    second = F.autograd.grad(out, (x, w), weight, retain_graph=True)
    return first, second, F.autograd.grad(out, w, weight)


@behaviours("a weight that was written to since cannot be used", error=RuntimeError, says="one of the variables needed")
def _(F):
    x, w = image(F, 1, 8, 14, 13, requires_grad=True), image(F, 8, 8, 3, 3, requires_grad=True)
    out = F.conv2d(x, w, padding=1)
    with F.no_grad():
        w.mul_(2)
    out.sum().backward()


@behaviours("a nearest pixel is found where float32 finds it")
def _(F):
    rows = [F.arange(n, dtype=F.float32).reshape(1, 1, 1, n) for n in (2, 3, 7, 29)]
    return [nn(F, "interpolate")(row, (1, m)) for row in rows for m in (1, 3, 41, 49, 55)]


@behaviours("a factor is used as given")
def _(F):
    x = image(F, 1, 1, 5, 7).double()  # PyTorch computes positions in the image's dtype, we always in float64
    modes = ("nearest", "bilinear")
    return [
        nn(F, "interpolate")(x, scale_factor=factor, mode=mode) for mode in modes for factor in (1.7, 0.6, (2.5, 1.3))
    ]


@behaviours("bytes are resampled by the nearest")
def _(F):
    return nn(F, "interpolate")((image(F, 1, 1, 4, 4) + 5).to(F.uint8), 3)


@behaviours("means of whole numbers are rounded towards 0")
def _(F):
    return nn(F, "avg_pool2d")(image(F, 1, 1, 4, 4).long(), 2), F.max_pool2d(image(F, 1, 1, 5, 4).long(), 2, padding=1)


for _kind, _size in (("conv1d", (5,)), ("conv2d", (5, 4))):

    @behaviours(f"{_kind} of no channels: gradients without elements")
    def _(F: Any, kind: str = _kind, size: tuple[int, ...] = _size) -> Any:
        x = F.ones(2, 0, *size, requires_grad=True)
        weight = F.ones(4, 0, *[3] * len(size), requires_grad=True)
        return F.autograd.grad(nn(F, kind)(x, weight).sum(), (x, weight))


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- ways of computing

# images, channels, kernels, size, kernel, stride, padding, dilation, groups
WAYS = [
    (3, 4, 6, (9, 8), (3, 2), 2, 1, 1, 2),
    (2, 3, 4, (17, 19), (3, 3), 1, 1, 1, 1),
    (5, 40, 4, (33, 35), (5, 5), 2, 2, 1, 1),  # in several blocks, as are the next three
    (11, 24, 4, (40, 40), (3, 3), 1, 1, 1, 1),  # the last of one image, those before of two
    (300, 16, 4, (10, 10), (3, 3), 1, 1, 1, 1),
    (12, 33, 40, (28, 29), (3, 3), 1, (1, 0), 1, 1),
    (2, 6, 9, (11, 12), (3, 3), 1, 2, (2, 1), 3),
    (2, 5, 10, (9, 13), (3, 5), (1, 2), (1, 2), 1, 5),  # a depthwise one
    (2, 3, 2, (8, 9), (3, 1), 1, (2, 0), 1, 1),
    (1, 2, 3, (8, 9), (2, 3), 1, (2, 3), 1, 1),  # more of a border than the kernel reaches
    (1, 2, 3, (8, 9), (2, 3), (2, 1), (1, 3), 1, 1),
    (2, 3, 4, (8, 9), (1, 1), 1, 0, 1, 1),
    (2, 4, 3, (90,), (4,), 1, 2, 3, 1),
]


def assert_as_in_torch(call: Any, arrays: list[Any], torch: Any) -> None:
    """The same result, and the same gradients of it."""
    results = []
    for F in (mg, torch):
        inputs = [F.tensor(array).transpose(-1, -2).contiguous().transpose(-1, -2) for array in arrays]  # by columns
        inputs = [x.requires_grad_() for x in inputs]
        out = call(F, *inputs)
        g = F.tensor(np.cos(np.arange(out.numel())).reshape(out.shape))
        results.append([out.detach(), *F.autograd.grad(out, inputs, g)])
    for actual, expected in zip(*results, strict=True):
        np.testing.assert_allclose(actual.numpy(), expected.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("long", [1, conv_columns.PLACES_ALONE, 10**6], ids=["alone", "by_size", "together"])
@pytest.mark.parametrize("case", WAYS, ids=str)
def test_convolutions_are_those_of_torch_however_computed(
    case: Any, long: int, torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    images, channels, kernels, size, kernel, *options, groups = case
    monkeypatch.setattr(conv_columns, "PLACES_ALONE", long)
    random = np.random.default_rng(0)
    shapes = (images, channels, *size), (kernels, channels // groups, *kernel)
    name = f"conv{len(size)}d"
    arrays = [random.standard_normal(shape) for shape in shapes]
    assert_as_in_torch(lambda F, x, w: getattr(F, name)(x, w, None, *options, groups), arrays, torch)


@pytest.mark.parametrize(
    ("weights", "places", "stride", "groups", "parts"),
    [
        ((16, 48, 3, 3), (64, 64), 1, 1, 3),
        ((32, 1, 5, 3), (56, 56), 1, 32, 5),  # a depthwise one
        ((16, 1, 3, 3), (28, 28), 1, 1, 1),  # little to copy, and much to add
        ((512, 512, 3, 3), (7, 7), 1, 1, 1),  # more weights than pixels
        ((64, 64, 3, 3), (28, 28), 2, 1, 1),
    ],
)
def test_kernels_are_divided_into_rows_where_that_pays(
    weights: Any, places: Any, stride: int, groups: int, parts: int
) -> None:
    way = Sliding((stride,) * 2, ((1, 1),) * 2, (1, 1), groups)
    assert conv_columns._parts(weights, places, way) == parts


# images, channels, kernels, size, kernel, stride, padding, output_padding, groups, dilation
WAYS_BACK = [
    (2, 4, 6, (9, 8), (3, 2), 1, 1, 0, 2, 1),
    (2, 6, 4, (12, 9), (3, 3), 1, 0, (1, 0), 1, 2),
    (3, 4, 2, (9, 8), (4, 3), 2, 1, 1, 1, 1),
]


@pytest.mark.parametrize("long", [1, 10**6], ids=["alone", "together"])
@pytest.mark.parametrize("case", WAYS_BACK, ids=str)
def test_transposed_convolutions_are_those_of_torch_however_computed(
    case: Any, long: int, torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    images, channels, kernels, size, kernel, *options, groups, dilation = case
    monkeypatch.setattr(conv_columns, "PLACES_ALONE", long)
    random = np.random.default_rng(0)
    shapes = (images, channels, *size), (channels, kernels // groups, *kernel)
    arrays = [random.standard_normal(shape) for shape in shapes]
    call = lambda F, x, w: nn(F, "conv_transpose2d")(x, w, None, *options, groups, dilation)  # noqa: E731
    assert_as_in_torch(call, arrays, torch)


def test_same_padding_of_an_even_kernel_has_the_longer_side_behind(torch: Any) -> None:
    x, w = (
        np.random.default_rng(0).standard_normal((1, 2, 5, 6)),
        np.random.default_rng(1).standard_normal((3, 2, 4, 2)),
    )
    padded = torch.nn.functional.pad(torch.tensor(x), (0, 1, 1, 2))  # of PyTorch's own "same" a warning would come
    expected = torch.conv2d(padded, torch.tensor(w)).numpy()
    np.testing.assert_allclose(mg.conv2d(mg.tensor(x), mg.tensor(w), padding="same").numpy(), expected, rtol=1e-12)


def test_no_input_channels_give_the_bias() -> None:
    """(PyTorch gives a result without channels here.)"""
    x, w = mg.zeros(2, 0, 4, 4), mg.zeros(3, 0, 2, 2, requires_grad=True)
    out = mg.conv2d(x, w, mg.tensor([1.0, 2.0, 3.0]))
    assert out.shape == (2, 3, 3, 3)
    assert (out[:, 1] == 2).all()
    out.sum().backward()
    assert w.grad.shape == w.shape
