"""The product of elements: prod.

After this module a reader knows that the gradient of a product is, for each factor, the product of the others, and how
to have all of these without a division, which a factor of 0 would not allow.
"""

from __future__ import annotations

from typing import Any

from minigrad import dtypes
from minigrad.op import op, tensor_operands
from minigrad.ops.reductions.dims import check_dim_given, expand_reduced, np_prod, one_dim, part
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ("prod",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ("prod",)  # those that take out=


def product_gradient(F: Any, g: Any, self: Any, result: Any, dim: int, keepdim: bool) -> Any:
    """The gradient of a product: for each factor the product of the others. Without zeros that is result / factor."""
    g, result = (expand_reduced(F, value, self.shape, (dim,), keepdim) for value in (g, result))
    return g * (result / self if self.all() else products_of_others(F, self, dim))


def products_of_others(F: Any, self: Any, dim: int) -> Any:
    """For each element the product of those before it, times the product of those after it along `dim`.

    Both grow at every step to twice as many factors: of 1, of 2, of 4 neighbours.
    """

    def section(of: Any, start: int, stop: int) -> Any:
        return part(F, of, dim, start, stop)

    size = self.shape[dim]
    one = F.zeros(section(self, 0, 1).shape, self) + 1
    if size == 1:
        return one
    before = F.cat(one, section(self, 0, size - 1), dim=dim)
    after = F.cat(section(self, 1, size), one, dim=dim)
    step = 1
    while step < size:
        first, last = section(before, 0, step), section(after, size - step, size)
        before = F.cat(first, section(before, step, size) * section(before, 0, size - step), dim=dim)
        after = F.cat(section(after, 0, size - step) * section(after, step, size), last, dim=dim)
        step *= 2
    return before * after


@op(
    name="ProdBackward0",
    self=lambda F, g, self, self_shape, result: (
        F.reshape(product_gradient(F, g, F.reshape(self, (-1,)), result, 0, False), self_shape) if self_shape else g
    ),
)
def prod_all(self: Array) -> Array:
    """The product of all elements."""
    return np_prod(self, axis=None)


@op(
    name="ProdBackward1",
    self=product_gradient,
)
def prod_dim(self: Array, dim: int, keepdim: bool) -> Array:
    """The products along a dimension."""
    return np_prod(self, axis=dim, keepdims=keepdim)


# ---------------------------------------------------------------- as the learner calls it


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along one dimension `dim`; `keepdim` leaves that with size 1.

    Integers and bools multiply in int64, unless `dtype` says otherwise.
    """
    (input,) = tensor_operands("prod", input)
    if dtype is not None:
        kind = dtypes.resolve(dtype, "prod")
        return prod(input.to(kind), dim, keepdim).to(kind)
    if input.dtype.category < 2:
        input = input.to(dtypes.int64)
    if dim is None:
        check_dim_given("prod", keepdim)
        return prod_all(input)
    dim = one_dim("prod", dim, input.ndim)
    return prod_dim(input, dim, keepdim) if input.ndim else prod_all(input)
