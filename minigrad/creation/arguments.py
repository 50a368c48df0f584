"""What the functions that make tensors have in common: sizes, dtypes, `out=`, `requires_grad=`.

After this module a reader knows what every one of `zeros`, `arange` or `randn` does with the arguments that they share,
and that a device other than the CPU is refused with a clear error, like all that is not a plain array of real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.autograd.graph import ON_DEMAND
from minigrad.autograd.modes import INFERENCE, thread
from minigrad.devices import device
from minigrad.dtypes import dtype
from minigrad.tensor import Tensor, from_array, own_array

Array = Any


def made(array: Array, requires_grad: bool, function: str, out: Any = None) -> Tensor:
    """The new tensor that `function` gives; or `out`, with these numbers in it."""
    if out is not None:
        return _written(out, array, function)
    tensor = marked(from_array(array[()]))  # a 0-d array becomes the numpy scalar in it: faster to compute with
    if requires_grad is not False:
        check_flag(requires_grad, tensor, function)
        tensor._node = ON_DEMAND if requires_grad else None
    return tensor


def marked(tensor: Tensor) -> Tensor:
    """A new tensor, which is one of inference mode if it was made there."""
    if thread.inference:
        tensor._writes = INFERENCE
    return tensor


def check_flag(requires_grad: Any, made: Tensor, function: str) -> None:
    """Raise if a new tensor cannot have `requires_grad=True`, or if that is no bool at all."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"{function}(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}: {requires_grad!r}"
        )
    if requires_grad and not made.dtype.is_floating_point:
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients. "
            f"This one would be {made.dtype}: write its numbers with a decimal point, or give dtype=minigrad.float32."
        )


def _written(out: Tensor, array: Array, function: str) -> Tensor:
    """`out` with the array's numbers, in the array's shape."""
    from minigrad.autograd.inplace import begin_write

    if out.requires_grad:
        raise RuntimeError(
            f"aten::{function}(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad."
        )
    if out.shape != array.shape:
        out._array = np.empty(array.shape, out._array.dtype)
    target = own_array(out)
    begin_write(out, target)
    np.copyto(target, array, casting="unsafe")
    return out


def numpy_kind(function: str, dtype: dtype | None, default: dtype | None = None, out: Any = None) -> Any:
    """numpy's dtype for a `dtype=` argument. Where there is none, that of `out`, else `default` (float32)."""
    if out is not None:
        if not isinstance(out, Tensor):
            raise TypeError(f"{function}(): argument 'out' must be Tensor, not {type_name(out)}")
        if dtype is not None and dtypes.resolve(dtype, function) is not out.dtype:
            raise RuntimeError(
                f"dtype {dtypes.resolve(dtype, function).tensor_type} does not match dtype of out parameter "
                f"({out.dtype.tensor_type})"
            )
        return out.dtype.numpy
    return (default or dtypes.default if dtype is None else dtypes.resolve(dtype, function)).numpy


def check_place(function: str, place: dict[str, Any]) -> None:
    """Raise for anything in these keyword arguments but `device` for the CPU."""
    for name, value in place.items():
        if name != "device":
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        if value is not None:
            device(value)


def shape_of(function: str, sizes: Sequence[Any], place: dict[str, Any]) -> tuple[int, ...]:
    """The shape that sizes mean: several ints, one sequence, or the keyword `size`, which is taken out of `place`."""
    from minigrad.ops.shapes.views import int_tuple

    if not sizes:
        if "size" not in place:
            raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
        sizes = (place.pop("size"),)
    if place:
        check_place(function, place)
    checked = int_tuple(function, "size", sizes)
    if any(n < 0 for n in checked):
        if function == "zeros":
            raise RuntimeError(f"{function}: Dimension size must be non-negative, but got {list(checked)}")
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(checked)}: {list(checked)}")
    return checked


def array_like(function: str, input: Any, dtype: dtype | None, place: dict[str, Any]) -> Array:
    """An array with a tensor's shape, dtype (unless one is given) and order in memory, and any numbers."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{function}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}: {input!r}"
        )
    if place:
        check_place(function, place)
    kind = numpy_kind(function, dtype, input.dtype)
    repeats = any(step == 0 and size > 1 for step, size in zip(own_array(input).strides, input.shape, strict=True))
    if repeats:
        return np.empty(input.shape, kind)
    return np.empty_like(input._array, kind, order="K")


def check_range(array: Any, kind: dtype) -> None:
    """Raise if an integer dtype cannot hold a number that was given for it. (Negative ones wrap around, as in C.)"""
    limits = np.iinfo(kind.numpy)
    low = limits.min if limits.min else -limits.max
    if array.size and not (low <= array.min() and array.max() <= limits.max):
        raise RuntimeError(
            f"value cannot be converted to type {kind.name} without overflow: the numbers are from {array.min()} to "
            f"{array.max()}"
        )
