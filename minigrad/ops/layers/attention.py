"""Attention: each query's mean of the values, weighted by how well their keys fit: softmax(Q K^T / sqrt(E)) V.

A mask is applied to the scores before softmax.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.ops.layers.dropout import dropout
from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.pointwise.choices import where
from minigrad.ops.reductions.softmax import safe_softmax
from minigrad.ops.shapes.transposing import transpose
from minigrad.public import checked
from minigrad.tensor import Tensor, from_array


@checked
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
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
        enable_gqa: fewer heads (the third dimension from the end) of keys and values than of queries, each for several.

    Returns (..., L, Ev).
    """
    _check(query, key, value, attn_mask, is_causal)
    if dropout_p < 0 or dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if enable_gqa:
        key, value = (_for_each_head(heads, query) for heads in (key, value))
    size = query.shape[-1]
    factor = (1 / math.sqrt(size) if size else math.inf) if scale is None else scale
    scores = matmul(query * factor, transpose(key, -2, -1))
    if is_causal:
        attn_mask = from_array(np.tri(*scores.shape[-2:], dtype=np.bool_))
    if attn_mask is not None:
        looking = attn_mask.dtype is dtypes.bool
        scores = where(attn_mask, scores, -math.inf) if looking else scores + attn_mask
    return matmul(dropout(safe_softmax(scores), dropout_p), value)


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool) -> None:
    if query.dtype is not key.dtype or query.dtype is not value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{_c_name(query.dtype)} key.dtype: {_c_name(key.dtype)} and value.dtype: {_c_name(value.dtype)} instead."
        )
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if mask is not None and mask.dtype is not dtypes.bool and mask.dtype is not query.dtype:
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{_c_name(mask.dtype)} and  query.dtype: {_c_name(query.dtype)} instead."
        )
    if mask is not None and is_causal:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True: give one of them"
        )


def _c_name(kind: dtypes.dtype) -> str:
    """A dtype's name as PyTorch's messages here have it."""
    names: dict[Any, str] = {dtypes.float32: "float", dtypes.float64: "double", dtypes.int64: "long int"}
    return names.get(kind, kind.name)


def _for_each_head(heads: Tensor, query: Tensor) -> Tensor:
    """Keys or values (..., H, S, E), each repeated next to itself for as many heads as the query has."""
    own, wanted = heads.shape[-3], query.shape[-3]
    if wanted % own:
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query: {own} and {wanted}"
        )
    *batch, _, size, width = heads.shape
    return heads.unsqueeze(-3).expand(*batch, own, wanted // own, size, width).reshape(*batch, wanted, size, width)
