"""Losses for numbers: the squared and the absolute difference, and what lies between them.

The derivative of each is one line: twice the difference for squares, and for Huber's loss the difference cut off at
delta, so that outliers pull no harder than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import arrays, op
from minigrad.ops.losses.reduction import (
    broadcast_with_warning,
    check_reduction,
    element_gradient,
    promote_floating,
    reduce_elements,
    reduce_loss,
)
from minigrad.ops.pointwise.elementary import abs
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
    return arrays.huber_loss(self, target, reduction, beta) / beta


# ---------------------------------------------------------------- as the learner calls them

_mse_loss, _huber_loss, _smooth_l1_loss = mse_loss, huber_loss, smooth_l1_loss


def _operands(kernel: str, input: Tensor, target: Tensor, reduction: str) -> tuple[Tensor, Tensor, str]:
    """What the ops get: input and target in one shape and one floating dtype, and the reduction."""
    pair = broadcast_with_warning(input, target)
    return *promote_floating(kernel, *pair), check_reduction(reduction)


@checked  # type: ignore[no-redef]
def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The squared difference (input - target)².

    `reduction`: "mean" or "sum" of all elements, or "none" for a loss for each.
    """
    return _mse_loss(*_operands("mse_cpu", input, target, reduction))


@checked
def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The absolute difference |input - target|. `reduction` as for `mse_loss`."""
    input, target = broadcast_with_warning(input, target)
    return reduce_loss(abs(input - target), check_reduction(reduction))


@checked  # type: ignore[no-redef]
def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """|difference| - beta / 2, and difference² / (2 beta) where |difference| is below `beta`.

    `reduction` as for `mse_loss`.
    """
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got: {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return _smooth_l1_loss(*_operands("smooth_l1_cpu", input, target, reduction), float(beta))


@checked  # type: ignore[no-redef]
def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """delta * (|difference| - delta / 2), and difference² / 2 where |difference| is below `delta`.

    `reduction` as for `mse_loss`. The result has the input's dtype.
    """
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got: {delta}")
    loss = _huber_loss(*_operands("huber_cpu", input, target, reduction), float(delta))
    return loss.to(input.dtype) if input.dtype.is_floating_point else loss
