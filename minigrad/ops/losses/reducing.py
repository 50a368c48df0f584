"""What all losses share: one loss for each element, their mean or their sum.

After this module a reader knows what the argument `reduction` means, and its older form `size_average` and `reduce`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.op import size_mismatch
from minigrad.tensor import Tensor, from_array


def how(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Which reduction is meant: "none", "mean" or "sum". `size_average` and `reduce` are its old form."""
    if size_average is not None or reduce is not None:
        averaged, summed = size_average is not False, reduce is not False
        reduction = "mean" if averaged and summed else "sum" if summed else "none"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: choose 'none', 'mean' or 'sum'")
    return reduction


def warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=frames_to_learner())


def reduced_tensor(loss: Tensor, reduction: str) -> Tensor:
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def of_one_size(input: Tensor, target: Tensor) -> tuple[Any, ...]:
    """Input and target broadcast, with a warning if they have to be."""
    if input.shape == target.shape:
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return broadcast(input, target)


def broadcast(*tensors: Tensor) -> tuple[Any, ...]:
    """Tensors expanded to the shape that all of them broadcast to."""
    shape: tuple[int, ...] = ()
    for tensor in tensors:
        mismatch = size_mismatch("a loss", shape, tensor.shape)
        if mismatch is not None:
            raise RuntimeError(mismatch)
        shape = np.broadcast_shapes(shape, tensor.shape)
    return tuple(tensor if tensor.shape == shape else tensor.expand(shape) for tensor in tensors)


def of_one_dtype(kernel: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
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
    return loss.sum() / weight.sum() if by_weight and reduction == "mean" else reduced_tensor(loss, reduction)


def one_beside(beside: Tensor) -> Tensor:
    return from_array(beside._array.dtype.type(1))
