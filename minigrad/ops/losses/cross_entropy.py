"""Losses for classes: cross entropy, and the negative log-likelihood that it is made of.

Cross entropy is `log_softmax`, then minus the entry of the right class, averaged: so it takes raw scores, and class
numbers (or a probability for each class).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes
from minigrad.half_precision import widen
from minigrad.op import Array, op, tensors, with_node_name
from minigrad.ops.declarations import floats_only
from minigrad.ops.losses.elementwise import check_reduction
from minigrad.ops.places.elements import masked_fill
from minigrad.ops.pointwise.comparison import eq
from minigrad.ops.reductions.softmax import log_softmax
from minigrad.public import with_checks
from minigrad.tensor import Tensor


class Targets(NamedTuple):
    """Which log-probabilities count, those of the target classes, and how much."""

    counted: Any  # an index of the targets that are not ignored: a mask, or `...` for all
    chosen: tuple[Any, ...]  # an index of their classes in the input (N, C, ...)
    weights: Array | None  # beside each of them; None if all are 1
    total: Any  # of the weights, for the mean
    shape: tuple[int, ...]  # of all targets


@op(
    name="NllLossBackward0",
    kept=("targets",),
    self=lambda F, g, self, targets, reduction: F.nll_gradient(g, self, targets, reduction),
)
def nll(self: Array, targets: Targets, reduction: str) -> Array:
    """-weight * log-probability of the target class; for the mean, their sum over that of the weights."""
    picked = self[targets.chosen]
    if targets.weights is not None:
        picked = picked * targets.weights
    if reduction == "none" and targets.shape:
        out = np.zeros(targets.shape, self.dtype)
        out[targets.counted] = -picked
        return out
    total = 0 - np.add.reduce(picked, axis=None)  # not -0 where it is 0
    return total / targets.total if reduction == "mean" else total


@op(
    name="NllLossBackwardBackward0",
    kept=("targets",),
    self=lambda F, g, targets, reduction: F.nll(g, targets, reduction),
    logs=lambda F, g, logs_shape: F.zeros(logs_shape, g),
)
def nll_gradient(self: Array, logs: Array, targets: Targets, reduction: str) -> Array:
    """Zeros like the log-probabilities, with -g * weight at the target classes."""
    values = -self[targets.counted] if reduction == "none" else -self
    if reduction == "mean":
        values = values / targets.total
    if targets.weights is not None:
        values = values * targets.weights
    out = np.zeros(logs.shape, self.dtype)
    out[targets.chosen] = values
    return out


def _by_dimensions(of_rows: Any, node: str) -> Any:
    """An op for targets in rows, or, for those of maps, which have spatial dimensions, with another node's name."""
    of_maps = with_node_name(of_rows, node)
    return lambda *given: (of_maps if len(given[-2].shape) > 1 else of_rows)(*given)


tensors.nll = _by_dimensions(nll, "NllLoss2DBackward0")
tensors.nll_gradient = _by_dimensions(nll_gradient, "NllLoss2DBackwardBackward0")

# ---------------------------------------------------------------- as the learner calls them


@with_checks
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """The negative log-likelihood: minus the entry of the target's class.

    Args:
        input: log-probabilities of C classes, (N, C), (C,) or (N, C, d1, ...).
        target: class numbers, int64, of the input's shape without C.
        weight: (C,), how much each class counts; the mean is then over the sum of the targets' weights.
        ignore_index: a target that counts nothing.
        reduction: "mean" or "sum" of all targets, or "none" for a loss for each.
    """
    check_reduction(reduction)
    return _nll_loss(input, target, weight, ignore_index, reduction)


def _nll_loss(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str) -> Tensor:
    _check_classes(input, target, weight)
    if input.ndim == 3 or input.ndim > 4:  # PyTorch's kernels know rows and maps, and so its graph has a view here
        batch, classes, *space = input.shape
        flat = input.reshape(batch, classes, 1, math.prod(space)), target.reshape(batch, 1, math.prod(space))
        loss = _nll_loss(*flat, weight, ignore_index, reduction)
        return loss.view(target.shape) if reduction == "none" else loss
    return tensors.nll(input, _targets(input, target, weight, ignore_index), reduction)


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raise if shapes or dtypes do not belong together."""
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    batch, classes, *space = input.shape if input.ndim > 1 else (1, *input.shape)
    targets = target.shape[0] if target.ndim else 1
    problem = ""
    if input.ndim <= 2 and target.ndim > 1:
        problem = f"0D or 1D target tensor expected, multi-target not supported: its shape is {list(target.shape)}"
    elif targets != batch:
        raise ValueError(f"Expected input batch_size ({batch}) to match target batch_size ({targets}).")
    elif input.ndim == 4 and target.ndim != 3:
        problem = f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.ndim}"
    elif input.ndim > 2 and list(target.shape[1:]) != space:
        problem = f"Expected target size {[batch, *space]}, got {list(target.shape)}: one class for each place"
        if input.ndim == 4:
            problem = f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}"
    elif target.dtype not in (dtypes.int64, dtypes.uint8):
        problem = f"expected target dtype to be Long or Byte, but got {target.dtype.tensor_type}: try target.long()"
    elif weight is not None and weight.dtype is not input.dtype:
        found = weight.dtype.tensor_type
        problem = f"expected scalar type {input.dtype.tensor_type} but found {found}: try weight.to(input.dtype)"
    if problem:
        raise RuntimeError(problem)
    floats_only("nll_loss_out_frame", input._array)
    _check_weight("", weight, classes)


def _check_weight(function: str, weight: Tensor | None, classes: int) -> None:
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"{function}weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )


def _targets(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> Targets:
    """The targets as an index, once they are all in bounds."""
    classes = target._array.astype(np.int64, copy=False)
    classes = classes.reshape(()) if input.ndim == 1 else classes
    count = input.shape[1 if input.ndim > 1 else 0]
    counted: Any = ...
    outside = classes.view(np.uint64) >= count  # as unsigned numbers, negative ones are large
    if 0 <= ignore_index < count or outside.any():
        counted = classes != ignore_index
        wrong = classes[outside & counted]
        if wrong.size:
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds. There are {count} classes, from 0 on.")
    chosen = classes[counted]
    grids: Any = np.indices(classes.shape, sparse=counted is ...)  # type: ignore[call-overload]
    index = [grid[counted] for grid in grids]
    index.insert(1, chosen)
    weights = None if weight is None else widen(weight._array[chosen])
    total = chosen.size if weights is None else weights.sum()
    return Targets(counted, tuple(index), weights, total, classes.shape)


@with_checks
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """How improbable the targets are: minus the logarithm of softmax(input) at the right class.

    Args:
        input: scores of C classes, as they are: (N, C), (C,) or (N, C, d1, ...).
        target: class numbers, int64, of the input's shape without C; or a probability for each class, of the input's
            shape.
        weight: (C,), how much each class counts; for class numbers the mean is then over the sum of their weights.
        ignore_index: a class number that counts nothing.
        reduction: "mean" or "sum" of all targets, or "none" for a loss for each.
        label_smoothing: how much of each target's probability, from 0 to 1, is spread evenly over all classes.
    """
    check_reduction(reduction)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if input.ndim == 1 else 1
    logs = log_softmax(input, dim)
    if target.shape == input.shape:
        _check_probabilities(input, target, weight, ignore_index, dim)
        if label_smoothing > 0:
            target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        products = _weigh_classes(logs * target, weight, dim)
        loss = -(products.sum(dim) if reduction == "none" else products.sum())
        return loss / math.prod(input.shape[:dim] + input.shape[dim + 1 :]) if reduction == "mean" else loss
    loss = _nll_loss(logs, target, weight, ignore_index, reduction)
    if label_smoothing <= 0:
        return loss
    smooth = -_weigh_classes(logs, weight, dim).sum(dim)
    smooth = masked_fill(smooth, eq(target, ignore_index).reshape(smooth.shape), 0.0)
    if reduction == "mean":
        smooth = smooth.sum() / _targets(input, target, weight, ignore_index).total
    elif reduction == "sum":
        smooth = smooth.sum()
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / input.shape[dim])


def _weigh_classes(scores: Tensor, weight: Tensor | None, dim: int) -> Tensor:
    """Each score times the weight of its class, which is its place along `dim`."""
    return scores if weight is None else scores * weight.view(-1, *[1] * (scores.ndim - 1 - dim))


def _check_probabilities(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, dim: int) -> None:
    """Raise if a target of the input's shape is none of probabilities, or other arguments do not go with it."""
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.tensor_type}: a "
            "target of the input's shape holds a probability for each class. Class numbers have no dimension for them."
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    _check_weight("cross_entropy: ", weight, input.shape[dim])
