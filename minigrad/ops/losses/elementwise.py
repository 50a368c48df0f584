"""Losses of elements: a cost for each, then their mean or their sum. Squared and absolute differences and what lies
between them, and binary cross entropy, from probabilities or from scores.

The derivative of each is one line: twice the difference for squares, and for Huber's loss the difference cut off at
delta, so that outliers pull no harder than that. The gradient of binary cross entropy towards a score is the
probability less the target; it is computed from the score itself, for the logarithm of a probability close to 0 has
lost its digits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import warn
from minigrad.op import Array, arrays, op
from minigrad.ops.declarations import floats_only
from minigrad.ops.pointwise.elementary import abs
from minigrad.ops.shapes.expanding import broadcast_tensors, common_shape
from minigrad.public import with_checks
from minigrad.tensor import Tensor, from_array


def reduce_elements(losses: Array, reduction: str) -> Array:
    """The losses, their sum or their mean."""
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, axis=None)
    return total if reduction == "sum" else total / losses.size


def element_gradient(g: Any, self: Any, reduction: str) -> Any:
    """The gradient that reaches each element's loss."""
    return g / max(math.prod(self.shape), 1) if reduction == "mean" else g


@op(
    self=lambda F, g, self, target, reduction: element_gradient(g, self, reduction) * 2 * (self - target),
    target=lambda F, g, self, target, reduction: element_gradient(g, self, reduction) * -2 * (self - target),
)
def _mse_loss(self: Array, target: Array, reduction: str) -> Array:
    """The squares of the differences."""
    difference = self - target
    if reduction == "none":
        return difference * difference
    total = np.vdot(difference, difference)
    return total if reduction == "sum" else total / difference.size


def _huber_gradient(F: Any, g: Any, self: Any, target: Any, reduction: str, delta: float) -> Any:
    return element_gradient(g, self, reduction) * F.clamp_to_numbers(self - target, -delta, delta)


@op(
    self=_huber_gradient,
    target=lambda F, g, self, target, reduction, delta: -_huber_gradient(F, g, self, target, reduction, delta),
)
def _huber_loss(self: Array, target: Array, reduction: str, delta: float) -> Array:
    """Half the square of the difference where it is below delta, and beyond the line that goes on from there."""
    distance = np.abs(self - target)
    near = np.minimum(distance, delta)
    return reduce_elements(near * (distance - 0.5 * near), reduction)


@op(
    name="SmoothL1LossBackward0",
    self=lambda F, g, self, target, reduction, beta: _huber_gradient(F, g / beta, self, target, reduction, beta),
    target=lambda F, g, self, target, reduction, beta: -_huber_gradient(F, g / beta, self, target, reduction, beta),
)
def _smooth_l1_loss(self: Array, target: Array, reduction: str, beta: float) -> Array:
    """Huber's cost over beta: the slope beyond beta is 1."""
    return arrays.huber_loss(self, target, reduction, beta) / beta


@op(
    self=lambda F, g, self, target, reduction: (
        element_gradient(g, self, reduction) * (self - target) / F.clamp_to_numbers((1 - self) * self, 1e-12, None)
    ),
    target=lambda F, g, self, reduction: element_gradient(g, self, reduction) * (F.log(1 - self) - F.log(self)),
)
def _binary_cross_entropy(self: Array, target: Array, reduction: str) -> Array:
    """-(target * log(input) + (1 - target) * log(1 - input)), with logarithms of at least -100."""
    yes, no = np.maximum(np.log(self), -100), np.maximum(np.log1p(-self), -100)
    return reduce_elements(target * (no - yes) - no, reduction)


@op(
    name="BinaryCrossEntropyWithLogitsBackward0",
    constants=("pos_weight",),
    self=lambda F, g, self, target, pos_weight, reduction: (
        element_gradient(g, self, reduction) * ((1 + (pos_weight - 1) * target) * F.sigmoid(self) - pos_weight * target)
    ),
    target=lambda F, g, self, pos_weight, reduction: (
        element_gradient(g, self, reduction) * (F.logsigmoid(-self) - pos_weight * F.logsigmoid(self))
    ),
)
def _binary_cross_entropy_with_logits(self: Array, target: Array, pos_weight: Array, reduction: str) -> Array:
    """-(pos_weight * target * log(p) + (1 - target) * log(1 - p)) for p = sigmoid(input), without overflow."""
    minus_log_p = np.log1p(np.exp(-np.abs(self))) + np.maximum(-self, 0)
    return reduce_elements((1 - target) * self + (1 + (pos_weight - 1) * target) * minus_log_p, reduction)


# ---------------------------------------------------------------- what all of them check


def check_reduction(reduction: str) -> str:
    """The reduction, if it is "none", "mean" or "sum"."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: choose 'none', 'mean' or 'sum'")
    return reduction


def broadcast_with_warning(input: Tensor, target: Tensor) -> tuple[Any, ...]:
    """Input and target broadcast, with a warning if they have to be."""
    if input.shape == target.shape:
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return tuple(broadcast_tensors(input, target))


def promote_floating(kernel: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target in the dtype that both promote to; an error that names `kernel` if that is not floating."""
    kind = dtypes.promote(input._array, target._array)
    input, target = input.to(kind), target.to(kind)
    floats_only(kernel, input._array)
    return input, target


# ---------------------------------------------------------------- as the learner calls them


def _operands(kernel: str, input: Tensor, target: Tensor, reduction: str) -> tuple[Tensor, Tensor, str]:
    """What the ops get: input and target in one shape and one floating dtype, and the reduction."""
    pair = broadcast_with_warning(input, target)
    return *promote_floating(kernel, *pair), check_reduction(reduction)


@with_checks
def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The squared difference (input - target)².

    `reduction`: "mean" or "sum" of all elements, or "none" for a loss for each.
    """
    return _mse_loss(*_operands("mse_cpu", input, target, reduction))


@with_checks
def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The absolute difference |input - target|. `reduction` as for `mse_loss`."""
    input, target = broadcast_with_warning(input, target)
    loss = abs(input - target)
    return loss if check_reduction(reduction) == "none" else getattr(loss, reduction)()


@with_checks
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """|difference| - beta / 2, and difference² / (2 beta) where |difference| is below `beta`.

    `reduction` as for `mse_loss`.
    """
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got: {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return _smooth_l1_loss(*_operands("smooth_l1_cpu", input, target, reduction), float(beta))


@with_checks
def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """delta * (|difference| - delta / 2), and difference² / 2 where |difference| is below `delta`.

    `reduction` as for `mse_loss`. The result has the input's dtype.
    """
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got: {delta}")
    loss = _huber_loss(*_operands("huber_cpu", input, target, reduction), float(delta))
    return loss.to(input.dtype) if input.dtype.is_floating_point else loss


@with_checks
def binary_cross_entropy(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """-(target * log(input) + (1 - target) * log(1 - input)), for probabilities from 0 to 1.

    The logarithms are at least -100, so that the loss stays finite. `reduction` as for `mse_loss`. From scores,
    `binary_cross_entropy_with_logits` is exact where probabilities are close to 0 or 1.
    """
    check_reduction(reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    floats_only("binary_cross_entropy", input._array)
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.tensor_type} but expected {input.dtype.tensor_type}")
    for name, array in (("input", input._array), ("target", target._array)):
        if array.size and not (np.min(array) >= 0 and np.max(array) <= 1):
            found = f"they reach from {np.min(array)} to {np.max(array)}"
            raise RuntimeError(f"all elements of {name} should be between 0 and 1: {found}")
    return _binary_cross_entropy(input, target, reduction)


@with_checks
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, *, reduction: str = "mean", pos_weight: Tensor | None = None
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed from the scores themselves: exact for large ones, too.

    `pos_weight`, how much more a target of 1 counts, broadcasts to the input; `reduction` as for `mse_loss`.
    """
    check_reduction(reduction)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    floats_only("log_sigmoid_cpu", input._array)
    kind = target.dtype  # of the result, too: PyTorch computes it in the memory of 1 - target
    if not kind.is_floating_point:
        types = f"type {input.dtype.tensor_type} can't be cast to the desired output type {kind.tensor_type}"
        raise RuntimeError(f"result {types}: try target.float()")
    input, target = promote_floating("log_sigmoid_cpu", input, target)
    pos_weight = from_array(input._array.dtype.type(1)) if pos_weight is None else pos_weight
    if (shape := common_shape("binary_cross_entropy", pos_weight.shape, input.shape)) != input.shape:
        raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}")
    return _binary_cross_entropy_with_logits(input, target, pos_weight.to(input.dtype), reduction).to(kind)
