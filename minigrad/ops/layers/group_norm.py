"""Group norm: groups of the channels of each example brought to mean 0 and variance 1.

After this module a reader knows how group norm lies between layer norm (one group of all channels) and instance norm (a
group for each channel).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.layers.batch_norm import check_more_than_one
from minigrad.ops.layers.moments import as_rows, combined, inner_products, inner_sums, outer_sums, row_moments, scaled
from minigrad.ops.layers.normalization import (
    channel_dims,
    channel_shape,
    check_dtypes,
    normalized,
    normalized_gradient,
    shared_backward,
)
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
    kept=("mean", "rstd"),
    self=group_gradient,
    weight=lambda F, g, self, mean, rstd, groups, eps: F.sum_dims(
        g * group_normalized(F, self, groups, eps), channel_dims(g.ndim), False
    ),
    bias=lambda F, g: F.sum_dims(g, channel_dims(g.ndim), False),
)
def normalize_group(
    self: Array, weight: Array, bias: Array, mean: Array, rstd: Array, groups: int, eps: float
) -> Array:
    """(input - mean) * rstd * weight + bias, with a mean and an rstd (N, groups), a weight and a bias (C,)."""
    order = tuple(range(self.ndim))
    each = self.shape[1] // groups
    scale = np.repeat(rstd, each, axis=1) * weight
    shift = bias - np.repeat(mean, each, axis=1) * scale
    return scaled(as_rows(self, order), scale, shift).reshape(self.shape)


@shared_backward(normalize_group)
def _gradients(
    node: Any, g: Array, wants_input: bool, wants_weight: bool, wants_bias: bool
) -> tuple[Array | None, ...]:
    order, groups = tuple(range(g.ndim)), node._saved_groups
    batch, channels = g.shape[:2]
    each = channels // groups
    g_rows = as_rows(g, order)
    g_sums = inner_sums(g_rows)
    grad_input = grad_weight = None
    grad_bias = outer_sums(g_sums) if wants_bias else None
    if wants_input or wants_weight:
        mean, rstd = (np.repeat(values, each, axis=1) for values in (node._saved_mean, node._saved_rstd))
        rows = as_rows(node._saved_self._array, order)
        products = inner_products(g_rows, rows) - mean * g_sums
        if wants_weight:
            grad_weight = outer_sums(products * rstd)
        if wants_input:
            weight, size = node._saved_weight._array, each * rows.shape[2]
            in_group = [(part * weight).reshape(batch, groups, each).sum(2) for part in (g_sums, products)]
            sums, products = (np.repeat(part, each, axis=1) for part in in_group)
            of_rows = -(rstd**3) * products / size
            grad_input = combined(g_rows, rstd * weight, rows, of_rows, -rstd * sums / size - of_rows * mean)
            grad_input = grad_input.reshape(g.shape)
    return grad_input, grad_weight, grad_bias


# ---------------------------------------------------------------- as the learner calls them


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
    each = channels // num_groups * math.prod(space)
    mean, var = row_moments(input._array.reshape(batch, num_groups, each))
    return normalize_group(input, weight, bias, mean, 1 / np.sqrt(var + eps), num_groups, eps)
