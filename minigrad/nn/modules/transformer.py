"""The transformer's encoder: layers of attention and a feed-forward network, each with a residual connection.

A layer normalizes the input of each block, or the sum after it, and drops out what a block adds. Vaswani et al.,
"Attention is all you need" (2017).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.modules.activation import Dropout
from minigrad.nn.modules.attention import MultiheadAttention
from minigrad.nn.modules.container import ModuleList
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import LayerNorm
from minigrad.tensor import Tensor


class TransformerEncoderLayer(Module):
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

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **place)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **place)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **place)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **place)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = getattr(F, activation)
        self.activation = activation

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
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


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after the other, then `norm` if it is given.

    enable_nested_tensor and mask_check, which choose among PyTorch's ways of computing, are ignored.
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)
