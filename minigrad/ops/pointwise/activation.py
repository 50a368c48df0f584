"""The activations of networks: leaky_relu, elu, gelu, silu, softplus and their kin, for `nn.functional`.

After this module a reader knows what each does to a number and to its gradient, why exp is only ever taken of numbers
that cannot overflow, and why the in-place forms have a rule of their own: the input is gone by then, so the rule has to
tell the slope from the result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.op import arrays, op, tensor_operands
from minigrad.ops.pointwise.arithmetic import floats_only
from minigrad.ops.pointwise.elementwise import abs as absolute
from minigrad.ops.pointwise.elementwise import div, sub, tanh
from minigrad.ops.pointwise.elementwise import relu as _relu
from minigrad.random import recipes as draws
from minigrad.random.generator import default_generator
from minigrad.tensor import Tensor, from_array, wrap_dim
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# ---------------------------------------------------------------- a bend at 0


def _leaking(self: Array, negative_slope: float) -> Array:
    floats_only("leaky_relu_cpu", self)
    if 0 < negative_slope <= 1:  # the larger of two is found faster than where which stands
        return np.maximum(self, self * negative_slope)
    return np.where(self > 0, self, self * negative_slope)[()]


@op(self=lambda F, g, self, negative_slope: F.where(self > 0, g, g * negative_slope))
def leaky_relu(self: Array, negative_slope: float) -> Array:
    """Positive numbers as they are, negative ones times a small number."""
    return _leaking(self, negative_slope)


def _told(function: str, slope: float, result: Any) -> Any:
    """The result, if its sign is the input's: a rule that has only the result could not tell otherwise."""
    if slope < 0:
        raise RuntimeError(
            f"In-place {function} backward calculation is triggered with a negative slope which is not supported. This "
            "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )
    return result


@op(
    name="LeakyReluBackward1",
    self=lambda F, g, result, negative_slope: F.where(
        _told("leakyReLu", negative_slope, result) > 0, g, g * negative_slope
    ),
)
def leaky_relu_in_place(self: Array, negative_slope: float) -> Array:
    """`leaky_relu`, with a rule that needs the result only: its sign is the input's if the slope is positive."""
    return _leaking(self, negative_slope)


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


@op(name="RreluWithNoiseBackward0", constants=("noise",), self=lambda F, g, noise: g * noise)
def rrelu(self: Array, noise: Array) -> Array:
    """`leaky_relu` with a slope of chance for each element: `noise` has it where input is not positive, and 1 else."""
    return self * noise


@op(name="RreluWithNoiseBackward1", constants=("noise",), self=lambda F, g, noise: g * noise)
def rrelu_in_place(self: Array, noise: Array) -> Array:
    """`rrelu`, under the name that the in-place form has."""
    return self * noise


def _thresholding(number: int) -> Any:
    """One op for each of the names that PyTorch has for it: in place it is another."""

    @op(name=f"ThresholdBackward{number}", self=lambda F, g, self, threshold: F.where(self <= threshold, 0, g))
    def threshold(self: Array, threshold: float, value: float) -> Array:
        """The input where it is above the threshold, `value` elsewhere."""
        if self.dtype.kind == "b":
            raise NotImplementedError("\"threshold_cpu\" not implemented for 'Bool': bools have no order here")
        return np.where(self <= threshold, self.dtype.type(value), self)[()]

    return threshold


_threshold_in_place, _threshold = _thresholding(1), _thresholding(0)


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
def hardshrink(self: Array, lambd: float) -> Array:
    """0 for elements between -lambd and lambd, the others as they are."""
    floats_only("hardshrink_cpu", self)
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)[()]


# ---------------------------------------------------------------- smooth ones


def _bent(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    floats_only("elu_cpu", self)
    # Each number is above 0 or below it, so one of the two parts is 0; to add them is faster than where. Of equals
    # maximum and minimum take the second: -0.0 stays -0.0.
    below = np.expm1(np.minimum(0, self) * input_scale) * (alpha * scale)
    return np.maximum(0, self) * scale + below


def _elu_slope(F: Any, g: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """The derivative of an exponential below 0, of a line above. Only numbers below 0 go through exp."""
    below = F.exp(F.where(self < 0, self, 0) * input_scale) * (alpha * scale * input_scale)
    return g * F.where(self <= 0, below, scale)


@op(
    self=lambda F, g, self, alpha, scale, input_scale: _elu_slope(F, g, self, alpha, scale, input_scale),
)
def elu(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    return _bent(self, alpha, scale, input_scale)


@op(
    name="EluBackward1",
    self=lambda F, g, result, alpha, scale, input_scale: (
        g * F.where(_told("elu", alpha, result) <= 0, (result + alpha * scale) * input_scale, scale)
    ),
)
def elu_in_place(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """`elu`, with a rule that needs the result only: the exponential is the result and what was subtracted."""
    return _bent(self, alpha, scale, input_scale)


@op(self=lambda F, g, self, alpha: _elu_slope(F, g, self, alpha, 1.0, 1 / alpha))
def celu(self: Array, alpha: float) -> Array:
    """x above 0, alpha * (exp(x / alpha) - 1) below: its slope has no step at 0."""
    return _bent(self, alpha, 1.0, 1 / alpha)


@op(
    name="CeluBackward1",
    self=lambda F, g, result, alpha: g * F.where(_told("elu", alpha, result) <= 0, (result + alpha) / alpha, 1.0),
)
def celu_in_place(self: Array, alpha: float) -> Array:
    """`celu`, with a rule that needs the result only."""
    return _bent(self, alpha, 1.0, 1 / alpha)


def _gelu_slope(F: Any, g: Any, self: Any, approximate: str) -> Any:
    """The product rule for x * (the part of the bell curve below x)."""
    if approximate == "none":
        below = (F.erf(self * math.sqrt(0.5)) + 1) * 0.5
        density = F.exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))
        return g * (below + self * density)
    bend = F.tanh((self + self * self * self * 0.044715) * math.sqrt(2 / math.pi))
    inner_slope = (self * self * (3 * 0.044715) + 1) * math.sqrt(2 / math.pi)
    return g * ((bend + 1) * 0.5 + self * (1 - bend * bend) * inner_slope * 0.5)


@op(self=lambda F, g, self, approximate: _gelu_slope(F, g, self, approximate))
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


def _silu_slope(F: Any, g: Any, self: Any) -> Any:
    """The product rule for x * sigmoid(x)."""
    gate = F.sigmoid(self)
    return g * (gate * (1 + self * (1 - gate)))


@op(self=lambda F, g, self: _silu_slope(F, g, self))
def silu(self: Array) -> Array:
    """x * sigmoid(x)."""
    floats_only("silu_cpu", self)
    return self / (1 + np.exp(-self))


def _mish_slope(F: Any, g: Any, self: Any) -> Any:
    """The product rule for x * tanh(log(1 + exp(x))). The slope of the logarithm is sigmoid(x)."""
    gate = F.tanh(F.softplus(self, 1, 20))
    return g * (gate + self * (1 - gate * gate) * F.sigmoid(self))


@op(self=lambda F, g, self: _mish_slope(F, g, self))
def mish(self: Array) -> Array:
    """x * tanh(log(1 + exp(x)))."""
    floats_only("mish_cpu", self)
    return self * np.tanh(np.log1p(np.exp(self)))


@op(self=lambda F, g, self, beta, threshold: F.where(self * beta > threshold, g, g * F.sigmoid(self * beta)))
def softplus(self: Array, beta: float, threshold: float) -> Array:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold: there they are equal."""
    floats_only("softplus_cpu", self)
    scaled = self * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / beta)[()]


@op(name="LogSigmoidBackward0", self=lambda F, g, self: g * F.sigmoid(-self))
def logsigmoid(self: Array) -> Array:
    """log(sigmoid(x)), which is min(x, 0) - log(1 + exp(-abs(x))): no exp of a large number."""
    floats_only("log_sigmoid_cpu", self)
    return np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))


def _halves(self: Any, dim: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The indices of the two halves along a dimension."""
    middle, before = self.shape[dim] // 2, (slice(None),) * dim
    return (*before, slice(None, middle)), (*before, slice(middle, None))


def _glu_gradient(F: Any, g: Any, self: Any, dim: int) -> Any:
    """The product rule: what goes to the first half is let through the gate, what goes to the second moves it."""
    first, second = _halves(self, dim)
    content, gate = F.basic_index(self, (*first, ...)), F.sigmoid(F.basic_index(self, (*second, ...)))
    through = g * gate
    return F.cat(through, through * (1 - gate) * content, dim=dim)


@op(self=lambda F, g, self, dim: _glu_gradient(F, g, self, dim))
def glu(self: Array, dim: int) -> Array:
    """The first half along a dimension times the sigmoid of the second half."""
    floats_only("glu_cpu", self)
    first, second = _halves(self, dim)
    return self[first] / (1 + np.exp(-self[second]))


# ---------------------------------------------------------------- as the learner calls them

_leaky_relu, _prelu, _rrelu, _hardtanh, _hardsigmoid, _hardswish = (
    leaky_relu, prelu, rrelu, hardtanh, hardsigmoid, hardswish,
)  # fmt: skip
_softshrink, _hardshrink, _elu, _celu, _gelu, _silu = softshrink, hardshrink, elu, celu, gelu, silu
_mish, _softplus, _glu = mish, softplus, glu
_SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0)  # alpha, scale, input_scale


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0)."""
    return relu_(input) if inplace else _relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x above 0, negative_slope * x below. At 0 the slope is `negative_slope`."""
    return leaky_relu_(input, negative_slope) if inplace else _leaky_relu(input, negative_slope)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, `value` elsewhere."""
    if inplace:
        return threshold_(input, threshold, value)
    return _threshold(input, *_bounds(input, threshold, value))


def _bounds(input: Tensor, *numbers: float) -> list[Any]:
    """Numbers as they count beside a tensor: whole ones beside integers."""
    if isinstance(input, Tensor) and input.dtype.category == 1:
        return [int(number) for number in numbers]
    return [number.item() if isinstance(number, np.generic) else number for number in numbers]


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
    bounds = _bounds(input, min_val, max_val)
    return hardtanh_(input, min_val, max_val) if inplace else _hardtanh(input, *bounds)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0.0, 6.0, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x above 0, alpha * (exp(x) - 1) below."""
    return elu_(input, alpha) if inplace else _elu(input, alpha, 1.0, 1.0)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` scaled so that many layers of it keep mean 0 and variance 1 (Klambauer et al., "Self-Normalizing Neural
    Networks", 2017).
    """
    return selu_(input) if inplace else _elu(input, *_SELU)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x above 0, alpha * (exp(x / alpha) - 1) below: its slope has no step at 0.

    RuntimeError if alpha is 0.
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return celu_(input, alpha) if inplace else _celu(input, alpha)


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


def mish(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x * tanh(log(1 + exp(x)))."""
    return mish_(input) if inplace else _mish(input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """relu6(x + 3) / 6: sigmoid in straight lines."""
    return hardsigmoid_(input) if inplace else _hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:  # type: ignore[no-redef]
    """x * relu6(x + 3) / 6: silu in straight lines."""
    return hardswish_(input) if inplace else _hardswish(input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:  # type: ignore[no-redef]
    """log(1 + exp(beta * x)) / beta, a smooth relu; x itself where beta * x is above the threshold."""
    return _softplus(input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + abs(x))."""
    return div(input, absolute(input) + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
    return sub(input, tanh(input))


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


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:  # type: ignore[no-redef]
    """0 where x lies between -lambd and lambd, else x."""
    return _hardshrink(input, lambd)


def glu(input: Tensor, dim: int = -1) -> Tensor:  # type: ignore[no-redef]
    """The first half along `dim` times the sigmoid of the second half (Dauphin et al., 2017).

    RuntimeError if there is no dimension, or its size is odd.
    """
    (input,) = tensor_operands("glu", input)
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, input.ndim)
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    return _glu(input, dim)


def prelu(input: Tensor, weight: Tensor) -> Tensor:  # type: ignore[no-redef]
    """x above 0, weight * x below; `weight` is one number, or one for each channel (dimension 1).

    RuntimeError if the dtypes differ or the number of weights is not that of the channels.
    """
    for name, position, value in (("input", 1, input), ("weight", 2, weight)):
        if not isinstance(value, Tensor):
            raise TypeError(f"prelu(): argument '{name}' (position {position}) must be Tensor, not {type_name(value)}")
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


def rrelu(  # type: ignore[no-redef]
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
    noise = np.ones_like(array, shape=array.shape, order="C")
    below = array <= 0 if training else ~(array > 0)
    if training:
        count = int(np.count_nonzero(below))
        with default_generator.lock:
            noise[below] = draws.uniform(count, np.dtype(np.float64), lower, upper, default_generator)
    else:
        noise[below] = (lower + upper) / 2
    return input, from_array(noise[()])


# ---------------------------------------------------------------- in place


def _leaky_relu_written(self: Tensor, negative_slope: float = 0.01) -> Tensor:
    return leaky_relu_in_place(self, negative_slope)


def _threshold_written(self: Tensor, threshold: float, value: float) -> Tensor:
    return _threshold_in_place(self, *_bounds(self, threshold, value))


def _elu_written(self: Tensor, alpha: float = 1.0) -> Tensor:
    return elu_in_place(self, alpha, 1.0, 1.0)


def _selu_written(self: Tensor) -> Tensor:
    return elu_in_place(self, *_SELU)


def _celu_written(self: Tensor, alpha: float = 1.0) -> Tensor:
    return celu_in_place(self, alpha)


def _rrelu_written(self: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    return rrelu_in_place(*_with_noise(self, lower, upper, training))


def _hardtanh_written(self: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return hardtanh(self, min_val, max_val)


leaky_relu_, threshold_, elu_, selu_, celu_, rrelu_, hardtanh_, relu_, silu_, mish_, hardsigmoid_, hardswish_ = (
    in_place(function, name)
    for function, name in (
        (_leaky_relu_written, "leaky_relu_"), (_threshold_written, "threshold_"), (_elu_written, "elu_"),
        (_selu_written, "selu_"), (_celu_written, "celu_"), (_rrelu_written, "rrelu_"),
        (_hardtanh_written, "hardtanh_"), (_relu, "relu_"), (_silu, "silu_"), (_mish, "mish_"),
        (_hardsigmoid, "hardsigmoid_"), (_hardswish, "hardswish_"),
    )
)  # fmt: skip

METHODS: tuple[str, ...] = ("prelu", "hardshrink")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form as a method
OUT: tuple[str, ...] = ("threshold", "hardshrink")  # those that take out=
