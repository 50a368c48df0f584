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
    one_like,
    promote_floating,
    reduce_elements,
)
from minigrad.public import checked
from minigrad.tensor import Tensor

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
    weight = one_like(input) if weight is None else _expand_weight(weight, target)
    return _binary_cross_entropy(input, target, weight, reduction)


def _expand_weight(weight: Tensor, target: Tensor) -> Tensor:
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
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{input.dtype.tensor_type}'")
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input.dtype.tensor_type} can't be cast to the desired output type "
            f"{target.dtype.tensor_type}: convert the target first, as in target.float()"
        )
    input, target = promote_floating("log_sigmoid_cpu", input, target)
    weights = []
    for given in (weight, pos_weight):
        mismatch = (
            None if given is None else size_mismatch("binary_cross_entropy_with_logits", given.shape, input.shape)
        )
        if mismatch is not None:
            raise RuntimeError(mismatch)
        weights.append(one_like(input) if given is None else given.to(input.dtype).expand(input.shape))
    return _binary_cross_entropy_with_logits(input, target, *weights, reduction)
