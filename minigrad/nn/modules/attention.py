"""Multi-head attention, where each position of a sequence takes a weighted mean over all positions, and the encoder of
the transformer: layers of attention and a feed-forward network, each with a residual connection.

Queries, keys and values are made by three linear maps; each head scores every query against every key, q @ k.T, where a
mask may forbid some; the softmax of the scores gives the weights of the values; and a last linear map mixes the heads.
Vaswani et al., "Attention is all you need" (2017).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any

from minigrad import dtypes
from minigrad.absent import takes_left_out
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.activation import Dropout
from minigrad.nn.modules.container import ModuleList
from minigrad.nn.modules.layer import Layer
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import LayerNorm
from minigrad.nn.parameter import empty_parameter
from minigrad.ops.pointwise.choices import where
from minigrad.tensor import Tensor, from_array

Mask = Tensor | None  # True where nothing may be looked at, or numbers to add to the scores


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
        key_padding_mask: Mask = None,
        need_weights: bool = True,
        attn_mask: Mask = None,
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
        batched = self._check_shapes(query, key, value)
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        key_padding_mask = _additive(key_padding_mask, "key_padding_mask", query.dtype)
        attn_mask = _additive(attn_mask, "attn_mask", query.dtype)
        to_itself = query is key is value
        if not batched:
            query, key, value = (each.unsqueeze(1) for each in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        length, batch = query.shape[:2]
        sources = key.shape[0]
        query, key, value = (
            part.view(*part.shape[:-1], self.num_heads, self.head_dim).permute(1, 2, 0, 3)
            for part in self._project(query, key, value, to_itself)
        )
        mask = self._joined_mask(length, sources, batch, key_padding_mask, attn_mask)
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

    def _joined_mask(self, targets: int, sources: int, batch: int, padding: Mask, mask: Mask) -> Mask:
        """What is added to the scores (batch, head, target, source), in a shape that broadcasts to theirs."""
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
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        dropout = self.dropout if self.training else 0.0
        if not need_weights:
            return F.scaled_dot_product_attention(query, key, value, mask, dropout), None
        scores = (query * math.sqrt(1.0 / self.head_dim)) @ key.transpose(-2, -1)
        weights = F.softmax(scores if mask is None else scores + mask, dim=-1)
        if dropout > 0.0:
            weights = F.dropout(weights, p=dropout)
        return weights @ value, weights

    def _check_shapes(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Whether there is a batch. AssertionError if the shapes do not fit."""
        rank = query.ndim
        if rank not in (2, 3):
            problem = f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        elif key.ndim != rank or value.ndim != rank:
            kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
            found = f"{key.ndim}-D and {value.ndim}-D tensors respectively"
            problem = f"For {kind} `query`, expected `key` and `value` to be {rank}-D but found {found}"
        elif query.shape[-1] != self.embed_dim:
            found = f"{query.shape[-1]}: the last size of the query"
            problem = f"was expecting embedding dimension of {self.embed_dim}, but got {found}"
        elif key.shape != value.shape:
            problem = f"key shape {key.shape} does not match value shape {value.shape}"
        else:
            return rank == 3
        raise AssertionError(problem)


def _additive(mask: Mask, name: str, kind: Any) -> Mask:
    """A mask as numbers to add to the scores: -inf where it is True."""
    if mask is None or mask.dtype.is_floating_point:
        return mask
    if mask.dtype is not dtypes.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    forbidden, allowed = (from_array(kind.numpy.type(number)) for number in ("-inf", 0))
    return where(mask, forbidden, allowed)


class TransformerEncoderLayer(Layer):
    """Attention of a sequence to itself, then two linear layers at each position, both with a residual connection.

    Args:
        d_model: features of each position.
        nhead: heads of the attention.
        dim_feedforward: features between the two linear layers.
        dropout: the probability of dropout behind each step.
        activation: the function between the linear layers: "relu", "gelu" or a function.
        layer_norm_eps: eps of the layer norms.
        batch_first: sequences are (batch, position, feature) instead of (position, batch, feature).
        norm_first: normalize the input of each block instead of the sum after it.
        bias: whether linear layers and layer norms have a bias.
    """

    _shown = ()
    d_model: int
    nhead: int
    dim_feedforward: int = 2048
    dropout: Any = 0.1
    activation: Any = F.relu
    layer_norm_eps: float = 1e-5
    batch_first: bool = False
    norm_first: bool = False
    bias: bool = True

    def _set_up(self, dropout: float, activation: Any, bias: bool, device: Any, dtype: Any) -> None:
        size, eps, place = self.d_model, self.layer_norm_eps, {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(size, self.nhead, dropout, bias, batch_first=self.batch_first, **place)
        self.linear1 = Linear(size, self.dim_feedforward, bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(self.dim_feedforward, size, bias, **place)
        self.norm1 = LayerNorm(size, eps, bias=bias, **place)
        self.norm2 = LayerNorm(size, eps, bias=bias, **place)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = getattr(F, activation)
        self.activation = activation

    def forward(
        self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool = False
    ) -> Tensor:
        def attention(x: Tensor) -> Tensor:
            attended, _ = self.self_attn(
                x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False,
                is_causal=is_causal,
            )  # fmt: skip
            return self.dropout1(attended)

        def feed_forward(x: Tensor) -> Tensor:
            return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        return self._add(self._add(src, self.norm1, attention), self.norm2, feed_forward)

    def _add(self, x: Tensor, norm: Module, block: Callable[[Tensor], Tensor]) -> Tensor:
        """The residual connection: x plus the block's output, normalized before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))


@takes_left_out
class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after the other, then `norm` if it is given.

    (`enable_nested_tensor` does nothing: in PyTorch it is about speed, and programs turn it off against a warning.)
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None, enable_nested_tensor: Any = True) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, src: Tensor, mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool | None = None
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)
