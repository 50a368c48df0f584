"""Losses for classes: cross entropy, the negative log-likelihood that it is made of, and Kullback and Leibler's
divergence.

Cross entropy is `log_softmax`, then minus the entry of the right class, averaged: so it takes raw scores, and class
numbers (or a probability for each class).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.losses.reduction import check_reduction, reduce_loss, warn
from minigrad.ops.places.masks import masked_fill
from minigrad.ops.pointwise.comparison import eq
from minigrad.ops.pointwise.powers import exp, xlogy
from minigrad.ops.reductions.softmax import log_softmax_along
from minigrad.public import checked
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


class Targets(NamedTuple):
    """Which classes are the targets, and how much each counts."""

    classes: Array  # (N, ...), for all of an input (N, C, ...); 0 where ignored
    weights: Array | None  # beside each class; None if all are 1
    ignored: Array | None  # where nothing counts; None if nowhere
    total: Any  # of the weights, for the mean


def class_index(shape: tuple[int, ...], classes: Array) -> tuple[Any, ...]:
    """The index of the chosen ones in an array (N, C, ...)."""
    if len(shape) == 1:
        return (classes,)
    sizes = (shape[0], *shape[2:])
    grid = np.ogrid[tuple(slice(size) for size in sizes)] if len(sizes) > 1 else [np.arange(sizes[0])]
    return (grid[0], classes, *grid[1:])


def _nll(node: str) -> Any:
    """One op for each of the names that PyTorch has, by whether there are spatial dimensions."""

    @op(
        name=node,
        kept=("targets",),
        self=lambda F, g, self_shape, targets, reduction: F.nll_gradient(g, targets, reduction, self_shape),
    )
    def nll(self: Array, targets: Targets, reduction: str) -> Array:
        """-weight * log-probability of the target class; for the mean, their sum over that of the weights."""
        picked = self[class_index(self.shape, targets.classes)]
        if targets.weights is not None:
            picked = picked * targets.weights
        if targets.ignored is not None:
            picked = np.where(targets.ignored, picked.dtype.type(0), picked)
        if reduction == "none":
            return -picked
        total = -np.add.reduce(picked, axis=None)
        return total / targets.total if reduction == "mean" else total

    return nll


nll_of_rows, nll_of_maps = _nll("NllLossBackward0"), _nll("NllLoss2DBackward0")


@op(
    name="NllLossBackwardBackward0",
    kept=("targets",),
    self=lambda F, g, targets, reduction: F.nll(g, targets, reduction),
)
def nll_gradient(self: Array, targets: Targets, reduction: str, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape, with -g * weight at the target classes."""
    out = np.zeros(shape, self.dtype)
    values = -self / targets.total if reduction == "mean" else -self
    if targets.weights is not None:
        values = values * targets.weights
    if targets.ignored is not None:
        values = np.where(targets.ignored, 0, values)
    out[class_index(shape, targets.classes)] = values
    return out


# ---------------------------------------------------------------- as the learner calls them


@checked
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
    targets = _read_targets(input, target, weight, ignore_index)
    if input.ndim < 3:
        return nll_of_rows(input, targets, reduction)
    if input.ndim == 4:
        return nll_of_maps(input, targets, reduction)
    arrays = {name: part for name, part in targets._asdict().items() if name != "total" and part is not None}
    flat = targets._replace(**{name: part.reshape(target.shape[0], 1, -1) for name, part in arrays.items()})
    batch, classes, *space = input.shape  # PyTorch's kernels know rows and maps, and so its graph has a view here
    loss = nll_of_maps(input.reshape(batch, classes, 1, math.prod(space)), flat, reduction)
    return loss.view(target.shape) if reduction == "none" else loss


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raise if shapes or dtypes do not belong together."""
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.ndim <= 2 and target.ndim > 1:
        raise RuntimeError(
            f"0D or 1D target tensor expected, multi-target not supported: the target has shape {list(target.shape)}"
        )
    batch = input.shape[0] if input.ndim > 1 else 1
    if (target.shape[0] if target.ndim else 1) != batch:
        raise ValueError(
            f"Expected input batch_size ({batch}) to match target batch_size ({target.shape[0] if target.ndim else 1})."
        )
    if input.ndim == 4 and target.ndim != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.ndim}"
        )
    if input.ndim == 4 and target.shape[1:] != input.shape[2:]:
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    if input.ndim > 2 and target.shape[1:] != input.shape[2:]:
        raise RuntimeError(
            f"Expected target size {[batch, *input.shape[2:]]}, got {list(target.shape)}: one class for each place"
        )
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype.tensor_type}: targets are class numbers. "
            "Convert them, as in target.long()."
        )
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"nll_loss_out_frame\" not implemented for '{input.dtype.tensor_type}'")
    classes = input.shape[1 if input.ndim > 1 else 0]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.tensor_type} but found {weight.dtype.tensor_type}: convert the weight, "
            "as in weight.to(input.dtype)"
        )


def _read_targets(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> Targets:
    """The targets as an index, once they are all in bounds."""
    classes = target._array.astype(np.int64, copy=False)
    classes = classes.reshape(()) if input.ndim == 1 else classes
    count = input.shape[1 if input.ndim > 1 else 0]
    ignored = None
    outside = classes.view(np.uint64) >= count  # as unsigned numbers, negative ones are large
    if outside.any() or 0 <= ignore_index < count:
        ignored = classes == ignore_index
        wrong = classes[outside & ~ignored]
        if wrong.size:
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds. There are {count} classes, from 0 on.")
        classes = np.where(ignored, 0, classes)
    if weight is None:
        total = classes.size if ignored is None else classes.size - int(np.count_nonzero(ignored))
        return Targets(classes, None, ignored, total)
    weights = weight._array[classes]
    if ignored is not None:
        weights = np.where(ignored, weights.dtype.type(0), weights)
    return Targets(classes, weights, ignored, weights.sum())


@checked
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
    dim = 0 if input.ndim == 1 else 1
    if target.shape == input.shape:
        return _cross_entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, dim)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    logs = log_softmax_along(input, dim)
    loss = _nll_loss(logs, target, weight, ignore_index, reduction)
    if label_smoothing <= 0:
        return loss
    smooth = -(logs if weight is None else logs * _class_weights(weight, logs, dim)).sum(dim)
    ignored = eq(target, ignore_index)
    smooth = masked_fill(smooth, ignored.reshape(smooth.shape), 0.0)
    if reduction == "mean":
        smooth = smooth.sum() / _read_targets(input, target, weight, ignore_index).total
    elif reduction == "sum":
        smooth = smooth.sum()
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / input.shape[dim])


def _class_weights(weight: Tensor, input: Tensor, dim: int) -> Tensor:
    """A weight for each class in a shape that broadcasts with the input."""
    return weight.view([size if i == dim else 1 for i, size in enumerate(input.shape)])


def _cross_entropy_of_probabilities(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
    dim: int,
) -> Tensor:
    """Cross entropy with a probability for each class as the target."""
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.tensor_type}: a "
            "target of the input's shape holds a probability for each class. Class numbers have no dimension for them."
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    classes = input.shape[dim]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    logs = log_softmax_along(input, dim)
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    products = logs * target
    if weight is not None:
        products = products * _class_weights(weight, input, dim)
    if reduction == "mean":
        return -products.sum() / (input.numel() / classes if classes else 0)
    return -products.sum() if reduction == "sum" else -products.sum(dim)


@checked
def kl_div(input: Tensor, target: Tensor, *, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The divergence of Kullback and Leibler: target * (log(target) - input), where input is log-probabilities.

    Args:
        target: probabilities, or their logarithms if `log_target`.
        reduction: "batchmean" divides the sum by the first size, which is the divergence of distributions; "mean",
            "sum" and "none" as for other losses.
    """
    if reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release."
        )
    kind = check_reduction("sum" if reduction == "batchmean" else reduction)
    if not (input.dtype.is_floating_point and target.dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported. Convert them first, as in x.float().")
    loss = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    loss = reduce_loss(loss, kind)
    return loss / input.shape[0] if reduction == "batchmean" and input.ndim else loss
