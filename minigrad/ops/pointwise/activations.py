"""Activations: relu, leaky_relu, elu, gelu, silu, sigmoid, softplus, logsigmoid. (tanh: see elementary.py.)

Some are pieces of lines; most others are a number times a gate between 0 and 1, so that their rule is the product rule.
Where an exponential overflows, it does no harm: 1 / (1 + inf) is the 0 that is meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.half_precision import widen
from minigrad.op import Array, arrays, op, with_node_name
from minigrad.ops.declarations import floats_only, level
from minigrad.ops.pointwise.elementary import elementary
from minigrad.public import public, with_checks
from minigrad.tensor import Tensor
from minigrad.writing import in_place

LARGE = 2000  # elements from which on numpy's clip is faster than its maximum: of 401,408 by four (43 and 185 µs)
PART = 2**16  # elements, 256 KiB in float32: what fits into the cache together with what is made of it


# ---------------------------------------------------------------- pieces of lines
# The gradient of such a piece is an op of two inputs: a line has no curvature, so that of the second is 0.


def gradient_of_pieces(function: str, **rules: Any) -> Callable[[Any], Any]:
    """Declare the gradient of a function of pieces of lines, at `point`: itself a piece of a line."""
    return op(name=f"{function}BackwardBackward0", point=level, **rules)


@gradient_of_pieces("Threshold", exact=True, self=lambda F, g, point: F.where_positive(g, point))
def where_positive(self: Array, point: Array) -> Array:
    """The input with exact zeros, also for inf and nan, where `point` is 0 or less; both have the same shape."""
    bits = self.view(f"i{self.itemsize}")  # multiplied as integers: six times as fast as np.where
    return (bits * ~(point <= 0)).view(self.dtype)


@public(in_place=True)
@op(exact="rules", self=lambda F, g, result: F.where_positive(g, result))
def _relu(self: Array) -> Array:
    """max(input, 0). At 0 its gradient is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu: convert the tensor first, as in x.float()")
    if self.size >= LARGE and self.dtype.char in "fd":
        return self.clip(0, np.inf)
    return np.maximum(0, self)  # of equals the second: -0.0 stays -0.0


@gradient_of_pieces(
    "LeakyRelu", self=lambda F, g, point, negative_slope: F.leaky_relu_gradient(g, point, negative_slope)
)
def leaky_relu_gradient(self: Array, point: Array, negative_slope: float) -> Array:
    """The input where `point` is above 0, else times the small number."""
    return np.where(point > 0, self, self * negative_slope)


@op(self=lambda F, g, self, negative_slope: F.leaky_relu_gradient(g, self, negative_slope))
def _leaky_relu(self: Array, negative_slope: float) -> Array:
    """Positive numbers as they are, negative ones times a small number."""
    floats_only("leaky_relu_cpu", self)
    return np.where(self > 0, self, self * negative_slope)[()]


def _leaky_gradient_from_result(F: Any, g: Any, result: Any, negative_slope: float) -> Any:
    """That of the in-place form, whose input is gone: a result has its input's sign if the slope is not negative."""
    if negative_slope < 0:
        raise RuntimeError(
            "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This "
            "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )
    return F.leaky_relu_gradient(g, result, negative_slope)


leaky_relu_in_place = with_node_name(_leaky_relu, "LeakyReluBackward1", self=_leaky_gradient_from_result)


# ---------------------------------------------------------------- an exponential below 0, a line above


@with_checks
@op(self=lambda F, g, self, alpha: g * F.where(self <= 0, F.exp(F.where(self < 0, self, 0)) * alpha, 1))
def elu(self: Array, alpha: float = 1.0) -> Array:
    """x above 0, alpha * (exp(x) - 1) below. (Only numbers below 0 go through exp, also in the rule.)"""
    floats_only("elu_cpu", self)
    # Each number is above 0 or below it, so one of the two parts is 0; to add them is faster than where. Of equals
    # maximum and minimum take the second: -0.0 stays -0.0.
    return np.maximum(0, self) + np.expm1(np.minimum(0, self)) * alpha


# ---------------------------------------------------------------- gates


@elementary(self=lambda F, g, result: g * result * (1 - result))
def sigmoid(self: Array) -> Array:
    """1 / (1 + exp(-input))."""
    return 1 / (1 + np.exp(-self))


def _gelu_gate(F: Any, self: Any, approximate: str) -> Any:
    """The part of the bell curve that lies below x."""
    if approximate == "none":
        return (F.erf(self * math.sqrt(0.5)) + 1) * 0.5
    return (F.tanh((self + self * self * self * 0.044715) * math.sqrt(2 / math.pi)) + 1) * 0.5


def _in_parts(function: Callable[[Array], Array], array: Array) -> Array:
    """An elementwise function of an array, part by part if it is large: what is computed on the way stays in the cache.
    For gelu's gate of half a million numbers that takes two thirds of the time.
    """
    if array.size < 2 * PART or not array.flags.c_contiguous:
        return function(array)
    parts = np.array_split(array.reshape(-1), array.size // PART)
    return np.concatenate([function(part) for part in parts]).reshape(array.shape)


def _gelu_slope(F: Any, self: Any, approximate: str, gate: Any) -> Any:
    """The product rule for x * gate."""
    if F is not arrays:  # where the slope is a function of x, too
        gate = _gelu_gate(F, self, approximate)
    if approximate == "none":
        return gate + self * (F.exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi)))
    inner_slope = (self * self * (3 * 0.044715) + 1) * math.sqrt(2 / math.pi)
    return gate + self * (gate * (1 - gate)) * inner_slope * 2


@op(kept=("gate",), self=lambda F, g, self, approximate, gate: g * _gelu_slope(F, self, approximate, gate))
def _gelu(self: Array, approximate: str, gate: Array) -> Array:
    """x times a gate, which depends on x alone: it takes long to compute, and is kept for the way back."""
    return self * gate


def _silu_slope(F: Any, self: Any) -> Any:
    """The product rule for x * sigmoid(x)."""
    gate = F.sigmoid(self)
    return gate * (1 + self * (1 - gate))


@with_checks
@op(self=lambda F, g, self: g * _silu_slope(F, self))
def silu(self: Array) -> Array:
    """x * sigmoid(x)."""
    floats_only("silu_cpu", self)
    return self / (1 + np.exp(-self))


# ---------------------------------------------------------------- logarithms of exponentials


@with_checks
@op(self=lambda F, g, self, beta, threshold: F.where(self * beta > threshold, g, g * F.sigmoid(self * beta)))
def softplus(self: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold: there they are equal."""
    floats_only("softplus_cpu", self)
    scaled = self * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / beta)[()]


@op(name="LogSigmoidBackward0", self=lambda F, g, self: g * F.sigmoid(-self))
def logsigmoid(self: Array) -> Array:
    """log(sigmoid(x)), which is min(x, 0) - log(1 + exp(-abs(x))): no exp of a large number."""
    floats_only("log_sigmoid_cpu", self)
    return np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))


# ---------------------------------------------------------------- as nn.functional has them, with their options

_relu.__module__ = "minigrad"  # where pickle looks for it: this module has another by that name
relu_, leaky_relu_ = in_place(_relu, "relu_"), in_place(leaky_relu_in_place, "leaky_relu_")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0)."""
    return relu_(input) if inplace else _relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x above 0, negative_slope * x below. At 0 the slope is `negative_slope`."""
    return (leaky_relu_ if inplace else _leaky_relu)(input, negative_slope)


@with_checks
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """x times the part of the bell curve that lies below x (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).

    Args:
        approximate: "none", or "tanh" for the formula of that paper with tanh in the place of the error function.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh. It is {approximate!r}.")
    floats_only("GeluKernelImpl", input._array)
    gate = _in_parts(lambda part: _gelu_gate(arrays, part, approximate), widen(input._array))
    return _gelu(input, approximate, gate)
