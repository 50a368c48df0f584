"""Losses for numbers: the squared and the absolute difference, and what lies between them.

After this module a reader knows the derivative of each as one line: twice the difference for squares, and for Huber's
loss the difference cut off at delta, so that outliers pull no harder than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.losses.reduction import (
    broadcast_with_warning,
    element_gradient,
    promote_floating,
    read_reduction,
    reduce_elements,
    reduce_loss,
    weighted_loss,
)
from minigrad.ops.pointwise.rounding import abs
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    self=lambda F, g, self, target, reduction: element_gradient(g, self, reduction) * 2 * (self - target),
    target=lambda F, g, self, target, reduction: element_gradient(g, self, reduction) * -2 * (self - target),
)
def mse_loss(self: Array, target: Array, reduction: str) -> Array:
    """The squares of the differences."""
    difference = self - target
    if reduction == "none":
        return difference * difference
    total = np.vdot(difference, difference)
    return total if reduction == "sum" else total / difference.size


@op(
    self=lambda F, g, self, target, reduction, delta: (
        element_gradient(g, self, reduction) * F.clamp_to_numbers(self - target, -delta, delta)
    ),
    target=lambda F, g, self, target, reduction, delta: (
        -element_gradient(g, self, reduction) * F.clamp_to_numbers(self - target, -delta, delta)
    ),
)
def huber_loss(self: Array, target: Array, reduction: str, delta: float) -> Array:
    """Half the square of the difference where it is below delta, and beyond the line that goes on from there."""
    distance = np.abs(self - target)
    near = np.minimum(distance, delta)
    return reduce_elements(near * (distance - 0.5 * near), reduction)


@op(
    name="SmoothL1LossBackward0",
    self=lambda F, g, self, target, reduction, beta: (
        element_gradient(g, self, reduction) * F.clamp_to_numbers((self - target) / beta, -1, 1)
    ),
    target=lambda F, g, self, target, reduction, beta: (
        -element_gradient(g, self, reduction) * F.clamp_to_numbers((self - target) / beta, -1, 1)
    ),
)
def smooth_l1_loss(self: Array, target: Array, reduction: str, beta: float) -> Array:
    """Huber's cost over beta: the slope beyond beta is 1."""
    distance = np.abs(self - target)
    near = np.minimum(distance, beta)
    return reduce_elements(near * (distance - 0.5 * near) / beta, reduction)


# ---------------------------------------------------------------- as the learner calls them

_mse_loss, _huber_loss, _smooth_l1_loss = mse_loss, huber_loss, smooth_l1_loss


def mse_loss(  # type: ignore[no-redef]
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared difference (input - target)².

    Args:
        size_average, reduce: the old form of `reduction`.
        reduction: "mean" or "sum" of all elements, or "none" for a loss for each.
        weight: how much each element counts; the mean is then divided by the sum of the weights.
    """
    input, target = broadcast_with_warning(*tensor_operands("mse_loss", input, target))
    if weight is not None:
        kind = reduction if size_average is None and reduce is None else read_reduction(size_average, reduce, reduction)
        return weighted_loss((input - target) ** 2, weight, input, kind)
    reduction = read_reduction(size_average, reduce, reduction)
    return _mse_loss(*promote_floating("mse_cpu", input, target), reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference |input - target|. The arguments are those of `mse_loss`."""
    input, target = broadcast_with_warning(*tensor_operands("l1_loss", input, target))
    if weight is not None:
        kind = reduction if size_average is None and reduce is None else read_reduction(size_average, reduce, reduction)
        return weighted_loss(abs(input - target), weight, input, kind)
    return reduce_loss(abs(input - target), read_reduction(size_average, reduce, reduction))


def smooth_l1_loss(  # type: ignore[no-redef]
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """|difference| - beta / 2, and difference² / (2 beta) where |difference| is below `beta`.

    The other arguments are those of `mse_loss`.
    """
    input, target = broadcast_with_warning(*tensor_operands("smooth_l1_loss", input, target))
    reduction = read_reduction(size_average, reduce, reduction)
    if beta == 0:
        return reduce_loss(abs(input - target), reduction)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got: {beta}")
    return _smooth_l1_loss(*promote_floating("smooth_l1_cpu", input, target), reduction, float(beta))


def huber_loss(  # type: ignore[no-redef]
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """delta * (|difference| - delta / 2), and difference² / 2 where |difference| is below `delta`.

    The other arguments are those of `mse_loss`; with a weight the mean is over the number of elements.
    """
    input, target = broadcast_with_warning(*tensor_operands("huber_loss", input, target))
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got: {delta}")
    kind = input.dtype
    input, target = promote_floating("huber_cpu", input, target)
    if weight is None:
        loss = _huber_loss(input, target, read_reduction(None, None, reduction), float(delta))
    else:
        loss = _huber_loss(input, target, "none", float(delta))
        loss = weighted_loss(loss, weight, input, reduction, by_weight=False)
    return loss.to(kind) if kind.is_floating_point else loss
