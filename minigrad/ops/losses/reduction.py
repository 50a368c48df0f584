"""What all losses share: one loss for each element, their mean or their sum."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.ops.shapes.expanding import broadcast_tensors
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def check_reduction(reduction: str) -> str:
    """The reduction, if it is "none", "mean" or "sum"."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: choose 'none', 'mean' or 'sum'")
    return reduction


def warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=frames_to_learner())


def reduce_loss(loss: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of a loss for each element, or that as it is."""
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def broadcast_with_warning(input: Tensor, target: Tensor) -> tuple[Any, ...]:
    """Input and target broadcast, with a warning if they have to be."""
    if input.shape == target.shape:
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return tuple(broadcast_tensors(input, target))


def promote_floating(kernel: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target in the dtype that both promote to; an error that names `kernel` if that is not floating."""
    kind = dtypes.promote(input._array, target._array)
    if not kind.is_floating_point:
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{kind.tensor_type}': convert one, as in x.float()"
        )
    return input.to(kind), target.to(kind)


def weighted_loss(loss: Tensor, weight: Tensor, input: Tensor, reduction: str, by_weight: bool = True) -> Tensor:
    """The loss of each element times its weight, reduced; for the mean over the sum of the weights."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    return loss.sum() / weight.sum() if by_weight and reduction == "mean" else reduce_loss(loss, reduction)


def one_like(input: Tensor) -> Tensor:
    """The number 1 in an input's dtype, for a weight that was not given."""
    return from_array(input._array.dtype.type(1))


# ---------------------------------------------------------------- in kernels and their rules


def reduce_elements(losses: Array, reduction: str) -> Array:
    """The losses, their sum or their mean."""
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, axis=None)
    return total if reduction == "sum" else total / losses.size


def element_gradient(g: Any, self: Any, reduction: str) -> Any:
    """The gradient that reaches each element's loss."""
    return g / max(math.prod(self.shape), 1) if reduction == "mean" else g
