"""Running totals: cumsum, cumprod, logcumsumexp, cummax, cummin.

After this module a reader knows that the gradient of a running total runs the other way: an element counts in all the
totals from its own place on, so their gradients come back to it, from the last to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import return_types
from minigrad.op import op, tensor_operands
from minigrad.ops.operands import floats_only, numbers_only
from minigrad.ops.reductions.dims import one_dim, part
from minigrad.ops.reductions.sums import total_dtype
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")  # methods of Tensor, too
IN_PLACE: tuple[str, ...] = ("cumsum", "cumprod")  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")  # those that take out=


@op(self=lambda F, g, dim, backwards: F.cumsum(g, dim, not backwards))
def cumsum(self: Array, dim: int, backwards: bool) -> Array:
    """For each element the sum of those up to it along a dimension, or of those from it on."""
    if not self.ndim:
        return np.array(self)
    out = np.empty_like(self)
    along = (slice(None),) * dim + (slice(None, None, -1 if backwards else 1),)
    np.add.accumulate(self[along], axis=dim, out=out[along])
    return out


def _summed_from_the_end(F: Any, factor: Any, term: Any, dim: int) -> Any:
    """total[i] = term[i] + factor[i] * total[i + 1], from the last element on; `factor` has none for the last.

    As many steps as the size has binary digits: each makes a total of twice as many terms.
    """
    size = term.shape[dim]
    step = 1
    while step < size:
        reached = part(F, term, dim, 0, size - step) + factor * part(F, term, dim, step, size)
        term = F.cat(reached, part(F, term, dim, size - step, size), dim=dim)
        if 2 * step < size:
            factor = part(F, factor, dim, 0, size - 2 * step) * part(F, factor, dim, step, size - step)
        step *= 2
    return term


def cumprod_gradient(F: Any, g: Any, self: Any, result: Any, dim: int) -> Any:
    """The gradient of running products: for each factor what stands before it, times what comes after it.

    Without zeros that is the sum of the products that it is in, over itself.
    """
    if not self.ndim:
        return g
    if self.all():
        return F.cumsum(g * result, dim, True) / self
    size = self.shape[dim]
    one = F.zeros(part(F, self, dim, 0, 1).shape, self) + 1
    before = F.cat(one, part(F, F.cumprod(self, dim), dim, 0, size - 1), dim=dim)
    return before * _summed_from_the_end(F, part(F, self, dim, 1, size), g, dim)


@op(self=cumprod_gradient)
def cumprod(self: Array, dim: int) -> Array:
    """For each element the product of those up to it along a dimension."""
    return np.multiply.accumulate(self, axis=dim, dtype=self.dtype) if self.ndim else np.array(self)


def logcumsumexp_gradient(F: Any, g: Any, self: Any, result: Any, dim: int) -> Any:
    """The gradient of running logsumexps: exp(x[i]) * (the sum of g[j] / exp(result[j]) for j >= i).

    The sum is held as a multiple of 1 / exp(result[i]), so that no exponential is larger than 1.
    """
    if not self.ndim:
        return g
    size = self.shape[dim]
    before, after = part(F, result, dim, 0, size - 1), part(F, result, dim, 1, size)
    shrinking = F.where(before == after, 1, F.exp(before - after))  # of inf and inf, too
    return F.exp(self - result) * _summed_from_the_end(F, shrinking, g, dim)


@op(self=logcumsumexp_gradient)
def logcumsumexp(self: Array, dim: int) -> Array:
    """For each element the logarithm of the sum of the exponentials of those up to it."""
    return np.logaddexp.accumulate(self, axis=dim) if self.ndim else np.array(self)


def _find_along_op(name: str) -> Any:
    """One op for each of the names that PyTorch has, by how the indices were found."""

    @op(
        name=name,
        constants=("indices",),
        self=lambda F, g, indices, dim: F.add_along(g, indices, dim),
    )
    def find_along(self: Array, indices: Array, dim: int) -> Array:
        """The elements at `indices` along `dim`, several times where they stand several times."""
        return np.take_along_axis(self, indices, dim) if self.ndim else np.array(self)

    return find_along


cummax_values, cummin_values = _find_along_op("CummaxBackward0"), _find_along_op("CumminBackward0")


@op(constants=("indices",), self=lambda F, g, indices, dim: F.find_along(g, indices, dim))
def add_along(self: Array, indices: Array, dim: int) -> Array:
    """Zeros with the elements of input added at `indices` along `dim`."""
    if not self.ndim:
        return np.array(self)
    out = np.zeros(self.shape, self.dtype)
    place: list[Any] = list(np.ogrid[tuple(slice(size) for size in self.shape)])
    place[dim] = indices
    np.add.at(out, tuple(place), self)
    return out


# ---------------------------------------------------------------- as the learner calls them

_cumsum, _cumprod, _logcumsumexp = cumsum, cumprod, logcumsumexp


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:  # type: ignore[no-redef]
    """For each element the sum of those up to it along `dim`.

    Integers and bools add up in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("cumsum", input)
    input = input.to(total_dtype("cumsum", input, dtype))
    numbers_only("cumsum_out_cpu", input._array)
    return _cumsum(input, one_dim("cumsum", dim, input.ndim), False)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:  # type: ignore[no-redef]
    """For each element the product of those up to it along `dim`.

    Integers and bools multiply in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("cumprod", input)
    input = input.to(total_dtype("cumprod", input, dtype))
    numbers_only("cumprod_out_cpu", input._array)
    return _cumprod(input, one_dim("cumprod", dim, input.ndim))


def logcumsumexp(input: Tensor, dim: int) -> Tensor:  # type: ignore[no-redef]
    """For each element the logarithm of the sum of the exponentials of those up to it along `dim`."""
    (input,) = tensor_operands("logcumsumexp", input)
    floats_only("logcumsumexp_out_cpu", input._array)
    return _logcumsumexp(input, one_dim("logcumsumexp", dim, input.ndim))


def cummax(input: Tensor, dim: int) -> Any:
    """(values, indices) of the largest element up to each along `dim`; the last of equal ones. nan is largest."""
    return return_types.cummax(*_cumulative_extreme("cummax", np.maximum, cummax_values, input, dim))


def cummin(input: Tensor, dim: int) -> Any:
    """(values, indices) of the smallest element up to each along `dim`; the last of equal ones. nan is smallest."""
    return return_types.cummin(*_cumulative_extreme("cummin", np.minimum, cummin_values, input, dim))


def _cumulative_extreme(name: str, better: Any, take: Any, input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """(values, indices): the index of the last element so far that equals the best so far."""
    (input,) = tensor_operands(name, input)
    dim = one_dim(name, dim, input.ndim)
    array = input._array
    if not input.ndim:
        indices = from_array(np.int64(0))
    else:
        best = better.accumulate(array, axis=dim)
        places = np.arange(array.shape[dim]).reshape(-1, *[1] * (array.ndim - 1 - dim))
        indices = from_array(np.maximum.accumulate(np.where((array == best) | (array != array), places, 0), axis=dim))
    return take(input, indices, dim), indices
