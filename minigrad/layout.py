"""How a tensor lies in memory.

After this module a reader can tell from `stride()` and `storage_offset()` which view of which memory a tensor is, and
when a view has to be copied to become contiguous.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.strides import storage_of
from minigrad.tensor import Tensor, own_array, wrap_dim


def stride(input: Tensor, dim: int | None = None) -> Any:
    """How many elements of memory lie between neighbours along each dimension, or along one."""
    array = own_array(input)
    steps = tuple(step // array.itemsize for step in array.strides)
    return steps if dim is None else steps[wrap_dim(dim, input.ndim)]


def storage_offset(input: Tensor) -> int:
    """How many elements of its memory lie before the tensor's first."""
    return (data_ptr(input) - storage_of(own_array(input)).__array_interface__["data"][0]) // element_size(input)


def data_ptr(input: Tensor) -> int:
    """The address of the first element."""
    address: int = own_array(input).__array_interface__["data"][0]
    return address


def element_size(input: Tensor) -> int:
    """Bytes per element."""
    return input.dtype.itemsize


def is_contiguous(input: Tensor) -> bool:
    """Whether the elements follow each other in memory, the last dimension running fastest."""
    contiguous: bool = own_array(input).flags.c_contiguous
    return contiguous


@op(name="CloneBackward0", self=lambda F, g: g)
def contiguous_copy(self: Any) -> Any:
    """A copy whose elements follow each other in memory."""
    return np.array(self, order="C")


def contiguous(input: Tensor) -> Tensor:
    """The tensor itself if it is contiguous, else a copy that is."""
    (input,) = tensor_operands("contiguous", input)
    return input if is_contiguous(input) else contiguous_copy(input)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are float32 or float64."""
    (input,) = tensor_operands("is_floating_point", input)
    return input.dtype.is_floating_point


METHODS: dict[str, Callable[..., Any]] = {
    "stride": stride,
    "storage_offset": storage_offset,
    "data_ptr": data_ptr,
    "element_size": element_size,
    "is_contiguous": is_contiguous,
    "contiguous": contiguous,
    "is_floating_point": is_floating_point,
    "is_complex": lambda self: False,
    "nelement": lambda self: self.numel(),
    "ndimension": lambda self: self.ndim,
    "cpu": lambda self: self,
}
