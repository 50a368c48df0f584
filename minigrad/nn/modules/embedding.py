"""Embedding: a learned vector for each word of a vocabulary, looked up by the number of the word.

It is a matrix, and looking up is indexing its rows.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor


class Embedding(Layer):
    """weight[input]: indices (...) to vectors (..., embedding_dim).

    Args:
        num_embeddings: the number of vectors; indices are less than that.
        embedding_dim: the length of each vector.
        padding_idx: an index whose vector begins as zeros and gets no gradient.
        max_norm: vectors of a larger norm are scaled down to it, in place, when they are looked up.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each vector by how often its index occurs in the input.
    """

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None = None
    max_norm: float | None = None
    norm_type: float = 2.0
    scale_grad_by_freq: bool = False
    sparse: bool = False
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
        if _weight is None:
            self.weight = empty_parameter(size, device, dtype)
            self.weight.requires_grad = not _freeze
            self.reset_parameters()
        else:
            if _weight.shape != size:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Draw new vectors from the normal distribution; the one at padding_idx becomes zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        changed = self._changed("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *changed])

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An Embedding with the rows of a matrix as its vectors; `freeze`: without gradients."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)
