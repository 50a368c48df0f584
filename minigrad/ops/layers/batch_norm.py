"""Batch norm: each channel brought to mean 0 and variance 1. In training these are the batch's own, and the running
statistics follow them; in evaluation the running statistics are used, as constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op, tensors
from minigrad.ops.layers.normalization import (
    as_rows,
    channel_dims,
    channel_moments,
    channel_shape,
    check_dtypes,
    combined,
    from_rows,
    inner_products,
    inner_sums,
    memory_order,
    normalized,
    normalized_gradient,
    outer_sums,
    scaled,
    shared_backward,
)
from minigrad.public import checked
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def batch_normalized(F: Any, self: Any, mean: Array, rstd: Array, training: bool, eps: float) -> tuple[Any, Any]:
    """The input normalised, and 1 / std: in training functions of the input, in evaluation of constants."""
    if training:
        return normalized(F, self, channel_dims(self.ndim), eps)
    beside = [values.reshape(channel_shape(self.ndim)) for values in (mean, rstd)]
    mean, rstd = map(from_array, beside) if F is tensors else beside
    return (self - mean) * rstd, rstd


def batch_gradient(F: Any, g: Any, self: Any, weight: Any, mean: Array, rstd: Array, training: bool, eps: float) -> Any:
    """The gradient of the input: in evaluation g * weight / std alone, for mean and std are constants."""
    normal, factor = batch_normalized(F, self, mean, rstd, training, eps)
    g = g * F.reshape(weight, channel_shape(self.ndim))
    return normalized_gradient(F, g, normal, factor, channel_dims(self.ndim)) if training else g * factor


@op(
    name="NativeBatchNormBackward0",
    kept=("mean", "rstd"),
    self=batch_gradient,
    weight=lambda F, g, self, mean, rstd, training, eps: F.sum_dims(
        g * batch_normalized(F, self, mean, rstd, training, eps)[0], channel_dims(g.ndim), False
    ),
    bias=lambda F, g: F.sum_dims(g, channel_dims(g.ndim), False),
)
def normalize_batch(
    self: Array, weight: Array, bias: Array, mean: Array, rstd: Array, training: bool, eps: float
) -> Array:
    """(input - mean) * rstd * weight + bias, with one of each for a channel; `rstd` is 1 / sqrt(var + eps)."""
    order = memory_order(self)
    scale = weight * rstd
    return from_rows(scaled(as_rows(self, order), scale, bias - mean * scale), order, self.shape)


@shared_backward(normalize_batch)
def _gradients(
    node: Any, g: Array, wants_input: bool, wants_weight: bool, wants_bias: bool
) -> tuple[Array | None, ...]:
    rows, mean, rstd = None, node._saved_mean, node._saved_rstd
    order: tuple[int, ...] = ()
    if wants_input or wants_weight:
        self = node._saved_self._array
        order = memory_order(self)
        rows = as_rows(self, order)
    order = order or memory_order(g)
    g_rows = as_rows(g, order)
    grad_bias = outer_sums(inner_sums(g_rows))
    if rows is None:
        return None, None, grad_bias
    grad_weight = (outer_sums(inner_products(g_rows, rows)) - mean * grad_bias) * rstd
    grad_input = None
    if wants_input:
        scale = node._saved_weight._array * rstd
        if node._saved_training:
            count = g.size // g.shape[1] if g.size else 1
            of_rows = -scale * rstd * grad_weight / count
            grad_input = combined(g_rows, scale, rows, of_rows, -scale * grad_bias / count - of_rows * mean)
        else:
            grad_input = g_rows * scale[:, np.newaxis]
        grad_input = from_rows(grad_input, order, g.shape)
    return grad_input, grad_weight if wants_weight else None, grad_bias if wants_bias else None


# ---------------------------------------------------------------- as the learner calls them


@checked
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
    if training:
        check_more_than_one(input.size())
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    _check_channels(input, running_mean, running_var, weight, bias, training)
    check_dtypes("batch_norm", input, weight, bias, running_mean, running_var)
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


def check_more_than_one(size: Sequence[int]) -> None:
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
