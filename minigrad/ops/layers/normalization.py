"""Batch, layer, group, instance and rms norm, and vectors brought to length 1, as the learner calls them.

After this module a reader knows which numbers each of them takes together, what batch norm does differently in training
and in evaluation, and what its running statistics are. The formula and its gradient are in `standardize.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.op import tensor_operands
from minigrad.ops.layers.rows import as_rows, channel_moments, memory_order, row_moments
from minigrad.ops.layers.standardize import (
    layer_rows,
    normalize_batch,
    normalize_group,
    normalize_layer,
    normalize_rms,
)
from minigrad.ops.matrices.linalg import matmul
from minigrad.ops.pointwise.bounds import clamp_min
from minigrad.ops.reductions.vector_norm import norm
from minigrad.tensor import Tensor, from_array, wrap_dim

METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias for each channel of an input (N, C, ...).

    (Ioffe and Szegedy, "Batch Normalization", 2015.)

    Args:
        running_mean, running_var: (C,). In training each is moved, in place, by `momentum` of the way to the batch's
            mean and (unbiased) variance. In evaluation they are the mean and the variance.
        weight, bias: (C,), or None for 1 and 0.
        training: take the mean and the variance from the batch, which then must have more than one number per channel.
    """
    (input,) = tensor_operands("batch_norm", input)
    if training:
        _more_than_one(input.size())
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    _check_channels(input, running_mean, running_var, weight, bias, training)
    _check_dtypes("batch_norm", input, weight, bias, running_mean, running_var)
    channels, kind = input.shape[1], input._array.dtype
    weight = from_array(np.ones(channels, kind)) if weight is None else weight
    bias = from_array(np.zeros(channels, kind)) if bias is None else bias
    if training:
        array = input._array
        mean, var = (
            channel_moments(as_rows(array, memory_order(array))) if input.numel() else np.zeros((2, channels), kind)
        )
        if running_mean is not None and running_var is not None and input.numel():
            count = input.numel() // channels
            for running, now in ((running_mean, mean), (running_var, var * (count / max(count - 1, 1)))):
                running._array[...] = running._array * (1 - momentum) + now * momentum
    else:
        assert running_mean is not None  # _check_channels has seen to that
        assert running_var is not None
        mean, var = running_mean._array.astype(kind), running_var._array.astype(kind)
    return normalize_batch(input, weight, bias, mean, 1 / np.sqrt(var + eps), training, eps)


def _more_than_one(size: Sequence[int]) -> None:
    if math.prod(size[:1]) * math.prod(size[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}: of a single number the "
            "spread is 0. Use a larger batch, or evaluation mode."
        )


def _check_channels(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
) -> None:
    """Raise if a parameter has not one number for each channel, or the running statistics are missing."""
    channels = input.shape[1] if input.ndim > 1 else 0
    for name, running in (("running_mean", running_mean), ("running_var", running_var)):
        if running is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    named = (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias))
    for name, parameter in named:
        if parameter is not None and parameter.numel() != channels:
            raise RuntimeError(
                f"{name} should contain {channels} elements not {parameter.numel()}: the channels are the second "
                f"dimension of the input, whose shape is {list(input.shape)}"
            )
    wrap_dim(1, input.ndim)
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")


def _check_dtypes(name: str, input: Tensor, *parameters: Tensor | None) -> None:
    kind = input.dtype
    if not kind.is_floating_point:
        raise NotImplementedError(
            f"\"{name}\" not implemented for '{kind.tensor_type}': convert the input first, as in x.float()"
        )
    for parameter in parameters:
        if parameter is not None and parameter.dtype is not kind:
            rule = (
                "all inputs must share same datatype."
                if kind.itemsize > parameter.dtype.itemsize
                else f"expect parameter to have scalar type of {kind.tensor_type}"
            )
            raise RuntimeError(
                f"mixed dtype (CPU): {rule} The input is {kind}, a parameter {parameter.dtype}: convert one of them "
                "with .to(...)."
            )


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Batch norm of each example alone: the mean and the variance of each channel of each example (N, C, ...).

    (Ulyanov, Vedaldi and Lempitsky, "Instance Normalization", 2016.)

    Args:
        running_mean, running_var: (C,). Moved to the mean over the batch of what its examples would move them to; used
            instead of the examples' own if not `use_input_stats`.
        weight, bias: (C,), or None for 1 and 0.
    """
    (input,) = tensor_operands("instance_norm", input)
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.size()}: of a single number "
            "the spread is 0"
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels, *space = input.shape

    def repeated(parameter: Tensor | None) -> Tensor | None:
        return None if parameter is None else parameter.expand(batch, *parameter.shape).reshape(-1)

    with no_grad():
        mean, var = repeated(running_mean), repeated(running_var)
    side_by_side = input.reshape(1, batch * channels, *space)
    out = batch_norm(side_by_side, mean, var, repeated(weight), repeated(bias), use_input_stats, momentum, eps)
    if use_input_stats:
        with no_grad():
            for running, moved in ((running_mean, mean), (running_var, var)):
                if running is not None and moved is not None:
                    running.copy_(moved.reshape(batch, channels).mean(0))
    return out.reshape(input.shape)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias over the last dimensions, whose sizes are `normalized_shape`.

    `weight` and `bias` have that shape; None stands for 1 and 0. (Ba, Kiros and Hinton, "Layer Normalization", 2016.)
    """
    (input,) = tensor_operands("layer_norm", input)
    shape = _last_sizes("layer_norm", "[*, ", input, normalized_shape, weight, bias)
    _check_dtypes("LayerNormKernelImpl", input, weight, bias)
    mean, var = row_moments(layer_rows(input._array, len(shape)))
    one, none = (from_array(input._array.dtype.type(number)) for number in (1, 0))
    weight, bias = one if weight is None else weight, none if bias is None else bias
    return normalize_layer(input, weight, bias, mean, 1 / np.sqrt(var + eps), len(shape), eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """input / sqrt(mean(input²) + eps) * weight over the last dimensions, whose sizes are `normalized_shape`.

    `eps` is the distance from 1 to the next number of the dtype, if not given. (Zhang and Sennrich, "Root Mean Square
    Layer Normalization", 2019.)
    """
    (input,) = tensor_operands("rms_norm", input)
    shape = _last_sizes("rms_norm", "[*", input, normalized_shape, weight)
    _check_dtypes("rms_norm", input, weight)
    weight = from_array(input._array.dtype.type(1)) if weight is None else weight
    eps = float(np.finfo(input._array.dtype).eps) if eps is None else eps
    return normalize_rms(input, weight, len(shape), eps)


def _last_sizes(name: str, star: str, input: Tensor, given: Any, *parameters: Tensor | None) -> tuple[int, ...]:
    """`normalized_shape` as a tuple, once it fits the input and the parameters."""
    if not isinstance(given, Sequence):
        raise TypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {type(given).__name__}"
        )
    shape = tuple(int(size) for size in given)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for parameter, kind in zip(parameters, ("weight", "bias"), strict=False):
        if parameter is not None and parameter.shape != shape:
            raise RuntimeError(
                f"Expected {kind} to be of same shape as normalized_shape, but got {kind} of shape "
                f"{list(parameter.shape)} and normalized_shape = {list(shape)}"
            )
    if input.shape[-len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape {star}{', '.join(map(str, shape))}], but "
            f"got input of size{list(input.shape)}"
        )
    return shape


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias, over groups of the channels of each example (N, C, ...).

    `weight` and `bias` are (C,), or None for 1 and 0. (Wu and He, "Group Normalization", 2018.)
    """
    (input,) = tensor_operands("group_norm", input)
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels, *space = input.shape
    _more_than_one([batch * channels // num_groups, num_groups, *space])
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and parameter.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(parameter.shape)} and input of shape {list(input.shape)}"
            )
    _check_dtypes("GroupNormKernelImpl", input, weight, bias)
    kind = input._array.dtype
    weight = from_array(np.ones(channels, kind)) if weight is None else weight
    bias = from_array(np.zeros(channels, kind)) if bias is None else bias
    each = channels // num_groups * math.prod(space)
    mean, var = row_moments(input._array.reshape(batch, num_groups, each))
    return normalize_group(input, weight, bias, mean, 1 / np.sqrt(var + eps), num_groups, eps)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` brought to length 1: input / max(its p-norm, eps)."""
    (input,) = tensor_operands("normalize", input)
    made = input / clamp_min(norm(input, p, dim, True), eps).expand(input.shape)
    return made if out is None else out.copy_(made)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """input / (k + alpha * mean of squares) ^ beta, where the mean is over `size` neighbouring channels of (N, C, ...).

    Channels beyond the first and the last count as zeros. (Krizhevsky, Sutskever and Hinton, "ImageNet Classification
    with Deep Convolutional Neural Networks", 2012.)
    """
    (input,) = tensor_operands("local_response_norm", input)
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if not input.numel():
        return input
    batch, channels, *space = input.shape
    place = np.arange(channels)
    away = place - place[:, np.newaxis]  # how far the second channel is after the first
    near = from_array(((-(size // 2) <= away) & (away <= (size - 1) // 2)).astype(input._array.dtype) / size)
    squares = (input * input).reshape(batch, channels, math.prod(space))
    means = matmul(near, squares).reshape(input.shape)
    return input / (means * alpha + k) ** beta
