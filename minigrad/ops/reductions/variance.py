"""Variances and standard deviations: var, std.

The count is reduced by 1 unless told otherwise, for the mean was computed from the same elements. The gradient of a
variance points away from the mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.blame import warn
from minigrad.op import arrays, op
from minigrad.ops.reductions.dims import count, expand_reduced, np_sum, wrap_dims
from minigrad.public import public
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _variance_gradient(F: Any, g: Any, self: Any, dim: tuple[int, ...], correction: float, keepdim: bool) -> Any:
    """The gradient of a variance: twice each element's distance from the mean, over the degrees of freedom."""
    freedom = count(self.shape, dim) - correction
    g = expand_reduced(F, g * (2 / freedom if freedom else math.inf), self.shape, dim, keepdim)
    return g * (self - F.mean_dims(self, dim, True))


@op(name="VarBackward0", self=_variance_gradient)
def var(self: Array, dim: tuple[int, ...], correction: float, keepdim: bool) -> Array:
    """The squared distances from the mean along some dimensions, summed, over their count less `correction`."""
    distance = self - arrays.mean_dims(self, dim, True)
    freedom = count(self.shape, dim) - correction
    return np_sum(distance * distance, axis=dim, keepdims=keepdim) / (freedom if freedom > 0 else 0)


@op(
    name="StdBackward0",
    self=lambda F, g, self, result, dim, correction, keepdim: _variance_gradient(
        F, F.where(result == 0, 0, g / (2 * result)), self, dim, correction, keepdim
    ),
)
def std(self: Array, dim: tuple[int, ...], correction: float, keepdim: bool) -> Array:
    """The square root of the variance. At 0 its gradient is 0."""
    return np.sqrt(arrays.var(self, dim, correction, keepdim))


# ---------------------------------------------------------------- as the learner calls them

_var, _std = var, std


@public(overloaded=True)  # type: ignore[no-redef]
def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The mean squared distance from the mean, of all elements or along the dimensions `dim`.

    Divides by the count less `correction`: 1 unless given, or 0 with `unbiased=False`. Needs a floating dtype.
    """
    return _spread(_var, "var", input, dim, unbiased, keepdim, correction)


@public(overloaded=True)  # type: ignore[no-redef]
def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The standard deviation, of all elements or along the dimensions `dim`: the square root of `var`."""
    return _spread(_std, "std", input, dim, unbiased, keepdim, correction)


def _spread(
    op: Any, name: str, input: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: Any
) -> Tensor:
    """`var` and `std`, with PyTorch's warning where too few elements are left."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        raise TypeError(
            f"{name}() received an invalid combination of arguments: give either correction, a number, or unbiased, a "
            "bool"
        )
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"std and var only support floating point and complex dtypes, not {input.dtype}. Convert the tensor first, "
            f"as in x.float().{name}()."
        )
    correction = (0 if unbiased is False else 1) if correction is None else correction
    result: Tensor = op(input, wrap_dims(dim, input.ndim), correction, keepdim)
    if (input.numel() // result.numel() if result.numel() else 0) <= correction:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            f"(input numel divided by output numel). The input has shape {list(input.shape)}, correction is "
            f"{correction}.",
        )
    return result
