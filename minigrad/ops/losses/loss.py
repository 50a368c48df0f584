"""Losses, as the learner calls them: how far an output is from its target, as one number.

After this module a reader knows the losses that compare numbers with numbers, or probabilities with yes and no. Their
costs, with the derivatives, are in `costs.py`. The losses that are likelihoods, cross entropy first, are in
`likelihood.py`, those that compare vectors with one another in `contrast.py`.
"""

from __future__ import annotations

import numpy as np

from minigrad.op import size_mismatch, tensor_operands
from minigrad.ops.losses import costs
from minigrad.ops.losses.contrast import (
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    pairwise_distance,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from minigrad.ops.losses.likelihood import cross_entropy, gaussian_nll_loss, kl_div, nll_loss, poisson_nll_loss
from minigrad.ops.losses.reducing import (
    broadcast,
    how,
    of_one_dtype,
    of_one_size,
    one_beside,
    reduced_tensor,
    weighted_loss,
)
from minigrad.ops.pointwise.signs import abs
from minigrad.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "pairwise_distance",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


# ---------------------------------------------------------------- distances from a target


def mse_loss(
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
    input, target = of_one_size(*tensor_operands("mse_loss", input, target))
    if weight is not None:
        kind = reduction if size_average is None and reduce is None else how(size_average, reduce, reduction)
        return weighted_loss((input - target) ** 2, weight, input, kind)
    reduction = how(size_average, reduce, reduction)
    return costs.mse_loss(*of_one_dtype("mse_cpu", input, target), reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference |input - target|. The arguments are those of `mse_loss`."""
    input, target = of_one_size(*tensor_operands("l1_loss", input, target))
    if weight is not None:
        kind = reduction if size_average is None and reduce is None else how(size_average, reduce, reduction)
        return weighted_loss(abs(input - target), weight, input, kind)
    return reduced_tensor(abs(input - target), how(size_average, reduce, reduction))


def smooth_l1_loss(
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
    input, target = of_one_size(*tensor_operands("smooth_l1_loss", input, target))
    reduction = how(size_average, reduce, reduction)
    if beta == 0:
        return reduced_tensor(abs(input - target), reduction)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got: {beta}")
    return costs.smooth_l1_loss(*of_one_dtype("smooth_l1_cpu", input, target), reduction, float(beta))


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """delta * (|difference| - delta / 2), and difference² / 2 where |difference| is below `delta`.

    The other arguments are those of `mse_loss`; with a weight the mean is over the number of elements.
    """
    input, target = of_one_size(*tensor_operands("huber_loss", input, target))
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got: {delta}")
    kind = input.dtype
    input, target = of_one_dtype("huber_cpu", input, target)
    if weight is None:
        loss = costs.huber_loss(input, target, how(None, None, reduction), float(delta))
    else:
        loss = costs.huber_loss(input, target, "none", float(delta))
        loss = weighted_loss(loss, weight, input, reduction, by_weight=False)
    return loss.to(kind) if kind.is_floating_point else loss


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-input * target)), for targets of 1 and -1. `reduction` as for `mse_loss`."""
    reduction = how(size_average, reduce, reduction)
    input, target = broadcast(*tensor_operands("soft_margin_loss", input, target))
    if target.requires_grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This input "
            "cannot have requires_grad True."
        )
    return costs.soft_margin_loss(*of_one_dtype("soft_margin", input, target), reduction)


# ---------------------------------------------------------------- of two classes


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target * log(input) + (1 - target) * log(1 - input)), for probabilities from 0 to 1.

    The logarithms are at least -100, so that the loss stays finite. `weight` broadcasts to the input; `reduction` as
    for `mse_loss`. From scores, `binary_cross_entropy_with_logits` is exact where probabilities are close to 0 or 1.
    """
    reduction = how(size_average, reduce, reduction)
    input, target = tensor_operands("binary_cross_entropy", input, target)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    kind = input.dtype
    if not kind.is_floating_point:
        raise NotImplementedError(f"\"binary_cross_entropy\" not implemented for '{kind.tensor_type}'")
    for other in (target, weight):
        if other is not None and other.dtype is not kind:
            raise RuntimeError(f"Found dtype {other.dtype.tensor_type} but expected {kind.tensor_type}")
    for name, tensor in (("input", input), ("target", target)):
        array = tensor._array
        if array.size and not (np.min(array) >= 0 and np.max(array) <= 1) and not np.all(np.isnan(array)):
            raise RuntimeError(
                f"all elements of {name} should be between 0 and 1: they reach from {np.min(array)} to {np.max(array)}"
            )
    if weight is None:
        weight = one_beside(input)
    else:
        weight = _fitting_weight(weight, target)
    return costs.binary_cross_entropy(input, target, weight, reduction)


def _fitting_weight(weight: Tensor, target: Tensor) -> Tensor:
    try:
        fits = np.broadcast_shapes(weight.shape, target.shape) == target.shape
    except ValueError:
        fits = False
    if not fits:
        lengths = zip(weight.shape[::-1], (*target.shape[::-1], *[1] * weight.ndim), strict=False)
        place, length = next((i, own) for i, (own, other) in enumerate(lengths, 1) if own not in (1, other))
        raise RuntimeError(
            f"Attempting to broadcast a dimension of length {length} at -{place}! Mismatching argument at index 1 had "
            f"{weight.size()}; but expected shape should be broadcastable to {list(target.shape)}"
        )
    return weight.expand(target.shape)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed from the scores themselves: exact for large ones, too.

    `weight` and `pos_weight` (how much more a target of 1 counts) broadcast to the input; `reduction` as for
    `mse_loss`.
    """
    reduction = how(size_average, reduce, reduction)
    input, target = tensor_operands("binary_cross_entropy_with_logits", input, target)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{input.dtype.tensor_type}'")
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input.dtype.tensor_type} can't be cast to the desired output type "
            f"{target.dtype.tensor_type}: convert the target first, as in target.float()"
        )
    input, target = of_one_dtype("log_sigmoid_cpu", input, target)
    weights = []
    for given in (weight, pos_weight):
        mismatch = (
            None if given is None else size_mismatch("binary_cross_entropy_with_logits", given.shape, input.shape)
        )
        if mismatch is not None:
            raise RuntimeError(mismatch)
        weights.append(one_beside(input) if given is None else given.to(input.dtype).expand(input.shape))
    return costs.binary_cross_entropy_with_logits(input, target, *weights, reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`binary_cross_entropy_with_logits`, averaged over the classes (the last dimension) before the reduction."""
    if size_average is not None or reduce is not None:
        reduction = how(size_average, reduce, reduction)
    input, target = broadcast(*tensor_operands("multilabel_soft_margin_loss", input, target))
    loss = binary_cross_entropy_with_logits(input, target.to(input.dtype), reduction="none")
    loss = (loss if weight is None else loss * weight).sum(-1) / input.shape[-1]
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return reduced_tensor(loss, reduction)
