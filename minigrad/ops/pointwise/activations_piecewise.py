"""Activations made of pieces of lines: relu, leaky_relu, hardtanh, relu6.

After this module a reader knows what each does to a number and to its gradient, and why some in-place forms have a rule
of their own: the input is gone by then, so the rule has to tell the slope from the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.operands import floats_only, plain
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

LARGE = 2000  # elements from which on numpy's clip is faster than its maximum: of 401,408 by four (43 and 185 µs)


def check_slope(function: str, slope: float) -> None:
    """RuntimeError if the slope below 0 is negative: then the sign of a result does not tell that of the input."""
    if slope < 0:
        raise RuntimeError(
            f"In-place {function} backward calculation is triggered with a negative slope which is not supported. This "
            "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )


# ---------------------------------------------------------------- a bend at 0


@op(
    name="ThresholdBackwardBackward0",
    self=lambda F, g, condition: F.where_positive(g, condition),
    condition=lambda F, g: F.zeros(g.shape, g),
)
def where_positive(self: Array, condition: Array) -> Array:
    """The input with exact zeros, also for inf and nan, where `condition` is 0 or less; both have the same shape."""
    bits = self.view(f"i{self.itemsize}")  # multiplied as integers: six times as fast as np.where
    return (bits * ~(condition <= 0)).view(self.dtype)


@op(self=lambda F, g, result: F.where_positive(g, result))
def relu(self: Array) -> Array:
    """max(input, 0). At 0 its gradient is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu: convert the tensor first, as in x.float()")
    if self.size >= LARGE and self.dtype.char in "fd":
        return self.clip(0, np.inf)
    return np.maximum(0, self)  # of equals the second: -0.0 stays -0.0


def _leaky(self: Array, negative_slope: float) -> Array:
    floats_only("leaky_relu_cpu", self)
    if 0 < negative_slope <= 1:  # then it is the larger of the two, which is faster than where
        return np.maximum(self, self * negative_slope)
    return np.where(self > 0, self, self * negative_slope)[()]


@op(self=lambda F, g, self, negative_slope: F.where(self > 0, g, g * negative_slope))
def leaky_relu(self: Array, negative_slope: float) -> Array:
    """Positive numbers as they are, negative ones times a small number."""
    return _leaky(self, negative_slope)


def _leaky_gradient_from_result(F: Any, g: Any, result: Any, negative_slope: float) -> Any:
    check_slope("leakyReLu", negative_slope)
    return F.where(result > 0, g, g * negative_slope)


@op(
    name="LeakyReluBackward1",
    self=_leaky_gradient_from_result,
)
def leaky_relu_in_place(self: Array, negative_slope: float = 0.01) -> Array:
    """`leaky_relu`, with a rule that needs the result only: its sign is the input's if the slope is positive."""
    return _leaky(self, negative_slope)


# ---------------------------------------------------------------- bends elsewhere


@op(self=lambda F, g, self, min_val, max_val: F.where((self <= min_val) | (self >= max_val), 0, g))
def hardtanh(self: Array, min_val: float, max_val: float) -> Array:
    """The nearest number between two. At the bounds its gradient is 0."""
    return np.minimum(max_val, np.maximum(min_val, self))  # of equals the second: -0.0 stays -0.0


# ---------------------------------------------------------------- as the learner calls them

plain_relu = relu  # `minigrad.relu` and `x.relu()`, which have no `inplace`
_leaky_relu, _hardtanh = leaky_relu, hardtanh


def relu(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """max(x, 0)."""
    return relu_(input) if inplace else plain_relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x above 0, negative_slope * x below. At 0 the slope is `negative_slope`."""
    return leaky_relu_(input, negative_slope) if inplace else _leaky_relu(input, negative_slope)


def _in_kind_of(input: Tensor, *numbers: float) -> list[Any]:
    """Numbers as they count beside a tensor: whole ones beside integers."""
    whole = isinstance(input, Tensor) and input.dtype.category == 1
    return [int(number) if whole else plain(number) for number in numbers]


def hardtanh(  # type: ignore[no-redef]
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """The nearest number between `min_val` and `max_val`; at these two the gradient is 0."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val: {min_val} is greater than {max_val}")
    (input,) = tensor_operands("hardtanh", input)
    if input.dtype.category == 0:
        raise RuntimeError("Bool inputs not supported for hardtanh: convert the tensor first, as in x.float()")
    if input.dtype.name == "uint8" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return hardtanh_(input, min_val, max_val) if inplace else _hardtanh(input, *_in_kind_of(input, min_val, max_val))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0.0, 6.0, inplace)


# ---------------------------------------------------------------- in place

relu_, leaky_relu_ = in_place(plain_relu, "relu_"), in_place(leaky_relu_in_place, "leaky_relu_")
hardtanh_ = in_place(lambda self, min_val=-1.0, max_val=1.0: hardtanh(self, min_val, max_val), "hardtanh_")
METHODS: tuple[str, ...] = ("relu_",)  # methods of Tensor, too; `relu` is bound in methods.py
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = ()  # those that take out=
