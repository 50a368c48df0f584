"""Choices between numbers, element by element: where, maximum, minimum, clamp, clamp_min, clamp_max.

A choice passes its gradient on to what was chosen, and exactly 0 to the other. Of equals, `maximum` halves the gradient
between them, `clamp` gives it to the number rather than to the bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.operands import meet_all
from minigrad.ops.operands import of_tensors
from minigrad.ops.places.elements import nonzero
from minigrad.ops.pointwise.conversion import in_dtype
from minigrad.ops.shapes.expanding import broadcast_tensors
from minigrad.public import Operand, plain, public
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    constants=("condition",),
    self=lambda F, g, condition: F.where(condition, g, 0),
    other=lambda F, g, condition: F.where(condition, 0, g),
    broadcasts=True,
)
def where(condition: Array, self: Array, other: Array) -> Array:
    """Where `condition` (bools) is true the element of input, else that of other."""
    if condition.dtype != np.bool_:
        text = "where expected condition to be a boolean tensor, but got a tensor with dtype"
        raise RuntimeError(f"{text} {condition.dtype}: try condition != 0")
    return np.where(condition, self, other)


@public
@of_tensors
@op(
    self=lambda F, g, self, other: F.where(self < other, 0, F.where(self == other, g / 2, g)),
    other=lambda F, g, self, other: F.where(self > other, 0, F.where(self == other, g / 2, g)),
    broadcasts=True,
)
def maximum(self: Array, other: Array) -> Array:
    """The larger of two elements. Equal ones share its gradient."""
    return np.maximum(self, other)


@public
@of_tensors
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


@op(name="ClampMinBackward0", self=lambda F, g, self, min: F.where(self >= min, g, 0))
def clamp_min_to_number(self: Array, min: Any) -> Array:
    """The larger of each element and a number."""
    return np.maximum(self, min)


@op(name="ClampMaxBackward0", self=lambda F, g, self, max: F.where(self <= max, g, 0))
def clamp_max_to_number(self: Array, max: Any) -> Array:
    """The smaller of each element and a number."""
    return np.minimum(self, max)


@op(
    name="ClampBackward0",
    self=lambda F, g, self, min, max: F.where(_inside(self, min, max), g, 0),
    min=lambda F, g, self, min, max: F.where((self < min) & (min < max), g, 0),
    max=lambda F, g, self, min, max: F.where((self > max) | (max < min), g, 0),
)
def clamp_to_tensors(self: Array, min: Array, max: Array) -> Array:
    """The nearest number between those in the same place of two tensors. The bound that was hit gets the gradient."""
    return np.minimum(np.maximum(self, min), max)


@op(
    name="ClampMinBackward1",
    self=lambda F, g, self, min: F.where(self >= min, g, 0),
    min=lambda F, g, self, min: F.where(self < min, g, 0),
    broadcasts=True,
)
def clamp_min_to_tensor(self: Array, min: Array) -> Array:
    """The larger of two elements; of equals, the input gets the gradient."""
    return np.maximum(self, min)


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

_where = where


@public(method=False)  # type: ignore[no-redef]
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Where `condition` (bools) is true the element of input, else that of other: tensors or numbers.

    With a condition alone: where it is true, as one tensor of indices per dimension.
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError("where() received an invalid combination of arguments: give input and other, or neither")
    return _where(condition, input, other)


@public(function=False, name="where")
def _where_method(input: Tensor, condition: Tensor, other: Any) -> Tensor:
    """The element where `condition` (bools) is true, else that of other."""
    return _where(condition, input, other)


_NUMBER_OR_NONE, _TENSOR_OR_NONE = (*dtypes.NUMBERS, type(None)), (Tensor, type(None))


@public(aliases=("clip",), in_place=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """The nearest number that is not below `min` and not above `max`: numbers, or tensors; None for no bound.

    The gradient passes inside and at the bounds; where a tensor bounds, it goes to that.
    """
    if min is None and max is None:
        raise RuntimeError("minigrad.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, _NUMBER_OR_NONE) and isinstance(max, _NUMBER_OR_NONE):
        return clamp_to_numbers(*_beside_numbers("clamp", input, min, max))
    if isinstance(min, _TENSOR_OR_NONE) and isinstance(max, _TENSOR_OR_NONE):
        return clamp_to_tensors(*_beside_tensors(input, min, max))
    kinds = f"{type(min).__name__}, {type(max).__name__}"
    raise TypeError(
        f"clamp() received an invalid combination of arguments - got ({kinds}): both bounds are numbers, or tensors"
    )


def _beside_numbers(function: str, input: Tensor, *bounds: Any) -> list[Any]:
    """A tensor in the dtype that it takes beside numbers, and these as numbers of it; None stays None."""
    kind = input.dtype
    for bound in bounds:
        kind = kind if bound is None else dtypes.of_number(bound, kind)
    if kind is dtypes.bool:
        raise NotImplementedError(f"\"{function}_scalar_cpu\" not implemented for 'Bool': nothing is between bools")
    if kind.category == 1:
        bounds = tuple([bound if bound is None else dtypes.element(kind, bound) for bound in bounds])
    return [in_dtype(input, kind), *map(plain, bounds)]


def _beside_tensors(input: Tensor, min: Tensor | None, max: Tensor | None) -> list[Tensor]:
    """A tensor and its bounds in one dtype and shape; no bound becomes one that nothing goes beyond."""
    given = [tensor for tensor in (input, min, max) if tensor is not None]
    kind = dtypes.of(meet_all([tensor._array for tensor in given])[0][0])
    lowest, highest = (False, True) if kind is dtypes.bool else (-math.inf, math.inf)
    if kind.category == 1:
        lowest, highest = np.iinfo(kind.numpy).min, np.iinfo(kind.numpy).max
    min = from_array(kind.numpy.type(lowest)) if min is None else min
    max = from_array(kind.numpy.type(highest)) if max is None else max
    return list(broadcast_tensors(*[in_dtype(tensor, kind) for tensor in (input, min, max)]))


@public(in_place=True, overloaded=True)
def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """The larger of each element and `min`, a number or a tensor."""
    if isinstance(min, Tensor):
        return clamp_min_to_tensor(input, min)
    return clamp_min_to_number(*_beside_numbers("clamp_min", input, min))


@public(in_place=True, overloaded=True)
def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """The smaller of each element and `max`, a number or a tensor."""
    if isinstance(max, Tensor):
        return clamp_max_to_tensor(input, max)
    return clamp_max_to_number(*_beside_numbers("clamp_max", input, max))
