"""Activations with an exponential in them: sigmoid, elu, gelu, silu, softplus, logsigmoid.

After this module a reader knows what each does to a number and to its gradient, that most are a number times a gate
between 0 and 1 (so their rule is the product rule), and where an exponential that overflows does no harm: 1 / (1 + inf)
is the 0 that is meant.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import arrays, op
from minigrad.ops.operands import floats_only
from minigrad.ops.pointwise.activations_piecewise import check_slope
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g, result: g * result * (1 - result), floating=True)
def sigmoid(self: Array) -> Array:
    """1 / (1 + exp(-input))."""
    return 1 / (1 + np.exp(-self))


# ---------------------------------------------------------------- an exponential below 0, a line above


def _exponential_linear(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    floats_only("elu_cpu", self)
    # Each number is above 0 or below it, so one of the two parts is 0; to add them is faster than where. Of equals
    # maximum and minimum take the second: -0.0 stays -0.0.
    below = np.expm1(np.minimum(0, self) * input_scale) * (alpha * scale)
    return np.maximum(0, self) * scale + below


def _elu_slope(F: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """The derivative of an exponential below 0, of a line above. Only numbers below 0 go through exp."""
    below = F.exp(F.where(self < 0, self, 0) * input_scale) * (alpha * scale * input_scale)
    return F.where(self <= 0, below, scale)


@op(self=lambda F, g, self, alpha, scale, input_scale: g * _elu_slope(F, self, alpha, scale, input_scale))
def elu(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    return _exponential_linear(self, alpha, scale, input_scale)


def _elu_slope_from_result(F: Any, result: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """The slope below 0 is the exponential, which is the result and what was subtracted."""
    check_slope("elu", alpha)
    return F.where(result <= 0, (result + alpha * scale) * input_scale, scale)


@op(
    name="EluBackward1",
    self=lambda F, g, result, alpha, scale, input_scale: (
        g * _elu_slope_from_result(F, result, alpha, scale, input_scale)
    ),
)
def elu_in_place(self: Array, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Array:
    """`elu`, with a rule that needs the result only."""
    return _exponential_linear(self, alpha, scale, input_scale)


# ---------------------------------------------------------------- gates


def _gelu_slope(F: Any, self: Any, approximate: str) -> Any:
    """The product rule for x * (the part of the bell curve below x)."""
    if approximate == "none":
        below = (F.erf(self * math.sqrt(0.5)) + 1) * 0.5
        density = F.exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))
        return below + self * density
    curve = F.tanh((self + self * self * self * 0.044715) * math.sqrt(2 / math.pi))
    inner_slope = (self * self * (3 * 0.044715) + 1) * math.sqrt(2 / math.pi)
    return (curve + 1) * 0.5 + self * (1 - curve * curve) * inner_slope * 0.5


@op(self=lambda F, g, self, approximate: g * _gelu_slope(F, self, approximate))
def gelu(self: Array, approximate: str) -> Array:
    """x times the part of the bell curve that lies below x."""
    floats_only("GeluKernelImpl", self)
    if approximate == "none":
        below = arrays.erf(self * math.sqrt(0.5))
    else:
        below = np.tanh((self + self * self * self * 0.044715) * math.sqrt(2 / math.pi))
    below += 1
    below *= 0.5
    below *= self
    return below


def _silu_slope(F: Any, self: Any) -> Any:
    """The product rule for x * sigmoid(x)."""
    gate = F.sigmoid(self)
    return gate * (1 + self * (1 - gate))


@op(self=lambda F, g, self: g * _silu_slope(F, self))
def silu(self: Array) -> Array:
    """x * sigmoid(x)."""
    floats_only("silu_cpu", self)
    return self / (1 + np.exp(-self))


# ---------------------------------------------------------------- logarithms of exponentials


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


# ---------------------------------------------------------------- as the learner calls them

_elu, _gelu, _silu = elu, gelu, silu


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x above 0, alpha * (exp(x) - 1) below."""
    return elu_(input, alpha) if inplace else _elu(input, alpha, 1.0, 1.0)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:  # type: ignore[no-redef]
    """x times the part of the bell curve that lies below x (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).

    Args:
        approximate: "none", or "tanh" for the formula of that paper with tanh in the place of the error function.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh. It is {approximate!r}.")
    return _gelu(input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x * sigmoid(x), which is also called swish."""
    return silu_(input) if inplace else _silu(input)


elu_ = in_place(elu_in_place, "elu_")
silu_, sigmoid_ = in_place(_silu, "silu_"), in_place(sigmoid, "sigmoid_")

METHODS: tuple[str, ...] = ("sigmoid", "sigmoid_")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = ("sigmoid",)  # those that take out=
