"""What a convolution is given: its options as one number for each dimension, and errors for what does not fit.

After this module a reader knows which shapes, steps and dtypes a convolution takes, and in PyTorch's words what is
wrong with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.ops.images.windows import Way
from minigrad.ops.shapes import views
from minigrad.tensor import Tensor

Sizes = tuple[int, ...]


def check_tensors(function: str, input: Any, weight: Any, bias: Any) -> None:
    """Raise unless all are tensors, and the weight has the dimensions of channels and a kernel."""
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


def batched(function: str, dims: int, input: Tensor) -> tuple[Tensor, bool]:
    """The input with a dimension for the batch, and whether it had none."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {function}, but got input of size: "
            f"{list(input.shape)}"
        )
    unbatched = input.ndim == dims + 1
    return (views.unsqueeze(input, 0) if unbatched else input), unbatched


def per_dim(function: str, name: str, value: Any, dims: int, expected: int) -> Sizes:
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


def named_padding(padding: str, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[tuple[int, int], ...]:
    """What "same" and "valid" mean in numbers."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}': there are 'same', 'valid', and ints")
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions: give the padding as a number")
    totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    return tuple((total // 2, total - total // 2) for total in totals)


def check_steps(way: Way, output_padding: Sizes = ()) -> None:
    """Raise for strides, dilations and groups below 1, and for padding below 0."""
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


def check_weight(way: Way, input: Tensor, weight: Tensor, channels: int, transposed: bool = False) -> None:
    """Raise unless the weight has the dimensions and the `channels` of a batch of inputs, and groups of equal size."""
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


def check_bias(weight: Tensor, bias: Tensor | None, channels: int, what: str) -> None:
    """Raise unless there is one number for each output channel."""
    if bias is not None and bias.shape != (channels,):
        raise RuntimeError(
            f"Given {what}, expected bias to be 1-dimensional with {channels} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )


_IN_C = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int", "int16": "short"}


def check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raise unless all have the same dtype, one of numbers."""
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


def times(sizes: Sequence[int]) -> str:
    """Sizes as messages write them: "3 x 4"."""
    return " x ".join(map(str, sizes))
