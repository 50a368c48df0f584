"""Attention: each query's mean of the values, weighted by how well their keys fit: softmax(Q K^T / sqrt(E)) V.

A mask is applied to the scores before softmax.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.namespaces import tensors
from minigrad.half_precision import in_float32
from minigrad.ops.layers.dropout import dropout
from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.pointwise.choices import where
from minigrad.ops.reductions.softmax import safe_softmax
from minigrad.ops.shapes.transposing import transpose
from minigrad.public import with_checks
from minigrad.tensor import Tensor, from_array


@with_checks
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query @ key^T * scale + mask) @ value. (Vaswani and others, "Attention Is All You Need", 2017.)

    Args:
        query: (..., L, E): L queries of E numbers.
        key, value: (..., S, E) and (..., S, Ev).
        attn_mask: broadcasts to (..., L, S); bools, True where a query may look, or numbers to add to the scores. A
            query that may look nowhere gets zeros.
        dropout_p: the probability to drop a weight. (Give 0 in evaluation: there is no `training` here.)
        is_causal: each query may look at the keys up to its own place only.
        scale: 1 / sqrt(E) unless given.

    Returns (..., L, Ev).
    """
    _check(query, key, value, attn_mask, is_causal)
    if dropout_p < 0 or dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    attend = _attend_in_half if query.dtype is dtypes.float16 else _attend
    return attend(query, key, value, attn_mask, dropout_p, is_causal, scale)


def _attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool, scale: Any
) -> Tensor:
    size = query.shape[-1]
    factor = (1 / math.sqrt(size) if size else math.inf) if scale is None else scale
    scores = matmul(query * factor, transpose(key, -2, -1))
    if is_causal:
        mask = from_array(np.tri(*scores.shape[-2:], dtype=np.bool_))
    if mask is not None:
        scores = where(mask, scores, -math.inf) if mask.dtype is dtypes.bool else scores + mask
    return matmul(dropout(safe_softmax(scores), dropout_p), value)


_attend_in_half = in_float32(_attend, tensors)  # one kernel in PyTorch, so that none of its steps is rounded


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool) -> None:
    kinds = [each.dtype.c_name for each in (query, key, value)]
    if len(set(kinds)) > 1:
        found = "query.dtype: {} key.dtype: {} and value.dtype: {} instead.".format(*kinds)
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got {found}")
    if min(query.ndim, key.ndim, value.ndim) < 2:
        found = f"query.dim: {query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        raise RuntimeError(f"Expected query, key, and value to all be  at least 2 dimensional, but got {found}")
    if mask is not None and mask.dtype not in (dtypes.bool, dtypes.float32, query.dtype):
        found = f"attn_mask.dtype: {mask.dtype.c_name} and  query.dtype: {kinds[0]} instead."
        raise RuntimeError(f"Expected attn_mask dtype to be bool or float or to match query dtype, but got {found}")
    if mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
