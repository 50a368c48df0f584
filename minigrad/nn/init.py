"""Initial weights: functions that fill a tensor in place, without being recorded, and return it.

After this module a reader knows why weights begin random and small, and by what rule: the variance is chosen so that
signals, or gradients, keep their size from layer to layer. It depends on fan_in, the number of inputs that each output
sums, and fan_out, the number of outputs that each input goes to.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.grad_mode import no_grad
from minigrad.tensor import Tensor, from_array

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal", "kaiming_normal_",
    "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal", "orthogonal_", "sparse",
    "sparse_", "trunc_normal_", "uniform", "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform",
    "xavier_uniform_", "zeros_",
]  # fmt: skip


# ---------------------------------------------------------------- constant


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on the diagonal and zeros elsewhere. ValueError if it is not 2-D."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(from_array(np.eye(*tensor.shape)))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that its outputs equal its inputs: each output channel has a 1 at the center
    of the kernel of its own input channel, and zeros elsewhere.

    ValueError if it does not have 3 to 5 dimensions, or the first is no multiple of `groups`.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    weight = np.zeros(tensor.shape)
    outputs, center = tensor.shape[0] // groups, tuple(size // 2 for size in tensor.shape[2:])
    for group in range(groups):
        for channel in range(min(outputs, tensor.shape[1])):
            weight[(group * outputs + channel, channel, *center)] = 1
    with no_grad():
        return tensor.copy_(from_array(weight))


# ---------------------------------------------------------------- random


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with random numbers, uniform between `a` and `b`."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with random numbers from the normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Fill with random numbers from the normal distribution, cut off below `a` and above `b`.

    If much of the distribution lies between the two, numbers outside are drawn again. Otherwise rejection sampling:
    numbers are drawn uniformly, and each is accepted with probability density(x) / (greatest density in [a, b]).
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )

    def cumulative(x: float) -> float:
        """The probability of a number below x."""
        return (1 + math.erf((x - mean) / std / math.sqrt(2))) / 2

    with no_grad():
        sample = _redraw_outside if cumulative(b) - cumulative(a) > 0.3 else _rejection_sample
        return tensor.copy_(from_array(sample(tensor, mean, std, a, b, generator)))


def _redraw_outside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    low, high = np.asarray([a, b], tensor._array.dtype)
    chosen = tensor.normal_(mean, std, generator=generator)._array
    while True:
        outside = (chosen < low) | (chosen > high)
        if not outside.any():
            return chosen
        again = tensor.new_empty(tensor.shape).normal_(mean, std, generator=generator)
        chosen = np.where(outside, again._array, chosen)


def _rejection_sample(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2  # log of the greatest density, without its constant
    drawn = tensor.new_empty(tensor.shape)
    chosen: Any = drawn._array
    rejected: Any = np.ones(tensor.shape, np.bool_)
    while rejected.any():
        candidates = drawn.uniform_(a, b, generator=generator)._array.copy()
        chosen = np.where(rejected, candidates, chosen)
        log_density = ((candidates - mean) / std) ** 2 * -0.5 - peak
        rejected = rejected & (np.log(drawn.uniform_(generator=generator)._array) > log_density)
    return chosen


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor on the standard deviation of weights that makes up for what a nonlinearity takes from a signal's.

    Args:
        nonlinearity: the name of its function, such as "relu" or "tanh"; "linear" for none.
        param: for "leaky_relu", the slope for negative numbers, 0.01 by default.

    ValueError for an unknown name.
    """
    gains = {"sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity in gains:
        return gains[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity in ("linear", *(f"conv{way}{n}d" for way in ("", "_transpose") for n in (1, 2, 3))):
        return 1
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs each output of a weight (out, in, *kernel) sums, and how many outputs each input goes to.

    ValueError if the weight has less than two dimensions.
    """
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *kernel = tensor.shape
    return inputs * math.prod(kernel), outputs * math.prod(kernel)


def _fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform random numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010).
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal random numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=frames_to_learner())
        return None
    fan = _fan(tensor, mode)
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
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill with normal random numbers of standard deviation gain / sqrt(fan), for layers before a ReLU."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0.0, std, generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a random matrix whose rows, or columns if they are fewer, are orthogonal and of length `gain`.

    All dimensions but the first count as one. Saxe et al., "Exact solutions to the nonlinear dynamics of
    learning in deep linear neural networks" (2013): the Q of the QR decomposition of normal random numbers, its signs
    chosen so that the diagonal of R is positive, which makes all orthogonal matrices equally likely.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    columns = tensor.numel() // rows
    random = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)._array
    q, r = np.linalg.qr(random.T if rows < columns else random)
    q = q * np.sign(np.diag(r))
    q = (q.T if rows < columns else q) * np.asarray(gain, q.dtype)
    with no_grad():
        return tensor.copy_(from_array(q.reshape(tensor.shape)))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill a matrix with normal random numbers, then set the part `sparsity` of each column, at random, to zero.

    Martens, "Deep learning via Hessian-free optimization" (2010).
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    from minigrad.random import randperm

    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[randperm(rows)[:zeros], column] = 0
    return tensor


# ---------------------------------------------------------------- the names from before in-place functions ended in _


def _under_old_name(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    new, old = function.__name__, function.__name__[:-1]

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
            FutureWarning,
            stacklevel=frames_to_learner(),
        )
        return function(*arguments, **options)

    call.__name__ = old
    call.__doc__ = f"`{new}` under its old name. FutureWarning."
    return call


_old_name: Any = _under_old_name  # the functions have different parameters, which map() is strict about
uniform, normal, constant, eye, dirac = map(_old_name, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal = map(_old_name, (xavier_uniform_, xavier_normal_))
kaiming_uniform, kaiming_normal = map(_old_name, (kaiming_uniform_, kaiming_normal_))
orthogonal, sparse = map(_old_name, (orthogonal_, sparse_))
