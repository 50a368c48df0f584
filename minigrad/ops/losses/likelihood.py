"""Losses that say how improbable the target is to the model: cross entropy and its relatives.

After this module a reader knows that cross entropy is `log_softmax`, then minus the entry of the right class, averaged:
so it takes raw scores, and class numbers (or a probability for each class).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.grad_mode import no_grad
from minigrad.op import tensor_operands
from minigrad.ops.losses.costs import Chosen, nll_of_maps, nll_of_rows
from minigrad.ops.losses.reducing import how, reduced_tensor, warn
from minigrad.ops.places.masks import masked_fill
from minigrad.ops.pointwise.bounds import clamp
from minigrad.ops.pointwise.comparison import eq
from minigrad.ops.pointwise.exponential import exp, log, xlogy
from minigrad.ops.reductions.softmax import log_softmax
from minigrad.tensor import Tensor, from_array


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log-likelihood: minus the entry of the target's class.

    Args:
        input: log-probabilities of C classes, (N, C), (C,) or (N, C, d1, ...).
        target: class numbers, int64, of the input's shape without C.
        weight: (C,), how much each class counts; the mean is then over the sum of the targets' weights.
        ignore_index: a target that counts nothing.
        reduction: "mean" or "sum" of all targets, or "none" for a loss for each.
    """
    input, target = tensor_operands("nll_loss_nd", input, target)
    reduction = how(size_average, reduce, reduction)
    _check_classes(input, target, weight)
    chosen = _choose(input, target, weight, ignore_index)
    if input.ndim < 3:
        return nll_of_rows(input, chosen, reduction)
    if input.ndim == 4:
        return nll_of_maps(input, chosen, reduction)
    flat = chosen._replace(
        classes=chosen.classes.reshape(target.shape[0], 1, -1),
        weights=None if chosen.weights is None else chosen.weights.reshape(target.shape[0], 1, -1),
        ignored=None if chosen.ignored is None else chosen.ignored.reshape(target.shape[0], 1, -1),
    )
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


def _choose(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> Chosen:
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
        return Chosen(classes, None, ignored, total)
    weights = weight._array[classes]
    if ignored is not None:
        weights = np.where(ignored, weights.dtype.type(0), weights)
    return Chosen(classes, weights, ignored, weights.sum())


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
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
    input, target = tensor_operands("cross_entropy_loss", input, target)
    reduction = how(size_average, reduce, reduction)
    dim = 0 if input.ndim == 1 else 1
    if target.shape == input.shape:
        return _of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, dim)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    logs = log_softmax(input, dim)
    loss = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing <= 0:
        return loss
    smooth = -(logs if weight is None else logs * _beside(weight, logs, dim)).sum(dim)
    ignored = eq(target, ignore_index)
    smooth = masked_fill(smooth, ignored.reshape(smooth.shape), 0.0)
    if reduction == "mean":
        smooth = smooth.sum() / _choose(input, target, weight, ignore_index).total
    elif reduction == "sum":
        smooth = smooth.sum()
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / input.shape[dim])


def _beside(weight: Tensor, input: Tensor, dim: int) -> Tensor:
    """A weight for each class in a shape that broadcasts with the input."""
    return weight.view([size if i == dim else 1 for i, size in enumerate(input.shape)])


def _of_probabilities(
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
    logs = log_softmax(input, dim)
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    products = logs * target
    if weight is not None:
        products = products * _beside(weight, input, dim)
    if reduction == "mean":
        return -products.sum() / (input.numel() / classes if classes else 0)
    return -products.sum() if reduction == "sum" else -products.sum(dim)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The divergence of Kullback and Leibler: target * (log(target) - input), where input is log-probabilities.

    Args:
        target: probabilities, or their logarithms if `log_target`.
        reduction: "batchmean" divides the sum by the first size, which is the divergence of distributions; "mean",
            "sum" and "none" as for other losses.
    """
    input, target = tensor_operands("kl_div", input, target)
    if reduction == "mean" and size_average is None and reduce is None:
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release."
        )
    kind = how(size_average, reduce, "sum" if reduction == "batchmean" else reduction)
    if not (input.dtype.is_floating_point and target.dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported. Convert them first, as in x.float().")
    loss = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    loss = reduced_tensor(loss, kind)
    return loss / input.shape[0] if reduction == "batchmean" and input.ndim else loss


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How improbable counts are if they come from a Poisson distribution: rate - target * log(rate).

    Args:
        input: the logarithm of the rate, or the rate itself if not `log_input` (`eps` is added before its logarithm).
        full: add Stirling's formula for log(target!), which does not depend on the input, for targets above 1.
    """
    input, target = tensor_operands("poisson_nll_loss", input, target)
    reduction = how(size_average, reduce, reduction)
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        stirling = target * log(target) - target + 0.5 * log(2 * math.pi * target)
        loss = loss + masked_fill(stirling, target <= 1, 0.0)
    return reduced_tensor(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """How improbable targets are if they come from normal distributions: (log(var) + (input - target)² / var) / 2.

    Args:
        input: the means.
        var: the variances, of the input's shape or with 1 (or nothing) for the last size; or one number. At least
            `eps` is taken, without changing the gradient.
        full: add log(2 pi) / 2, which does not depend on the input.
    """
    input, target = tensor_operands("gaussian_nll_loss", input, target)
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = from_array(np.full(input.shape, var, input._array.dtype))
    (var,) = tensor_operands("any", var)
    if np.any(var._array < 0):
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        different = [own for size, own in zip(input.shape, var.shape, strict=False) if size != own]
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(different) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid: choose 'none', 'mean' or 'sum'")
    with no_grad():
        raised = clamp(var, min=eps) - var
    var = var + raised  # the clamped numbers, but with the gradient of the variance itself
    loss = 0.5 * (log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced_tensor(loss, reduction)
