"""Running totals: cumsum, cumprod, cummax, logcumsumexp, and differences of neighbours.

After this module a reader knows that the gradient of a running total runs the other way: an element counts in all the
totals from its own place on, so their gradients come back to it, from the last to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.op import op, tensor_operands
from minigrad.ops.places.indexing import narrow, select
from minigrad.ops.places.overwrite import copied
from minigrad.ops.pointwise.comparison import bitwise_xor
from minigrad.ops.reductions.reduction import cumsum, one_dim
from minigrad.ops.shapes.shape import cat
from minigrad.ops.shapes.shape import view as reshaped
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("cumprod", "cummax", "cummin", "logcumsumexp", "diff")  # methods of Tensor, too
IN_PLACE: tuple[str, ...] = ("cumsum", "cumprod")  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("cumprod", "cummax", "cummin", "logcumsumexp", "diff")  # those that take out=


def part(F: Any, of: Any, dim: int, start: int, stop: int) -> Any:
    """The elements from `start` to before `stop` along a dimension."""
    return F.basic_index(of, (slice(None),) * dim + (slice(start, stop), ...))


def summed_from_the_end(F: Any, factor: Any, term: Any, dim: int) -> Any:
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


def of_running_product(F: Any, g: Any, self: Any, result: Any, dim: int) -> Any:
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
    return before * summed_from_the_end(F, part(F, self, dim, 1, size), g, dim)


@op(self=lambda F, g, self, result, dim: of_running_product(F, g, self, result, dim))
def cumprod(self: Array, dim: int) -> Array:
    """For each element the product of those up to it along a dimension."""
    return np.multiply.accumulate(self, axis=dim, dtype=self.dtype) if self.ndim else np.array(self)


def of_running_logsumexp(F: Any, g: Any, self: Any, result: Any, dim: int) -> Any:
    """The gradient of running logsumexps: exp(x[i]) * (the sum of g[j] / exp(result[j]) for j >= i).

    The sum is held as a multiple of 1 / exp(result[i]), so that no exponential is larger than 1.
    """
    if not self.ndim:
        return g
    size = self.shape[dim]
    before, after = part(F, result, dim, 0, size - 1), part(F, result, dim, 1, size)
    shrinking = F.where(before == after, 1, F.exp(before - after))  # of inf and inf, too
    return F.exp(self - result) * summed_from_the_end(F, shrinking, g, dim)


@op(self=lambda F, g, self, result, dim: of_running_logsumexp(F, g, self, result, dim))
def logcumsumexp(self: Array, dim: int) -> Array:
    """For each element the logarithm of the sum of the exponentials of those up to it."""
    return np.logaddexp.accumulate(self, axis=dim) if self.ndim else np.array(self)


def _finding(name: str) -> Any:
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


highest, lowest = _finding("CummaxBackward0"), _finding("CumminBackward0")


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

_cumprod, _logcumsumexp = cumprod, logcumsumexp


def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:  # type: ignore[no-redef]
    """For each element the product of those up to it along `dim`.

    Integers and bools multiply in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("cumprod", input)
    kind = dtypes.resolve(dtype, "cumprod") if dtype is not None else input.dtype
    if dtype is not None and kind is dtypes.bool:
        raise NotImplementedError("\"cumprod_out_cpu\" not implemented for 'Bool': choose a dtype of numbers")
    if dtype is None and kind.category < 2:
        kind = dtypes.int64
    return _cumprod(input.to(kind), one_dim("cumprod", dim, input.ndim))


def logcumsumexp(input: Tensor, dim: int) -> Tensor:  # type: ignore[no-redef]
    """For each element the logarithm of the sum of the exponentials of those up to it along `dim`."""
    (input,) = tensor_operands("logcumsumexp", input)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(
            f"\"logcumsumexp_out_cpu\" not implemented for '{input.dtype.tensor_type}': convert it with .float() first"
        )
    return _logcumsumexp(input, one_dim("logcumsumexp", dim, input.ndim))


def cummax(input: Tensor, dim: int) -> Any:
    """(values, indices) of the largest element up to each along `dim`; the last of equal ones. nan is largest."""
    return return_types.cummax(*_records("cummax", np.maximum, highest, input, dim))


def cummin(input: Tensor, dim: int) -> Any:
    """(values, indices) of the smallest element up to each along `dim`; the last of equal ones. nan is smallest."""
    return return_types.cummin(*_records("cummin", np.minimum, lowest, input, dim))


def _records(name: str, better: Any, take: Any, input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
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


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Each element less the one before it along `dim`, `n` times over; for bools, whether the two differ.

    `prepend`, `append`: tensors to put before and after the input first.
    """
    (input,) = tensor_operands("diff", input)
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = wrap_dim(dim, input.ndim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    pieces = [_beside(input, piece, dim) for piece in (prepend, input, append) if piece is not None]
    result = cat(pieces, dim) if len(pieces) > 1 else input
    times = min(n, result.shape[dim])
    if not times:
        return copied(from_array(np.empty_like(result._array)), result)
    for _ in range(times):
        size = max(result.shape[dim] - 1, 0)
        later, earlier = narrow(result, dim, min(1, size), size), narrow(result, dim, 0, size)
        result = bitwise_xor(later, earlier) if result.dtype is dtypes.bool else later - earlier
    return result


def _beside(input: Tensor, piece: Tensor, dim: int) -> Tensor:
    """A piece that is to stand before or after the input, if it fits."""
    if piece.ndim != input.ndim:
        raise RuntimeError(
            f"diff expects prepend or append to be the same dimension as input: {input.ndim}, not {piece.ndim}"
        )
    for d, (own, other) in enumerate(zip(input.shape, piece.shape, strict=True)):
        if d != dim and own != other:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({d}) = {own}, but got tensor.size({d}) = {other}"
            )
    return piece


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The area under a curve with heights `y` along `dim`, as a sum of trapezoids.

    The heights stand at `x`, or else `dx` apart: 1 unless given.
    """
    dim, widths = _widths("trapezoid", y, x, dx, dim)
    size = y.shape[dim]
    if not size:
        return from_array(np.zeros((*y.shape[:dim], *y.shape[dim + 1 :]), y.dtype.numpy))
    if isinstance(widths, Tensor):
        return ((narrow(y, dim, 0, size - 1) + narrow(y, dim, 1, size - 1)) * widths).sum(dim) / 2.0
    return (y.sum(dim) - (select(y, dim, 0) + select(y, dim, size - 1)) * 0.5) * widths


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The area under a curve with heights `y` along `dim` up to the second height, the third and so on."""
    dim, widths = _widths("cumulative_trapezoid", y, x, dx, dim)
    size = max(y.shape[dim] - 1, 0)
    heights = narrow(y, dim, 0, size) + narrow(y, dim, min(1, size), size)
    if isinstance(widths, Tensor):
        return cumsum(heights * widths, dim) / 2.0
    return cumsum(heights * (widths / 2.0), dim) if widths != 1 else cumsum(heights * 0.5, dim)


def _widths(name: str, y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> tuple[int, Any]:
    """A dimension counted from the front, and the distances between neighbours along it."""
    (y,) = tensor_operands(name, y)
    if not y.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, y.ndim)
    if y.dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    if x is None:
        return dim, 1 if dx is None else dx
    if dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: give either x or dx")
    along = 0 if x.ndim == 1 else dim - y.ndim + x.ndim
    if x.shape[along] != y.shape[dim]:
        raise RuntimeError(
            f"{name}: There must be one `x` value for each sample point: {y.shape[dim]}, not {x.shape[along]}"
        )
    gaps = narrow(x, along, 1, x.shape[along] - 1) - narrow(x, along, 0, x.shape[along] - 1)
    return dim, gaps if x.ndim > 1 else reshaped(gaps, (-1, *[1] * (y.ndim - 1 - dim)))
