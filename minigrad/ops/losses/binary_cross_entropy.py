"""Losses for yes or no: binary cross entropy, from probabilities or from scores.

The gradient towards the score is the probability less the target. It is computed from the score itself, for the
logarithm of a probability close to 0 has lost its digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, size_mismatch
from minigrad.ops.losses.reduction import (
    check_reduction,
    element_gradient,
    promote_floating,
    reduce_elements,
)
from minigrad.ops.operands import floats_only
from minigrad.public import checked
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    constants=("weight",),
    self=lambda F, g, self, target, weight, reduction: (
        element_gradient(g, self, reduction)
        * weight
        * (self - target)
        / F.clamp_to_numbers((1 - self) * self, 1e-12, None)
    ),
    target=lambda F, g, self, weight, reduction: (
        element_gradient(g, self, reduction) * weight * (F.log(1 - self) - F.log(self))
    ),
)
def binary_cross_entropy(self: Array, target: Array, weight: Array, reduction: str) -> Array:
    """-(target * log(input) + (1 - target) * log(1 - input)) * weight, with logarithms of at least -100."""
    yes, no = np.maximum(np.log(self), -100), np.maximum(np.log1p(-self), -100)
    return reduce_elements((target * (no - yes) - no) * weight, reduction)


@op(
    name="BinaryCrossEntropyWithLogitsBackward0",
    constants=("weight", "pos_weight"),
    self=lambda F, g, self, target, weight, pos_weight, reduction: (
        element_gradient(g, self, reduction)
        * weight
        * ((1 + (pos_weight - 1) * target) * F.sigmoid(self) - pos_weight * target)
    ),
    target=lambda F, g, self, weight, pos_weight, reduction: (
        element_gradient(g, self, reduction) * weight * (F.logsigmoid(-self) - pos_weight * F.logsigmoid(self))
    ),
)
def binary_cross_entropy_with_logits(
    self: Array, target: Array, weight: Array, pos_weight: Array, reduction: str
) -> Array:
    """-(pos_weight * target * log(p) + (1 - target) * log(1 - p)) * weight for p = sigmoid(input), without overflow."""
    minus_log_p = np.log1p(np.exp(-np.abs(self))) + np.maximum(-self, 0)
    return reduce_elements(((1 - target) * self + (1 + (pos_weight - 1) * target) * minus_log_p) * weight, reduction)


# ---------------------------------------------------------------- as the learner calls them

_binary_cross_entropy = binary_cross_entropy
_binary_cross_entropy_with_logits = binary_cross_entropy_with_logits


@checked  # type: ignore[no-redef]
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
) -> Tensor:
    """-(target * log(input) + (1 - target) * log(1 - input)), for probabilities from 0 to 1.

    The logarithms are at least -100, so that the loss stays finite. `weight` broadcasts to the input; `reduction` as
    for `mse_loss`. From scores, `binary_cross_entropy_with_logits` is exact where probabilities are close to 0 or 1.
    """
    check_reduction(reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    floats_only("binary_cross_entropy", input._array)
    for other in (target, weight):
        if other is not None and other.dtype is not input.dtype:
            raise RuntimeError(f"Found dtype {other.dtype.tensor_type} but expected {input.dtype.tensor_type}")
    for name, array in (("input", input._array), ("target", target._array)):
        if array.size and not (np.min(array) >= 0 and np.max(array) <= 1):
            found = f"they reach from {np.min(array)} to {np.max(array)}"
            raise RuntimeError(f"all elements of {name} should be between 0 and 1: {found}")
    if weight is not None:
        for place, (own, other) in enumerate(zip(weight.shape[::-1], target.shape[::-1], strict=False), 1):
            if own != other and 1 not in (own, other):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {own} at -{place}! Mismatching argument at index 1 "
                    f"had {weight.size()}; but expected shape should be broadcastable to {list(target.shape)}"
                )
    return _binary_cross_entropy(input, target, _factor(input, weight), reduction)


@checked  # type: ignore[no-redef]
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed from the scores themselves: exact for large ones, too.

    `weight` and `pos_weight` (how much more a target of 1 counts) broadcast to the input; `reduction` as for
    `mse_loss`.
    """
    check_reduction(reduction)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    floats_only("log_sigmoid_cpu", input._array)
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input.dtype.tensor_type} can't be cast to the desired output type "
            f"{target.dtype.tensor_type}: convert the target first, as in target.float()"
        )
    input, target = promote_floating("log_sigmoid_cpu", input, target)
    factors = [_factor(input, given) for given in (weight, pos_weight)]
    return _binary_cross_entropy_with_logits(input, target, *factors, reduction)


def _factor(input: Tensor, given: Tensor | None) -> Tensor:
    """A factor for each element's loss: 1, unless it was given. RuntimeError if it does not broadcast to the input."""
    if given is None:
        return from_array(input._array.dtype.type(1))
    mismatch = size_mismatch("binary_cross_entropy", given.shape, input.shape)
    if mismatch is None and (shape := np.broadcast_shapes(given.shape, input.shape)) != input.shape:
        mismatch = f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}"
    if mismatch is not None:
        raise RuntimeError(mismatch)
    return given.to(input.dtype)
