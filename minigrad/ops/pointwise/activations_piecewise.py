"""Activations made of pieces of lines: relu, leaky_relu, prelu, threshold, hardtanh, hardsigmoid, shrinking and others.

After this module a reader knows what each does to a number and to its gradient, and why some in-place forms have a rule
of their own: the input is gone by then, so the rule has to tell the slope from the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.operands import check_tensors, floats_only, numbers_only, plain
from minigrad.random import recipes as draws
from minigrad.random.generator import default_generator
from minigrad.tensor import Tensor, from_array
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


@op(
    name="PreluKernelBackward0",
    self=lambda F, g, self, weight: F.where(self > 0, g, g * weight),
    weight=lambda F, g, self: F.where(self > 0, 0, g * self),
    broadcasts=True,
)
def prelu(self: Array, weight: Array) -> Array:
    """`leaky_relu` with slopes that can be learnt."""
    floats_only("prelu_cpu", self)
    return np.where(self > 0, self, self * weight)[()]


def _rrelu_op(node: str) -> Any:
    """One op for each of the names that PyTorch has for it: in place it is another."""

    @op(name=node, constants=("noise",), self=lambda F, g, noise: g * noise)
    def rrelu(self: Array, noise: Array) -> Array:
        """`leaky_relu` with a random slope for each element: `noise`, which is 1 where the input is positive."""
        return self * noise

    return rrelu


_rrelu_in_place, _rrelu = _rrelu_op("RreluWithNoiseBackward1"), _rrelu_op("RreluWithNoiseBackward0")


def _threshold_op(node: str) -> Any:
    """One op for each of the names that PyTorch has for it: in place it is another."""

    @op(name=node, self=lambda F, g, self, threshold: F.where(self <= threshold, 0, g))
    def threshold(self: Array, threshold: float, value: float) -> Array:
        """The input where it is above the threshold, `value` elsewhere."""
        numbers_only("threshold_cpu", self)
        return np.where(self <= threshold, self.dtype.type(value), self)[()]

    return threshold


_threshold_in_place, _threshold = _threshold_op("ThresholdBackward1"), _threshold_op("ThresholdBackward0")

# ---------------------------------------------------------------- bends elsewhere


@op(self=lambda F, g, self, min_val, max_val: F.where((self <= min_val) | (self >= max_val), 0, g))
def hardtanh(self: Array, min_val: float, max_val: float) -> Array:
    """The nearest number between two. At the bounds its gradient is 0."""
    return np.minimum(max_val, np.maximum(min_val, self))  # of equals the second: -0.0 stays -0.0


@op(self=lambda F, g, self: F.where((self > -3) & (self < 3), g / 6, 0))
def hardsigmoid(self: Array) -> Array:
    """A straight line from 0 at -3 to 1 at 3, and level beyond."""
    floats_only("hardsigmoid_cpu", self)
    return np.minimum(np.maximum(self + 3, 0), 6) / 6


@op(self=lambda F, g, self: F.where(self <= -3, 0, F.where(self < 3, g * (self / 3 + 0.5), g)))
def hardswish(self: Array) -> Array:
    """Each element times its `hardsigmoid`."""
    floats_only("hardswish_cpu", self)
    return self * np.minimum(np.maximum(self + 3, 0), 6) / 6


@op(self=lambda F, g, self, lambd: F.where((self >= -lambd) & (self <= lambd), 0, g))
def softshrink(self: Array, lambd: float) -> Array:
    """Each element moved towards 0 by `lambd`; it stops there."""
    floats_only("softshrink_cpu", self)
    return np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0))[()]


@op(self=lambda F, g, self, lambd: F.where((self >= -lambd) & (self <= lambd), 0, g))
def hardshrink(self: Array, lambd: float = 0.5) -> Array:
    """0 for elements between -lambd and lambd, the others as they are."""
    floats_only("hardshrink_cpu", self)
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)[()]


# ---------------------------------------------------------------- as the learner calls them

plain_relu = relu  # `minigrad.relu` and `x.relu()`, which have no `inplace`
_leaky_relu, _prelu, _hardtanh, _hardsigmoid, _hardswish = leaky_relu, prelu, hardtanh, hardsigmoid, hardswish
_softshrink = softshrink


def relu(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """max(x, 0)."""
    return relu_(input) if inplace else plain_relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x above 0, negative_slope * x below. At 0 the slope is `negative_slope`."""
    return leaky_relu_(input, negative_slope) if inplace else _leaky_relu(input, negative_slope)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, `value` elsewhere."""
    if inplace:
        return threshold_(input, threshold, value)
    return _threshold(input, *_in_kind_of(input, threshold, value))


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


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """relu6(x + 3) / 6: sigmoid in straight lines."""
    return hardsigmoid_(input) if inplace else _hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x * relu6(x + 3) / 6: silu in straight lines."""
    return hardswish_(input) if inplace else _hardswish(input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:  # type: ignore[no-redef]
    """x moved towards 0 by `lambd`; it stops there. RuntimeError if `lambd` is negative."""
    (input,) = tensor_operands("softshrink", input)
    floats_only("softshrink_check", input._array)
    if not 0 <= lambd <= np.finfo(input._array.dtype).max:
        raise RuntimeError(
            f"lambda must be in range [0, {np.finfo(input._array.dtype).max:g}] for input dtype "
            f"{input.dtype.tensor_type}, but found {lambd:g}"
        )
    return _softshrink(input, lambd)


def prelu(input: Tensor, weight: Tensor) -> Tensor:  # type: ignore[no-redef]
    """x above 0, weight * x below; `weight` is one number, or one for each channel (dimension 1).

    RuntimeError if the dtypes differ or the number of weights is not that of the channels.
    """
    check_tensors("prelu", input=input, weight=weight)
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype.tensor_type} and {weight.dtype.tensor_type}: "
            "convert one of them first"
        )
    count = weight.numel()
    if count != 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor. It has no channels for several weights.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if count != channels:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel "
                f"size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if input.ndim != weight.ndim or input.ndim > 1:
        weight = weight.view(tuple([count if place == 1 else 1 for place in range(input.ndim)]))
    return _prelu(input, weight)


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """`leaky_relu` with, in training, slopes drawn evenly between `lower` and `upper` for each element, and their
    middle otherwise (Xu et al., "Empirical Evaluation of Rectified Activations", 2015).
    """
    return rrelu_(input, lower, upper, training) if inplace else _rrelu(*_with_noise(input, lower, upper, training))


def _with_noise(input: Tensor, lower: float, upper: float, training: bool) -> tuple[Tensor, Tensor]:
    """The input, and what each of its elements is multiplied with."""
    (input,) = tensor_operands("rrelu", input)
    if lower > upper:
        raise RuntimeError(f"Lower bound should be less than or equal to the upper bound: {lower} is greater")
    array = input._array
    floats_only("leaky_relu_cpu", array)
    noise = np.ones(array.shape, array.dtype)
    below = array <= 0 if training else ~(array > 0)
    if training:
        count = int(np.count_nonzero(below))
        with default_generator.lock:
            noise[below] = draws.uniform(count, np.dtype(np.float64), lower, upper, default_generator)
    else:
        noise[below] = (lower + upper) / 2
    return input, from_array(noise[()])


# ---------------------------------------------------------------- in place

relu_, leaky_relu_ = in_place(plain_relu, "relu_"), in_place(leaky_relu_in_place, "leaky_relu_")
hardsigmoid_, hardswish_ = in_place(_hardsigmoid, "hardsigmoid_"), in_place(_hardswish, "hardswish_")
hardtanh_ = in_place(lambda self, min_val=-1.0, max_val=1.0: hardtanh(self, min_val, max_val), "hardtanh_")
threshold_ = in_place(
    lambda self, threshold, value: _threshold_in_place(self, *_in_kind_of(self, threshold, value)), "threshold_"
)
rrelu_ = in_place(
    lambda self, lower=1 / 8, upper=1 / 3, training=False: _rrelu_in_place(*_with_noise(self, lower, upper, training)),
    "rrelu_",
)

METHODS: tuple[str, ...] = ("prelu", "hardshrink", "relu_")  # methods of Tensor, too; `relu` is bound in methods.py
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = ("threshold", "hardshrink")  # those that take out=
