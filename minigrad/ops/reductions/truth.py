"""How many elements are true (not zero): all, any, count_nonzero. The answers have no gradient.

After this module a reader knows what `(x == y).all()` asks: one question about the whole tensor, or one for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import tensor_operands
from minigrad.ops.reductions.dims import Dims, np_sum, wrap_dims
from minigrad.tensor import Tensor, from_array

METHODS: tuple[str, ...] = ("all", "any", "count_nonzero")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("all", "any")  # those that take out=


def _dims_asked(dim: Dims, ndim: int) -> tuple[int, ...] | None:
    """The dimensions to ask along: here, as in PyTorch, an empty tuple means none, so that each element is asked."""
    if dim is None:
        return None
    return () if isinstance(dim, Sequence) and not dim else wrap_dims(dim, ndim)


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true (not zero), everywhere or along the dimensions `dim`."""
    (input,) = tensor_operands("all", input)
    return _answer(input, np.all(input._array, axis=_dims_asked(dim, input.ndim), keepdims=keepdim))


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true (not zero), everywhere or along the dimensions `dim`."""
    (input,) = tensor_operands("any", input)
    return _answer(input, np.any(input._array, axis=_dims_asked(dim, input.ndim), keepdims=keepdim))


def _answer(input: Tensor, answer: Any) -> Tensor:
    """An answer as bools; to uint8, which once stood for bools in PyTorch, it is given in uint8."""
    return from_array(answer.astype(np.uint8) if input._array.dtype == np.uint8 else answer)


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0, of all or along the dimensions `dim`."""
    (input,) = tensor_operands("count_nonzero", input)
    return from_array(np_sum(input._array != 0, axis=wrap_dims(dim, input.ndim)))
