"""Distances of points from points: cdist.

After this module a reader knows how all distances between two sets of points come from one matrix product, and that the
gradient of a distance points from one point to the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.matrices.matmul import require_tensors
from minigrad.ops.matrices.norms import vector_norm
from minigrad.ops.pointwise.arithmetic import sub
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def _toward_others(F: Any, g: Any, points: Any, others: Any, result: Any) -> Any:
    """The gradient of distances for the points they are from: towards each other point, 0 for a point that is there."""
    share = F.where(result == 0, 0, g / F.where(result == 0, 1, result))
    return points * F.sum_dims(share, (share.ndim - 1,), True) - share @ others


@op(
    name="CdistBackward0",
    self=lambda F, g, self, other, result: _toward_others(F, g, self, other, result),
    other=lambda F, g, self, other, result: _toward_others(F, g.mT, other, self, result.mT),
)
def euclidean_distances(self: Array, other: Array, by_product: bool) -> Array:
    """The distances of all rows of one matrix from all rows of another.

    `by_product`: by |x - y|² = x·x - 2 x·y + y·y, a matrix product, which is fast but loses digits of small distances.
    """
    if not by_product:
        difference = self[..., :, None, :] - other[..., None, :, :]
        return np.sqrt((difference * difference).sum(-1))
    squares = [(points * points).sum(-1) for points in (self, other)]
    squared = squares[0][..., :, None] + squares[1][..., None, :] - 2 * (self @ other.mT)
    return np.sqrt(np.maximum(squared, 0))


# ---------------------------------------------------------------- as the learner calls it


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distances of all rows of `x1` from all rows of `x2`: (…, n, d) and (…, m, d) give (…, n, m).

    Args:
        p: which norm of the differences.
        compute_mode: "use_mm_for_euclid_dist" or "donot_use_mm_for_euclid_dist": whether a matrix product computes
            Euclidean distances. It is faster, and less exact for near points; unless said, used for more than 25 rows.
    """
    require_tensors("cdist", x1=x1, x2=x2)
    for name, points in (("X1", x1), ("X2", x2)):
        if not points.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {points.dtype.tensor_type}")
        if points.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {points.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode: choose one of {', '.join(modes)}")
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {x1.dtype.tensor_type} but found {x2.dtype.tensor_type}")
    lead = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    if p != 2:
        return vector_norm(sub(x1.unsqueeze(-2), x2.unsqueeze(-3)), p, -1)
    x1, x2 = (x if x.shape[:-2] == lead else x.expand(*lead, *x.shape[-2:]) for x in (x1, x2))
    many = compute_mode == modes[0] and max(x1.shape[-2], x2.shape[-2]) > 25
    return euclidean_distances(x1, x2, many or compute_mode == modes[1])
