"""Linear and Embedding, whose learned weight is a matrix: one multiplies by it, the other looks up its rows.

Linear shows how a layer is written: `__init__` makes the parameters, `reset_parameters` sets their first values,
`forward` calls a function of `nn.functional`, and `extra_repr` says what is printed. Most other layers are written in
the shorter way of `layer.py`.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor


class Identity(Module):
    """Returns its input. It takes any arguments, so that it can replace any layer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """input @ weight.T + bias: (..., in_features) to (..., out_features).

    weight (out_features, in_features) and bias (out_features,) are first drawn uniformly between -1/sqrt(in_features)
    and 1/sqrt(in_features).

    Args:
        bias: with False, there is only a weight.
    """

    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = empty_parameter((out_features, in_features), device, dtype)
        self.register_parameter("bias", empty_parameter((out_features,), device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # for this `a` the bound is 1 / sqrt(in_features)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Embedding(Layer, function=F.embedding):
    """weight[input]: indices (...) to vectors (..., embedding_dim), a learned vector for each word of a vocabulary.

    Args:
        num_embeddings: the number of vectors; indices are less than that.
        embedding_dim: the length of each vector.
        padding_idx: an index whose vector begins as zeros and gets no gradient.
    """

    _shown, _unnamed = ("num_embeddings", "embedding_dim"), 2
    _shown_if_changed = ("padding_idx",)
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None = None
    _: KW_ONLY
    _weight: Any = None
    _freeze: bool = False
    device: Any = None
    dtype: Any = None

    def _set_up(self, _weight: Tensor | None, _freeze: bool, device: Any, dtype: Any) -> None:
        size = (self.num_embeddings, self.embedding_dim)
        if self.padding_idx is not None:
            if not -size[0] <= self.padding_idx < size[0]:
                raise AssertionError("Padding_idx must be within num_embeddings")
            self.padding_idx %= size[0]
        if _weight is not None and _weight.shape != size:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        values = empty_parameter(size, device, dtype) if _weight is None else _weight
        self.weight = Parameter(values, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new vectors from the normal distribution; the one at padding_idx becomes zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """An Embedding with the rows of a matrix as its vectors; `freeze`: without gradients."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)
