"""Where a mask is true: masked_fill; nonzero, which makes indices of a mask.

A mask is a choice of elements, and a gradient passes only through those that were chosen. (`where`, the choice between
two tensors, is in ops/pointwise/choice.py.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.public import Operand, public
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    name="MaskedFillBackward0",
    constants=("mask",),
    self=lambda F, g, mask, self_shape: unbroadcast(F, F.masked_fill(g, mask, 0), self_shape),
)
def masked_fill(self: Array, mask: Array, value: Any) -> Array:
    """The input with a number where `mask` is true. The two broadcast."""
    return np.where(mask, value, self)  # half the time of np.copyto(copy, value, where=mask)


@op(
    name="MaskedFillBackward1",
    constants=("mask",),
    self=lambda F, g, mask, self_shape: unbroadcast(F, F.masked_fill(g, mask, 0), self_shape),
    value=lambda F, g, mask: F.sum_all(F.where(mask, g, 0)),
)
def masked_fill_tensor(self: Array, value: Array, mask: Array) -> Array:
    """The input with one element, a 0-d tensor, where `mask` is true."""
    return np.where(mask, value, self)


# ---------------------------------------------------------------- as the learner calls them


@public(name="masked_fill", in_place="method", overloaded=True)
def fill_where(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """A copy of the input with a number, or a 0-d tensor, wherever `mask` (bools) is true. The two broadcast."""
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if mask.dtype is not dtypes.bool:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.c_name}: try mask != 0"
        )
    if isinstance(value, Tensor):
        return masked_fill_tensor(input, value.to(input.dtype), mask)
    return masked_fill(input, mask, dtypes.element(input.dtype, value))


@public
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of all elements that are not zero: a row of indices for each, (count, ndim), or (`as_tuple`) a vector
    of indices for each dimension, with which the tensor can be indexed.
    """
    if as_tuple:
        return tuple(from_array(found) for found in np.atleast_1d(input._array).nonzero())
    return from_array(np.argwhere(input._array))
