"""Running totals: cumsum, cumprod.

After this module a reader knows that the gradient of a running total runs the other way: an element counts in all the
totals from its own place on, so their gradients come back to it, from the last to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.operands import numbers_only
from minigrad.ops.reductions.dims import one_dim, part
from minigrad.ops.reductions.sums import total_dtype
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("cumsum", "cumprod")  # methods of Tensor, too
IN_PLACE: tuple[str, ...] = ("cumsum", "cumprod")  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("cumsum", "cumprod")  # those that take out=


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


# ---------------------------------------------------------------- as the learner calls them

_cumsum, _cumprod = cumsum, cumprod


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
