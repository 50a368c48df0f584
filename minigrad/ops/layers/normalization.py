"""Batch, layer, group and rms norm: one formula, (x - mean) / sqrt(var + eps) * weight + bias, over different numbers.

Each sees its input as rows (A, S, L), and brings all numbers with the same place in the middle to mean 0 and variance
1: batch norm sees (N, C, H * W), so that each channel is one; layer norm (1, N, D), so that each example is; group norm
(1, N * groups, C / groups * H * W). Rms norm leaves the mean where it is.

The gradient of the input has three terms, for each number moves the mean and the variance as well. The rules say the
formula, which is what `create_graph=True` records; batch norm, at which networks for images spend much of their time,
and layer and rms norm, at which transformers do, have their gradients as one function, too, in as few passes over the
numbers as possible.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes
from minigrad.autograd.namespaces import node_type
from minigrad.half_precision import in_float32, widen
from minigrad.op import Array, arrays, op, tensors
from minigrad.ops.declarations import floats_only
from minigrad.ops.reductions.sums import channel_bias_gradient, of_one_function
from minigrad.public import Ints, with_checks
from minigrad.tensor import Tensor, from_array, wrap_dim

Shape = tuple[int, ...]

_FAR = 10  # variances that a squared mean may be: a mean beyond is taken off before numbers are squared


# ---------------------------------------------------------------- rows, and sums over them


def memory_order(array: Array) -> Shape:
    """The dimensions in the order of memory; as they are where memory has gaps or repeats."""
    order = sorted(range(array.ndim), key=array.strides.__getitem__, reverse=True)
    return tuple(order if array.transpose(order).flags.c_contiguous else range(array.ndim))


def channel_rows(array: Array, order: Sequence[int]) -> Array:
    """An array (N, C, ...) as rows (A, C, L), for dimensions in this order; a view if memory has that order."""
    arranged = array.transpose(order)
    place = order.index(1)
    outside, inside = math.prod(arranged.shape[:place]), math.prod(arranged.shape[place + 1 :])
    return arranged.reshape(outside, array.shape[1], inside)


def from_rows(rows: Array, order: Sequence[int], shape: Sequence[int]) -> Array:
    """The shape that rows had before, in the same memory."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return rows.reshape([shape[dim] for dim in order]).transpose(back)


def outer_sums(sums: Array) -> Array:
    """The sums over the first of two dimensions. A product with ones is faster than a sum."""
    return sums[0] if sums.shape[0] == 1 else np.ones(sums.shape[0], sums.dtype) @ sums


def row_sums(rows: Array) -> Array:
    """The sums of the numbers with the same place in the middle."""
    return outer_sums(rows[..., 0] if rows.shape[-1] == 1 else rows @ np.ones(rows.shape[-1], rows.dtype))


def row_products(first: Array, second: Array) -> Array:
    """The sums of products of numbers with the same place in the middle."""
    return outer_sums(first[..., 0] * second[..., 0] if first.shape[-1] == 1 else np.vecdot(first, second))


def scale_rows(rows: Array, scale: Array, shift: Array) -> Array:
    """rows * scale + shift, with one scale and one shift for each place in the middle."""
    out = rows * scale[..., np.newaxis]
    out += shift[..., np.newaxis]
    return out


def moments(rows: Array) -> tuple[Array, Array]:
    """The mean and the variance of the numbers with the same place in the middle.

    The mean of the squares less the square of the mean has lost digits where the mean is large beside the spread.
    """
    count = max(rows.shape[0] * rows.shape[2], 1)
    mean = row_sums(rows) / count
    square = mean * mean
    variance = row_products(rows, rows) / count - square
    if not np.all(square <= _FAR * variance):
        centred = rows - mean[:, np.newaxis]
        variance = row_products(centred, centred) / count
    return mean, variance


# ---------------------------------------------------------------- the rules


class Norm(NamedTuple):
    """What is normalised together, and what was found of it."""

    rows: Shape  # the input's shape as rows
    beside: Shape  # the shape in which weight and bias broadcast with the input
    mean: Array  # for each place in the middle of the rows; 0 where it is left where it is
    rstd: Array  # 1 / sqrt(var + eps) likewise
    eps: float
    is_centred: bool = True


def _centred(F: Any, rows: Any, norm: Norm) -> Any:
    return rows - F.mean_dims(rows, (0, 2), True) if norm.is_centred else rows


def _normal(F: Any, self: Any, norm: Norm) -> tuple[Any, Any]:
    """The input as rows with mean 0 and variance 1, and the factor that made them so."""
    rows = F.reshape(self, norm.rows)
    if F is arrays:  # where nothing has to be recorded, both are known
        factor = norm.rstd[:, np.newaxis]
        return (rows - norm.mean[:, np.newaxis]) * factor, factor
    centred = _centred(F, rows, norm)
    factor = F.pow_number(F.mean_dims(centred * centred, (0, 2), True) + norm.eps, -0.5)
    return centred * factor, factor


def normalized_gradient(F: Any, g: Any, self: Any, weight: Any, norm: Norm) -> Any:
    """(g - mean(g) - normal * mean(g * normal)) / std, for g times the weight: the parts that shift the mean and scale
    the std are taken off, for they change nothing in the result.
    """
    normal, factor = _normal(F, self, norm)
    g = F.reshape(g * F.reshape(weight, norm.beside), norm.rows)
    gradient = factor * (_centred(F, g, norm) - normal * F.mean_dims(g * normal, (0, 2), True))
    return F.reshape(gradient, self.shape)


def weight_gradient(F: Any, g: Any, self: Any, weight_shape: Shape, norm: Norm) -> Any:
    """The sums over all that a weight was multiplied with: that is the input with mean 0 and variance 1."""
    products = g * F.reshape(_normal(F, self, norm)[0], self.shape)
    return F.reshape(F.sum_to(products, norm.beside), weight_shape)


def bias_gradient(F: Any, g: Any, bias_shape: Shape, norm: Norm) -> Any:
    """The sums of g over all that a bias was added to."""
    return F.reshape(F.sum_to(g, norm.beside), bias_shape)


# Those of an op whose weight's gradient is a function of the weight, too: see `of_one_function`.
RULES: dict[str, Any] = {
    "self": normalized_gradient,
    "weight": lambda F, g, self, weight, norm: F.as_function_of(
        weight_gradient(F, g, self, weight.shape, norm), weight
    ),
}


# ---------------------------------------------------------------- batch norm


@op(name="NativeBatchNormBackward0", kept=("norm",), bias=channel_bias_gradient, **RULES)
def normalize_batch(self: Array, weight: Array, bias: Array, norm: Norm) -> Array:
    """The input with mean 0 and variance 1 in each channel, times the channel's weight, plus its bias."""
    scale = weight * norm.rstd
    return _of_channels(self, scale, bias - norm.mean * scale)


@op(
    name="NativeBatchNormBackward0",
    constants=("mean", "rstd"),
    self=lambda F, g, self, weight, rstd: F.as_function_of(g * (F.reshape(weight, rstd.shape) * rstd), self),
    weight=lambda F, g, self, weight, mean, rstd: F.as_function_of(F.channel_sums(g * ((self - mean) * rstd)), weight),
    bias=channel_bias_gradient,
)
def normalize_by_constants(self: Array, weight: Array, bias: Array, mean: Array, rstd: Array) -> Array:
    """(input - mean) * rstd * weight + bias, where mean and rstd (1, C, 1, ...) are constants."""
    scale = weight * rstd.reshape(-1)
    return _of_channels(self, scale, bias - mean.reshape(-1) * scale)


def _of_channels(self: Array, scale: Array, shift: Array) -> Array:
    order = memory_order(self)
    return from_rows(scale_rows(channel_rows(self, order), scale, shift), order, self.shape)


def _batch_gradients(self: Array, weight: Array, norm: Norm, g: Array) -> tuple[Array, ...]:
    """All three gradients of batch norm, which share sums."""
    order = memory_order(self)
    rows, g_rows = channel_rows(self, order), channel_rows(g, order)
    grad_bias = row_sums(g_rows)
    grad_weight = (row_products(g_rows, rows) - norm.mean * grad_bias) * norm.rstd
    scale = weight * norm.rstd
    count = max(rows.shape[0] * rows.shape[2], 1)
    of_rows = -scale * norm.rstd * grad_weight / count
    grad_rows = scale_rows(rows, of_rows, -scale * grad_bias / count - of_rows * norm.mean)
    grad_rows += g_rows * scale[:, np.newaxis]
    return from_rows(grad_rows, order, g.shape), grad_weight, grad_bias


def _compute_at_once(op: Callable[..., Any], gradients: Callable[..., tuple[Array, ...]]) -> None:
    """Have an ordinary backward compute all gradients of a norm by one function, in the place of the rules."""

    def apply(node: Any, g: Array) -> tuple[Array | None, ...]:
        found = gradients(node._saved_self._array, node._saved_weight._array, node._saved_norm, g)
        return tuple([x if next_node else None for x, next_node in zip(found, node._next_nodes, strict=False)])

    node_type(op).apply = apply  # type: ignore[assignment]


_compute_at_once(normalize_batch, _batch_gradients)


def beside_float32(norm: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function, also for a float16 input with float32 parameters, as a network in half precision keeps them."""

    in_half: Callable[..., Tensor] = in_float32(norm, tensors)

    @functools.wraps(norm)
    def compute(input: Tensor, *given: Any) -> Tensor:
        if input.dtype is dtypes.float16:
            parameters = {value.dtype for value in given if isinstance(value, Tensor)}
            return (in_half if parameters == {dtypes.float32} else norm)(input, *given)
        return norm(input, *given)

    return compute


@with_checks
@beside_float32
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
        _check_more_than_one(input.size())
    if eps < 0.0 or (training and eps == 0.0):
        needed = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {needed}, but got {eps}")
    if input.ndim == 1 and not input.numel():  # of no numbers, like PyTorch, it is not asked which channels they are in
        scaled = input.clone() if weight is None else input * weight[0]
        return scaled if bias is None else scaled + bias[0]
    channels = input.shape[1] if input.ndim > 1 else 0
    named = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, parameter in named.items():
        if parameter is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if parameter is not None and parameter.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {parameter.numel()}")
    wrap_dim(1, input.ndim)
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    weight, bias = _parameters("batch_norm", input, (channels,), weight, bias, running_mean, running_var)
    beside, array = (channels, *[1] * (input.ndim - 2)), widen(input._array)
    if running_mean is not None and running_var is not None and not training:
        statistics = [running._array.astype(array.dtype).reshape(beside) for running in (running_mean, running_var)]
        rstd = 1 / np.sqrt(statistics[1] + eps)
        return normalize_by_constants(input, weight, bias, from_array(statistics[0]), from_array(rstd))
    mean, var = moments(channel_rows(array, memory_order(array)))
    if running_mean is not None and running_var is not None and array.size:
        count = array.size // channels
        for running, now in ((running_mean, mean), (running_var, var * (count / max(count - 1, 1)))):
            running._array[...] = running._array * (1 - momentum) + now * momentum
    rows = (input.shape[0], channels, math.prod(input.shape[2:]))
    return normalize_batch(input, weight, bias, Norm(rows, beside, mean, 1 / np.sqrt(var + eps), eps))


def _check_more_than_one(size: Sequence[int]) -> None:
    if math.prod(size[:1]) * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}: try more")


# ---------------------------------------------------------------- layer, group and rms norm


@op(
    name="NativeLayerNormBackward0",
    kept=("norm",),
    bias=lambda F, g, self, weight, bias, norm: of_one_function(
        F, bias_gradient(F, g, bias.shape, norm), self, weight, bias
    ),
    **RULES,
)
def normalize_layer(self: Array, weight: Array, bias: Array, norm: Norm) -> Array:
    """The input with mean 0 and variance 1 in each row, times a weight for each number of a row, plus a bias."""
    out = _of_rows(self, weight, norm)
    out += bias.reshape(norm.beside)
    return out


@op(name="NativeGroupNormBackward0", kept=("norm",), bias=bias_gradient, **RULES)
def normalize_group(self: Array, weight: Array, bias: Array, norm: Norm) -> Array:
    """The input with mean 0 and variance 1 in each group, times a weight for each channel, plus a bias."""
    return arrays.normalize_layer(self, weight, bias, norm)


@op(name="FusedRmsNormBackward0", kept=("norm",), self=normalized_gradient, weight=weight_gradient)
def normalize_rms(self: Array, weight: Array, norm: Norm) -> Array:
    """The input with mean square 1 in each row, times a weight for each number of a row."""
    return _of_rows(self, weight, norm)


def _of_rows(self: Array, weight: Array, norm: Norm) -> Array:
    out = scale_rows(self.reshape(norm.rows), norm.rstd, -norm.mean * norm.rstd).reshape(self.shape)
    out *= weight.reshape(norm.beside)
    return out


def _row_gradients(self: Array, weight: Array, norm: Norm, g: Array) -> tuple[Array, ...]:
    """All gradients of layer norm and rms norm: the rules' formulas in a third of the time, since they share the
    normalised input, and sums are products with ones or with the weight.
    """
    _, count, size = norm.rows
    rows, g, factors = self.reshape(count, size), g.reshape(count, size), weight.reshape(size)
    normal = rows - norm.mean[:, np.newaxis]
    normal *= norm.rstd[:, np.newaxis]
    products, ones = g * normal, np.ones(count, g.dtype)
    grad_weight, grad_bias = ones @ products, ones @ g
    normal *= (products @ factors / size)[:, np.newaxis]
    grad_rows = np.multiply(g, factors, out=products)
    grad_rows -= normal
    if norm.is_centred:
        grad_rows -= (g @ factors / size)[:, np.newaxis]
    grad_rows *= norm.rstd[:, np.newaxis]
    return grad_rows.reshape(self.shape), grad_weight.reshape(weight.shape), grad_bias.reshape(weight.shape)


_compute_at_once(normalize_layer, _row_gradients)
_compute_at_once(normalize_rms, _row_gradients)


@with_checks
@beside_float32
def layer_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias over the last dimensions, whose sizes are `normalized_shape`.

    `weight` and `bias` have that shape; None stands for 1 and 0. (Ba, Kiros and Hinton, "Layer Normalization", 2016.)
    """
    rows = _layer_rows("[*, ", input, normalized_shape, weight, bias)
    weight, bias = _parameters("LayerNormKernelImpl", input, normalized_shape, weight, bias)
    mean, var = moments(widen(input._array).reshape(rows))
    return normalize_layer(input, weight, bias, Norm(rows, normalized_shape, mean, 1 / np.sqrt(var + eps), eps))


@with_checks
@beside_float32
def rms_norm(input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """input / sqrt(mean(input²) + eps) * weight over the last dimensions, whose sizes are `normalized_shape`.

    `eps` is the distance from 1 to the next number of the dtype, if not given. (Zhang and Sennrich, "Root Mean Square
    Layer Normalization", 2019.)
    """
    _, count, size = rows = _layer_rows("[*", input, normalized_shape, weight)
    weight, _ = _parameters("rms_norm", input, normalized_shape, weight, None)
    array = widen(input._array).reshape(rows)
    eps = float(np.finfo(array.dtype).eps) if eps is None else eps
    factor = 1 / np.sqrt(row_products(array, array) / size + eps)
    return normalize_rms(input, weight, Norm(rows, normalized_shape, np.zeros(count, array.dtype), factor, eps, False))


@with_checks
@beside_float32
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias, over groups of the channels of each example (N, C, ...).

    `weight` and `bias` are (C,), or None for 1 and 0. (Wu and He, "Group Normalization", 2018.)
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels, *space = input.shape
    _check_more_than_one([batch * channels // num_groups, num_groups, *space])
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    expected = "a vector of size equal to the number of channels in input"
    _check_shapes((channels,), expected, f"input of shape {list(input.shape)}", weight, bias)
    weight, bias = _parameters("GroupNormKernelImpl", input, (channels,), weight, bias)
    rows, beside = (1, batch * num_groups, math.prod(space) * channels // num_groups), (channels, *[1] * len(space))
    mean, var = moments(widen(input._array).reshape(rows))
    return normalize_group(input, weight, bias, Norm(rows, beside, mean, 1 / np.sqrt(var + eps), eps))


# ---------------------------------------------------------------- what is given


def _layer_rows(star: str, input: Tensor, shape: Ints, *parameters: Tensor | None) -> Shape:
    """An input's shape as rows of the last dimensions. RuntimeError if they, or the parameters, have another shape."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    _check_shapes(shape, "of same shape as normalized_shape", f"normalized_shape = {list(shape)}", *parameters)
    if input.shape[-len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape {star}{', '.join(map(str, shape))}], but "
            f"got input of size{list(input.shape)}"
        )
    return 1, math.prod(input.shape[: -len(shape)]), math.prod(shape)


def _check_shapes(shape: Shape, expected: str, beside: str, *parameters: Tensor | None) -> None:
    for name, parameter in zip(("weight", "bias"), parameters, strict=False):
        if parameter is not None and parameter.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be {expected}, but got {name} of shape {list(parameter.shape)} and {beside}"
            )


def _parameters(
    kernel: str, input: Tensor, shape: Shape, weight: Tensor | None, bias: Tensor | None, *running: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Weight and bias, 1 and 0 where they were not given. Raise unless the input is floating and all have its dtype."""
    floats_only(kernel, input._array)
    kind = input.dtype
    for parameter in (weight, bias, *running):
        if parameter is not None and parameter.dtype is not kind:
            narrower = kind is dtypes.float64 and parameter.dtype is dtypes.float32
            expected = "expect parameter to have scalar type of Float"
            rule = "all inputs must share same datatype." if narrower else expected
            raise RuntimeError(f"mixed dtype (CPU): {rule} The input is {kind}, a parameter {parameter.dtype}.")
    weight = from_array(np.ones(shape, kind.numpy)) if weight is None else weight
    return weight, from_array(np.zeros(shape, kind.numpy)) if bias is None else bias
