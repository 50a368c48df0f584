"""The larger, the smaller, and what lies between: maximum, minimum, clamp, clamp_min, clamp_max.

After this module a reader knows that a choice passes its gradient on to what was chosen, and what PyTorch does with
equals: `maximum` halves the gradient between them, `clamp` gives it to the number rather than to the bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import meet_all, op, size_mismatch, tensor_operands
from minigrad.ops.operands import NUMBERS, invalid_arguments, plain, tensors_only
from minigrad.tensor import Tensor, from_array
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@tensors_only
@op(
    self=lambda F, g, self, other: F.where(self < other, 0, F.where(self == other, g / 2, g)),
    other=lambda F, g, self, other: F.where(self > other, 0, F.where(self == other, g / 2, g)),
    broadcasts=True,
)
def maximum(self: Array, other: Array) -> Array:
    """The larger of two elements. Equal ones share its gradient."""
    return np.maximum(self, other)


@tensors_only
@op(
    self=lambda F, g, self, other: F.where(self > other, 0, F.where(self == other, g / 2, g)),
    other=lambda F, g, self, other: F.where(self < other, 0, F.where(self == other, g / 2, g)),
    broadcasts=True,
)
def minimum(self: Array, other: Array) -> Array:
    """The smaller of two elements. Equal ones share its gradient."""
    return np.minimum(self, other)


# ---------------------------------------------------------------- bounds: numbers, or a tensor of them


def _inside(self: Any, min: Any, max: Any) -> Any:
    """Where elements lie between the bounds, or on them; None is no bound."""
    if min is None or max is None:
        return self <= max if min is None else self >= min
    return (self >= min) & (self <= max)


@op(name="ClampBackward1", self=lambda F, g, self, min, max: F.where(_inside(self, min, max), g, 0))
def clamp_to_numbers(self: Array, min: Any, max: Any) -> Array:
    """The nearest number between two. The gradient passes inside and at the bounds."""
    self = self if min is None else np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


@op(
    name="ClampBackward0",
    self=lambda F, g, self, min, max: F.where(_inside(self, min, max), g, 0),
    min=lambda F, g, self, min, max: F.where((self < min) & (min < max), g, 0),
    max=lambda F, g, self, min, max: F.where((self > max) | (max < min), g, 0),
)
def clamp_to_tensors(self: Array, min: Array, max: Array) -> Array:
    """The nearest number between those in the same place of two tensors. The bound that was hit gets the gradient."""
    return np.minimum(np.maximum(self, min), max)


@op(name="ClampMinBackward0", self=lambda F, g, self, min: F.where(self >= min, g, 0))
def clamp_min_to_number(self: Array, min: Any) -> Array:
    """The larger of each element and a number."""
    return np.maximum(self, min)


@op(
    name="ClampMinBackward1",
    self=lambda F, g, self, min: F.where(self >= min, g, 0),
    min=lambda F, g, self, min: F.where(self < min, g, 0),
    broadcasts=True,
)
def clamp_min_to_tensor(self: Array, min: Array) -> Array:
    """The larger of two elements; of equals, the input gets the gradient."""
    return np.maximum(self, min)


@op(name="ClampMaxBackward0", self=lambda F, g, self, max: F.where(self <= max, g, 0))
def clamp_max_to_number(self: Array, max: Any) -> Array:
    """The smaller of each element and a number."""
    return np.minimum(self, max)


@op(
    name="ClampMaxBackward1",
    self=lambda F, g, self, max: F.where(self <= max, g, 0),
    max=lambda F, g, self, max: F.where(self > max, g, 0),
    broadcasts=True,
)
def clamp_max_to_tensor(self: Array, max: Array) -> Array:
    """The smaller of two elements; of equals, the input gets the gradient."""
    return np.minimum(self, max)


# ---------------------------------------------------------------- as the learner calls them


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """The nearest number that is not below `min` and not above `max`: numbers, or tensors; None for no bound.

    The gradient passes inside and at the bounds; where a tensor bounds, it goes to that.
    """
    (input,) = tensor_operands("clamp", input)
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError("minigrad.clamp: At least one of 'min' or 'max' must not be None")
    if all(isinstance(bound, Tensor) for bound in bounds):
        return clamp_to_tensors(*_in_one_dtype_and_shape(input, min, max))
    if not all(isinstance(bound, NUMBERS) for bound in bounds):
        kinds = ", ".join(type(bound).__name__ for bound in bounds)
        raise TypeError(
            f"clamp() received an invalid combination of arguments - got ({kinds}): the bounds are either numbers or "
            "tensors"
        )
    kind = input.dtype
    for bound in bounds:
        kind = dtypes.of_number(bound, kind)
    if kind is dtypes.bool:
        raise NotImplementedError("\"clamp_scalar_cpu\" not implemented for 'Bool': bools have nothing between them")
    return clamp_to_numbers(input.to(kind), _bound(min, kind), _bound(max, kind))


def _bound(number: Any, kind: dtypes.dtype) -> Any:
    """A bound as a number of a dtype; None stays None. RuntimeError if the dtype cannot hold it."""
    return dtypes.element(kind, number).item() if kind.category == 1 and number is not None else plain(number)


def _in_one_dtype_and_shape(input: Tensor, min: Tensor | None, max: Tensor | None) -> list[Tensor]:
    """A tensor and its bounds in one dtype and shape; no bound becomes one that nothing goes beyond."""
    given = [tensor for tensor in (input, min, max) if tensor is not None]
    kind = dtypes.of(meet_all([tensor._array for tensor in given])[0][0])
    shape: tuple[int, ...] = ()
    for tensor in given:
        mismatch = size_mismatch("clamp", shape, tensor.shape)
        if mismatch is not None:
            raise RuntimeError(mismatch)
        shape = np.broadcast_shapes(shape, tensor.shape)
    lowest, highest = _range(kind)
    min = from_array(np.full(shape, lowest, kind.numpy)) if min is None else min
    max = from_array(np.full(shape, highest, kind.numpy)) if max is None else max
    return [tensor.to(kind) if tensor.shape == shape else tensor.to(kind).expand(shape) for tensor in (input, min, max)]


def _range(kind: dtypes.dtype) -> tuple[Any, Any]:
    """The lowest and the highest number of a dtype."""
    if kind.category == 1:
        return np.iinfo(kind.numpy).min, np.iinfo(kind.numpy).max
    return (-math.inf, math.inf) if kind.is_floating_point else (False, True)


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """The larger of each element and `min`, a number or a tensor."""
    return _bounded("clamp_min", clamp_min_to_tensor, clamp_min_to_number, input, min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """The smaller of each element and `max`, a number or a tensor."""
    return _bounded("clamp_max", clamp_max_to_tensor, clamp_max_to_number, input, max)


def _bounded(function: str, by_tensor: Any, by_number: Any, input: Any, bound: Any) -> Tensor:
    """`clamp_min` and `clamp_max`, which have an op for bounds that are tensors and one for numbers."""
    if not isinstance(input, Tensor) or not isinstance(bound, (Tensor, *NUMBERS)):
        raise invalid_arguments(function, input, bound)
    if isinstance(bound, Tensor):
        return by_tensor(input, bound)
    kind = dtypes.of_number(bound, input.dtype)
    if kind is dtypes.bool:
        raise NotImplementedError(
            f"\"{function}_scalar_cpu\" not implemented for 'Bool': bools have nothing between them"
        )
    return by_number(input.to(kind), _bound(bound, kind))


clip = clamp
clamp_, clip_ = in_place(clamp, "clamp_"), in_place(clip, "clip_")
clamp_min_, clamp_max_ = in_place(clamp_min, "clamp_min_"), in_place(clamp_max, "clamp_max_")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "maximum", "minimum", "clamp", "clip", "clamp_min", "clamp_max", "clamp_", "clip_", "clamp_min_",
    "clamp_max_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "maximum", "minimum", "clamp", "clip", "clamp_min", "clamp_max",
)  # fmt: skip
