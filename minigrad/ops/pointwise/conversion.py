"""Copies and other dtypes: clone, to, type. A copy and a conversion are operations like others: the gradient comes back
through them, in the dtype of their input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import devices, dtypes
from minigrad.autograd.blame import keep_silent
from minigrad.op import Array, op
from minigrad.ops.declarations import give_name
from minigrad.public import Device, public
from minigrad.tensor import Tensor, from_array


@public
@op(exact=True, self=lambda F, g: g)
def clone(self: Array) -> Array:
    """A copy that is part of the graph."""
    return np.array(self, order="C" if 0 in self.strides else "K")  # numpy would put an expanded dimension last


@op(name="ToCopyBackward0", exact=True, self=lambda F, g, self_dtype: F.cast(g, self_dtype))
def cast(self: Array, dtype: Any) -> Array:
    """The numbers of the input in another numpy dtype."""
    return self.astype(dtype, order="C" if 0 in self.strides else "K")


def in_dtype(input: Tensor, kind: dtypes.dtype, copy: bool = False) -> Tensor:
    """The tensor in a dtype; itself if it has that dtype already, unless `copy`. Only floating ones have a gradient."""
    if input.dtype is kind and not copy:
        return input
    if not kind.is_floating_point:
        keep_silent()
        return from_array(input._array.astype(kind.numpy))
    return cast(input, kind.numpy)


@public(function=False)
def to(
    input: Tensor,
    target: Any = None,
    dtype: Any = None,
    *,
    device: Device = None,
    non_blocking: bool = False,
    copy: bool = False,
) -> Tensor:
    """The tensor in another dtype; itself if it has that dtype already, unless `copy`. Only floating ones stay in the
    graph.

    Args:
        target: a dtype, a tensor that has it, or a device.
        dtype: the same as a dtype, beside a device.
        device: "cpu", where all tensors are.
        non_blocking: of no effect.
    """
    if isinstance(target, Tensor):
        dtype = target.dtype
    elif isinstance(target, str | devices.device):
        devices.device(target)  # raises for any but "cpu"
    elif target is not None:
        dtype = target
    return in_dtype(input, input.dtype if dtype is None else dtypes.resolve(dtype, "to"), copy)


@public(function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another one."""
    return in_dtype(input, other.dtype)


@public(function=False, name="type")
def type_(input: Tensor, dtype: Any = None) -> Any:
    """The name that tensors of this dtype have in error texts, such as "minigrad.FloatTensor"; or the tensor in another
    dtype.
    """
    return f"minigrad.{input.dtype.tensor_type}Tensor" if dtype is None else to(input, dtype)


def _conversion(name: str, kind: dtypes.dtype) -> None:
    """Declare `x.float()` and the like."""

    def convert(self: Any) -> Tensor:
        return in_dtype(self, kind)

    public(function=False)(give_name(name, f"The tensor in {kind}; itself if it has that dtype already.", convert))


for _name, _kind in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bool": dtypes.bool,
    "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32, "long": dtypes.int64,
}.items():  # fmt: skip
    _conversion(_name, _kind)
