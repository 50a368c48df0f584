"""Group norm: groups of the channels of each example brought to mean 0 and variance 1. It lies between layer norm (one
group of all channels) and instance norm (a group for each channel).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import arrays, op
from minigrad.ops.layers.batch_norm import check_more_than_one
from minigrad.ops.layers.normalization import (
    channel_dims,
    channel_shape,
    check_dtypes,
    normalized,
    normalized_gradient,
    row_moments,
    scaled,
)
from minigrad.public import checked
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def grouped(F: Any, values: Any, groups: int) -> Any:
    """An array (N, C, ...) as (N, groups, all of a group)."""
    return F.reshape(values, (values.shape[0], groups, math.prod(values.shape[1:]) // groups))


def group_normalized(F: Any, self: Any, groups: int, eps: float) -> Any:
    """The input normalised."""
    return F.reshape(normalized(F, grouped(F, self, groups), (2,), eps)[0], self.shape)


def group_gradient(F: Any, g: Any, self: Any, weight: Any, groups: int, eps: float) -> Any:
    """The gradient of the input."""
    g = g * F.reshape(weight, channel_shape(self.ndim))
    normal, rstd = normalized(F, grouped(F, self, groups), (2,), eps)
    return F.reshape(normalized_gradient(F, grouped(F, g, groups), normal, rstd, (2,)), self.shape)


@op(
    name="NativeGroupNormBackward0",
    self=group_gradient,
    weight=lambda F, g, self, groups, eps: F.sum_dims(
        g * group_normalized(F, self, groups, eps), channel_dims(g.ndim), False
    ),
    bias=lambda F, g: F.sum_dims(g, channel_dims(g.ndim), False),
)
def normalize_group(self: Array, weight: Array, bias: Array, groups: int, eps: float) -> Array:
    """The input normalised in each group, times a weight (C,), plus a bias (C,)."""
    rows = grouped(arrays, self, groups)
    mean, var = row_moments(rows)
    rstd = 1 / np.sqrt(var + eps)
    out = scaled(rows, rstd, -mean * rstd).reshape(self.shape)
    out *= weight.reshape(channel_shape(self.ndim))
    out += bias.reshape(channel_shape(self.ndim))
    return out


# ---------------------------------------------------------------- as the learner calls them


@checked
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias, over groups of the channels of each example (N, C, ...).

    `weight` and `bias` are (C,), or None for 1 and 0. (Wu and He, "Group Normalization", 2018.)
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels, *space = input.shape
    check_more_than_one([batch * channels // num_groups, num_groups, *space])
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
    check_dtypes("GroupNormKernelImpl", input, weight, bias)
    kind = input._array.dtype
    weight = from_array(np.ones(channels, kind)) if weight is None else weight
    bias = from_array(np.zeros(channels, kind)) if bias is None else bias
    return normalize_group(input, weight, bias, num_groups, eps)
