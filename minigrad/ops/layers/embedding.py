"""Rows of a table, chosen by number: embeddings, and one-hot vectors.

An embedding is indexing. Its gradient adds up in each row what reached all the places that row was taken to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.grad_mode import no_grad
from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

_FEW_NUMBERS = 500  # fewer than these are not worth sorting


@op(
    constants=("indices",),
    kept=("scale",),
    self=lambda F, g, self_shape, indices, scale: F.add_rows(g, indices, scale, self_shape[0]),
)
def embedding(self: Array, indices: Array, scale: Array | None) -> Array:
    """The rows at `indices`. `scale` has a factor for each one's gradient; None for 1."""
    return self[indices]


@op(
    name="EmbeddingDenseBackwardBackward0",
    constants=("indices",),
    kept=("scale",),
    self=lambda F, g, indices, scale: F.scaled_rows(g, indices, scale),
)
def add_rows(self: Array, indices: Array, scale: Array | None, count: int) -> Array:
    """A table of `count` rows, each the sum of the input's rows that have its number among the indices."""
    width = self.shape[-1]
    indices = np.reshape(indices, -1)
    rows = self if scale is None else self * scale[..., np.newaxis]
    rows = rows.reshape(indices.size, width)
    out = np.zeros((count, width), self.dtype)
    if rows.size < _FEW_NUMBERS:
        np.add.at(out, indices, rows)
        return out
    order = np.argsort(indices, kind="stable")  # equal indices stand together
    ordered = indices[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    out[ordered[starts]] = np.add.reduceat(rows[order], starts, axis=0)
    return out


@op(
    name="MulBackward0",
    constants=("indices",),
    kept=("scale",),
    self=lambda F, g, self_shape, indices, scale: F.add_rows(g, indices, scale, self_shape[0]),
)
def scaled_rows(self: Array, indices: Array, scale: Array | None) -> Array:
    """The rows at `indices`, each times its factor."""
    rows = self[indices]
    return rows if scale is None else rows * scale[..., np.newaxis]


# ---------------------------------------------------------------- as the learner calls them

_embedding = embedding


def embedding(  # type: ignore[no-redef]
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (V, D) with the numbers in `input` (any shape): a tensor of shape (*input.shape, D).

    Args:
        padding_idx: a row that gets no gradient.
        max_norm: rows that are used and longer than this, as `norm_type` measures it, are shortened to it, in place.
        scale_grad_by_freq: divide each row's gradient by how often it was used.
        sparse: must be False: there are no sparse gradients here.
    """
    if not isinstance(weight, Tensor):
        raise TypeError(f"embedding(): argument 'weight' (position 1) must be Tensor, not {type(weight).__name__}")
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError(f"Padding_idx must be within num_embeddings: {padding_idx} of {weight.shape[0]}")
    if not isinstance(input, Tensor):
        raise TypeError(f"embedding(): argument 'indices' (position 2) must be Tensor, not {type(input).__name__}")
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, but has shape {list(weight.shape)}")
    _check_indices(input, "embedding")
    if sparse:
        raise NotImplementedError("embedding(): sparse gradients are not supported; call it with sparse=False")
    indices, count = input._array, weight.shape[0]
    if _outside(indices, count):
        raise IndexError(f"index out of range in self: the rows have the numbers from 0 to {count - 1}")
    if max_norm is not None:
        _shorten(weight, indices, max_norm, norm_type)
    scale = None
    if scale_grad_by_freq:
        scale = (1 / np.bincount(indices.reshape(-1), minlength=count)[indices]).astype(weight._array.dtype)
    if padding_idx is not None:
        used = indices != padding_idx % count
        scale = used.astype(weight._array.dtype) if scale is None else scale * used
    return _embedding(weight, input, scale)


def _check_indices(input: Tensor, function: str) -> None:
    if input.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"minigrad.{input.dtype.tensor_type}Tensor instead (while checking arguments for {function})"
        )


def _outside(indices: Array, count: int) -> bool:
    return bool(indices.size) and not 0 <= np.min(indices) <= np.max(indices) < count


def _shorten(weight: Tensor, indices: Array, max_norm: float, norm_type: float) -> None:
    used = np.unique(indices)
    rows = weight._array[used]
    lengths = np.linalg.norm(rows, norm_type, axis=1)
    long = lengths > max_norm
    if long.any():
        shortened = rows[long] * (max_norm / (lengths[long] + 1e-7))[:, np.newaxis]
        with no_grad():
            weight.detach()[from_array(used[long])] = from_array(shortened.astype(rows.dtype))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class number a vector of `num_classes` zeros with a 1 at that place: int64, of one dimension more.

    Without `num_classes` there are as many as the largest class number needs.
    """
    (tensor,) = tensor_operands("one_hot", tensor)
    if tensor.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor. Convert it: x.long().")
    classes = tensor._array
    if not tensor.numel() and num_classes <= 0:
        raise RuntimeError(
            "Can not infer total number of classes from empty tensor."
            if num_classes == -1
            else "num_classes should be positive"
        )
    if tensor.numel() and np.min(classes) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(np.max(classes)) + 1
    elif tensor.numel() and np.max(classes) >= num_classes:
        raise RuntimeError(
            f"Class values must be smaller than num_classes. The largest is {np.max(classes)}, num_classes "
            f"{num_classes}."
        )
    return from_array((np.asarray(classes)[..., np.newaxis] == np.arange(num_classes)).astype(np.int64))
