"""The elements in another order: transpose, permute, the properties T and mT; flip.

A transposed tensor is a view whose strides are exchanged; flip copies. What only moves elements has a gradient that
moves them back: in the inverse order, or flipped again.
"""

from __future__ import annotations

import numpy as np

from minigrad.autograd.blame import warn
from minigrad.op import Array, op
from minigrad.ops.shapes.reshaping import different_dims
from minigrad.public import Sizes, public
from minigrad.tensor import Tensor, wrap_dim


@public(aliases=("swapaxes",), in_place="view")
@op(view=True, self=lambda F, g, dim0, dim1: F.transpose(g, dim0, dim1))
def transpose(self: Array, dim0: int, dim1: int) -> Array:
    """Two dimensions exchanged, as a view."""
    dim0, dim1 = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    return np.swapaxes(self, dim0, dim1) if self.ndim else self.T


@op(name="TBackward0", view=True, self=lambda F, g: F.matrix_transpose(g))
def matrix_transpose(self: Array) -> Array:
    """Rows and columns exchanged."""
    return self.T


@public(in_place="view")
def t(input: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, as a view; a vector or a number as it is."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return matrix_transpose(input)


def _inverse(dims: tuple[int, ...]) -> tuple[int, ...]:
    """The order that takes dimensions back to where they were before they got the order `dims`."""
    return tuple(np.argsort([dim % len(dims) for dim in dims]).tolist())


@public
@op(view=True, self=lambda F, g, dims: F.permute(g, _inverse(dims)))
def permute(self: Array, dims: Sizes) -> Array:
    """The dimensions in the order `dims`, as a view: (2, 3, 4) permuted by (2, 0, 1) is (4, 2, 3)."""
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    wrapped = [wrap_dim(dim, self.ndim) for dim in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(wrapped)


@public
@op(self=lambda F, g, dims: F.flip(g, dims))
def flip(self: Array, dims: Sizes) -> Array:
    """The elements in opposite order along the dimensions `dims`, as a copy."""
    wrapped = different_dims(dims, self.ndim)
    return np.flip(self, wrapped if self.ndim else ()).copy()


# ---------------------------------------------------------------- x.T and x.mT


def _reverse_dims(input: Tensor) -> Tensor:
    """`x.T`: all dimensions in the opposite order, as a view."""
    if not input.ndim:
        return _number_as_it_is(input, "T")
    if input.ndim != 2:
        warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*range(x.ndim)[::-1])` to reverse all dimensions."
        )
    return permute(input, tuple(range(input.ndim))[::-1])


def _matrices_transposed(input: Tensor) -> Tensor:
    """`x.mT`: the last two dimensions exchanged, as a view."""
    if not input.ndim:
        return _number_as_it_is(input, "mT")
    if input.ndim < 2:
        found = f"Got {input.ndim}-D tensor."
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. {found}")
    return transpose(input, -2, -1)


def _number_as_it_is(input: Tensor, name: str) -> Tensor:
    warn(f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these cases.")
    return input


Tensor.T = property(_reverse_dims)  # type: ignore[attr-defined]
Tensor.mT = property(_matrices_transposed)  # type: ignore[attr-defined]
