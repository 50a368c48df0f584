"""Layer norm and rms norm: the last dimensions of each example brought to one size.

Layer norm takes off the mean and divides by the standard deviation of each row; rms norm leaves the mean where it is
and divides by the root of the mean square.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.layers.normalization import (
    Dim,
    check_dtypes,
    inner_products,
    normalized,
    normalized_gradient,
    outer_sums,
    row_moments,
    scaled,
    shared_backward,
)
from minigrad.public import Ints, checked
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

_BLOCK = 2**16  # numbers: their arrays fit into a cache of a few megabytes


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
    self=lambda F, g, self, weight, count, eps: normalized_gradient(
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


@shared_backward(normalize_layer)
def _gradients(
    node: Any, g: Array, wants_input: bool, wants_weight: bool, wants_bias: bool
) -> tuple[Array | None, ...]:
    """The gradients of input, weight and bias.

    Block by block, so that a block's arrays stay in the processor's cache until it is done: for large inputs that is
    several times as fast as all rows at once.
    """
    g_rows = layer_rows(g, node._saved_count)
    grad_bias = outer_sums(g_rows).reshape(node._saved_bias_shape) if wants_bias else None
    if not (wants_input or wants_weight):
        return None, None, grad_bias
    x, mean, rstd = layer_rows(node._saved_self._array, node._saved_count), node._saved_mean, node._saved_rstd
    size = x.shape[1]
    weighted = wants_input and node._saved_weight._array.ndim > 0
    weight = node._saved_weight._array.reshape(-1) if weighted else np.ones(size, x.dtype)
    grad_input = np.empty_like(x) if wants_input else None
    grad_weight = np.zeros(size, x.dtype)
    height = max(1, _BLOCK // max(1, size))
    for start in range(0, len(x), height):
        rows = slice(start, start + height)
        centred = x[rows] - mean[rows, np.newaxis]
        products = g_rows[rows] * centred
        if wants_weight:
            grad_weight += rstd[rows] @ products
        if grad_input is None:
            continue
        # rstd * (g * weight - mean(g * weight) - normal * mean(g * weight * normal)), for normal = centred * rstd
        out = np.multiply(g_rows[rows], weight, out=grad_input[rows])
        spread = rstd[rows] * (products @ weight / size) * rstd[rows]  # rstd² alone can be too large for float16
        out -= centred * spread[:, np.newaxis]
        out -= (g_rows[rows] @ weight / size)[:, np.newaxis]
        out *= rstd[rows, np.newaxis]
    return (
        None if grad_input is None else grad_input.reshape(g.shape),
        grad_weight.reshape(node._saved_weight_shape) if wants_weight else None,
        grad_bias,
    )


def rms_normalized(F: Any, self: Any, dim: Dim, eps: float) -> tuple[Any, Any]:
    """x / root of the mean square, and the factor."""
    factor = F.pow_number(F.mean_dims(self * self, dim, True) + eps, -0.5)
    return self * factor, factor


def rms_gradient(F: Any, g: Any, normal: Any, factor: Any, dim: Dim) -> Any:
    """(g - normal * mean(g * normal)) / rms: what g says of the size is taken off."""
    return factor * (g - normal * F.mean_dims(g * normal, dim, True))


@op(
    name="FusedRmsNormBackward0",
    self=lambda F, g, self, weight, count, eps: rms_gradient(
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


# ---------------------------------------------------------------- as the learner calls them


@checked
def layer_norm(
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias over the last dimensions, whose sizes are `normalized_shape`.

    `weight` and `bias` have that shape; None stands for 1 and 0. (Ba, Kiros and Hinton, "Layer Normalization", 2016.)
    """
    _check_sizes("layer_norm", "[*, ", input, normalized_shape, weight, bias)
    check_dtypes("LayerNormKernelImpl", input, weight, bias)
    mean, var = row_moments(layer_rows(input._array, len(normalized_shape)))
    one, none = (from_array(input._array.dtype.type(number)) for number in (1, 0))
    weight, bias = one if weight is None else weight, none if bias is None else bias
    return normalize_layer(input, weight, bias, mean, 1 / np.sqrt(var + eps), len(normalized_shape), eps)


@checked
def rms_norm(input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """input / sqrt(mean(input²) + eps) * weight over the last dimensions, whose sizes are `normalized_shape`.

    `eps` is the distance from 1 to the next number of the dtype, if not given. (Zhang and Sennrich, "Root Mean Square
    Layer Normalization", 2019.)
    """
    _check_sizes("rms_norm", "[*", input, normalized_shape, weight)
    check_dtypes("rms_norm", input, weight)
    weight = from_array(input._array.dtype.type(1)) if weight is None else weight
    eps = float(np.finfo(input._array.dtype).eps) if eps is None else eps
    return normalize_rms(input, weight, len(normalized_shape), eps)


def _check_sizes(name: str, star: str, input: Tensor, shape: Ints, *parameters: Tensor | None) -> None:
    """Raise if `normalized_shape` does not fit the input and the parameters."""
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
