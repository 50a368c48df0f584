"""Multi-head attention: each position of a sequence takes a weighted mean over all positions.

After this module a reader knows the steps: queries, keys and values are made by three linear maps; each head scores
every query against every key, q @ k.T, where a mask may forbid some; the softmax of the scores gives the weights of the
values; and a last linear map mixes the heads. Vaswani et al., "Attention is all you need" (2017).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from minigrad import dtypes, functions
from minigrad.autograd.blame import frames_to_learner
from minigrad.creation.data import zeros
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor, from_array


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear, by the name that PyTorch prints for the output map of attention."""


class MultiheadAttention(Module):
    """softmax(q @ k.T / sqrt(head_dim)) @ v for each of `num_heads` heads, which have embed_dim / num_heads features.

    Args:
        embed_dim: features of the queries and of the output; a multiple of num_heads.
        dropout: the probability with which an attention weight is set to 0 in training.
        bias: whether the linear maps have a bias.
        add_bias_kv: append a learned key and value to each sequence.
        add_zero_attn: append a key and value of zeros.
        kdim, vdim: features of keys and values, by default embed_dim.
        batch_first: sequences are (batch, position, feature) instead of (position, batch, feature).

    ValueError or AssertionError for sizes that are not positive or do not divide.
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def register(name: str, wanted: bool, *size: int) -> None:
            self.register_parameter(name, empty_parameter(size, device, dtype) if wanted else None)

        joint = self._qkv_same_embed_dim  # one weight for the three maps
        register("in_proj_weight", joint, 3 * embed_dim, embed_dim)
        register("q_proj_weight", not joint, embed_dim, embed_dim)
        register("k_proj_weight", not joint, embed_dim, self.kdim)
        register("v_proj_weight", not joint, embed_dim, self.vdim)
        register("in_proj_bias", bias, 3 * embed_dim)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        register("bias_k", add_bias_kv, 1, 1, embed_dim)
        register("bias_v", add_bias_kv, 1, 1, embed_dim)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

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
        batched = _check_shapes(self, query, key, value, key_padding_mask, attn_mask)
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        key_padding_mask = _additive(key_padding_mask, "key_padding_mask", query.dtype, attn_mask)
        attn_mask = _additive(attn_mask, "attn_mask", query.dtype, None)
        if batched and self.batch_first:
            if query is key is value:  # keep them one tensor, for which _project needs one product only
                query = key = value = query.transpose(0, 1)
            elif key is value:
                query, key = query.transpose(0, 1), key.transpose(0, 1)
                value = key
            else:
                query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
        elif not batched:
            query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        length, batch = query.shape[:2]
        heads = self._heads(query, key, value)
        mask = self._mask(length, key.shape[0], heads[1].shape[2], batch, key_padding_mask, attn_mask)
        output, weights = self._attend(*heads, mask, need_weights)
        output = self.out_proj(output.permute(2, 0, 1, 3).reshape(length * batch, self.embed_dim))
        output = output.view(length, batch, self.embed_dim)
        if weights is not None and average_attn_weights:
            weights = weights.mean(dim=1)
        if not batched:
            return output.squeeze(1), None if weights is None else weights.squeeze(0)
        return (output.transpose(0, 1) if self.batch_first else output), weights

    def _heads(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of each head: (batch, head, position, feature)."""
        parts = list(self._project(query, key, value))
        for index, extra in ((1, self.bias_k), (2, self.bias_v)):
            if extra is not None:
                parts[index] = functions.cat([parts[index], extra.expand(1, query.shape[1], self.embed_dim)])
        split = [part.unflatten(-1, (self.num_heads, self.head_dim)).permute(1, 2, 0, 3) for part in parts]
        if self.add_zero_attn:
            zero = zeros((*split[1].shape[:2], 1, self.head_dim), dtype=query.dtype)
            split[1:] = [functions.cat([part, zero], dim=2) for part in split[1:]]
        return split[0], split[1], split[2]

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        """The three linear maps."""
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        if self.in_proj_weight is None:
            weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        elif query is key is value:  # one product instead of three
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        else:
            weights = self.in_proj_weight.chunk(3)
        return map(F.linear, (query, key, value), weights, biases)

    def _mask(
        self, targets: int, given: int, sources: int, batch: int, padding: Tensor | None, mask: Tensor | None
    ) -> Tensor | None:
        """What is added to the scores (batch, head, target, source), in a shape that broadcasts to theirs."""
        heads = self.num_heads
        if padding is not None:
            if padding.shape != (batch, given):
                raise AssertionError(f"expecting key_padding_mask shape of {(batch, given)}, but got {padding.shape}")
            padding = padding.view(batch, 1, 1, given)
        if mask is not None:
            wanted = (targets, given) if mask.ndim == 2 else (batch * heads, targets, given)
            if mask.shape != wanted:
                raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {wanted}.")
            mask = mask if mask.ndim == 2 else mask.view(batch, heads, targets, given)
        joined = padding if mask is None else mask if padding is None else mask + padding
        if joined is not None and sources > given:  # what bias_k and add_zero_attn appended is never masked
            allowed = zeros((*joined.shape[:-1], sources - given), dtype=joined.dtype)
            joined = functions.cat([joined, allowed], dim=-1)
        return joined

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


def _check_shapes(
    module: MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    padding: Tensor | None,
    mask: Tensor | None,
) -> bool:
    """Whether there is a batch. AssertionError if the shapes do not fit."""
    rank = query.ndim
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    if key.ndim != rank or value.ndim != rank:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {rank}-D but found {key.ndim}-D and {value.ndim}-D "
            "tensors respectively"
        )
    if padding is not None and padding.ndim != rank - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {rank - 1}-D but found {padding.ndim}-D "
            "tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead"
        )
    if query.shape[-1] != module.embed_dim:
        raise AssertionError(
            f"was expecting embedding dimension of {module.embed_dim}, but got {query.shape[-1]}: the last size of the "
            "query"
        )
    if key.shape[:-1] != value.shape[:-1] or (module._qkv_same_embed_dim and key.shape != value.shape):
        if module._qkv_same_embed_dim:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    return rank == 3
