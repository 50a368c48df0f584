"""Losses for whole distributions: Kullback and Leibler's divergence, and the likelihood of counts and of numbers.

After this module a reader knows how a loss follows from a distribution: it is minus the logarithm of the probability
that the model gives to the target.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.op import tensor_operands
from minigrad.ops.losses.reduction import read_reduction, reduce_loss, warn
from minigrad.ops.places.masks import masked_fill
from minigrad.ops.pointwise.bounds import clamp
from minigrad.ops.pointwise.exponential import exp, log, xlogy
from minigrad.tensor import Tensor, from_array


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
    kind = read_reduction(size_average, reduce, "sum" if reduction == "batchmean" else reduction)
    if not (input.dtype.is_floating_point and target.dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported. Convert them first, as in x.float().")
    loss = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    loss = reduce_loss(loss, kind)
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
    reduction = read_reduction(size_average, reduce, reduction)
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        stirling = target * log(target) - target + 0.5 * log(2 * math.pi * target)
        loss = loss + masked_fill(stirling, target <= 1, 0.0)
    return reduce_loss(loss, reduction)


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
    return reduce_loss(loss, reduction)
