"""Initial weights: functions that fill a tensor in place, without being recorded, and return it.

Weights begin random and small. The variance is chosen so that signals, or gradients, keep their size from layer to
layer: it depends on fan_in, the number of inputs that each output sums, and fan_out, the number of outputs that each
input goes to. The random numbers are PyTorch's.
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.absent import attributes_of
from minigrad.autograd.blame import warn
from minigrad.autograd.grad_mode import no_grad
from minigrad.tensor import Tensor

__getattr__ = attributes_of(__name__)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with random numbers, uniform between `a` and `b`."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with random numbers from the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor on the standard deviation of weights that makes up for what a nonlinearity takes from a signal's.

    Args:
        nonlinearity: the name of its function, such as "relu" or "tanh"; "linear" for none.
        param: for "leaky_relu", the slope for negative numbers, 0.01 by default.

    ValueError for an unknown name.
    """
    gains = {"linear": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    gains |= {f"conv{way}{n}d": 1 for way in ("", "_transpose") for n in (1, 2, 3)}
    if nonlinearity in gains:
        return gains[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs each output of a weight (out, in, *kernel) sums, and how many outputs each input goes to.

    ValueError if the weight has less than two dimensions.
    """
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *kernel = tensor.shape
    return inputs * math.prod(kernel), outputs * math.prod(kernel)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform random numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010).
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal random numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    fan = _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return 0.0
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill with uniform random numbers of standard deviation gain / sqrt(fan), for layers before a ReLU.

    He et al., "Delving deep into rectifiers" (2015).

    Args:
        a: the slope for negative numbers of the leaky ReLU after the layer.
        mode: "fan_in" keeps the size of signals, "fan_out" that of gradients.
        nonlinearity: the function after the layer, see `calculate_gain`.
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill with normal random numbers of standard deviation gain / sqrt(fan), for layers before a ReLU."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)
