"""How a tensor lies in memory, and what copying takes along.

`stride()` and `data_ptr()` tell which view of which memory a tensor is. `copy.deepcopy` keeps all of that, so that two
tensors which share memory do so afterwards too; `pickle` keeps the numbers. Neither takes a graph along.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from minigrad.autograd.blame import warn
from minigrad.autograd.node import ON_DEMAND
from minigrad.creation import mark_inference
from minigrad.memory import storage_of
from minigrad.op import op
from minigrad.public import public
from minigrad.tensor import Tensor, from_array, own_array, share_outside, wrap_dim

method = public(function=False, composed=True)
function = public(method=False, composed=True)


@method
def stride(input: Tensor, dim: int | None = None) -> Any:
    """How many elements of memory lie between neighbours along each dimension, or along one."""
    steps = tuple(step // input.itemsize for step in own_array(input).strides)
    return steps if dim is None else steps[wrap_dim(dim, input.ndim)]


@method
def data_ptr(input: Tensor) -> int:
    """The address of the first element."""
    return own_array(input).__array_interface__["data"][0]


@method
def is_contiguous(input: Tensor) -> bool:
    """Whether the elements follow each other in memory, the last dimension running fastest."""
    return own_array(input).flags.c_contiguous


@op(name="CloneBackward0", self=lambda F, g: g)
def contiguous_copy(self: Any) -> Any:
    """A copy whose elements follow each other in memory."""
    return np.array(self, order="C")


@public(function=False)
def contiguous(input: Tensor) -> Tensor:
    """The tensor itself if it is contiguous, else a copy that is."""
    return input if is_contiguous(input) else contiguous_copy(input)


@method
def cpu(input: Tensor) -> Tensor:
    """The tensor itself: its numbers are in the memory of the processor."""
    return input


@public(composed=True)
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are of a floating dtype."""
    return input.dtype.is_floating_point


@function
def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return input.is_inference()


@function
def is_tensor(obj: Any) -> bool:
    """Whether something is a tensor."""
    return isinstance(obj, Tensor)


@public(name="nelement", function=False, composed=True)
@function
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


@public(method=False)
def detach(input: Tensor) -> Tensor:
    """The tensor's numbers, in the same memory, outside the graph."""
    return input.detach()


# ---------------------------------------------------------------- copies


def _deepcopy(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """What `copy.deepcopy` does: a leaf of its own, with a copy of `.grad`."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
            "Copy this result with clone(), or with detach().clone() to leave the graph."
        )
    copied = mark_inference(from_array(_copied_memory(self._array, memo)))
    if type(self) is not Tensor:
        copied = share_outside(type(self), copied)
    copied._node = ON_DEMAND if self.requires_grad else None
    memo[id(self)] = copied
    copied._grad = None if self._grad is None else _deepcopy(self._grad, memo)
    copied.__dict__.update(deepcopy(self.__dict__, memo))
    return copied


def _copied_memory(array: Any, memo: dict[Any, Any]) -> Any:
    """The array as the part of a copy of its memory. `memo` knows by its address which memory was copied already."""
    if array.__class__ is not np.ndarray:
        return array  # a numpy scalar, which nobody else can write to
    row = storage_of(array)
    place = row.__array_interface__["data"][0]
    offset = array.__array_interface__["data"][0] - place
    if not array.size or row.dtype is not array.dtype or not 0 <= offset < row.nbytes:
        return array.copy()
    if ("memory", place) not in memo:
        memo["memory", place] = row, row.copy()  # with the row itself: while it lives, its address means no other
    part = np.ndarray(array.shape, array.dtype, memo["memory", place][1], offset, array.strides)
    if any(stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True)):
        part.flags.writeable = False  # as numpy has it where several elements are in one place
    return part


def _reduce(self: Tensor, protocol: Any) -> Any:
    """What pickle writes of a tensor, and `copy.copy` copies: its numbers and whether it requires grad."""
    for hook in (self._backward_hooks or {}).values():
        warn(f"backward hook {hook!r} on tensor will not be serialized. Register it on the tensor that is read back.")
    return _rebuild, (type(self), own_array(self), self.requires_grad), self.__dict__ or None


def _rebuild(kind: type[Tensor], array: Any, requires_grad: bool) -> Tensor:
    """A leaf read back from a pickle."""
    made = from_array(array)
    return (made if kind is Tensor else share_outside(kind, made)).requires_grad_(requires_grad)


Tensor.__deepcopy__ = _deepcopy  # type: ignore[attr-defined]
Tensor.__reduce_ex__ = _reduce  # type: ignore[method-assign, assignment]
