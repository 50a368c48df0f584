"""Softmax, its logarithm, and logsumexp.

Scores become probabilities without overflow, since a common number taken from all scores changes nothing. Softmax's
gradient is a difference: raising one score lowers all other probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import warn
from minigrad.op import Array, arrays, op
from minigrad.ops.declarations import floats_only, give_name
from minigrad.ops.pointwise.conversion import in_dtype
from minigrad.ops.reductions.dims import expand_reduced, np_max, np_sum, wrap_dims
from minigrad.public import Dims, Dtype, public, with_checks
from minigrad.tensor import Tensor, wrap_dim


def over(g: Any, dim: int) -> tuple[int, ...]:
    """The dimensions to sum over: none of a number without dimensions."""
    return (dim,) if g.ndim else ()


@op(self=lambda F, g, result, dim: F.softmax_gradient(g, result, dim))
def _softmax(self: Array, dim: int) -> Array:
    """exp(score) / sum of exp(scores) along a dimension."""
    if not self.ndim:
        return np.exp(self - self)  # the only one has all the probability
    out = self - np_max(self, axis=dim, keepdims=True, initial=-np.inf)
    np.exp(out, out=out)
    out /= np_sum(out, axis=dim, keepdims=True)
    return out


@op(name="SafeSoftmaxBackward0", self=lambda F, g, result: F.softmax_gradient(g, result, g.ndim - 1))
def safe_softmax(self: Array) -> Array:
    """Softmax along the last dimension, and zeros for rows of nothing but -inf: a query that may look nowhere."""
    out = arrays.softmax(self, self.ndim - 1)
    if out.size and np.isnan(out[..., 0]).any():
        out = np.where(np_max(self, axis=-1, keepdims=True) == -np.inf, out.dtype.type(0), out)
    return out


@op(
    name="SoftmaxBackwardDataBackward0",
    self=lambda F, g, output, dim: F.softmax_gradient(g, output, dim),
    output=lambda F, g, self, output, dim: (
        g * (self - F.sum_dims(self * output, over(g, dim), True)) - self * F.sum_dims(g * output, over(g, dim), True)
    ),
)
def softmax_gradient(self: Array, output: Array, dim: int) -> Array:
    """Softmax's gradient: output * (g - sum(g * output)), for g the input and softmax's own output."""
    out = self - np_sum(self * output, axis=dim, keepdims=True)
    out *= output
    return out


@op(self=lambda F, g, result, dim: F.log_softmax_gradient(g, result, dim))
def _log_softmax(self: Array, dim: int) -> Array:
    """The logarithm of softmax: score - log(sum of exp(scores)) along a dimension."""
    out = self - np_max(self, axis=dim, keepdims=True, initial=-np.inf)
    out -= np.log(np_sum(np.exp(out), axis=dim, keepdims=True))
    return out


@op(
    name="LogSoftmaxBackwardDataBackward0",
    self=lambda F, g, output, dim: g - F.sum_dims(g * F.exp(output), over(g, dim), True),
    output=lambda F, g, self, output, dim: -g * F.exp(output) * F.sum_dims(self, over(g, dim), True),
)
def log_softmax_gradient(self: Array, output: Array, dim: int) -> Array:
    """The gradient of log_softmax: g - softmax * sum(g), for g the input and log_softmax's own output."""
    out = np.exp(output)
    out *= -np_sum(self, axis=dim, keepdims=True)
    out += self
    return out


@op(
    name="LogsumexpBackward0",
    self=lambda F, g, self, result, dim, keepdim: (
        expand_reduced(F, g, self.shape, dim, keepdim)
        * F.exp(self - expand_reduced(F, result, self.shape, dim, keepdim))
    ),
)
def logsumexp_dims(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """log(sum of exp(input)) along some dimensions."""
    top = np_max(self, axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), 0, top)  # inf less inf would be nan
    out = np.log(np_sum(np.exp(self - top), axis=dim, keepdims=True)) + top
    return out if keepdim else np.squeeze(out, dim)[()]


# ---------------------------------------------------------------- as the learner calls them


@public
def softmax(input: Tensor, dim: int, dtype: Dtype = None) -> Tensor:
    """Probabilities from scores: exp(input) / sum of exp(input) along `dim`, which then add up to 1.

    `dtype`: what to convert the input to first. A row with nothing but -inf, or with inf, gives nan.
    """
    return _softmax(*_scores("softmax", input, dim, dtype))


@public
def log_softmax(input: Tensor, dim: int, dtype: Dtype = None) -> Tensor:
    """log(softmax(input, dim)), but exact where probabilities are tiny: input - logsumexp(input, dim)."""
    return _log_softmax(*_scores("log_softmax", input, dim, dtype))


def _with_implicit_dim(name: str, function: Callable[..., Tensor], meaning: str) -> Callable[..., Tensor]:
    """The function as nn.functional has it: like PyTorch it warns where no dimension is given, and chooses one."""

    def with_dim(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype = None) -> Tensor:
        if dim is None:
            text = f"Implicit dimension choice for {name} has been deprecated."
            warn(f"{text} Change the call to include dim=X as an argument.")
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return function(input, dim, dtype)

    with_dim.__module__ = "minigrad.nn.functional"  # where pickle looks for it
    choice = "where that is not given, 0 is chosen for 0, 1 or 3 dimensions, else 1."
    return with_checks(give_name(name, f"{meaning} along `dim`; {choice}", with_dim))


def _softmin(input: Tensor, dim: int, dtype: Dtype) -> Tensor:
    return softmax(-input, dim, dtype)


implicit_softmax = _with_implicit_dim("softmax", softmax, "Probabilities from scores")
implicit_log_softmax = _with_implicit_dim("log_softmax", log_softmax, "Logarithms of probabilities from scores")
softmin = _with_implicit_dim("softmin", _softmin, "Probabilities from scores of which the smallest is the best,")


def _scores(name: str, input: Tensor, dim: int, dtype: dtypes.dtype | None) -> tuple[Tensor, int]:
    """The scores in a floating dtype, and the dimension counted from the front."""
    input = input if dtype is None else in_dtype(input, dtype)
    dim = wrap_dim(dim, input.ndim)
    if not input.dtype.is_floating_point:
        last = "_lastdim" if dim == input.ndim - 1 or not input.ndim else ""
        floats_only(f"{name}{last}_kernel_impl", input._array)
    return input, dim


@public
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """log(sum of exp(input)) along the dimensions `dim`, without overflow; `keepdim` leaves these with size 1.

    Integers are computed as float32. Of nothing, and of -inf alone, it is -inf.
    """
    if dim == () and not keepdim and input.ndim:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * input.ndim}: keep the dims")
    scores = input if input.dtype.is_floating_point else in_dtype(input, dtypes.default)
    return logsumexp_dims(scores, wrap_dims(dim, input.ndim), keepdim)
