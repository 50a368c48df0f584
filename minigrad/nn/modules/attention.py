"""Multi-head attention: each position of a sequence takes a weighted mean over all positions.

Queries, keys and values are made by three linear maps; each head scores every query against every key, q @ k.T, where a
mask may forbid some; the softmax of the scores gives the weights of the values; and a last linear map mixes the heads.
Vaswani et al., "Attention is all you need" (2017).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY
from typing import Any

from minigrad import dtypes, functions
from minigrad.autograd.blame import frames_to_learner
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer
from minigrad.nn.modules.linear import Linear
from minigrad.nn.parameter import empty_parameter
from minigrad.tensor import Tensor, from_array


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear, by the name that PyTorch prints for the output map of attention."""


class MultiheadAttention(Layer):
    """softmax(q @ k.T / sqrt(head_dim)) @ v for each of `num_heads` heads, which have embed_dim / num_heads features.

    Args:
        embed_dim: features of the queries and of the output; a multiple of num_heads.
        dropout: the probability with which an attention weight is set to 0 in training.
        bias: whether the linear maps have a bias.
        batch_first: sequences are (batch, position, feature) instead of (position, batch, feature).

    ValueError or AssertionError for sizes that are not positive or do not divide.
    """

    _shown = ()
    embed_dim: int
    num_heads: int
    dropout: float = 0.0
    bias: Any = True
    _: KW_ONLY
    batch_first: bool = False
    device: Any = None
    dtype: Any = None

    def _set_up(self, bias: bool, device: Any, dtype: Any) -> None:
        size, heads = self.embed_dim, self.num_heads
        if size <= 0 or heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={size} and num_heads={heads} instead"
            )
        if size % heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.head_dim = size // heads
        self.in_proj_weight = empty_parameter((3 * size, size), device, dtype)  # one weight for the three maps
        self.register_parameter("in_proj_bias", empty_parameter((3 * size,), device, dtype) if bias else None)
        self.out_proj: Any = NonDynamicallyQuantizableLinear(size, size, bias, device, dtype)
        init.xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output, of the query's shape, and the attention weights (batch, target, source), or None.

        Target is a position of the query; source is a position of key and value.

        Args:
            query, key, value: (position, batch, feature), or (batch, position, feature) with batch_first, or
                (position, feature) without a batch.
            key_padding_mask: (batch, source), True where the source is padding; or numbers to add to the scores.
            need_weights: return the attention weights. Without them, scaled_dot_product_attention computes the output.
            attn_mask: (target, source), or (batch * heads, target, source), True where the target may not look at the
                source; or numbers to add to the scores.
            average_attn_weights: return the mean weights of the heads; otherwise (batch, head, target, source).
            is_causal: a hint that attn_mask forbids every target the later sources; needs attn_mask.

        AssertionError or RuntimeError for shapes that do not fit.
        """
        batched = self._check_shapes(query, key, value, key_padding_mask, attn_mask)
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        key_padding_mask = _additive(key_padding_mask, "key_padding_mask", query.dtype, attn_mask)
        attn_mask = _additive(attn_mask, "attn_mask", query.dtype, None)
        to_itself = query is key is value
        if not batched:
            query, key, value = (each.unsqueeze(1) for each in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        length, batch = query.shape[:2]
        sources = key.shape[0]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, self.head_dim)).permute(1, 2, 0, 3)
            for part in self._project(query, key, value, to_itself)
        )
        mask = self._joined_mask((length, sources, batch), key_padding_mask, attn_mask)
        output, weights = self._attend(query, key, value, mask, need_weights)
        output = self.out_proj(output.permute(2, 0, 1, 3).reshape(length * batch, self.embed_dim))
        output = output.view(length, batch, self.embed_dim)
        if weights is not None and average_attn_weights:
            weights = weights.mean(dim=1)
        if not batched:
            return output.squeeze(1), None if weights is None else weights.squeeze(0)
        return (output.transpose(0, 1) if self.batch_first else output), weights

    def _project(self, query: Tensor, key: Tensor, value: Tensor, to_itself: bool) -> Any:
        """The three linear maps."""
        if to_itself:  # one product instead of three
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return map(F.linear, (query, key, value), self.in_proj_weight.chunk(3), biases)

    def _joined_mask(self, sizes: tuple[int, int, int], padding: Tensor | None, mask: Tensor | None) -> Tensor | None:
        """What is added to the scores (batch, head, target, source), in a shape that broadcasts to theirs."""
        targets, sources, batch = sizes
        if padding is not None:
            if padding.shape != (batch, sources):
                raise AssertionError(f"expecting key_padding_mask shape of {(batch, sources)}, but got {padding.shape}")
            padding = padding.view(batch, 1, 1, sources)
        if mask is not None:
            wanted = (targets, sources) if mask.ndim == 2 else (batch * self.num_heads, targets, sources)
            if mask.shape != wanted:
                raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {wanted}.")
            mask = mask if mask.ndim == 2 else mask.view(batch, self.num_heads, targets, sources)
        return padding if mask is None else mask if padding is None else mask + padding

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        dropout = self.dropout if self.training else 0.0
        if not need_weights:
            return F.scaled_dot_product_attention(query, key, value, mask, dropout), None
        scores = (query * math.sqrt(1.0 / self.head_dim)) @ key.transpose(-2, -1)
        weights = F.softmax(scores if mask is None else scores + mask, dim=-1)
        if dropout > 0.0:
            weights = F.dropout(weights, p=dropout)
        return weights @ value, weights

    def _check_shapes(
        self, query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None
    ) -> bool:
        """Whether there is a batch. AssertionError if the shapes do not fit."""
        rank = query.ndim
        expected = f"For {'batched (3-D)' if rank == 3 else 'unbatched (2-D)'} `query`, expected"
        if rank not in (2, 3):
            problem = f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        elif key.ndim != rank or value.ndim != rank:
            found = f"{key.ndim}-D and {value.ndim}-D tensors respectively"
            problem = f"{expected} `key` and `value` to be {rank}-D but found {found}"
        elif padding is not None and padding.ndim != rank - 1:
            found = f"{padding.ndim}-D tensor instead"
            problem = f"{expected} `key_padding_mask` to be `None` or {rank - 1}-D but found {found}"
        elif mask is not None and mask.ndim not in (2, 3):
            problem = f"{expected} `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead"
        elif query.shape[-1] != self.embed_dim:
            found = f"{query.shape[-1]}: the last size of the query"
            problem = f"was expecting embedding dimension of {self.embed_dim}, but got {found}"
        elif key.shape != value.shape:
            problem = f"key shape {key.shape} does not match value shape {value.shape}"
        else:
            return rank == 3
        raise AssertionError(problem)


def _additive(mask: Tensor | None, name: str, kind: Any, other: Tensor | None) -> Tensor | None:
    """A mask as numbers to add to the scores: -inf where it is True."""
    if mask is None or mask.dtype.is_floating_point:
        numbers = mask
    elif mask.dtype is dtypes.bool:
        forbidden = from_array(kind.numpy.type("-inf"))
        numbers = functions.where(mask, forbidden, from_array(kind.numpy.type(0)))
    else:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if mask is not None and other is not None and mask.dtype is not other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and attn_mask is deprecated. Use same type for both instead.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    return numbers
