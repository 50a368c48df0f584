"""What each loss computes: a cost for each element, and its mean or sum at once.

After this module a reader knows the derivative of every common loss as one line: twice the difference for squares, that
difference cut off for Huber's, probability less target for both cross entropies. `loss.py` has what the learner calls.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from minigrad.op import op

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def reduced(costs: Array, reduction: str) -> Array:
    """The costs, their sum or their mean."""
    if reduction == "none":
        return costs
    total = np.add.reduce(costs, axis=None)
    return total if reduction == "sum" else total / costs.size


def share(g: Any, self: Any, reduction: str) -> Any:
    """The gradient that reaches each element's cost."""
    return g / max(math.prod(self.shape), 1) if reduction == "mean" else g


# ---------------------------------------------------------------- distances from a target


@op(
    self=lambda F, g, self, target, reduction: share(g, self, reduction) * 2 * (self - target),
    target=lambda F, g, self, target, reduction: share(g, self, reduction) * -2 * (self - target),
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
        share(g, self, reduction) * F.clamp_to_numbers(self - target, -delta, delta)
    ),
    target=lambda F, g, self, target, reduction, delta: (
        -share(g, self, reduction) * F.clamp_to_numbers(self - target, -delta, delta)
    ),
)
def huber_loss(self: Array, target: Array, reduction: str, delta: float) -> Array:
    """Half the square of the difference where it is below delta, and beyond the line that goes on from there."""
    distance = np.abs(self - target)
    near = np.minimum(distance, delta)
    return reduced(near * (distance - 0.5 * near), reduction)


@op(
    name="SmoothL1LossBackward0",
    self=lambda F, g, self, target, reduction, beta: (
        share(g, self, reduction) * F.clamp_to_numbers((self - target) / beta, -1, 1)
    ),
    target=lambda F, g, self, target, reduction, beta: (
        -share(g, self, reduction) * F.clamp_to_numbers((self - target) / beta, -1, 1)
    ),
)
def smooth_l1_loss(self: Array, target: Array, reduction: str, beta: float) -> Array:
    """Huber's cost over beta: the slope beyond beta is 1."""
    distance = np.abs(self - target)
    near = np.minimum(distance, beta)
    return reduced(near * (distance - 0.5 * near) / beta, reduction)


@op(
    constants=("target",),
    self=lambda F, g, self, target, reduction: -share(g, self, reduction) * target * F.sigmoid(-self * target),
)
def soft_margin_loss(self: Array, target: Array, reduction: str) -> Array:
    """log(1 + exp(-input * target)), for targets of 1 and -1."""
    return reduced(np.logaddexp(self.dtype.type(0), -self * target), reduction)


# ---------------------------------------------------------------- of two classes


@op(
    constants=("weight",),
    self=lambda F, g, self, target, weight, reduction: (
        share(g, self, reduction) * weight * (self - target) / F.clamp_to_numbers((1 - self) * self, 1e-12, None)
    ),
    target=lambda F, g, self, weight, reduction: share(g, self, reduction) * weight * (F.log(1 - self) - F.log(self)),
)
def binary_cross_entropy(self: Array, target: Array, weight: Array, reduction: str) -> Array:
    """-(target * log(input) + (1 - target) * log(1 - input)) * weight, with logarithms of at least -100."""
    yes, no = np.maximum(np.log(self), -100), np.maximum(np.log1p(-self), -100)
    return reduced((target * (no - yes) - no) * weight, reduction)


def of_target(F: Any, self: Any, pos_weight: Any) -> Any:
    """How the cost of a logit changes with its target."""
    return (1 - pos_weight) * F.logsigmoid(self) - self


@op(
    name="BinaryCrossEntropyWithLogitsBackward0",
    constants=("weight", "pos_weight"),
    self=lambda F, g, self, target, weight, pos_weight, reduction: (
        share(g, self, reduction) * weight * ((1 + (pos_weight - 1) * target) * F.sigmoid(self) - pos_weight * target)
    ),
    target=lambda F, g, self, weight, pos_weight, reduction: (
        share(g, self, reduction) * weight * of_target(F, self, pos_weight)
    ),
)
def binary_cross_entropy_with_logits(
    self: Array, target: Array, weight: Array, pos_weight: Array, reduction: str
) -> Array:
    """-(pos_weight * target * log(p) + (1 - target) * log(1 - p)) * weight for p = sigmoid(input), without overflow."""
    improbable = np.log1p(np.exp(-np.abs(self))) + np.maximum(-self, 0)  # -log(p)
    return reduced(((1 - target) * self + (1 + (pos_weight - 1) * target) * improbable) * weight, reduction)


# ---------------------------------------------------------------- of many classes


class Chosen(NamedTuple):
    """Which classes are the targets, and how much each counts."""

    classes: Array  # (N, ...), for all of an input (N, C, ...); 0 where ignored
    weights: Array | None  # beside each class; None if all are 1
    ignored: Array | None  # where nothing counts; None if nowhere
    total: Any  # of the weights, for the mean


def places(shape: tuple[int, ...], classes: Array) -> tuple[Any, ...]:
    """The index of the chosen ones in an array (N, C, ...)."""
    if len(shape) == 1:
        return (classes,)
    sizes = (shape[0], *shape[2:])
    grid = np.ogrid[tuple(slice(size) for size in sizes)] if len(sizes) > 1 else [np.arange(sizes[0])]
    return (grid[0], classes, *grid[1:])


def _choosing(node: str) -> Any:
    """One op for each of the names that PyTorch has, by whether there are spatial dimensions."""

    @op(
        name=node,
        kept=("chosen",),
        self=lambda F, g, self_shape, chosen, reduction: F.nll_gradient(g, chosen, reduction, self_shape),
    )
    def nll(self: Array, chosen: Chosen, reduction: str) -> Array:
        """-weight * log-probability of the chosen class; for the mean, their sum over that of the weights."""
        picked = self[places(self.shape, chosen.classes)]
        if chosen.weights is not None:
            picked = picked * chosen.weights
        if chosen.ignored is not None:
            picked = np.where(chosen.ignored, picked.dtype.type(0), picked)
        if reduction == "none":
            return -picked
        total = -np.add.reduce(picked, axis=None)
        return total / chosen.total if reduction == "mean" else total

    return nll


nll_of_rows, nll_of_maps = _choosing("NllLossBackward0"), _choosing("NllLoss2DBackward0")


@op(
    name="NllLossBackwardBackward0",
    kept=("chosen",),
    self=lambda F, g, chosen, reduction: F.nll(g, chosen, reduction),
)
def nll_gradient(self: Array, chosen: Chosen, reduction: str, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape, with -g * weight at the chosen classes."""
    out = np.zeros(shape, self.dtype)
    share = -self / chosen.total if reduction == "mean" else -self
    if chosen.weights is not None:
        share = share * chosen.weights
    out[places(shape, chosen.classes)] = share if chosen.ignored is None else np.where(chosen.ignored, 0, share)
    return out
