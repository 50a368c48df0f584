"""Losses with a margin: they pull some vectors or scores together and push others apart.

After this module a reader knows what a margin is: how much further apart is far enough, so that no more is to be
gained.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import tensor_operands
from minigrad.ops.losses.distance import pairwise_distance
from minigrad.ops.losses.reduction import read_reduction, reduce_loss
from minigrad.ops.pointwise.bounds import clamp_min, minimum
from minigrad.ops.pointwise.choice import where
from minigrad.ops.pointwise.comparison import eq, ne
from minigrad.ops.pointwise.powers import sqrt
from minigrad.tensor import Tensor, from_array


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """For distances: input itself where the target is 1, max(0, margin - input) where it is -1."""
    reduction = read_reduction(size_average, reduce, reduction)
    input, target = tensor_operands("hinge_embedding_loss", input, target)
    apart = where(ne(target, 1), clamp_min(margin - input, 0), 0)
    return reduce_loss(apart + where(ne(target, -1), input, 0), reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin - target * (input1 - input2)): a target of 1 asks for input1 to be larger, -1 for input2."""
    reduction = read_reduction(size_average, reduce, reduction)
    input1, input2 = tensor_operands("margin_ranking_loss", input1, input2)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return reduce_loss(clamp_min(-target * (input1 - input2) + margin, 0), reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1, for vectors (N, D) or (D,)."""
    reduction = read_reduction(size_average, reduce, reduction)
    input1, input2 = tensor_operands("cosine_embedding_loss", input1, input2)
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim == 1 and not input1.ndim == input2.ndim == 2:
        raise RuntimeError(
            f"1D target tensor expects 2D input tensors, but found inputs with sizes {list(input1.shape)} and "
            f"{list(input2.shape)}."
        )
    if target.ndim == 0 and not input1.ndim == input2.ndim == 1:
        raise RuntimeError(
            f"0D target tensor expects 1D input tensors, but found inputs with sizes {list(input1.shape)} and "
            f"{list(input2.shape)}."
        )
    lengths = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = (input1 * input2).sum(-1) / sqrt(lengths)
    loss = where(eq(target, 1), 1 - cosine, 0) + where(eq(target, -1), clamp_min(cosine - margin, 0), 0)
    return reduce_loss(loss, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin + distance(anchor, positive) - distance(anchor, negative)), with `pairwise_distance`.

    `swap` measures from the positive instead of the anchor where that is closer to the negative. (Balntas and others,
    "Learning shallow convolutional feature descriptors with triplet losses", 2016.)
    """
    reduction = read_reduction(size_average, reduce, reduction)

    def distance(x1: Tensor, x2: Tensor) -> Tensor:
        return pairwise_distance(x1, x2, p, eps)

    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, margin=margin, swap=swap, reduction=reduction
    )


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any distance: a function of two tensors."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduce_loss(clamp_min(margin + near - far, 0), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """For scores (N, C) or (C,): max(0, margin - score of the right class + score)^p of each other class, summed, / C.

    `weight` (C,) says how much each right class counts.
    """
    reduction = read_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    input, target = tensor_operands("multi_margin_loss", input, target)
    classes, batch = input.shape[-1], input.shape[:-1]
    if target.numel() != (batch[0] if batch else 1) or target.ndim > 1:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size {list(batch)}, but got {list(target.shape)}. Input has shape "
            f"{list(input.shape)}."
        )
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.dtype is not dtypes.int64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.tensor_type}")
    chosen: Any = target._array.reshape(batch)
    if np.any((chosen < 0) | (chosen >= classes)):
        raise RuntimeError(f"target out of range: there are {classes} classes, from 0 on")
    right = from_array(chosen[..., np.newaxis] == np.arange(classes))
    score = where(right, input, 0).sum(-1, True)
    short = where(right, 0, clamp_min(margin - score + input, 0))
    short = short * short if p == 2 else short
    if weight is not None:
        short = short * from_array(weight._array[chosen][..., np.newaxis])
    return reduce_loss(short.sum(-1) / classes, reduction)
