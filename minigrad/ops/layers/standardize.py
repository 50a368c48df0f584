"""Numbers brought to mean 0 and spread 1: what batch, layer, group and rms norm compute, and their gradients.

After this module a reader knows that these are one formula, `(x - mean) / sqrt(var + eps)`, over different sets of
numbers, and why its gradient has three terms: each number moves the mean and the variance as well.

The gradients stand here twice: as rules that say the formula, which is what `create_graph=True` records, and
`together`, in as few passes over the numbers as possible. What the learner calls is in `normalization.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.graph import Node
from minigrad.op import node_type, op, tensors
from minigrad.ops.layers.rows import (
    as_rows,
    combined,
    from_rows,
    inner_products,
    inner_sums,
    memory_order,
    outer_sums,
    scaled,
)
from minigrad.tensor import from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
Dim = tuple[int, ...]


# ---------------------------------------------------------------- the formula


def normalized(F: Any, self: Any, dim: Dim, eps: float) -> tuple[Any, Any]:
    """(x - mean) / std along some dimensions, and 1 / std, for std = sqrt(var + eps)."""
    centred = self - F.mean_dims(self, dim, True)
    rstd = F.pow_number(F.mean_dims(centred * centred, dim, True) + eps, -0.5)
    return centred * rstd, rstd


def of_normalized(F: Any, g: Any, normal: Any, rstd: Any, dim: Dim) -> Any:
    """(g - mean(g) - normal * mean(g * normal)) / std: what g says of the mean and of the spread is taken off."""
    return rstd * (g - F.mean_dims(g, dim, True) - normal * F.mean_dims(g * normal, dim, True))


def together(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have an ordinary backward compute all the gradients of an op in one function, since they share sums.

    That gets the node, of which it asks what was saved, g, and for each input whether its gradient is wanted.
    """

    def decorate(gradients: Callable[..., Any]) -> Callable[..., Any]:
        def apply(node: Node, g: Array) -> Any:
            wanted = [next_node is not None for next_node in node._next_nodes]
            return gradients(node, g, *wanted) if any(wanted) else (None,) * len(wanted)

        node: Any = node_type(function)
        node.apply = apply
        return gradients

    return decorate


# ---------------------------------------------------------------- batch norm: over all but the channels


def batch_dims(ndim: int) -> Dim:
    """All dimensions but that of the channels."""
    return (0, *range(2, ndim))


def channel_shape(ndim: int) -> Dim:
    """The shape of a number for each channel, beside an input."""
    return (1, -1, *[1] * (ndim - 2))


def batch_normalized(F: Any, self: Any, mean: Array, rstd: Array, training: bool, eps: float) -> tuple[Any, Any]:
    """The input normalised, and 1 / std: in training functions of the input, in evaluation of constants."""
    if training:
        return normalized(F, self, batch_dims(self.ndim), eps)
    beside = [values.reshape(channel_shape(self.ndim)) for values in (mean, rstd)]
    mean, rstd = map(from_array, beside) if F is tensors else beside
    return (self - mean) * rstd, rstd


def of_batch(F: Any, g: Any, self: Any, weight: Any, mean: Array, rstd: Array, training: bool, eps: float) -> Any:
    """The gradient of the input: in evaluation g * weight / std alone, for mean and std are constants."""
    normal, factor = batch_normalized(F, self, mean, rstd, training, eps)
    g = g * F.reshape(weight, channel_shape(self.ndim))
    return of_normalized(F, g, normal, factor, batch_dims(self.ndim)) if training else g * factor


@op(
    name="NativeBatchNormBackward0",
    kept=("mean", "rstd"),
    self=lambda F, g, self, weight, mean, rstd, training, eps: of_batch(F, g, self, weight, mean, rstd, training, eps),
    weight=lambda F, g, self, mean, rstd, training, eps: F.sum_dims(
        g * batch_normalized(F, self, mean, rstd, training, eps)[0], batch_dims(g.ndim), False
    ),
    bias=lambda F, g: F.sum_dims(g, batch_dims(g.ndim), False),
)
def normalize_batch(
    self: Array, weight: Array, bias: Array, mean: Array, rstd: Array, training: bool, eps: float
) -> Array:
    """(input - mean) * rstd * weight + bias, with one of each for a channel; `rstd` is 1 / sqrt(var + eps)."""
    order = memory_order(self)
    scale = weight * rstd
    return from_rows(scaled(as_rows(self, order), scale, bias - mean * scale), order, self.shape)


@together(normalize_batch)
def _batch_gradients(
    node: Any, g: Array, wants_input: bool, wants_weight: bool, wants_bias: bool
) -> tuple[Array | None, ...]:
    rows, mean, rstd = None, node._saved_mean, node._saved_rstd
    order: Dim = ()
    if wants_input or wants_weight:
        self = node._saved_self._array
        order = memory_order(self)
        rows = as_rows(self, order)
    order = order or memory_order(g)
    g_rows = as_rows(g, order)
    of_bias = outer_sums(inner_sums(g_rows))
    if rows is None:
        return None, None, of_bias
    of_weight = (outer_sums(inner_products(g_rows, rows)) - mean * of_bias) * rstd
    of_input = None
    if wants_input:
        scale = node._saved_weight._array * rstd
        if node._saved_training:
            count = g.size // g.shape[1] if g.size else 1
            of_rows = -scale * rstd * of_weight / count
            of_input = combined(g_rows, scale, rows, of_rows, -scale * of_bias / count - of_rows * mean)
        else:
            of_input = g_rows * scale[:, np.newaxis]
        of_input = from_rows(of_input, order, g.shape)
    return of_input, of_weight if wants_weight else None, of_bias if wants_bias else None


# ---------------------------------------------------------------- layer norm: over the last dimensions


def layer_dims(ndim: int, count: int) -> Dim:
    """The last `count` dimensions."""
    return tuple(range(ndim - count, ndim))


def layer_rows(array: Array, count: int) -> Array:
    """The last `count` dimensions as one, and the others as one."""
    size = math.prod(array.shape[array.ndim - count :])
    return array.reshape(math.prod(array.shape[: array.ndim - count]), size)


@op(
    name="NativeLayerNormBackward0",
    kept=("mean", "rstd"),
    self=lambda F, g, self, weight, count, eps: of_normalized(
        F, g * weight, *normalized(F, self, layer_dims(g.ndim, count), eps), layer_dims(g.ndim, count)
    ),
    weight=lambda F, g, self, weight_shape, mean, rstd, count, eps: F.sum_to(
        g * normalized(F, self, layer_dims(g.ndim, count), eps)[0], weight_shape
    ),
    bias=lambda F, g, bias_shape: F.sum_to(g, bias_shape),
)
def normalize_layer(self: Array, weight: Array, bias: Array, mean: Array, rstd: Array, count: int, eps: float) -> Array:
    """(input - mean) * rstd * weight + bias over the last `count` dimensions, with a mean and an rstd for each row of
    them. A weight and a bias without dimensions are none.
    """
    out = scaled(layer_rows(self, count), rstd, -mean * rstd).reshape(self.shape)
    if weight.ndim:
        out *= weight
    if bias.ndim:
        out += bias
    return out


@together(normalize_layer)
def _layer_gradients(
    node: Any, g: Array, wants_input: bool, wants_weight: bool, wants_bias: bool
) -> tuple[Array | None, ...]:
    of_input = of_weight = of_bias = None
    count = node._saved_count
    g_rows = layer_rows(g, count)
    if wants_bias:
        of_bias = outer_sums(g_rows).reshape(node._saved_bias_shape)
    if wants_input or wants_weight:
        rstd = node._saved_rstd
        rows, mean = layer_rows(node._saved_self._array, count), node._saved_mean
        if wants_weight:
            of_weight = (rstd @ (g_rows * rows) - (mean * rstd) @ g_rows).reshape(node._saved_weight_shape)
        if wants_input:
            weight = node._saved_weight._array
            weighted = g_rows * weight.reshape(-1) if weight.ndim else g_rows
            sums = inner_sums(weighted)
            of_rows = -(rstd**3) * (inner_products(weighted, rows) - mean * sums) / rows.shape[-1]
            shift = -rstd * sums / rows.shape[-1] - of_rows * mean
            of_input = combined(weighted, rstd, rows, of_rows, shift).reshape(g.shape)
    return of_input, of_weight, of_bias


# ---------------------------------------------------------------- group norm: over some channels of one example


def grouped(F: Any, values: Any, groups: int) -> Any:
    """An array (N, C, ...) as (N, groups, all of a group)."""
    return F.reshape(values, (values.shape[0], groups, math.prod(values.shape[1:]) // groups))


def group_normalized(F: Any, self: Any, groups: int, eps: float) -> Any:
    """The input normalised."""
    return F.reshape(normalized(F, grouped(F, self, groups), (2,), eps)[0], self.shape)


def of_group(F: Any, g: Any, self: Any, weight: Any, groups: int, eps: float) -> Any:
    """The gradient of the input."""
    g = g * F.reshape(weight, channel_shape(self.ndim))
    normal, rstd = normalized(F, grouped(F, self, groups), (2,), eps)
    return F.reshape(of_normalized(F, grouped(F, g, groups), normal, rstd, (2,)), self.shape)


@op(
    name="NativeGroupNormBackward0",
    kept=("mean", "rstd"),
    self=lambda F, g, self, weight, groups, eps: of_group(F, g, self, weight, groups, eps),
    weight=lambda F, g, self, mean, rstd, groups, eps: F.sum_dims(
        g * group_normalized(F, self, groups, eps), batch_dims(g.ndim), False
    ),
    bias=lambda F, g: F.sum_dims(g, batch_dims(g.ndim), False),
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


@together(normalize_group)
def _group_gradients(
    node: Any, g: Array, wants_input: bool, wants_weight: bool, wants_bias: bool
) -> tuple[Array | None, ...]:
    order, groups = tuple(range(g.ndim)), node._saved_groups
    batch, channels = g.shape[:2]
    each = channels // groups
    g_rows = as_rows(g, order)
    g_sums = inner_sums(g_rows)
    of_input = of_weight = None
    of_bias = outer_sums(g_sums) if wants_bias else None
    if wants_input or wants_weight:
        mean, rstd = (np.repeat(values, each, axis=1) for values in (node._saved_mean, node._saved_rstd))
        rows = as_rows(node._saved_self._array, order)
        products = inner_products(g_rows, rows) - mean * g_sums
        if wants_weight:
            of_weight = outer_sums(products * rstd)
        if wants_input:
            weight, size = node._saved_weight._array, each * rows.shape[2]
            in_group = [(part * weight).reshape(batch, groups, each).sum(2) for part in (g_sums, products)]
            sums, products = (np.repeat(part, each, axis=1) for part in in_group)
            of_rows = -(rstd**3) * products / size
            of_input = combined(g_rows, rstd * weight, rows, of_rows, -rstd * sums / size - of_rows * mean)
            of_input = of_input.reshape(g.shape)
    return of_input, of_weight, of_bias


# ---------------------------------------------------------------- rms norm: as layer norm, but the mean stays


def rms_normalized(F: Any, self: Any, dim: Dim, eps: float) -> tuple[Any, Any]:
    """x / root of the mean square, and the factor."""
    factor = F.pow_number(F.mean_dims(self * self, dim, True) + eps, -0.5)
    return self * factor, factor


def of_rms(F: Any, g: Any, normal: Any, factor: Any, dim: Dim) -> Any:
    """(g - normal * mean(g * normal)) / rms: what g says of the size is taken off."""
    return factor * (g - normal * F.mean_dims(g * normal, dim, True))


@op(
    name="FusedRmsNormBackward0",
    self=lambda F, g, self, weight, count, eps: of_rms(
        F, g * weight, *rms_normalized(F, self, layer_dims(g.ndim, count), eps), layer_dims(g.ndim, count)
    ),
    weight=lambda F, g, self, weight_shape, count, eps: F.sum_to(
        g * rms_normalized(F, self, layer_dims(g.ndim, count), eps)[0], weight_shape
    ),
)
def normalize_rms(self: Array, weight: Array, count: int, eps: float) -> Array:
    """input / sqrt(mean(input²) + eps) * weight over the last `count` dimensions. A weight without dimensions is
    none.
    """
    rows = layer_rows(self, count)
    factor = 1 / np.sqrt(inner_products(rows, rows) / rows.shape[-1] + eps)
    out = (rows * factor[:, np.newaxis]).reshape(self.shape)
    if weight.ndim:
        out *= weight
    return out


@together(normalize_rms)
def _rms_gradients(node: Any, g: Array, wants_input: bool, wants_weight: bool) -> tuple[Array | None, ...]:
    of_input = of_weight = None
    rows, g_rows = (layer_rows(array, node._saved_count) for array in (node._saved_self._array, g))
    size = rows.shape[-1]
    factor = 1 / np.sqrt(inner_products(rows, rows) / size + node._saved_eps)
    if wants_weight:
        of_weight = (factor @ (g_rows * rows)).reshape(node._saved_weight_shape)
    if wants_input:
        weight = node._saved_weight._array
        weighted = g_rows * weight.reshape(-1) if weight.ndim else g_rows
        of_input = rows * (-(factor**3) * inner_products(weighted, rows) / size)[:, np.newaxis]
        of_input += weighted * factor[:, np.newaxis]
        of_input = of_input.reshape(g.shape)
    return of_input, of_weight
