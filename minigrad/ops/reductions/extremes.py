"""The largest and the smallest: max, min, argmax, argmin, amax, amin.

After this module a reader knows how a gradient finds the winner, and what happens where several are equal: max and min
of a whole tensor, amax and amin share it among all of them; max and min along a dimension give it to the one whose
index they return.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import op, tensor_operands
from minigrad.ops.pointwise.bounds import maximum, minimum
from minigrad.ops.reductions.dims import Dims, check_dim_given, expand_reduced, np_max, np_min, np_sum, wrap_dims
from minigrad.ops.reductions.picking import shared_by_equals, take_along_op
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "max", "min", "argmax", "argmin", "amax", "amin",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("max", "min", "argmax", "argmin", "amax", "amin")  # those that take out=

# ---------------------------------------------------------------- of all, or with an index along a dimension


@op(name="MaxBackward1", self=shared_by_equals)
def max_all(self: Array) -> Array:
    """The largest element. Its gradient is shared among equal ones."""
    return np.max(self)


@op(name="MinBackward1", self=shared_by_equals)
def min_all(self: Array) -> Array:
    """The smallest element. Its gradient is shared among equal ones."""
    return np.min(self)


max_dim, min_dim = take_along_op("MaxBackward0"), take_along_op("MinBackward0")


# ---------------------------------------------------------------- shared among equals along some dimensions


@op(constants=("best",))
def shares_of_ties(self: Array, best: Array, dim: tuple[int, ...], nans: bool) -> Array:
    """1 over the number of ties along some dimensions where an element equals the best, else 0.

    `nans`: nans count as best.
    """
    winners = (self == best) | (self != self) if nans else self == best
    return (winners / np_sum(winners, axis=dim, keepdims=True)).astype(self.dtype)


def shared_gradient(F: Any, g: Any, self: Any, result: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of the result along some dimensions: equal parts for all elements that equal it."""
    g, result = (expand_reduced(F, part, self.shape, dim, keepdim) for part in (g, result))
    return g * F.shares_of_ties(self, result, dim, False)


@op(self=shared_gradient)
def amax(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The largest elements along some dimensions. Their gradient is shared among equal ones."""
    return np_max(self, axis=dim, keepdims=keepdim)


@op(self=shared_gradient)
def amin(self: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    """The smallest elements along some dimensions. Their gradient is shared among equal ones."""
    return np_min(self, axis=dim, keepdims=keepdim)


# ---------------------------------------------------------------- as the learner calls them

_amax, _amin = amax, amin


def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The largest element; with `dim`, (values, indices) of the largest along it, the first among equal ones.

    `max(input, other)` is `maximum(input, other)`.
    """
    if isinstance(dim, Tensor) or other is not None:
        return maximum(input, dim if other is None else other)
    (input,) = tensor_operands("max", input)
    if dim is None:
        check_dim_given("max", keepdim)
        return max_all(_check_not_empty("max", RuntimeError, input))
    dim, indices = _find("max", np.argmax, input, dim, keepdim)
    return return_types.max(max_dim(input, indices, dim, keepdim) if input.ndim else max_all(input), indices)


def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The smallest element; with `dim`, (values, indices) of the smallest along it, the first among equal ones.

    `min(input, other)` is `minimum(input, other)`.
    """
    if isinstance(dim, Tensor) or other is not None:
        return minimum(input, dim if other is None else other)
    (input,) = tensor_operands("min", input)
    if dim is None:
        check_dim_given("min", keepdim)
        return min_all(_check_not_empty("min", RuntimeError, input))
    dim, indices = _find("min", np.argmin, input, dim, keepdim)
    return return_types.min(min_dim(input, indices, dim, keepdim) if input.ndim else min_all(input), indices)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as largest.
    """
    return _index_of("argmax", np.argmax, input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, in the flattened tensor or along `dim`; the first among equal ones.

    nan counts as smallest.
    """
    return _index_of("argmin", np.argmin, input, dim, keepdim)


def _index_of(name: str, find: Callable[..., Any], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """`argmax` and `argmin`, which `find` computes."""
    (input,) = tensor_operands(name, input, composed=True)
    if input.dtype is dtypes.bool:
        raise RuntimeError(f"{name}(): does not support bool input: convert the tensor first, as in x.int().{name}()")
    if dim is None:
        return from_array(find(_check_not_empty(name, IndexError, input)._array, keepdims=keepdim))
    return _find(name, find, input, dim, keepdim)[1]


def _find(name: str, find: Callable[..., Any], input: Tensor, dim: Any, keepdim: bool) -> tuple[int, Tensor]:
    """A dimension counted from the front, and the indices found along it."""
    if not isinstance(dim, int):
        raise TypeError(
            f"{name}() received an invalid combination of arguments: 'dim' must be an int, not {type(dim).__name__}"
            if name in ("max", "min")
            else f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}"
        )
    dim = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return dim, from_array(np.int64(0))
    if not input.shape[dim]:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return dim, from_array(find(input._array, axis=dim, keepdims=keepdim))


def _check_not_empty(name: str, error: type[Exception], input: Tensor) -> Tensor:
    """The tensor, if it has elements; else the error."""
    if input.numel() == 0:
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    return input


def amax(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:  # type: ignore[no-redef]
    """The largest element, of all or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Equal ones share the gradient: unlike `max`, which gives it to the one whose index it returns.
    """
    return _extreme(_amax, "amax", input, dim, keepdim)


def amin(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:  # type: ignore[no-redef]
    """The smallest element, of all or along the dimensions `dim`; `keepdim` leaves these with size 1.

    Equal ones share the gradient: unlike `min`, which gives it to the one whose index it returns.
    """
    return _extreme(_amin, "amin", input, dim, keepdim)


def _extreme(op: Any, name: str, input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """`amax` and `amin`, which `op` computes."""
    (input,) = tensor_operands(name, input)
    dims = wrap_dims(dim, input.ndim)
    if dim is None or (isinstance(dim, Sequence) and not dim):
        _check_not_empty(name, RuntimeError, input)
    for d in dims:
        if input.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    result: Tensor = op(input, dims, keepdim)
    return result
