"""Losses for whole distributions: Kullback and Leibler's divergence, and the likelihood of counts and of numbers.

After this module a reader knows how a loss follows from a distribution: it is minus the logarithm of the probability
that the model gives to the target.
"""

from __future__ import annotations

from minigrad.op import tensor_operands
from minigrad.ops.losses.reduction import read_reduction, reduce_loss, warn
from minigrad.ops.pointwise.powers import exp, xlogy
from minigrad.tensor import Tensor


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
