"""Where a mask is true: masked_fill, masked_select; nonzero and argwhere, which make indices of a mask.

After this module a reader knows that a mask is a choice of elements, and that a gradient passes only through those that
were chosen. (`where`, the choice between two tensors, is in ops/pointwise/choice.py.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.ops.operands import NUMBERS
from minigrad.ops.places.checks import in_dtype_of, tensor_argument, wrong_arguments
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

METHODS = ("masked_fill", "masked_select", "nonzero", "argwhere")  # the functions that are methods of Tensor, too
IN_PLACE = ("masked_fill",)  # those that have an in-place form, with a trailing underscore
OUT = ("masked_select", "nonzero")  # those that take out=


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


@op(
    constants=("mask",),
    self=lambda F, g, mask, self_shape: unbroadcast(F, F.masked_select_backward(g, mask, self_shape), self_shape),
)
def masked_select(self: Array, mask: Array) -> Array:
    """The elements of input where `mask` is true, as a vector. The two broadcast."""
    self, mask = np.broadcast_arrays(self, mask)
    return self[mask]


@op(name="MaskedScatterBackward0", constants=("mask",), self=lambda F, g, mask: F.masked_select(g, mask))
def masked_select_backward(self: Array, mask: Array, shape: tuple[int, ...]) -> Array:
    """Zeros of the shape that `shape` and the mask broadcast to, with the elements of input where the mask is true."""
    out = np.zeros(np.broadcast_shapes(shape, mask.shape), self.dtype)
    out[np.broadcast_to(mask, out.shape)] = self
    return out


# ---------------------------------------------------------------- as the learner calls them

_masked_fill, _masked_select = masked_fill, masked_select


def _check_mask(function: str, input: Tensor, mask: Tensor) -> None:
    """Raise unless the input and the mask broadcast."""
    mismatch = size_mismatch(function, input.shape, mask.shape)
    if mismatch is not None:
        raise RuntimeError(mismatch)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:  # type: ignore[no-redef]
    """A copy of the input with a number, or a 0-d tensor, wherever `mask` (bools) is true. The two broadcast."""
    tensor_operands("masked_fill", input)
    if not isinstance(mask, Tensor) or not isinstance(value, (Tensor, *NUMBERS)):
        raise wrong_arguments("masked_fill", mask, value)
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    _check_mask("masked_fill", input, mask)
    if mask.dtype is not dtypes.bool:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.c_name}: try mask != 0"
        )
    if isinstance(value, Tensor):
        return masked_fill_tensor(input, value.to(input.dtype), mask)
    return _masked_fill(input, mask, in_dtype_of(value, input))


def masked_select(input: Tensor, mask: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The elements of the input where `mask` (bools) is true, as a vector. The two broadcast."""
    tensor_operands("masked_select", input)
    if tensor_argument("masked_select", "mask", 2, mask).dtype is not dtypes.bool:
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, not one of {mask.dtype}: try mask != 0")
    _check_mask("masked_select", input, mask)
    return _masked_select(input, mask)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of all elements that are not zero: a row of indices for each, (count, ndim), or (`as_tuple`) a vector
    of indices for each dimension, with which the tensor can be indexed.
    """
    (input,) = tensor_operands("nonzero", input)
    if as_tuple:
        return tuple(from_array(found) for found in np.atleast_1d(input._array).nonzero())
    return from_array(np.argwhere(input._array))


def argwhere(input: Tensor) -> Tensor:
    """The places of all elements that are not zero, a row of indices for each: (count, ndim)."""
    (input,) = tensor_operands("argwhere", input)
    return from_array(np.argwhere(input._array))
