"""Losses for numbers: the squared and the absolute difference, and what lies between them.

The derivative of each is one line: twice the difference for squares, and for Huber's loss the difference cut off at
delta, so that outliers pull no harder than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.losses.reduction import (
    broadcast_with_warning,
    check_reduction,
    element_gradient,
    promote_floating,
    reduce_elements,
    reduce_loss,
    weighted_loss,
)
from minigrad.ops.pointwise.rounding import abs
from minigrad.public import checked
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


def _huber_gradient(F: Any, g: Any, self: Any, target: Any, reduction: str, delta: float) -> Any:
    return element_gradient(g, self, reduction) * F.clamp_to_numbers(self - target, -delta, delta)


@op(
    self=_huber_gradient,
    target=lambda F, g, self, target, reduction, delta: -_huber_gradient(F, g, self, target, reduction, delta),
)
def huber_loss(self: Array, target: Array, reduction: str, delta: float) -> Array:
    """Half the square of the difference where it is below delta, and beyond the line that goes on from there."""
    distance = np.abs(self - target)
    near = np.minimum(distance, delta)
    return reduce_elements(near * (distance - 0.5 * near), reduction)


@op(
    name="SmoothL1LossBackward0",
    self=lambda F, g, self, target, reduction, beta: _huber_gradient(F, g / beta, self, target, reduction, beta),
    target=lambda F, g, self, target, reduction, beta: -_huber_gradient(F, g / beta, self, target, reduction, beta),
)
def smooth_l1_loss(self: Array, target: Array, reduction: str, beta: float) -> Array:
    """Huber's cost over beta: the slope beyond beta is 1."""
    distance = np.abs(self - target)
    near = np.minimum(distance, beta)
    return reduce_elements(near * (distance - 0.5 * near) / beta, reduction)


# ---------------------------------------------------------------- as the learner calls them

_mse_loss, _huber_loss, _smooth_l1_loss = mse_loss, huber_loss, smooth_l1_loss


@checked  # type: ignore[no-redef]
def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The squared difference (input - target)².

    Args:
        reduction: "mean" or "sum" of all elements, or "none" for a loss for each.
        weight: how much each element counts; the mean is then divided by the sum of the weights.
    """
    input, target = broadcast_with_warning(input, target)
    if weight is not None:
        return weighted_loss((input - target) ** 2, weight, input, reduction)
    check_reduction(reduction)
    return _mse_loss(*promote_floating("mse_cpu", input, target), reduction)


@checked
def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The absolute difference |input - target|. The arguments are those of `mse_loss`."""
    input, target = broadcast_with_warning(input, target)
    distance = abs(input - target)
    if weight is not None:
        return weighted_loss(distance, weight, input, reduction)
    return reduce_loss(distance, check_reduction(reduction))


@checked  # type: ignore[no-redef]
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """|difference| - beta / 2, and difference² / (2 beta) where |difference| is below `beta`.

    `reduction` as for `mse_loss`.
    """
    input, target = broadcast_with_warning(input, target)
    check_reduction(reduction)
    if beta == 0:
        return reduce_loss(abs(input - target), reduction)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got: {beta}")
    return _smooth_l1_loss(*promote_floating("smooth_l1_cpu", input, target), reduction, float(beta))


@checked  # type: ignore[no-redef]
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """delta * (|difference| - delta / 2), and difference² / 2 where |difference| is below `delta`.

    The other arguments are those of `mse_loss`; with a weight the mean is over the number of elements.
    """
    input, target = broadcast_with_warning(input, target)
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got: {delta}")
    kind = input.dtype
    input, target = promote_floating("huber_cpu", input, target)
    if weight is None:
        loss = _huber_loss(input, target, check_reduction(reduction), float(delta))
    else:
        loss = _huber_loss(input, target, "none", float(delta))
        loss = weighted_loss(loss, weight, input, reduction, by_weight=False)
    return loss.to(kind) if kind.is_floating_point else loss
