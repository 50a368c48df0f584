"""Rows of a table, chosen by number: embeddings, and one-hot vectors.

An embedding is indexing. Its gradient adds up in each row what reached all the places that row was taken to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import Array, arrays, op
from minigrad.operands import tensor_operands
from minigrad.public import as_tensor, with_checks
from minigrad.tensor import Tensor, from_array


@op(
    exact=True,
    constants=("indices",),
    self=lambda F, g, self_shape, indices, padding: F.add_rows(g, indices, padding, self_shape[0]),
)
def _embedding(self: Array, indices: Array, padding: int, of_gradient: bool = False) -> Array:
    """The rows at `indices`; of a gradient with zeros for the row with the number `padding`, which has none."""
    rows = np.take(self, indices.astype(np.intp, copy=False), 0)  # in a browser Python counts in 32 bits
    if of_gradient:
        rows[indices == padding] = 0
    return rows


@op(
    name="EmbeddingDenseBackwardBackward0",
    exact=True,
    constants=("indices",),
    self=lambda F, g, indices, padding: F.embedding(g, indices, padding, of_gradient=True),
)
def add_rows(self: Array, indices: Array, padding: int, count: int) -> Array:
    """A table of `count` rows, each the sum of the input's rows that have its number among the indices."""
    rows = self.reshape(-1, self.shape[-1])
    numbers = np.broadcast_to(np.reshape(indices, (-1, 1)), rows.shape)
    out = arrays.scatter_add(np.zeros((count, rows.shape[1]), self.dtype), rows, numbers, 0)
    if padding >= 0:
        out[padding] = 0
    return out


# ---------------------------------------------------------------- as the learner calls them


@with_checks
def embedding(input: Any, weight: Any, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` (V, D) with the numbers in `input` (any shape): a tensor of shape (*input.shape, D).

    `padding_idx`: a row that gets no gradient.
    """
    as_tensor("embedding", "weight", 1, weight)
    as_tensor("embedding", "indices", 2, input)
    count, indices = len(weight), input._array
    if padding_idx is not None and not -count <= padding_idx < count:
        raise AssertionError(f"Padding_idx must be within num_embeddings: {padding_idx} of {count}")
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, but has shape {list(weight.shape)}")
    if input.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"minigrad.{input.dtype.tensor_type}Tensor instead (while checking arguments for embedding)"
        )
    if indices.size and not 0 <= np.min(indices) <= np.max(indices) < count:
        raise IndexError(f"index out of range in self: the rows have the numbers from 0 to {count - 1}")
    return _embedding(weight, input, -1 if padding_idx is None else padding_idx % count)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class number a vector of `num_classes` zeros with a 1 at that place: int64, of one dimension more.

    Without `num_classes` there are as many as the largest class number needs.
    """
    (tensor,) = tensor_operands("one_hot", tensor)
    classes = tensor._array
    largest = int(classes.max()) if classes.size else -1
    count = largest + 1 if num_classes == -1 else num_classes
    if tensor.dtype is not dtypes.int64:
        problem = "one_hot is only applicable to index tensor of type LongTensor. Convert it: x.long()."
    elif not classes.size and count <= 0:
        inferred = "Can not infer total number of classes from empty tensor."
        problem = inferred if num_classes == -1 else "num_classes should be positive"
    elif np.min(classes, initial=0) < 0:
        problem = "Class values must be non-negative."
    elif largest >= count:
        problem = f"Class values must be smaller than num_classes. The largest is {largest}, num_classes {count}."
    else:
        return from_array((np.asarray(classes)[..., np.newaxis] == np.arange(count)).astype(np.int64))
    raise RuntimeError(problem)
