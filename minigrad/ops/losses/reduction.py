"""What all losses share: one loss for each element, their mean or their sum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import warn
from minigrad.ops.operands import floats_only
from minigrad.ops.shapes.expanding import broadcast_tensors
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def check_reduction(reduction: str) -> str:
    """The reduction, if it is "none", "mean" or "sum"."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: choose 'none', 'mean' or 'sum'")
    return reduction


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
    input, target = input.to(kind), target.to(kind)
    floats_only(kernel, input._array)
    return input, target


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
